"""What `bench spmv` measured, by matrix, number of products and format."""

STAND_INS = ["circuit", "economics", "epidemiology", "fem_accelerator", "fem_cantilever", "fem_harbor", "fem_ship",
             "fem_spheres", "protein", "qcd", "webbase", "wind_tunnel"]


class Products:
    """Of every matrix, number of products and format the fastest correct measurement."""

    def __init__(self, rows):
        rows = [row for row in rows if row["matrix"]]
        self.sizes = {row["matrix"]: (int(row["rows"]), int(row["nonzeros"])) for row in rows}
        self.stand_ins = sorted(name for name in self.sizes if name.split(":")[0] in STAND_INS)
        self.others = sorted(set(self.sizes) - set(self.stand_ins), key=lambda name: (self.sizes[name], name))
        self.matrices = self.others + self.stand_ins
        self.formats = list(dict.fromkeys(row["format"] for row in rows))
        self.counts = sorted({int(row["products"]) for row in rows})
        # Up to this number all choices are measured.
        self.tuned = max([n for n in self.counts if n <= 50] or self.counts[:1], default=0)
        self.wrong = {(row["matrix"], row["format"]) for row in rows if row["correct"] != "yes"}
        self.best = {}
        for row in rows:
            key = row["matrix"], int(row["products"]), row["format"]
            if row["correct"] == "yes" and float(row["median_us"]) < self.time(*key):
                self.best[key] = row

    def time(self, matrix, products, name):
        row = self.best.get((matrix, products, name))
        return float(row["median_us"]) if row else float("inf")

    def fastest(self, matrix, products, formats=None):
        """The fastest of these formats; none where none was measured."""
        name = min(formats or self.formats, key=lambda name: self.time(matrix, products, name))
        return self.best.get((matrix, products, name))
