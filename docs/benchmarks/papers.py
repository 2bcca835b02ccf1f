#!/usr/bin/env python3
"""The tables of ../papers/README.md: what five papers report, beside what is stored here.

    docs/benchmarks/papers.py [--check] [--page PAGE] [--gpu FOLDER] [--second-gpu FOLDER] [--cpu FOLDER] [--counts FOLDER]

renews the tables of the page, or with --check only says which are not what the stored files give, and fails. What no
stored file has is `not measured`. The tables whose names end in _h100 are of the second GPU. The numbers of the papers stand in this script, each with its place there.
"""

import argparse
import collections
import pathlib
import sys

import measured
import papers_assembly
import papers_operators
import papers_solver
from pages import NONE, count, filled, rows_text
from papers_assembly import number
from products import Products

HERE = pathlib.Path(__file__).resolve().parent
NOT_MEASURED = "not measured"
# Of about as many rows as the paper's.
HEARTS = {"biventricle3k": "Heart 3K", "biventricle5k": "Heart 5K", "human34k": "Heart 30K"}
STAND_INS = {"circuit": "Circuit", "economics": "Economics", "epidemiology": "Epidemiology",
             "fem_accelerator": "FEMAccelerator", "fem_cantilever": "FEMCantilever", "fem_harbor": "FEMHarbor",
             "fem_ship": "FEMShip", "fem_spheres": "FEMSpheres", "protein": "Protein", "qcd": "QCD",
             "webbase": "Webbase", "wind_tunnel": "WindTunnel"}
ELL_WARP = ["k1", "k1r", "k1rs", "k2", "k2r", "k2rs", "k1rs_parts"]

# Paper 000, Table IV: α of K1 on the GPU and on the CPU, of K2 on the GPU and on the CPU. 1 also says "no faster".
ALPHA = {"Heart 3K": (1, 4, 1, 4), "Heart 5K": (1, 5, 1, 5), "Heart 30K": (3, 10, 3, 10), "Circuit": (3, 15, 3, 12),
         "Economics": (3, 12, 3, 13), "Epidemiology": (2, 20, 2, 21), "FEMAccelerator": (3, 12, 3, 12),
         "FEMCantilever": (12, 50, 9, 39),
         "FEMHarbor": (7, 27, 7, 28), "FEMShip": (8, 27, 8, 24), "FEMSpheres": (10, 34, 10, 34),
         "Protein": (21, 96, 21, 91), "QCD": (4, 17, 4, 17), "Webbase": (1, 1, 2, 12), "WindTunnel": (8, 26, 8, 24)}
# Paper 000, sec. A.1: of 15 matrices, those that K1 or K2 multiplies fastest, by products.
WINNERS = {1: 13, 50: 10, 1200: 9}
# Paper 000, Tables VII to IX, by 1 / 50 / 1200 products: ModernGPU's values a thread; K1's threads a block; K2's threshold
# and threads a block.
PARAMETERS = {
    "Heart 3K": ("12 / 10 / 10", "32 / 32 / 32", "7, 256 / 7, 256 / 6, 192"),
    "Heart 5K": ("10 / 8 / 8", "64 / 32 / 64", "10, 192 / 13, 96 / 6, 192"),
    "Heart 30K": ("10 / 10 / 6", "64 / 64 / 64", "21, 64 / 17, 64 / 17, 64"),
    "Circuit": ("6 / 6 / 4", "64 / 64 / 64", "80, 160 / 38, 128 / 112, 160"),
    "Economics": ("6 / 6 / 6", "64 / 64 / 64", "7, 96 / 7, 96 / 7, 96"),
    "Epidemiology": ("6 / 4 / 4", "128 / 128 / 128", "4, 128 / 4, 128 / 4, 128"),
    "FEMAccelerator": ("6 / 6 / 4", "64 / 64 / 64", "58, 64 / 57, 64 / 58, 64"),
    "FEMCantilever": ("10 / 10 / 10", "64 / 64 / 64", "19, 224 / 19, 224 / 19, 224"),
    "FEMHarbor": ("10 / 12 / 16", "96 / 96 / 96", "128, 96 / 132, 96 / 139, 96"),
    "FEMShip": ("10 / 10 / 10", "96 / 96 / 96", "28, 128 / 27, 128 / 27, 128"),
    "FEMSpheres": ("10 / 12 / 12", "96 / 96 / 96", "47, 128 / 81, 96 / 81, 96"),
    "Protein": ("10 / 16 / 16", "64 / 96 / 96", "172, 96 / 167, 96 / 171, 96"),
    "QCD": ("10 / 10 / 10", "224 / 224 / 224", "39, 96 / 39, 224 / 39, 128"),
    "Webbase": ("6 / 4 / 4", "32 / 32 / 32", "658, 128 / 682, 128 / 672, 128"),
    "WindTunnel": ("10 / 10 / 10", "96 / 96 / 96", "38, 96 / 37, 96 / 38, 96")}
# Paper 000, Table VI: saved by sorting, stored entries and time with the texture cache [%]. Its three hearts have other
# names there than elsewhere, so they are together.
SORTING = {"Circuit": ("59.89", "21.16"), "Epidemiology": ("0.14", "−2.10"), "FEMHarbor": ("33.67", "0.00"),
           "hearts": ("29.60 to 33.73", "3.00 to 22.67"), "QCD": ("0", "0.47")}
# Paper 000, sec. 7 and A.2, with the texture cache; nothing where it only draws the times.
EFFECTS = [("coalesced: `k1_row_major` → `k1`", "k1_row_major", "k1", "33 to 89 (1.5 to 9 ×)"),
           ("rows renumbered: `k1` → `k1r`", "k1", "k1r", NONE), ("the same: `k2` → `k2r`", "k2", "k2r", NONE),
           ("columns sorted: `k1r` → `k1rs`", "k1r", "k1rs", "1.75 to 7.25, without Epidemiology and QCD"),
           ("the same: `k2r` → `k2rs`", "k2r", "k2rs", "1 to 7.5, without Epidemiology and QCD"),
           ("`y` not brought back to the given order: `k1r_mapped` → `k1r`", "k1r_mapped", "k1r", "1 to 11.5 of K1r")]
# Paper 000, sec. 8: times as fast as one process of PETSc with block Jacobi. Those of PETSc's preconditioners of which the
# faster one counts.
WHOLE = {"solver on the GPU, assembly on one core": "2 to 2.5", "GPU, by `k1`": "5 to 12", "GPU, by `k2`": "5 to 12"}
PETSC = ["jacobi", "block_jacobi"]


def spread(values):
    """A range of per cent; of one value the value."""
    low, high = (f"{value:.1f}".replace("-", "−") for value in (min(values), max(values)))
    return f"{low} to {high}" if low != high else low


def saved(before, after):
    """Per cent."""
    return 100 * (1 - float(after) / float(before))


class Stored:
    """What is stored of the GPU and of the CPU; no rows where a file is missing."""

    def __init__(self, gpu, cpu, counts):
        self.gpu = gpu
        self.products = Products(self.rows("spmv.csv"))
        self.blocks = self.rows("spmv_blocks.csv")
        self.ehyb = Products(self.rows("spmv_ehyb.csv"))
        self.fetching = Products(self.rows("spmv_fetching.csv"))
        self.choices = Products([row for name in ("spmv_choices", "spmv_choices_5k", "spmv_choices_later")
                                 for row in self.rows(f"{name}.csv")])
        self.sorting = self.rows("spmv_sorting.csv")
        self.sums, self.degrees = self.rows("assembly_sums.csv"), self.rows("degrees.csv")
        self.strategies = self.rows("assembly_strategies.csv") or self.sums
        self.elements, self.quadratic = map(self.rows, ("elements.csv", "quadratic_strategies.csv"))
        self.operators, self.ssor = map(self.rows, ("operators.csv", "ssor.csv"))
        for name in ("renumbering_spmv", "renumbering_solver", "renumbering_assembly", "blocks_spmv", "blocks_assembly"):
            setattr(self, name, self.rows(f"{name}.csv"))
        self.assembly, self.steps, self.compare = map(self.rows, ("assembly.csv", "steps.csv", "compare.csv"))
        self.petsc = self.rows("petsc.csv") + self.rows("petsc_large.csv")
        self.steps += self.rows("steps_small.csv")
        self.compare += self.rows("compare_small.csv")
        self.in_single = Products(self.rows("spmv_single.csv"))
        self.preconditioners = self.rows("preconditioners.csv", cpu)
        self.row_lengths = self.rows("row_lengths.csv", cpu)
        self.colors, self.single, self.locality = (self.rows(name, counts) for name in
                                                   ("colors.csv", "single_error.csv", "locality.csv"))

    def rows(self, name, folder=None):
        path = (folder or self.gpu) / name
        return measured.read(path)[2] if path.exists() else []

    def seconds(self):
        """{nodes: {side: {phase: seconds of all steps}}}, of the four phases of a step, where the answers agree"""
        sizes = collections.defaultdict(lambda: collections.defaultdict(dict))
        for row in sorted(self.compare, key=lambda row: int(row["nodes"])):
            if row["agrees"] == "yes" and row["phase"] in ("element", "assembly", "linear_solve", "update"):
                sizes[row["nodes"]][row["side"]][row["phase"]] = float(row["median_s"])
        return sizes


def of_phases(phases, *names):
    """Seconds; 0 where one was not measured."""
    return sum(phases[name] for name in names or phases) if {*names} <= phases.keys() else 0.0


def shares(stored):
    rows = []
    for nodes, sides in stored.seconds().items():
        cells = [count(nodes)]
        for names in (["element", "assembly"], ["linear_solve"], ["update"]):
            for side in ("cpu_1", "gpu"):
                whole = of_phases(sides[side])
                cells.append(f"{100 * of_phases(sides[side], *names) / whole:.0f}" if whole else NOT_MEASURED)
        rows.append(cells)
    header = [text for name in ("elements and assembly", "linear solve", "update")
              for text in (f"{name}, one core", "H200")]
    return rows_text(["share of a step [%]: nodes", *header], rows)


def inside(stored):
    """Shares within assembly and solver where each is a launch of its own."""
    steps = {(int(row["nodes"]), row["way"]): row for row in stored.steps if row["backend"] == "gpu"}
    rows = [["paper", NONE, NONE, "up to 33", "up to 10"]]
    for nodes in sorted({nodes for nodes, _ in steps}):
        sums, plain = steps.get((nodes, "spmv_k1")), steps.get((nodes, "plain"))
        cells = [count(nodes), NOT_MEASURED, NOT_MEASURED, NOT_MEASURED, NOT_MEASURED]
        if sums:
            parts = [float(sums[column]) for column in ("element_us", "assembly_us")]
            cells[1:3] = [f"{100 * part / sum(parts):.0f}" for part in parts]
        product = plain and (stored.products.best.get((plain["mesh"], 50, plain["spmv"])) or
                             stored.fetching.best.get((plain["mesh"], 50, plain["spmv"])))
        if product:
            once, solving = float(product["median_us"]), float(plain["cg_iteration_us"])
            newton, linear = int(plain["newton_iterations"]), int(plain["cg_iterations"])
            whole = linear * solving + newton * sum(float(plain[column])
                                                    for column in ("element_us", "assembly_us", "update_us"))
            cells[3:] = [f"{100 * once / solving:.0f}", f"{100 * linear * once / whole:.0f}"]
        rows.append(cells)
    return rows_text(["share [%]: nodes", "elements, of the assembly", "sums, of the assembly",
                      "products, of conjugate gradients", "products, of the whole"], rows)


def speed_ups(stored):
    rows = [["paper 000, GTX 480", "one core, PETSc with block Jacobi", NONE, NONE, "5 to 12"],
            ["paper 003, C2070", "12 cores", "2.5 to 7", "up to 3, local matrices 5", NONE],
            ["paper 004, C1060, single precision", "one core", "65", NONE, NONE]]
    for nodes, sides in stored.seconds().items():
        for side, name in (("cpu_1", "one core"), ("cpu", "16 cores")):
            cells = []
            for names in (["element", "assembly"], ["linear_solve"], []):
                both = of_phases(sides[side], *names), of_phases(sides["gpu"], *names)
                cells.append(number(both[0] / both[1]) if all(both) else NOT_MEASURED)
            rows.append([f"H200, {count(nodes)} nodes", name, *cells])
    return rows_text(["times as fast", "as", "elements and assembly", "linear solve", "step"], rows)


def whole(stored):
    """Paper 000, Figure 12: all steps of a run, times as fast as one process of PETSc with block Jacobi."""
    sizes = collections.defaultdict(dict)
    for row in stored.petsc:
        if row["agrees"] == "yes" and row["of_petsc"]:
            sizes[int(row["nodes"])][row["side"]] = float(row["of_petsc"])
    processes = sorted({int(row["side"].rsplit("_", 1)[1]) for row in stored.petsc if row["side"].startswith("petsc_")})
    sides = [(f"PETSc, {count(number)} process{'es' * (number > 1)}", [f"petsc_{name}_{number}" for name in PETSC])
             for number in processes or [1]]
    sides += [("`cpu`, one core", ["cpu_1"]), ("`cpu`, all cores", ["cpu"]),
              ("solver on the GPU, assembly on one core", ["gpu_solver_only"])]
    sides += [(f"GPU, by `{name}`", [f"gpu_{name}"]) for name in ("csr", "cusparse", *ELL_WARP[:6])]
    sides.append(("GPU, by what `auto` takes", ["gpu"]))
    rows = []
    for name, of_line in sides:
        cells = [[found[side] for side in of_line if side in found] for _, found in sorted(sizes.items())]
        rows.append([name, WHOLE.get(name, NONE), *(number(max(cell)) if cell else NOT_MEASURED for cell in cells)])
    return rows_text(["times as fast as one process of PETSc with block Jacobi", "paper, GTX 480",
                      *(f"{count(nodes)} nodes" for nodes in sorted(sizes))], [*rows, bus_row(stored, sizes)])


def bus_row(stored, sizes):
    """What a step moves between host and GPU where one core assembles and the GPU solves."""
    of_step = {int(row["nodes"]): float(row["bus_mib"]) / int(row["steps"]) for row in stored.petsc
               if row["side"] == "gpu_solver_only" and row["bus_mib"]}
    return ["MiB a step over the bus, assembly on one core", NONE,
            *(number(of_step[nodes]) if nodes in of_step else NOT_MEASURED for nodes in sorted(sizes))]


def winners(stored):
    products = stored.products

    def cell(matrices, number):
        found = [row["format"] for row in (products.fastest(name, number) for name in matrices) if row]
        kinds = [("K1, K2", sum(name in ELL_WARP for name in found)),
                 ("cuSPARSE", sum(name.startswith("cusparse") for name in found))]
        kinds.append(("others", len(found) - sum(times for _, times in kinds)))
        return ", ".join(f"{name} {times}" for name, times in kinds) if found else NOT_MEASURED

    rows = [["paper, 15 matrices", *(f"K1, K2 {WINNERS[number]}" for number in WINNERS)],
            *([f"{len(matrices)} {name}", *(cell(matrices, number) for number in WINNERS)]
              for name, matrices in (("hearts", products.others), ("stand-ins", products.stand_ins)))]
    return rows_text(["fastest of how many", *(f"{number} product" + "s" * (number > 1) for number in WINNERS)], rows)


def parameters(stored):
    def cell(matrix, name, columns):
        found = [stored.choices.best.get((matrix, products, name)) for products in (1, 50, 1200)]
        if not any(found):
            return NOT_MEASURED
        return " / ".join(", ".join(row[column] for column in columns) if row else NOT_MEASURED for row in found)

    ways = [("segmented_scan", ["values_per_thread"]), ("k1", ["block_size"]), ("k2", ["threshold", "block_size"])]
    rows = [[f"`{ours}`, {theirs}", *(text for told, way in zip(PARAMETERS[theirs], ways)
                                      for text in (told, cell(ours, *way)))]
            for ours, theirs in {**HEARTS, **STAND_INS}.items()]
    header = [text for name in ("ModernGPU's values a thread", "K1's block", "K2's threshold and block")
              for text in (f"{name}, paper", "H200")]
    return rows_text(["", *header], rows)


def alphas(stored):
    def cell(matrix, name, column):
        row = stored.products.best.get((matrix, 50, name))
        return (row[column] or "never") if row and row["reorder_gpu_us"] else NOT_MEASURED

    rows = []
    for ours, theirs in {**HEARTS, **STAND_INS}.items():
        own = [cell(ours, name, column) for name in ("k1", "k2") for column in ("alpha_gpu", "alpha_cpu")]
        rows.append([f"`{ours}`, {theirs}", *(str(cell) for pair in zip(ALPHA[theirs], own) for cell in pair)])
    header = [text for name in ("K1", "K2") for where in ("GPU", "CPU")
              for text in (f"{name} on the {where}, paper", "H200")]
    return rows_text(["", *header], rows)


def effect_range(products, matrices, before, after, value):
    pairs = [[products.best.get((matrix, 50, name)) for name in (before, after)] for matrix in matrices]
    values = [value(*pair) for pair in pairs if all(pair)]
    return spread(values) if values else NOT_MEASURED


def saved_time(before, after):
    return saved(before["median_us"], after["median_us"])


def effects(stored):
    products, others = stored.products, ["circuit", "epidemiology", "fem_harbor", "qcd"]
    rows = [[name, told, *(effect_range(products, matrices, before, after, saved_time)
                           for matrices in (products.others, others))] for name, before, after, told in EFFECTS]
    return rows_text(["saves time [%]", "paper", "H200, hearts", "H200, other four"], rows)


def fetching(stored):
    """Of every variant of ELL-WARP, the time with x fetched in another way over that as usual."""
    def cell(matrices, name, way):
        pairs = [[stored.fetching.best.get((matrix, 50, each)) for each in (name, f"{name}_{way}")]
                 for matrix in matrices]
        values = [float(other["median_us"]) / float(plain["median_us"]) for plain, other in pairs if plain and other]
        if not values:
            return NOT_MEASURED
        low, high = (f"{value:.2f}" for value in (min(values), max(values)))
        return f"{low} to {high}" if low != high else low

    rows = [[f"`{name}`", *(cell(matrices, name, way) for matrices in (stored.fetching.others, stored.fetching.stand_ins)
                            for way in ("nc", "cg"))] for name in ELL_WARP[:6]]
    return rows_text(["time over that with x fetched as usual", "read-only path, hearts", "past L1, hearts",
                      "read-only path, stand-ins", "past L1, stand-ins"], rows)


def sorting(stored):
    ours = {theirs: [name] for name, theirs in STAND_INS.items()} | {"hearts": stored.products.others}
    rows = []
    for name, (entries, seconds) in SORTING.items():
        matrices = ours[name]
        rows.append([name, entries, effect_range(stored.products, matrices, "sell", "k1",
                                                 lambda sell, k1: saved(sell["padding"], k1["padding"])),
                     seconds, effect_range(stored.products, matrices, "sell", "k1", saved_time)])
    return rows_text(["sorting saves", "stored entries [%], paper", "H200", "time [%], paper", "H200"], rows)


def row_lengths(stored):
    """Paper 000, Figure 3: which share of the rows of a heart has how many entries."""
    ranges = [(1, 8), (9, 9), (10, 10), (11, 11), (12, 12), (13, 15), (16, 18), (19, 21), (22, 10**9)]
    names = ["to 8", "9", "10", "11", "12", "13 to 15", "16 to 18", "19 to 21", "from 22"]
    rows_of = collections.defaultdict(dict)
    for row in stored.row_lengths:
        if row["unknowns"] == "1" and row["matrix"].split(":")[0] not in STAND_INS:
            rows_of[int(row["rows"]), row["matrix"]][int(row["row_length"])] = int(row["rows_of_this_length"])
    rows = [["paper, Heart 3K", "3,129", "5", "21", *[NONE] * len(ranges)]]
    for (size, matrix), found in sorted(rows_of.items()):
        shares = [sum(times for length, times in found.items() if low <= length <= high) for low, high in ranges]
        rows.append([f"`{matrix}`", count(size), str(min(found)), str(max(found)),
                     *(f"{100 * share / size:.1f}" for share in shares)])
    if not rows_of:
        rows.append(["hearts", *[NOT_MEASURED] * (3 + len(ranges))])
    return rows_text(["share of the rows [%] with so many entries", "rows", "shortest", "longest", *names], rows)


def everything_sorted(stored):
    """K1 sorted over the whole matrix and in windows, from either order of the nodes."""
    fastest = {}
    for row in stored.sorting:
        key = row["matrix"], row["node_order"], row["format"], row["window"]
        if row["correct"] == "yes" and row["products"] == "50" and (
                key not in fastest or float(row["median_us"]) < float(fastest[key]["median_us"])):
            fastest[key] = row
    matrices = sorted({(int(row["rows"]), row["matrix"]) for row in fastest.values()})
    rows = []
    for _, matrix in matrices:
        for order in ("mesh", "hilbert"):
            unsorted = fastest.get((matrix, order, "sell", ""))
            for window in ("0", "1024"):
                k1, k2 = (fastest.get((matrix, order, name, window)) for name in ("k1", "k2"))
                cells = [f"`{matrix}`", order, "all rows" if window == "0" else window]
                if unsorted and k1:
                    before, after = float(unsorted["padding"]), float(k1["padding"])
                    of_padding = f"{100 * (before - after) / (before - 1):.0f}" if before > 1 else NONE
                    cells += [f"{100 * (before - after) / before:.1f}", of_padding]
                else:
                    cells += [NOT_MEASURED] * 2
                cells += [number(float(row["median_us"])) if row else NOT_MEASURED for row in (unsorted, k1, k2)]
                rows.append(cells)
    return rows_text(["", "order of the nodes", "window", "saved of what is stored [%]", "of the padding [%]",
                      "unsorted [µs]", "K1 [µs]", "K2 [µs]"], rows or [["hearts", *[NOT_MEASURED] * 7]])


def sums(stored):
    """The sums of the assembly by each product."""
    rows = []
    for nodes in sorted({int(row["nodes"]) for row in stored.sums}):
        found = {row["strategy"]: float(row["assembly_us"]) for row in stored.sums
                 if int(row["nodes"]) == nodes and row["correct"] == "yes"}

        def fastest(names):
            name = min((name for name in found if name in names), key=found.get, default=None)
            return f"{number(found[name])} (`{name}`)" if name else NOT_MEASURED

        rows.append([count(nodes), fastest(["spmv_k1", "spmv_k2"]), fastest(["spmv_k1_joint", "spmv_k2_joint"]),
                     fastest([name for name in found if name.startswith("spmv_csr_vector")]),
                     fastest(["spmv_merge"]), fastest(["spmv_cusparse"]), fastest(["slice_gather"])])
    return rows_text(["sums [µs]: nodes", "ELL-WARP, K and R apart", "K and R in one product", "`csr_vector`", "`merge`",
                      "cuSPARSE", "without a product"], rows or [["hearts", *[NOT_MEASURED] * 6]])


def csr(stored):
    rows = []
    for matrix in stored.products.others:
        one, several, library = (stored.products.best.get((matrix, 50, name))
                                 for name in ("csr", "csr_vector", "cusparse_csr_1"))
        if one and several and library:
            fastest = stored.products.fastest(matrix, 50)
            rows.append([f"`{matrix}`", several["lanes"],
                         *(f"{float(row['median_us']) / float(several['median_us']):.2f}" for row in (one, library)),
                         f"`{fastest['format']}`: {float(fastest['percent_of_copy']):.0f}"])
    return rows_text(["", "best number of threads a row", "times as fast as with one", "as cuSPARSE's CSR",
                      "fastest format: bandwidth, of a copy's [%]"], rows or [[NOT_MEASURED] * 5])


def assemblies(stored):
    def fastest(rows, elements_us):
        return min(rows, key=lambda row: float(row[elements_us]) + float(row["assembly_us"]), default=None)

    def cells(row, elements_us):
        if not row:
            return [NOT_MEASURED] * 4
        times = [float(row[elements_us]), float(row["assembly_us"])]
        copy = row.get("percent_of_copy")
        return [*map(number, times), number(float(row["elements"]) / sum(times) / 1e3),
                f"{float(copy):.0f}" if copy else NOT_MEASURED]

    rows = []
    for nodes in sorted({int(row["nodes"]) for row in stored.steps}):
        of_bench = [row for row in stored.assembly if int(row["nodes"]) == nodes and row["correct"] == "yes"]
        for name in ("slice_gather", "entry_gather"):
            row = fastest([row for row in of_bench if row["strategy"] == name], "elements_us")
            rows.append([count(nodes), f"`{name}`", *cells(row, "elements_us")])
        row = fastest([row for row in stored.steps if int(row["nodes"]) == nodes and row["backend"] == "gpu" and
                       row["assembly"].startswith("spmv") and row["order"] == "direct"], "element_us")
        rows.append([count(nodes), f"`{row['assembly'] if row else 'spmv_…'}`", *cells(row, "element_us")])
    return rows_text(["nodes", "strategy", "elements [µs]", "sums [µs]", "10⁹ tetrahedra/s",
                      "bandwidth, of a copy's [%]"], rows or [[NOT_MEASURED] * 6])


TABLES = {"shares": shares, "inside": inside, "row_lengths": row_lengths, "everything_sorted": everything_sorted,
          "sums": sums, "speed_ups": speed_ups, "whole": whole, "winners": winners, "parameters": parameters, "alphas": alphas,
          "effects": effects, "fetching": fetching, "sorting": sorting, **papers_solver.TABLES, "csr": csr,
          "assemblies": assemblies, **papers_assembly.TABLES, **papers_operators.TABLES}


OF_SECOND_GPU = ["shares", "inside", "speed_ups", "parameters", "fetching", "everything_sorted", "sums", "whole",
                 "operators", "orders", "blocks"]
OF_SECOND_GPU_ALONE = ["parameters", "fetching", "everything_sorted"]


def renew(page=HERE.parent / "papers/README.md", gpu=HERE / "nvidia-h200", second_gpu=HERE / "nvidia-h100",
          cpu=HERE / "amd-epyc-2-cores", counts=HERE / "intel-xeon-2-cores", check=False):
    """Names of the tables that were not what the stored files give."""
    stored, of_second = Stored(gpu, cpu, counts), Stored(second_gpu, cpu, counts)
    texts = {name: table(stored) for name, table in TABLES.items() if name not in OF_SECOND_GPU_ALONE}
    texts |= {f"{name}_h100": TABLES[name](of_second).replace("H200", "H100") for name in OF_SECOND_GPU}
    text = page.read_text()
    changed = []
    for name, table in texts.items():
        before, text = text, filled(text, name, table, page)
        if text != before:
            changed.append(name)
    if changed and not check:
        page.write_text(text)
    return changed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--page", type=pathlib.Path, default=HERE.parent / "papers/README.md")
    parser.add_argument("--gpu", type=pathlib.Path, default=HERE / "nvidia-h200")
    parser.add_argument("--second-gpu", type=pathlib.Path, default=HERE / "nvidia-h100")
    parser.add_argument("--cpu", type=pathlib.Path, default=HERE / "amd-epyc-2-cores")
    parser.add_argument("--counts", type=pathlib.Path, default=HERE / "intel-xeon-2-cores")
    options = parser.parse_args()
    changed = renew(options.page, options.gpu, options.second_gpu, options.cpu, options.counts, options.check)
    if changed and options.check:
        sys.exit(f"{options.page}: not what is stored: {', '.join(changed)}; docs/benchmarks/papers.py renews them")
    print(f"{options.page}: renewed {', '.join(changed) or 'nothing'}", file=sys.stderr)


if __name__ == "__main__":
    main()
