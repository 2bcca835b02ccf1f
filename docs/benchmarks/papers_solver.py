"""Tables of ../papers/README.md for papers 001 and 002: polynomials, formats of blocks, single precision and EHYB.

papers.py fills them in with its own. Each function takes what is stored and returns the text of a table.
"""

import collections
import statistics

from pages import NONE, count, rows_text
from papers_assembly import NOT_MEASURED, number

# Paper 001, Tables 3 and 4, mesh quad: iterations and seconds on a CPU by degree; Jacobi's.
DEGREES = [2, 3, 4, 5, 6]
POLYNOMIALS = {"neumann": ((1321, 1142, 1024, 932, 862), (104.81, 116.17, 129.75, 137.19, 145.42)),
               "least_squares": ((898, 690, 564, 477, 413), (68.75, 67.28, 66.31, 65.56, 65.33)),
               "chebyshev": ((1176, 1370, 1356, 1391, 1354), (103.75, 158.44, 193.89, 243.17, 273.80))}
JACOBI = (1938, 64.92)
# Paper 001, sec. 5.2 and Table 2: SBELL's speed-ups over SELL and CUSPARSE's CSR; stored over CSR's entries as ELLPACK
# or BELL.
BLOCKS = {"tri, 2 unknowns": ("1.25", "2.98", "1.43"), "quad, 2 unknowns": ("1.24", "5.52", "1.00"),
          "tet, 3 unknowns": ("1.72", "1.94", "1.91"), "hex, 3 unknowns": ("1.25", "2.22", "1.04")}
# Paper 002, Table 2: mean, least and largest speed-up in double precision.
EHYB = {"merge": ("merge path", "1.41 (1.15 to 2.29)"), "cusparse_csr_1": ("cuSPARSE ALG1", "1.45 (1.07 to 2.07)"),
        "cusparse_csr_2": ("cuSPARSE ALG2", "1.59 (1.19 to 3.01)")}
EHYB_FORMATS = ["ehyb", "ehyb_fixed"]
# The formats whose products in single precision are shown.
IN_SINGLE = ["csr", "k1", "k1rs", "k2rs", "k1rs_parts"]


def polynomials(stored):
    rows_of = {(row["nodes"], row["step_ms"], row["preconditioner"]): row for row in stored.preconditioners}
    largest = max(((int(row["nodes"]), float(row["step_ms"]), row["nodes"], row["step_ms"])
                   for row in stored.preconditioners), default=(0, 0, "", ""))[2:]
    jacobi = rows_of.get((*largest, "jacobi"))
    rows = []
    for name, (iterations, seconds) in POLYNOMIALS.items():
        rows.append([f"`{name}`, paper, {JACOBI[0]} with Jacobi",
                     *(f"{n} ({s / JACOBI[1]:.2f})" for n, s in zip(iterations, seconds))])
        found = [rows_of.get((*largest, f"{name} of degree {degree}")) for degree in DEGREES]
        nodes = f", {count(largest[0])} nodes, {jacobi['iterations']} with Jacobi" if jacobi else ""
        rows.append([f"`{name}`, here{nodes}",
                     *(f"{row['iterations']} ({float(row['least_s']) / float(jacobi['least_s']):.2f})" if row and jacobi
                       else NOT_MEASURED for row in found)])
    return rows_text(["iterations (time over Jacobi's)", *(f"degree {degree}" for degree in DEGREES)], rows)


def padding(stored):
    formats = ["ell", "sell", "k1"]
    rows = [["paper, tet", "1.91", NONE, "1.00"]]
    for matrix in stored.products.others:
        cells = [stored.products.best.get((matrix, 50, name)) for name in formats]
        rows.append([f"`{matrix}`", *(f"{float(row['padding']):.2f}" if row else NOT_MEASURED for row in cells)])
    return rows_text(["stored over entries", "`ell`", "`sell`, rows in their order", "`k1`, sorted"], rows)


def single_products(stored):
    """Paper 001, Figure 9: a product in single precision, and what share of the time in double precision it takes."""
    def cell(matrix, name):
        double, single = (stored.in_single.best.get((matrix, 50, each)) for each in (name, f"{name}_single"))
        if not (double and single):
            return NOT_MEASURED
        times = [float(row["median_us"]) for row in (single, double)]
        return f"{number(times[0])} ({100 * times[0] / times[1]:.0f} %)"

    rows = [[f"`{matrix}`", *(cell(matrix, name) for name in IN_SINGLE)] for matrix in stored.in_single.others]
    return rows_text(["single precision [µs] (of the time in double)", *(f"`{name}_single`" for name in IN_SINGLE)],
                     rows or [["hearts", *[NOT_MEASURED] * len(IN_SINGLE)]])


def fastest_blocks(rows):
    """{(matrix, unknowns): {format or (format, slice rows): fastest row of 50 products}}"""
    found = collections.defaultdict(dict)
    for row in rows:
        if row["correct"] != "yes" or row["products"] != "50" or row["unknowns"] == "1":
            continue
        of_matrix = found[row["matrix"], row["unknowns"]]
        for key in (row["format"], (row["format"], row["slice_rows"])):
            if key not in of_matrix or float(row["median_us"]) < float(of_matrix[key]["median_us"]):
                of_matrix[key] = row
    return found


def blocks(stored):
    rows = [[f"paper, {name}", "", *ratios[:2], NONE, ratios[2], "1.00"] for name, ratios in BLOCKS.items()]

    def gain(of_matrix, other):
        if other not in of_matrix or "sbell" not in of_matrix:
            return NOT_MEASURED
        return f"{float(of_matrix[other]['median_us']) / float(of_matrix['sbell']['median_us']):.2f}"

    for (matrix, unknowns), found in fastest_blocks(stored.blocks).items():
        slices = [found.get(("sbell", slice_rows)) for slice_rows in ("32", "64", "96")]
        stores = [f"{float(found[name]['padding']):.2f}" if name in found else NOT_MEASURED
                  for name in ("bell", "sbell")]
        rows.append([f"`{matrix}`, {unknowns} unknowns",
                     " / ".join(number(float(row["median_us"])) if row else NOT_MEASURED for row in slices),
                     *(gain(found, other) for other in ("k1", "cusparse_csr_1", "cusparse_bsr")), *stores])
    if len(rows) == len(BLOCKS):
        rows.append(["H200", *[NOT_MEASURED] * 6])
    return rows_text(["", "SBELL, slices of 32 / 64 / 96 [µs]", "over SELL", "over cuSPARSE's CSR", "over its BSR",
                      "stored over entries, BELL", "SBELL"], rows)


def with_ehyb(stored, matrix):
    """The measurements that have EHYB of a matrix: spmv.csv, or spmv_ehyb.csv where that alone has it."""
    return stored.products if stored.products.fastest(matrix, 50, EHYB_FORMATS) else stored.ehyb


def mean_gain(measured, formats, rival):
    """Of pairs of measurements and a matrix in them."""
    pairs = [(products.fastest(name, 50, formats), products.best.get((name, 50, rival))) for products, name in measured]
    gains = [float(theirs["median_us"]) / float(ours["median_us"]) for ours, theirs in pairs if ours and theirs]
    return f"{statistics.fmean(gains):.2f} ({min(gains):.2f} to {max(gains):.2f})" if gains else NOT_MEASURED


def ehyb(stored):
    products = stored.products
    columns = [([(with_ehyb(stored, name), name) for name in sorted({*getattr(products, kind), *getattr(stored.ehyb, kind)})],
                EHYB_FORMATS) for kind in ("others", "stand_ins")]
    columns += [([(products, name) for name in matrices], ["k1rs_parts"])
                for matrices in (products.others, products.stand_ins)]
    rows = [[name, told, *(mean_gain(measured, formats, rival) for measured, formats in columns)]
            for rival, (name, told) in EHYB.items()]
    return rows_text(["mean (least to largest) over", "paper, EHYB, 94 matrices", "`ehyb`, hearts", "`ehyb`, stand-ins",
                      "`k1rs_parts`, hearts", "`k1rs_parts`, stand-ins"], rows)


def ehyb_set_up(stored):
    """Host time before the first product, in products."""
    def products_of(row, column):
        if not row or not row.get(column):
            return NOT_MEASURED
        return count(round(1e6 * float(row[column]) / float(row["median_us"])))

    rows = [["paper, 16 matrices, 16 threads", "400 to 1,500", "50 to 400", NONE]]
    for matrix in stored.products.others:
        own = with_ehyb(stored, matrix).fastest(matrix, 50, EHYB_FORMATS)
        parts = stored.products.best.get((matrix, 50, "k1rs_parts"))
        rows.append([f"`{matrix}`", products_of(own, "partition_s"), products_of(own, "layout_s"),
                     products_of(parts, "setup_s")])
    return rows_text(["set-up, in products", "`ehyb`: partition", "`ehyb`: sorting", "`k1rs_parts`: all of it"], rows)


TABLES = {"polynomials": polynomials, "padding": padding, "single_products": single_products, "blocks": blocks,
          "ehyb": ehyb, "ehyb_set_up": ehyb_set_up}
