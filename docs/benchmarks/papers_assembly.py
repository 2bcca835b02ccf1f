"""Tables of ../papers/assembly.md: elements and their sums. The numbers of the papers stand here, each with its place there.

papers.py fills them in. Each function takes what is stored and returns the text of a table.
"""

from pages import NONE, NOT_MEASURED, chosen, count, number, of_row, rows_text
from stored import by_nodes, fastest

# A strategy, and what of Table III of paper 004 it is: what a thread makes, and where the elements are.
TWO_NUMBERS = [("slice_gather", "row, global memory"), ("entry_gather", "nonzero, global memory"),
               ("shared_nz", "nonzero, shared memory"), ("atomics", "element, atomic additions"),
               ("local_row", "row, computed again"), ("local_nz", "nonzero, computed again"),
               ("elem_color", "element, by colors"), ("two_level_color", "element, by colors on two levels"),
               ("lazy_ell", "element, appended to rows")]
GENERAL = [("shared_nz_general", "nonzero, shared memory"), ("shared_nz_general_metis", "the same, parts by METIS"),
           ("global_nz_general", "nonzero, global memory"), ("spmv", "the same, by a product"),
           ("atomics_general", "element, atomic additions"), ("local_row_general", "row, computed again"),
           ("local_nz_general", "nonzero, computed again"), ("elem_color_general", "element, by colors"),
           ("two_level_color_general", "element, by colors on two levels"),
           ("lazy_ell_general", "element, appended to rows")]
# Those of a run on quadratic elements that differ by more than a few per cent.
QUADRATIC = [(name, cell) for name, cell in TWO_NUMBERS if name != "slice_gather"]
QUADRATIC += [(name, cell) for name, cell in GENERAL
              if name not in ("shared_nz_general_metis", "two_level_color_general", "lazy_ell_general")]
GLOBAL = [("global_nz_general", "fetched by each element", "a thread a sum"),
          ("global_nz_prefetched_general", "fetched ahead for a block of elements", "a thread a sum"),
          ("global_nz_prefetched_general_metis", "the same, blocks by METIS", "a thread a sum"),
          ("global_nz_nodal_general", "stored for each element", "a thread a sum"),
          ("global_nz_packed_general", "fetched by each element", "packed lists")]
# Paper 004, Tables VI and VII: nodes, mean relative error of the entries and error of the solution.
SINGLE = [("184", "1.6e-7", "1.4e-7"), ("9.7K", "1.2e-6", "8.2e-7"), ("2.4M", "2.1e-5", "1.2e-5")]
SINGLE_WAYS = ["all", "coordinates", "stored"]
# Paper 003, Table 1: what a product in compressed rows fetches over what one by local matrices does, double precision,
# quadrilaterals.
OVER_LOCAL = {1: "0.92", 2: "1.6", 3: "1.95"}
# Paper 004, sec. 6.3: the fastest strategy for triangles by order.
FASTEST = {1: "SharedNZ", 2: "SharedNZ", 3: "GlobalNZ"}
# Of the pages: sizes of meshes, in tetrahedra, and the heart whose lines stand for the others.
SHOWN_SIZES = [216, 3920, 36655, 128588, 480926, 1621952, 8329856]
SHOWN_NODES = [222458]


class Strategies:
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
        return fastest([row for name, row in found.items() if name.startswith(("spmv_k1", "spmv_k2"))], "median_us")

    def microseconds(self, nodes, strategy):
        row = self.row(nodes, strategy)
        return float(row["median_us"]) if row else None


def of_hearts(stored):
    return Strategies(stored.rows("assembly_strategies") or stored.rows("assembly_sums"))


def strategies(found, of_kind):
    """Of the smallest and the largest mesh."""
    least = {nodes: min(filter(None, (found.microseconds(nodes, name) for name, _ in of_kind)), default=None)
             for nodes in dict.fromkeys([*found.nodes()[:1], *found.nodes()[-1:]])}
    rows = []
    for name, cell in of_kind:
        times = [(found.microseconds(nodes, name), nodes) for nodes in least]
        rows.append([f"`{name}`" if name != "spmv" else "`spmv_…`, the fastest", cell,
                     *(text for time, nodes in times for text in
                       ((number(time), f"{time / least[nodes]:.1f}") if time else (NOT_MEASURED, NONE)))])
    return rows_text(["strategy", "a thread makes a .., elements from ..",
                      *(text for nodes in least for text in (f"{count(nodes)} nodes [µs]", "of the fastest"))],
                     rows if found.nodes() else [])


def assemblies(stored):
    """What the loop over the elements and the sums take apart, and their bandwidth."""
    in_steps = [row for row in stored.rows("steps") if row["backend"] == "gpu" and row["order"] == "direct"]
    rows = []
    for nodes, of_bench in by_nodes(stored.rows("assembly")):
        for name in ("slice_gather", "entry_gather"):
            row = fastest([row for row in of_bench if row["strategy"] == name], "median_us")
            if row and any(int(step["nodes"]) == nodes for step in in_steps):
                rows.append([count(nodes), f"`{name}`", *(of_row(row, column) for column in ("elements_us", "assembly_us")),
                             of_row(row, "percent_of_copy", "{:.0f}".format)])
        row = min((row for row in in_steps if int(row["nodes"]) == nodes and row["assembly"].startswith("spmv")),
                  default=None, key=lambda row: float(row["element_us"]) + float(row["assembly_us"]))
        if row:
            rows.append([count(nodes), f"`{row['assembly']}`", of_row(row, "element_us"), of_row(row, "assembly_us"), NONE])
    return rows_text(["nodes", "strategy", "elements [µs]", "sums [µs]", "bandwidth, of a copy's [%]"], rows)


def sums(stored):
    """The sums of the assembly by each product."""
    rows = []
    for nodes, of_size in by_nodes(stored.rows("assembly_sums", of="second")):
        def cell(*names):
            row = fastest([row for row in of_size if row["strategy"].rstrip("0123456789") in names or
                           row["strategy"] in names], "assembly_us")
            return f"{of_row(row, 'assembly_us')} (`{row['strategy']}`)" if row else NOT_MEASURED

        rows.append([count(nodes), cell("spmv_k1", "spmv_k2"), cell("spmv_k1_joint", "spmv_k2_joint"),
                     cell("spmv_csr_vector_"), cell("spmv_merge"), cell("spmv_cusparse"), cell("slice_gather")])
    return rows_text(["sums [µs]: nodes", "ELL-WARP, K and R apart", "K and R in one product", "`csr_vector`", "`merge`",
                      "cuSPARSE", "without a product"], rows)


def global_nz(stored):
    """Elements, sums and padding of each way of GlobalNZ."""
    found, rows = of_hearts(stored), []
    for nodes in chosen([nodes for nodes in found.nodes() if any(row.get("padding") for row in found.of[nodes].values())],
                        SHOWN_NODES):
        for name, elements, by in GLOBAL:
            row = found.row(nodes, name)
            if row:
                rows.append([count(nodes), f"`{name}`", elements, of_row(row, "elements_us"), by,
                             of_row(row, "assembly_us"), of_row(row, "padding", "{:.2f}".format),
                             of_row(row, "median_us")])
    return rows_text(["nodes", "strategy", "an element's nodes are ..", "elements [µs]", "sums by ..", "sums [µs]",
                      "stored over needed", "both [µs]"], rows)


def dummy(stored):
    """Elements over elements without arithmetic."""
    names, found = [("slice_gather", "two numbers"), ("global_nz_general", "10 + 4 numbers")], of_hearts(stored)
    rows = [[count(nodes), *(cell for name, _ in names for cell in
                             (of_row(found.row(nodes, name), "elements_us"), of_row(found.row(nodes, name), "dummy_us"),
                              of_row(found.row(nodes, name), "elements_over_dummy", "{:.2f}".format)))]
            for nodes in found.nodes() if any((found.row(nodes, name) or {}).get("dummy_us") for name, _ in names)]
    return rows_text(["nodes", *(text for _, kind in names
                                 for text in (f"elements of {kind} [µs]", "without arithmetic [µs]", "times as long"))],
                     rows)


def sizes(stored):
    """Nanoseconds of a tetrahedron by the size of the mesh."""
    names = ["slice_gather", "entry_gather", "shared_nz", "atomics", "shared_nz_general"]
    found = {(int(row["elements"]), row["strategy"]): float(row["median_us"])
             for row in stored.rows("assembly", "elements") if row["correct"] == "yes" and row.get("median_us")}
    for row in stored.rows("operators"):  # of hearts that nothing else has
        if row["way"] == "auto" and row.get("assembly") == "slice_gather":
            found.setdefault((int(row["elements"]), "slice_gather"), float(row["element_us"]) + float(row["assembly_us"]))
    for of_mesh in of_hearts(stored).of.values():
        for name, row in of_mesh.items():
            found.setdefault((int(row["elements"]), name), float(row["median_us"]))
    rows = [[count(elements), *(f"{1e3 * found[elements, name] / elements:.3g}" if (elements, name) in found
                                else NOT_MEASURED for name in names)]
            for elements in chosen(sorted({elements for elements, _ in found}), SHOWN_SIZES)]
    return rows_text(["ns a tetrahedron: tetrahedra", *(f"`{name}`" for name in names)], rows)


def colorings(stored):
    """What colors cost against atomic additions, and more colors against few."""
    found = of_hearts(stored)

    def ratio(nodes, strategy, to):
        time, other = found.microseconds(nodes, strategy), found.microseconds(nodes, to)
        return f"{time / other:.2f}" if time and other else NOT_MEASURED

    rows = [["papers, two dimensions", "2 to 4", NONE, "below 1.1", NONE]]
    for nodes in found.nodes():
        rows.append([f"{count(nodes)} nodes", ratio(nodes, "two_level_color_general", "atomics_general"),
                     ratio(nodes, "elem_color_general", "atomics_general"),
                     ratio(nodes, "elem_color_split_2_general", "elem_color_general"),
                     ratio(nodes, "elem_color_split_4_general", "elem_color_general")])
    return rows_text(["times as long", "two levels of colors over atomics", "colors of elements over atomics",
                      "twice as many colors over as many", "four times as many"], rows)


def colors(stored):
    of_size = dict(by_nodes(stored.rows("colors", of="counts")))
    rows = [[count(row["nodes"]), row["element_order"].replace("_", " "), row["most_at_a_node"], row["colors"],
             row["colors_below_1024_elements"], row["block_colors"] or "over 1024",
             f"{float(row['mean_colors_in_a_block']):.1f}"]
            for nodes in chosen(of_size, SHOWN_NODES) for row in of_size[nodes]]
    return rows_text(["nodes", "order of the elements", "most elements at a node", "colors",
                      "colors with fewer than 1024 elements", "colors of blocks of 256", "colors in a block"], rows)


def places(stored):
    """Additions to places worked out before, in compressed rows and in ELLPACK."""
    names = ["atomics", "atomics_general", "elem_color", "elem_color_general"]
    found = {(int(row["nodes"]), row["format"], row["strategy"]): row for row in stored.rows("assembly_strategies")
             if row["correct"] == "yes" and row.get("format") in ("csr", "ell")}
    rows = [[count(nodes), f"`{kind}`", *(of_row(found.get((nodes, kind, name)), "median_us") for name in names)]
            for nodes in chosen(sorted({nodes for nodes, _, _ in found}), SHOWN_NODES)
            for kind in sorted({kind for _, kind, _ in found})]
    return rows_text(["nodes", "format", *(f"`{name}` [µs]" for name in names)], rows)


def shape_of(row):
    """The end `_128x512` of the name of a strategy in parts, or nothing."""
    last = row["strategy"].rpartition("_")[2]
    nodes, x, threads = last.partition("x")
    return f"_{last}" if x and nodes.isdigit() and threads.isdigit() else ""


def loop_sizes(stored):
    """The best block of the loops of an assembly against the constants in the code, where it saves 3 % or more."""
    rows = []
    for nodes, here in by_nodes([row for row in stored.rows("blocks_assembly")
                                 if row["correct"] == "yes" and row["median_us"]]):
        for row in [row for row in here if not row["block_size"] and not shape_of(row)]:
            name, before = row["strategy"], float(row["median_us"])
            best = fastest([other for other in here if other is not row and
                            name in (other["strategy"], other["strategy"].removesuffix(shape_of(other)))], "median_us")
            if best and float(best["median_us"]) <= 0.97 * before:
                choice = (best["block_size"] or shape_of(best).lstrip("_").replace("x", " nodes, ")) + " threads"
                rows.append([count(nodes), f"`{name}`", number(before), choice, of_row(best, "median_us"),
                             f"{100 * (1 - float(best['median_us']) / before):.1f}"])
    return rows_text(["nodes", "strategy", "constants [µs]", "best choice", "[µs]", "saves [%]"], rows)


class Degrees:
    """The rows of degrees.csv by degree, of the mesh with most elements."""

    def __init__(self, rows):
        largest = max(rows, default=None, key=lambda row: int(row["elements"]))
        self.of = {}
        for row in rows:
            if row["mesh"] == largest["mesh"]:
                self.of.setdefault(int(row["degree"]), []).append(row)

    def best(self, degree, operation, beginning):
        return fastest([row for row in self.of[degree] if row["operation"] == operation and
                        row["method"].startswith(beginning)], "median_us")


def degrees_assembly(stored):
    degrees, rows = Degrees(stored.rows("degrees")), []
    for degree, found in sorted(degrees.of.items()):
        parts = next((row for row in found if row["operation"] == "parts"), None)
        rows.append([str(degree), count(found[0]["nodes"]), count(found[0]["elements"]),
                     f"{int(found[0]['nonzeros']) / int(found[0]['nodes']):.1f}",
                     *(of_row(degrees.best(degree, "assembly", name), "median_us")
                       for name in ("local", "global_nz", "atomics", "elem_color")),
                     of_row(parts, "evaluations", "{:.2f}".format), FASTEST[degree]])
    return rows_text(["degree", "nodes", "tetrahedra", "entries a row", "`local` [µs]", "`global_nz` [µs]",
                      "`atomics` [µs]", "`elem_color` [µs]", "times that SharedNZ evaluates an element",
                      "paper 004, triangles: fastest"], rows)


def degrees_product(stored):
    degrees, rows = Degrees(stored.rows("degrees")), []
    for degree in sorted(degrees.of):
        best = [degrees.best(degree, "product", name) for name in ("csr", "cusparse", "k", "local")]
        ratios = [f"{float(best[0][column]) / float(best[3][column]):.2f}" if best[0] and best[3] else NOT_MEASURED
                  for column in ("median_us", "bytes")]
        rows.append([str(degree), *(f"{of_row(row, 'median_us')} (`{row['method']}`)" if row else NOT_MEASURED
                                    for row in best), *ratios, OVER_LOCAL[degree]])
    return rows_text(["degree", "compressed rows, fastest [µs]", "cuSPARSE [µs]", "ELL-WARP [µs]", "local matrices [µs]",
                      "compressed rows over local: time", "bytes", "paper 003, quadrilaterals: bytes"], rows)


def single(stored):
    rows = [[f"paper, triangles, {nodes} nodes", entries, NONE, NONE, solution, NONE, NONE]
            for nodes, entries, solution in SINGLE]
    for nodes, of_size in by_nodes(stored.rows("single_error", of="counts")):
        found = {row["single_precision"]: row for row in of_size}
        rows.append([f"here, {count(nodes)} nodes",
                     *(of_row(found.get(way), column, lambda value: f"{value:.1e}".replace("e-0", "e-"))
                       for column in ("mean_error", "solution_error") for way in SINGLE_WAYS)])
    return rows_text(["", "error of entries: all single", "coordinates single", "stored single",
                      "error of a solution: all single", "coordinates single", "stored single"], rows)


TABLES = {"general": lambda stored: strategies(of_hearts(stored), GENERAL),
          "two_numbers": lambda stored: strategies(of_hearts(stored), TWO_NUMBERS),
          "quadratic_strategies": lambda stored: strategies(Strategies(stored.rows("quadratic_strategies")), QUADRATIC),
          "assemblies": assemblies, "sums": sums, "global_nz": global_nz, "dummy": dummy, "sizes": sizes,
          "colorings": colorings, "colors": colors, "places": places, "loop_sizes": loop_sizes,
          "degrees_assembly": degrees_assembly, "degrees_product": degrees_product, "single": single}
