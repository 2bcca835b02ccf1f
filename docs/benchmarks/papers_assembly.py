"""Tables of ../papers/README.md for papers 003 and 004: assemblies, colours, single precision and orders of the nodes.

papers.py fills them in with its own. Each function takes what is stored and returns the text of a table.
"""

from pages import NONE, count, rows_text

NOT_MEASURED = "not measured"
# A strategy, and what of Table III of paper 004 it is: what a thread makes, and where the elements are.
ANY_ORDER = "in another order in every run"
TWO_NUMBERS = [("slice_gather", "row, global memory"), ("entry_gather", "nonzero, global memory"),
               ("shared_nz", "nonzero, shared memory"), ("atomics", f"element, atomic additions, {ANY_ORDER}"),
               ("local_row", "row, computed again"), ("local_nz", "nonzero, computed again"),
               ("elem_color", "element, by colours"), ("two_level_color", "element, by colours on two levels"),
               ("lazy_ell", f"element, appended to rows, {ANY_ORDER}")]
GENERAL = [("shared_nz_general", "nonzero, shared memory"),
           ("shared_nz_general_metis", "the same, blocks of nodes by METIS"),
           ("global_nz_general", "nonzero, global memory"), ("spmv", "the same, written to where the sums read them"),
           ("atomics_general", f"element, atomic additions, {ANY_ORDER}"), ("local_row_general", "row, computed again"),
           ("local_nz_general", "nonzero, computed again"), ("elem_color_general", "element, by colours"),
           ("two_level_color_general", "element, by colours on two levels"),
           ("lazy_ell_general", f"element, appended to rows, {ANY_ORDER}")]
# Those of a run on quadratic elements; `row_gather`, `slice_gather` and `diagonal` are for linear ones alone.
QUADRATIC = [(name, cell) for name, cell in TWO_NUMBERS if name != "slice_gather"]
QUADRATIC += [(name, cell) for name, cell in GENERAL if name != "shared_nz_general_metis"]
QUADRATIC += [("global_nz_prefetched_general", "nonzero, global memory, nodes fetched ahead"),
              ("global_nz_nodal_general", "nonzero, global memory, positions stored for each element"),
              ("global_nz_packed_general", "nonzero, global memory, packed lists")]
# Paper 004, Tables VI and VII: nodes, mean relative error of the entries and error of the solution.
SINGLE = [("184", "1.6e-7", "1.4e-7"), ("664", "3.0e-7", "1.7e-7"), ("2.5K", "6.2e-7", "5.0e-7"),
          ("9.7K", "1.2e-6", "8.2e-7"), ("38K", "2.6e-6", "1.3e-6"), ("150K", "5.2e-6", "3.7e-6"),
          ("600K", "1.1e-5", "8.2e-6"), ("2.4M", "2.1e-5", "1.2e-5")]
SINGLE_WAYS = ["all", "coordinates", "stored"]
# Paper 003, Table 1: what a product in compressed rows fetches over what one by local matrices does, double precision,
# quadrilaterals; then ELLPACK over local matrices.
OVER_LOCAL = {1: ("0.92", "0.9"), 2: ("1.6", "1.58"), 3: ("1.95", "1.93")}
# Paper 004, sec. 6.3: the fastest strategy for triangles by order.
FASTEST = {1: "SharedNZ", 2: "SharedNZ", 3: "GlobalNZ"}
ORDERS = ["mesh", "rcm", "hilbert", "metis_nodes"]
SORTINGS = ["unsorted", "windows of 1024", "all rows"]


def number(value):
    return f"{value:.3g}" if value < 999.5 else f"{value:,.0f}"


class Sums:
    """The correct rows with a time of elements and sums together, by nodes and strategy: of the constants of the code, in
    the format of a run."""

    def __init__(self, rows):
        self.of = {}
        for row in rows:
            if (row["correct"] == "yes" and row.get("median_us") and not row.get("block_size") and
                    row.get("format") not in ("csr", "ell")):
                self.of.setdefault(int(row["nodes"]), {})[row["strategy"]] = row

    def nodes(self):
        return sorted(self.of)

    def row(self, nodes, strategy):
        """The strategy's row; of `spmv` that of the fastest sums by ELL-WARP."""
        found = self.of.get(nodes, {})
        if strategy != "spmv":
            return found.get(strategy)
        return min((row for name, row in found.items() if name.startswith(("spmv_k1", "spmv_k2"))),
                   key=lambda row: float(row["median_us"]), default=None)

    def microseconds(self, nodes, strategy):
        row = self.row(nodes, strategy)
        return float(row["median_us"]) if row else None


def strategies(measured, of_kind):
    sums = Sums(measured)
    fastest = {nodes: min(filter(None, (sums.microseconds(nodes, name) for name, _ in of_kind)), default=None)
               for nodes in sums.nodes()}
    rows = []
    for name, cell in of_kind:
        cells = [f"`{name}`" if name != "spmv" else "`spmv_…`, the fastest", cell]
        for nodes in sums.nodes():
            row = sums.row(nodes, name)
            if not row:
                cells += [NOT_MEASURED] * 3
                continue
            time = float(row["median_us"])
            cells += [number(time), f"{1e3 * time / int(row['elements']):.2f}", f"{time / fastest[nodes]:.1f}"]
        rows.append(cells if sums.nodes() else [*cells, NOT_MEASURED])
    header = [text for nodes in sums.nodes()
              for text in (f"{count(nodes)} nodes [µs]", "[ns a tetrahedron]", "of the fastest")]
    return rows_text(["strategy", "a thread makes a .., elements from ..", *(header or ["hearts"])], rows)


def colorings(stored):
    """What colours cost against atomic additions, and more colours against few."""
    sums = Sums(stored.strategies)

    def ratio(nodes, strategy, to):
        time, other = sums.microseconds(nodes, strategy), sums.microseconds(nodes, to)
        return f"{time / other:.2f}" if time and other else NOT_MEASURED

    rows = [["papers, two dimensions", "2 to 4", NONE, "below 1.1", NONE]]
    for nodes in sums.nodes():
        rows.append([f"{count(nodes)} nodes", ratio(nodes, "two_level_color_general", "atomics_general"),
                     ratio(nodes, "elem_color_general", "atomics_general"),
                     ratio(nodes, "elem_color_split_2_general", "elem_color_general"),
                     ratio(nodes, "elem_color_split_4_general", "elem_color_general")])
    if len(rows) == 1:
        rows.append(["hearts", *[NOT_MEASURED] * 4])
    return rows_text(["times as long", "two levels of colours over atomics", "colours of elements over atomics",
                      "twice as many colours over as many", "four times as many"], rows)


def sizes(stored):
    """Nanoseconds of a tetrahedron by the size of the mesh, of the strategies that are stored."""
    found = {(int(row["elements"]), row["strategy"]): float(row["median_us"]) for row in stored.assembly + stored.elements
             if row["correct"] == "yes" and row.get("median_us")}
    in_steps = [row for row in stored.operators if row["way"] == "auto" and row.get("assembly") == "slice_gather"]
    for row in in_steps:  # of hearts that nothing else has
        found.setdefault((int(row["elements"]), "slice_gather"), float(row["element_us"]) + float(row["assembly_us"]))
    names = ["slice_gather", "entry_gather"]
    names += [name for name in ("shared_nz", "atomics", "shared_nz_general", "global_nz_general")
              if any(strategy == name for _, strategy in found)]
    for of_mesh in Sums(stored.strategies).of.values():
        for name, row in of_mesh.items():
            if name in names:
                found.setdefault((int(row["elements"]), name), float(row["median_us"]))
    rows = [[count(elements), *(f"{1e3 * found[elements, name] / elements:.3g}" if (elements, name) in found
                                else NOT_MEASURED for name in names)]
            for elements in sorted({elements for elements, _ in found})]
    return rows_text(["tetrahedra", *(f"`{name}` [ns a tetrahedron]" for name in names)],
                     rows or [["hearts", *[NOT_MEASURED] * len(names)]])


def colors(stored):
    rows = [[count(row["nodes"]), count(row["elements"]), row["element_order"].replace("_", " "), row["most_at_a_node"],
             row["colors"], row["smallest_color"], row["colors_below_1024_elements"], row["block_colors"] or "over 1024",
             f"{float(row['mean_colors_in_a_block']):.1f}", f"{float(row['mean_nodes_of_a_block']):.0f}"]
            for row in stored.colors]
    return rows_text(["nodes", "tetrahedra", "order of the elements", "most at a node", "colours",
                      "elements of the smallest", "colours with fewer than 1024", "colours of blocks of 256",
                      "colours in a block", "nodes of a block"], rows or [["hearts", *[NOT_MEASURED] * 9]])


def single(stored):
    rows = [[f"paper, triangles, {nodes} nodes", entries, NONE, NONE, solution, NONE, NONE]
            for nodes, entries, solution in SINGLE]
    found = {(int(row["nodes"]), row["single_precision"]): row for row in stored.single}
    for nodes in sorted({nodes for nodes, _ in found}):
        cells = [[found.get((nodes, way)) for way in SINGLE_WAYS]] * 2
        rows.append([f"here, {count(nodes)} nodes",
                     *(f"{float(row[column]):.1e}".replace("e-0", "e-") if row else NOT_MEASURED
                       for ways, column in zip(cells, ("mean_error", "solution_error")) for row in ways)])
    if len(rows) == len(SINGLE):
        rows.append(["here", *[NOT_MEASURED] * 6])
    return rows_text(["", "error of entries: all single", "coordinates single", "stored single",
                      "error of a solution: all single", "coordinates single", "stored single"], rows)


def renumbering(stored):
    found = {(row["matrix"], row["node_order"], row["sorting"]): row for row in stored.locality}
    matrices = {row["matrix"]: int(row["rows"]) for row in stored.locality}
    rows = []
    for matrix in sorted(matrices, key=matrices.get):
        for order in ORDERS:
            cells = [found.get((matrix, order, sorting)) for sorting in SORTINGS]
            distance = f"{float(cells[0]['mean_distance']):,.0f}" if cells[0] else NOT_MEASURED
            rows.append([f"`{matrix}`", f"`{order}`", distance,
                         *(f"{float(row['sectors_a_warp_k1rs']):.0f}" if row else NOT_MEASURED for row in cells),
                         *(f"{float(row['padding']):.3f}" if row else NOT_MEASURED for row in cells)])
    return rows_text(["", "order of the nodes", "mean distance from the diagonal",
                      *(f"sectors of x a warp, {sorting}" for sorting in SORTINGS),
                      *(f"stored over entries, {sorting}" for sorting in SORTINGS)],
                     rows or [["hearts", *[NOT_MEASURED] * 8]])


class Degrees:
    """The rows of degrees.csv, by mesh and degree."""

    def __init__(self, rows):
        self.of = {}
        for row in rows:
            key = int(row["nodes"]), row["mesh"], int(row["degree"])
            self.of.setdefault((row["mesh"], int(row["degree"])), {"nodes": key[0], "row": row})
            self.of[row["mesh"], int(row["degree"])].setdefault((row["operation"], row["method"]), row)

    def cases(self):
        return sorted(self.of, key=lambda case: (int(case[0].rpartition("_")[2]) if case[0].startswith("box_") else 0, case))

    def row(self, case, operation, method):
        row = self.of[case].get((operation, method))
        return row if row and row["correct"] == "yes" and row["median_us"] else None

    def cell(self, case, operation, method):
        row = self.row(case, operation, method)
        return number(float(row["median_us"])) if row else NOT_MEASURED

    def best(self, case, operation, beginning):
        rows = [self.row(case, operation, method) for kind, method in
                (key for key in self.of[case] if isinstance(key, tuple)) if kind == operation and method.startswith(beginning)]
        return min(filter(None, rows), key=lambda row: float(row["median_us"]), default=None)


def of_case(degrees, case):
    row = degrees.of[case]["row"]
    return [str(case[1]), count(row["nodes"]), count(row["elements"]), f"{int(row['nonzeros']) / int(row['nodes']):.1f}"]


CASE = ["degree", "nodes", "tetrahedra", "entries a row"]


def degrees_assembly(stored):
    degrees = Degrees(stored.degrees)
    rows = []
    for case in degrees.cases():
        parts = degrees.of[case].get(("parts", "shared_nz"))
        rows.append([*of_case(degrees, case), *(degrees.cell(case, "assembly", name)
                                                for name in ("local", "global_nz", "atomics", "elem_color")),
                     parts["elements_a_part"] if parts else NOT_MEASURED,
                     f"{float(parts['evaluations']):.2f}" if parts and parts["evaluations"] else "none fits",
                     FASTEST[case[1]]])
    return rows_text([*CASE, "`local` [µs]", "`global_nz` [µs]", "`atomics` [µs]", "`elem_color` [µs]",
                      "elements of a part of SharedNZ", "times that each is evaluated in it",
                      "paper 004, triangles: fastest"], rows or [["boxes", *[NOT_MEASURED] * 10]])


def degrees_product(stored):
    degrees = Degrees(stored.degrees)
    rows = []
    for case in degrees.cases():
        best = {name: degrees.best(case, "product", name) for name in ("csr", "cusparse", "k", "local")}

        def ratio(column):
            return (f"{float(best['csr'][column]) / float(best['local'][column]):.2f}"
                    if best["csr"] and best["local"] else NOT_MEASURED)

        rows.append([*of_case(degrees, case),
                     *(f"{number(float(row['median_us']))} (`{row['method']}`)" if row else NOT_MEASURED
                       for row in best.values()),
                     ratio("median_us"), ratio("bytes"), *OVER_LOCAL[case[1]]])
    return rows_text([*CASE, "compressed rows, fastest [µs]", "cuSPARSE [µs]", "ELL-WARP [µs]", "local matrices [µs]",
                      "compressed rows over local: time", "bytes", "paper 003, quadrilaterals: bytes", "the same of ELLPACK"],
                     rows or [["boxes", *[NOT_MEASURED] * 11]])


TABLES = {"two_numbers": lambda stored: strategies(stored.strategies, TWO_NUMBERS),
          "general": lambda stored: strategies(stored.strategies, GENERAL),
          "quadratic_strategies": lambda stored: strategies(stored.quadratic, QUADRATIC),
          "colorings": colorings, "sizes": sizes, "colors": colors, "single": single, "renumbering": renumbering,
          "degrees_assembly": degrees_assembly, "degrees_product": degrees_product}
