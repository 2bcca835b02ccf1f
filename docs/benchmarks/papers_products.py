"""Tables of ../papers/products.md: matrix times vector. The numbers of the papers stand here, each with its place there.

papers.py fills them in. Each function takes what is stored and returns the text of a table.
"""

import collections
import statistics

from pages import NONE, NOT_MEASURED, chosen, count, number, of_row, rows_text
from products import STAND_INS
from stored import fastest

# Hearts of about as many rows as the paper's; those that a page shows of all and of the matrices of paper 000.
PAPER_NAMES = {"biventricle3k": "Heart 3K", "biventricle5k": "Heart 5K", "human34k": "Heart 30K", "circuit": "Circuit",
               "fem_harbor": "FEMHarbor", "protein": "Protein", "qcd": "QCD", "webbase": "Webbase"}
SHOWN_HEARTS = ["biventricle3k", "human222k", "human1586k"]
SHOWN_FORMATS = ["k1rs", "k2rs", "csr_vector"]
ELL_WARP = ["k1", "k1r", "k1rs", "k2", "k2r", "k2rs", "k1rs_parts"]

# Paper 000, Table IV: α of K1 on the GPU and on the CPU, of K2 on the GPU and on the CPU. 1 also says "no faster".
ALPHA = {"Heart 3K": (1, 4, 1, 4), "Heart 30K": (3, 10, 3, 10), "Circuit": (3, 15, 3, 12), "FEMHarbor": (7, 27, 7, 28),
         "Protein": (21, 96, 21, 91), "QCD": (4, 17, 4, 17), "Webbase": (1, 1, 2, 12)}
# Paper 000, sec. A.1: of 15 matrices, those that K1 or K2 multiplies fastest, by products.
WINNERS = {1: 13, 50: 10, 1200: 9}
# Paper 000, Tables VII to IX, 50 products: ModernGPU's values a thread; K1's threads a block; K2's threshold and threads.
PARAMETERS = {"Heart 3K": ("10", "32", "7, 256"), "Heart 5K": ("8", "32", "13, 96"), "Heart 30K": ("10", "64", "17, 64"),
              "Circuit": ("6", "64", "38, 128"), "FEMHarbor": ("12", "96", "132, 96"), "Protein": ("16", "96", "167, 96"),
              "QCD": ("10", "224", "39, 224"), "Webbase": ("4", "32", "682, 128")}
# Paper 000, Table VI: saved by sorting, stored entries and time with the texture cache [%]. Its three hearts have other
# names there than elsewhere, so they are together.
SORTING = {"circuit": ("Circuit", "59.89", "21.16"), "epidemiology": ("Epidemiology", "0.14", "−2.10"),
           "fem_harbor": ("FEMHarbor", "33.67", "0.00"), None: ("hearts", "29.60 to 33.73", "3.00 to 22.67"),
           "qcd": ("QCD", "0", "0.47")}
# Paper 000, sec. 7 and A.2, with the texture cache; nothing where it only draws the times.
EFFECTS = [("coalesced", "k1_row_major", "k1", "33 to 89 (1.5 to 9 ×)"), ("rows renumbered", "k1", "k1r", NONE),
           ("the same", "k2", "k2r", NONE),
           ("columns sorted", "k1r", "k1rs", "1.75 to 7.25, without Epidemiology and QCD"),
           ("the same", "k2r", "k2rs", "1 to 7.5, without Epidemiology and QCD"),
           ("`y` not brought back to the given order", "k1r_mapped", "k1r", "1 to 11.5 of K1r")]
# Paper 001, sec. 5.2 and Table 2: SBELL's speed-ups over SELL and CUSPARSE's CSR; stored over CSR's entries as ELLPACK
# or BELL.
BLOCKS = {"tri, 2 unknowns": ("1.25", "2.98", "1.43"), "tet, 3 unknowns": ("1.72", "1.94", "1.91")}
# Paper 002, Table 2: mean, least and largest speed-up in double precision.
EHYB = {"merge": ("merge path", "1.41 (1.15 to 2.29)"), "cusparse_csr_1": ("cuSPARSE ALG1", "1.45 (1.07 to 2.07)"),
        "cusparse_csr_2": ("cuSPARSE ALG2", "1.59 (1.19 to 3.01)")}
EHYB_FORMATS = ["ehyb", "ehyb_fixed"]
# The formats whose products in single precision are shown.
IN_SINGLE = ["csr", "k1", "k1rs", "k2rs", "k1rs_parts"]
ORDERS = ["mesh", "rcm", "hilbert", "metis_nodes"]
SORTINGS = ["unsorted", "windows of 1024", "all rows"]


def ratio(ours, theirs):
    return f"{float(theirs['median_us']) / float(ours['median_us']):.2f}" if ours and theirs else NOT_MEASURED


def of_range(values, text):
    """The range of values; of one value the value."""
    if not values:
        return NOT_MEASURED
    low, high = (text.format(value).replace("-", "−") for value in (min(values), max(values)))
    return f"{low} to {high}" if low != high else low


def saved(before, after):
    """Per cent."""
    return 100 * (1 - float(after) / float(before))


def saved_time(before, after):
    return saved(before["median_us"], after["median_us"])


def products(stored):
    """The hearts: the fastest format of this program, cuSPARSE's, and compressed rows by the threads of a row."""
    of, rows = stored.products("spmv"), []
    for matrix in of.others:
        ours, theirs = (of.fastest(matrix, 50, [name for name in of.formats if name.startswith("cusparse") == library])
                        for library in (False, True))
        one, several, library = (of.best.get((matrix, 50, name)) for name in ("csr", "csr_vector", "cusparse_csr_1"))
        rows.append([count(of.sizes[matrix][0]), *(f"{of_row(row, 'median_us')} (`{row['format']}`)" if row
                                                   else NOT_MEASURED for row in (ours, theirs)),
                     ratio(ours, theirs), of_row(ours, "percent_of_copy", "{:.0f}".format),
                     several["lanes"] if several else NOT_MEASURED, ratio(several, one), ratio(several, library)])
    return rows_text(["nodes", "fastest here [µs]", "fastest of cuSPARSE [µs]", "times as fast",
                      "bandwidth, of a copy's [%]", "`csr_vector`: threads a row", "times as fast as with one",
                      "as cuSPARSE's CSR"], rows)


def winners(stored):
    of = stored.products("spmv")

    def cell(matrices, number):
        found = [row["format"] for row in (of.fastest(name, number) for name in matrices) if row]
        kinds = [("K1, K2", sum(name in ELL_WARP for name in found)),
                 ("cuSPARSE", sum(name.startswith("cusparse") for name in found))]
        kinds.append(("others", len(found) - sum(times for _, times in kinds)))
        return ", ".join(f"{name} {times}" for name, times in kinds) if found else NOT_MEASURED

    rows = [["paper, 15 matrices", *(f"K1, K2 {WINNERS[number]}" for number in WINNERS)],
            *([f"{len(matrices)} {name}", *(cell(matrices, number) for number in WINNERS)]
              for name, matrices in (("hearts", of.others), ("stand-ins", of.stand_ins)))]
    return rows_text(["fastest of how many", *(f"{number} product" + "s" * (number > 1) for number in WINNERS)], rows)


def parameters(stored):
    choices = stored.products("spmv_choices", "spmv_choices_5k", of="second")
    ways = [("segmented_scan", ["values_per_thread"]), ("k1", ["block_size"]), ("k2", ["threshold", "block_size"])]

    def cell(matrix, name, columns):
        row = choices.best.get((matrix, 50, name))
        return ", ".join(row[column] for column in columns) if row else NOT_MEASURED

    rows = [[f"`{ours}`, {theirs}", *(text for told, way in zip(PARAMETERS[theirs], ways)
                                      for text in (told, cell(ours, *way)))]
            for ours, theirs in PAPER_NAMES.items()]
    header = [text for name in ("ModernGPU's values a thread", "K1's block", "K2's threshold, block")
              for text in (f"{name}: paper", "H100")]
    return rows_text(["", *header], rows)


def alphas(stored):
    of, rows = stored.products("spmv"), []
    for ours, theirs in PAPER_NAMES.items():
        if theirs not in ALPHA:
            continue
        found = [of.best.get((ours, 50, name)) for name in ("k1", "k2")]
        own = [(row[column] or "never") if row and row["reorder_gpu_us"] else NOT_MEASURED
               for row in found for column in ("alpha_gpu", "alpha_cpu")]
        rows.append([f"`{ours}`, {theirs}", *(str(cell) for pair in zip(ALPHA[theirs], own) for cell in pair),
                     *(f"{float(row['reorder_cpu_us']) / float(row['reorder_gpu_us']):.1f}"
                       if row and row["reorder_gpu_us"] else NOT_MEASURED for row in found)])
    header = [text for name in ("K1", "K2") for where in ("GPU", "CPU") for text in (f"{name}, {where}: paper", "H200")]
    return rows_text(["", *header, *(f"{name}: the GPU reorders so many times as fast" for name in ("K1", "K2"))], rows)


def effect_range(of, matrices, before, after, value):
    pairs = [[of.best.get((matrix, 50, name)) for name in (before, after)] for matrix in matrices]
    return of_range([value(*pair) for pair in pairs if all(pair)], "{:.1f}")


def effects(stored):
    of, others = stored.products("spmv"), ["circuit", "epidemiology", "fem_harbor", "qcd"]
    rows = [[f"{name}: `{before}` → `{after}`", told, *(effect_range(of, matrices, before, after, saved_time)
                                                       for matrices in (of.others, others))]
            for name, before, after, told in EFFECTS]
    return rows_text(["saves time [%]", "paper", "H200, hearts", "H200, other four"], rows)


def fetching(stored):
    """The time with x fetched in another way over that as usual."""
    of = stored.products("spmv_fetching", of="second")

    def cell(matrices, name, way):
        pairs = [[of.best.get((matrix, 50, each)) for each in (name, f"{name}_{way}")] for matrix in matrices]
        return of_range([float(other["median_us"]) / float(plain["median_us"]) for plain, other in pairs
                         if plain and other], "{:.2f}")

    rows = [[f"`{name}`", *(cell(matrices, name, way) for matrices in (of.others, of.stand_ins) for way in ("nc", "cg"))]
            for name in ("k1", "k2r")]
    return rows_text(["time over that with x fetched as usual", "read-only cache, hearts", "past L1, hearts",
                      "read-only cache, stand-ins", "past L1, stand-ins"], rows)


def sorting(stored):
    of, rows = stored.products("spmv"), []
    for ours, (name, entries, seconds) in SORTING.items():
        matrices = [ours] if ours else of.others
        rows.append([name, entries, effect_range(of, matrices, "sell", "k1",
                                                 lambda sell, k1: saved(sell["padding"], k1["padding"])),
                     seconds, effect_range(of, matrices, "sell", "k1", saved_time)])
    return rows_text(["sorting saves", "stored entries [%]: paper", "H200", "time [%]: paper", "H200"], rows)


def row_lengths(stored):
    """Paper 000, Figure 3: which share of the rows of a heart has how many entries."""
    ranges = [(1, 8), (9, 9), (10, 10), (11, 11), (12, 15), (16, 18), (19, 21), (22, 10**9)]
    names = ["to 8", "9", "10", "11", "12 to 15", "16 to 18", "19 to 21", "from 22"]
    rows_of = collections.defaultdict(dict)
    for row in stored.rows("row_lengths", of="cpu"):
        if row["unknowns"] == "1" and row["matrix"].split(":")[0] not in STAND_INS:
            rows_of[int(row["rows"]), row["matrix"]][int(row["row_length"])] = int(row["rows_of_this_length"])
    rows = [["paper, Heart 3K", "3,129", "5", "21", *[NONE] * len(ranges)]]
    for (size, matrix), found in sorted(rows_of.items()):
        shares = [sum(times for length, times in found.items() if low <= length <= high) for low, high in ranges]
        rows.append([f"`{matrix}`", count(size), str(min(found)), str(max(found)),
                     *(f"{100 * share / size:.1f}" for share in shares)])
    return rows_text(["share of the rows [%] with so many entries", "rows", "shortest", "longest", *names], rows)


def everything_sorted(stored):
    """K1 sorted over the whole matrix and in windows, from either order of the nodes."""
    found = collections.defaultdict(list)
    for row in stored.rows("spmv_sorting", of="second"):
        if row["products"] == "50":
            found[row["matrix"], row["node_order"], row["format"], row["window"]].append(row)
    best = {key: row for key, of_key in found.items() if (row := fastest(of_key, "median_us"))}
    sizes = sorted({(int(row["rows"]), row["matrix"]) for row in best.values()})
    rows = []
    for matrix in chosen([matrix for _, matrix in sizes], ["human222k", "human1586k"]):
        for order in ("mesh", "hilbert"):
            unsorted = best.get((matrix, order, "sell", ""))
            for window in ("0", "1024"):
                k1, k2 = (best.get((matrix, order, name, window)) for name in ("k1", "k2"))
                cells = [f"`{matrix}`", order, "all rows" if window == "0" else window]
                cells.append(f"{saved(unsorted['padding'], k1['padding']):.1f}" if unsorted and k1 else NOT_MEASURED)
                rows.append(cells + [of_row(row, "median_us") for row in (unsorted, k1, k2)])
    return rows_text(["", "order of the nodes", "window", "saved of what is stored [%]", "unsorted [µs]", "K1 [µs]",
                      "K2 [µs]"], rows)


def padding(stored):
    of, formats = stored.products("spmv"), ["ell", "sell", "k1"]
    rows = [["paper, tet", "1.91", NONE, "1.00"]]
    rows += [[f"`{matrix}`", *(of_row(of.best.get((matrix, 50, name)), "padding", "{:.2f}".format) for name in formats)]
             for matrix in chosen(of.others, SHOWN_HEARTS)]
    return rows_text(["stored over entries", "`ell`", "`sell`, rows in their order", "`k1`, sorted"], rows)


def single_products(stored):
    """Paper 001, Figure 9: a product in single precision, and what share of the time in double precision it takes."""
    of = stored.products("spmv_single")

    def cell(matrix, name):
        double, single = (of.best.get((matrix, 50, each)) for each in (name, f"{name}_single"))
        if not (double and single):
            return NOT_MEASURED
        times = [float(row["median_us"]) for row in (single, double)]
        return f"{number(times[0])} ({100 * times[0] / times[1]:.0f} %)"

    rows = [[f"`{matrix}`", *(cell(matrix, name) for name in IN_SINGLE)] for matrix in of.others]
    return rows_text(["single precision [µs] (of the time in double)", *(f"`{name}_single`" for name in IN_SINGLE)], rows)


def fastest_blocks(rows):
    """{(matrix, unknowns): {format or (format, slice rows): fastest row of 50 products}}"""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows:
        if row["products"] == "50" and row["unknowns"] != "1":
            for key in (row["format"], (row["format"], row["slice_rows"])):
                found[row["matrix"], row["unknowns"]][key].append(row)
    return {key: {name: row for name, of_name in of_matrix.items() if (row := fastest(of_name, "median_us"))}
            for key, of_matrix in found.items()}


def blocks(stored):
    rows = [[f"paper, {name}", NONE, *ratios[:2], NONE, ratios[2], "1.00"] for name, ratios in BLOCKS.items()]
    for gpu, folder in (("H200", "gpu"), ("H100", "second")):
        for (matrix, unknowns), found in fastest_blocks(stored.rows("spmv_blocks", of=folder)).items():
            slices = [of_row(found.get(("sbell", slice_rows)), "median_us") for slice_rows in ("32", "64", "96")]
            rows.append([f"{gpu}, `{matrix}`, {unknowns} unknowns", " / ".join(slices),
                         *(ratio(found.get("sbell"), found.get(other)) for other in ("k1", "cusparse_csr_1",
                                                                                    "cusparse_bsr")),
                         *(of_row(found.get(name), "padding", "{:.2f}".format) for name in ("bell", "sbell"))])
    return rows_text(["", "SBELL, slices of 32 / 64 / 96 [µs]", "times as fast as SELL", "as cuSPARSE's CSR",
                      "as its BSR", "stored over entries: BELL", "SBELL"], rows)


def with_ehyb(stored):
    """Measurements of EHYB by matrix: those of spmv.csv, or of spmv_ehyb.csv where that alone has the matrix."""
    of, other = stored.products("spmv"), stored.products("spmv_ehyb")
    kinds = [sorted({*getattr(of, kind), *getattr(other, kind)}) for kind in ("others", "stand_ins")]
    return [[(of if of.fastest(name, 50, EHYB_FORMATS) else other, name) for name in names] for names in kinds]


def mean_gain(measured, formats, rival):
    """Of pairs of measurements and a matrix in them."""
    pairs = [(of.fastest(name, 50, formats), of.best.get((name, 50, rival))) for of, name in measured]
    gains = [float(theirs["median_us"]) / float(ours["median_us"]) for ours, theirs in pairs if ours and theirs]
    return f"{statistics.fmean(gains):.2f} ({min(gains):.2f} to {max(gains):.2f})" if gains else NOT_MEASURED


def ehyb(stored):
    """Without `webbase`, whose kind of matrix the paper leaves out."""
    of = stored.products("spmv")

    def rows_of(found, name):
        return int(next(row["rows"] for (matrix, *_), row in found.best.items() if matrix == name))

    hearts, stand_ins = with_ehyb(stored)
    large = [(found, name) for found, name in hearts if rows_of(found, name) > 100_000]
    stand_ins = [(found, name) for found, name in stand_ins if name != "webbase"]
    columns = [(measured, EHYB_FORMATS) for measured in (hearts, large, stand_ins)]
    columns += [([(of, name) for _, name in measured], ["k1rs_parts"]) for measured in (hearts, stand_ins)]
    rows = [[name, told, *(mean_gain(measured, formats, rival) for measured, formats in columns)]
            for rival, (name, told) in EHYB.items()]
    return rows_text(["times as fast as: mean (range)", "paper, EHYB, 94 matrices", "`ehyb`, hearts",
                      "`ehyb`, hearts of 126 thousand nodes and more", "`ehyb`, stand-ins", "`k1rs_parts`, hearts",
                      "`k1rs_parts`, stand-ins"], rows)


def ehyb_set_up(stored):
    """Host time before the first product, in products."""
    def products_of(row, column):
        if not row or not row.get(column):
            return NOT_MEASURED
        return count(round(1e6 * float(row[column]) / float(row["median_us"])))

    of, hearts = stored.products("spmv"), dict((name, measured) for measured, name in with_ehyb(stored)[0])
    rows = [["paper, 16 matrices, 16 threads", "400 to 1,500", "50 to 400", NONE]]
    for matrix in chosen(of.others, SHOWN_HEARTS):
        own = hearts[matrix].fastest(matrix, 50, EHYB_FORMATS)
        parts = of.best.get((matrix, 50, "k1rs_parts"))
        rows.append([f"`{matrix}`", products_of(own, "partition_s"), products_of(own, "layout_s"),
                     products_of(parts, "setup_s")])
    return rows_text(["set-up, in products", "`ehyb`: partition", "`ehyb`: sorting", "`k1rs_parts`: all of it"], rows)


def parts(stored):
    """Products in parts, in windows of 1024 rows and in those that fit the multiprocessors best."""
    found = collections.defaultdict(list)
    for row in stored.rows("parts_spmv"):
        if row["format"] == "k1rs_parts" and row["products"] == "50":
            found[int(row["rows"]), row["order"]].append(row)
    rows = []
    for nodes in sorted({nodes for nodes, _ in found}):
        cells = [count(nodes)]
        for order in ("hilbert", "metis"):
            usual = fastest([row for row in found[nodes, order] if row["window"] == "1024"], "median_us")
            best = fastest(found[nodes, order], "median_us")
            cells += [of_row(usual, "median_us"),
                      f"{of_row(best, 'median_us')} ({best['parts']} of {count(best['window'])})" if best else NOT_MEASURED,
                      of_row(best, "halo_rows_a_row", "{:.2f}".format)]
        rows.append(cells)
    return rows_text(["nodes", "Hilbert: windows of 1024 [µs]", "best windows [µs] (number, rows)", "halo rows a row",
                      "METIS: windows of 1024 [µs]", "best windows [µs]", "halo rows a row"], rows)


def renumbering(stored):
    found = {(row["matrix"], row["node_order"], row["sorting"]): row for row in stored.rows("locality", of="counts")}
    sizes = {row["matrix"]: int(row["rows"]) for row in found.values()}
    rows = []
    for matrix in chosen(sorted(sizes, key=sizes.get), ["human222k"]):
        for order in ORDERS:
            of = [found.get((matrix, order, sorting)) for sorting in SORTINGS]
            rows.append([f"`{matrix}`", f"`{order}`", of_row(of[0], "mean_distance", "{:,.0f}".format),
                         *(of_row(row, "sectors_a_warp_k1rs", "{:.0f}".format) for row in of),
                         *(of_row(row, "padding", "{:.3f}".format) for row in of)])
    return rows_text(["", "order of the nodes", "mean distance from the diagonal",
                      *(f"{what}{name}" for what in ("sectors of x a warp: ", "stored over entries: ")
                        for name in SORTINGS)], rows)


def orders(stored):
    """Products, iterations of conjugate gradients and assemblies by the order of the nodes."""
    rows = []
    for gpu, folder in (("H200", "gpu"), ("H100", "second")):
        of_products, of_solver, of_assembly = (stored.rows(f"renumbering_{name}", of=folder)
                                               for name in ("spmv", "solver", "assembly"))
        sizes = {row["matrix"]: int(row["rows"]) for row in of_products if row["rows"]}
        for matrix in chosen(sorted(sizes, key=sizes.get), SHOWN_HEARTS):
            for order in ORDERS:
                products = [row for row in of_products if row["matrix"] == matrix and row["node_order"] == order and
                            row["products"] == "50"]
                cells = [of_row(fastest([row for row in products if row["format"] == name and row["window"] == window],
                                        "median_us"), "median_us")
                         for name, window in (("sell", ""), ("k1rs", "1024"), ("k1rs", "0"), ("csr_vector", ""))]
                solve = fastest([row for row in of_solver if row["mesh"] == matrix and order_of(row) == order and
                                 row["method"] in ("in_graph", "in_parts", "persistent", "on_chip")], "iteration_us")
                cells.append(f"{of_row(solve, 'iteration_us')} (`{solve['method']}`)" if solve else NOT_MEASURED)
                cells += [of_row(fastest([row for row in of_assembly if row["mesh"] == matrix and
                                          row["node_order"] == order and row["strategy"] == name], "median_us"),
                                 "median_us") for name in ("slice_gather", "atomics")]
                rows.append([f"{gpu}, `{matrix}`", f"`{order}`", *cells])
    return rows_text(["", "order of the nodes", "`sell` [µs]", "`k1rs`, windows of 1024 [µs]", "`k1rs`, all rows [µs]",
                      "`csr_vector` [µs]", "iteration of CG [µs]", "`slice_gather` [µs]", "`atomics` [µs]"], rows)


def order_of(row):
    """That of the nodes; methods in parts name it in the column of their parts, too."""
    return row.get("node_order") or row["order"]


def product_sizes(stored):
    """The best and the worst block of a product."""
    timed = [row for row in stored.rows("blocks_spmv")
             if row["correct"] == "yes" and row["products"] == "50" and row["block_size"]]
    matrices = {row["matrix"]: int(row["rows"]) for row in timed}
    rows = []
    for matrix in chosen(sorted(matrices, key=matrices.get), ["human222k"]):
        for name in chosen(dict.fromkeys(row["format"] for row in timed), SHOWN_FORMATS):
            by_size = {}
            for row in timed:
                if row["matrix"] == matrix and row["format"] == name:
                    size, time = int(row["block_size"]), float(row["median_us"])
                    by_size[size] = min(time, by_size.get(size, time))
            if by_size:
                best, worst = min(by_size, key=by_size.get), max(by_size, key=by_size.get)
                rows.append([f"`{matrix}`", f"`{name}`", f"{best}: {number(by_size[best])}",
                             f"{worst}: {number(by_size[worst])}", f"{by_size[worst] / by_size[best]:.2f}"])
    return rows_text(["", "format", "best block [µs]", "worst [µs]", "times as long"], rows)


def rule(stored):
    """How near the choice of the rule comes to the best one, of matrices that it was not fitted to and of others."""
    rows = []
    for name, held_out in (("not seen by who made the rule", "yes"), ("seen", "no")):
        ratios = [float(row["ratio"]) for row in stored.rows("rule") if row["held_out"] == held_out]
        if ratios:
            near = sum(ratio <= 1.05 for ratio in ratios)
            rows.append([name, str(len(ratios)), f"{near} ({100 * near / len(ratios):.0f} %)",
                         f"{100 * (statistics.fmean(ratios) - 1):.1f}", f"{100 * (max(ratios) - 1):.0f}"])
    return rows_text(["matrices", "number", "within 5 % of the best", "mean loss [%]", "largest loss [%]"], rows)


TABLES = {"products": products, "winners": winners, "parameters": parameters, "alphas": alphas, "effects": effects,
          "fetching": fetching, "sorting": sorting, "row_lengths": row_lengths, "everything_sorted": everything_sorted,
          "padding": padding, "single_products": single_products, "blocks": blocks, "ehyb": ehyb,
          "ehyb_set_up": ehyb_set_up, "parts": parts, "renumbering": renumbering, "orders": orders,
          "product_sizes": product_sizes, "rule": rule}
