"""Tables of ../papers/solver.md: linear solves. The numbers of the papers stand here, each with its place there.

papers.py fills them in. Each function takes what is stored and returns the text of a table.
"""

import collections

from pages import NONE, NOT_MEASURED, chosen, count, number, of_row, rows_text
from stored import by_nodes, fastest

# Paper 001, Tables 3 and 4, mesh quad: iterations and seconds on a CPU by degree; Jacobi's.
DEGREES = [2, 4, 6]
POLYNOMIALS = {"neumann": {2: (1321, 104.81), 4: (1024, 129.75), 6: (862, 145.42)},
               "least_squares": {2: (898, 68.75), 4: (564, 66.31), 6: (413, 65.33)},
               "chebyshev": {2: (1176, 103.75), 4: (1356, 193.89), 6: (1354, 273.80)}}
JACOBI = (1938, 64.92)
ITERATIONS = [1, 10]
OPERATORS = [("auto", "what `auto` takes"), ("operator_assembled", "`assembled`"), ("operator_local", "`local`"),
             ("operator_matrix_free", "`matrix_free`"), ("operator_split", "`split`")]
PRECONDITIONERS = ["jacobi", "ssor", "ssor_eisenstat"]
SHOWN_HEARTS = [222458, 1586103]  # of the tables of operators, polynomials in one launch and SSOR
PATHS = ["in_graph", "in_parts", "persistent", "on_chip"]


def named(row, column, name):
    return f"{of_row(row, column)} (`{row[name]}`)" if row else NOT_MEASURED


def with_shown_hearts(solves):
    """The pairs of nodes and step of the hearts that the page shows."""
    shown = chosen(sorted({nodes for nodes, _ in solves}), SHOWN_HEARTS)
    return [key for key in sorted(solves) if key[0] in shown]


def cg(stored):
    """An iteration of conjugate gradients on the fastest path of each precision, and with NVIDIA's libraries."""
    rows = []
    for nodes, found in by_nodes(stored.rows("solver"), "rows"):
        double, mixed, single = (fastest([row for row in found if row["method"] in [path + end for path in PATHS]],
                                         "iteration_us") for end in ("", "_mixed", "_single"))
        library = fastest([row for row in found if row["method"].startswith("library")], "iteration_us")
        times = float(library["iteration_us"]) / float(double["iteration_us"]) if library and double else 0
        rows.append([count(nodes), named(double, "iteration_us", "method"), of_row(library, "iteration_us"),
                     f"{times:.2f}" if times else NOT_MEASURED, of_row(mixed, "iteration_us"),
                     of_row(single, "iteration_us"), of_row(double, "percent_of_copy", "{:.0f}".format)])
    return rows_text(["nodes", "double precision [µs]", "NVIDIA's libraries [µs]", "times as fast", "mixed [µs]",
                      "single [µs]", "double: bandwidth, of a copy's [%]"], rows)


def linear_solves(stored):
    """Linear solves of a beat."""
    ways = [("double", "double"), ("mixed", "mixed"), ("single", "single"), ("chebyshev_1", "Chebyshev, degree 1"),
            ("chebyshev_2", "degree 2"), ("chebyshev_4", "degree 4")]
    rows = []
    for nodes, found in by_nodes(stored.rows("linear_solves", of="second")):
        of_way = {row["way"]: row for row in found}
        rows.append([count(nodes), of_row(of_way.get("double"), "newton_iterations"),
                     *(of_row(of_way.get(way), "linear_solve_s") for way, _ in ways)])
    return rows_text(["nodes", "Newton iterations", *(f"{name} [s]" for _, name in ways)], rows)


def polynomials(stored):
    """On a CPU, beside the paper's."""
    stored_rows = stored.rows("preconditioners", of="cpu")
    rows_of = {(row["nodes"], row["step_ms"], row["preconditioner"]): row for row in stored_rows}
    largest = max(((int(row["nodes"]), float(row["step_ms"]), row["nodes"], row["step_ms"]) for row in stored_rows),
                  default=(0, 0, "", ""))[2:]
    jacobi = rows_of.get((*largest, "jacobi"))
    ours = f", {count(largest[0])} nodes, {jacobi['iterations']} with Jacobi" if jacobi else ""
    rows = []
    for name, of_paper in POLYNOMIALS.items():
        rows.append([f"`{name}`, paper, {JACOBI[0]} with Jacobi",
                     *(f"{of_paper[degree][0]} ({of_paper[degree][1] / JACOBI[1]:.2f})" for degree in DEGREES)])
        found = [rows_of.get((*largest, f"{name} of degree {degree}")) for degree in DEGREES]
        rows.append([f"`{name}`, here{ours}",
                     *(f"{row['iterations']} ({float(row['least_s']) / float(jacobi['least_s']):.2f})" if row and jacobi
                       else NOT_MEASURED for row in found)])
    return rows_text(["iterations (time over Jacobi's)", *(f"degree {degree}" for degree in DEGREES)], rows)


def gpu_polynomials(stored):
    """A solve by Jacobi and by the fastest polynomial of one launch."""
    solves = collections.defaultdict(list)
    for row in stored.rows("polynomial", of="second"):
        if row["correct"] == "yes":
            solves[int(row["rows"]), float(row["step_ms"])].append(row)
    rows = []
    for nodes, step in with_shown_hearts(solves):
        found = solves[nodes, step]
        jacobi = fastest([row for row in found if row["preconditioner"] == "jacobi" and row["method"] in PATHS],
                         "median_us")
        largest = nodes == max(size for size, _ in solves)
        for path in ["persistent", "persistent_mixed"][:1 + largest]:
            here = [row for row in found if row["method"] == path]
            own = fastest([row for row in here if row["preconditioner"] == "jacobi"], "median_us")
            cells = [named(jacobi, "median_us", "method"), f"`{path}`", of_row(own, "median_us")]
            for inside in ("double", "single"):
                best = fastest([row for row in here if row["degree"] and row["inside"] == inside], "median_us")
                cells.append(f"{of_row(best, 'median_us')} ({best['preconditioner'].replace('_', ' ')} {best['degree']})"
                             if best else NOT_MEASURED)
            rows.append([count(nodes), f"{step:g}", *cells])
    return rows_text(["nodes", "step [ms]", "Jacobi, fastest path in double [µs]", "path", "Jacobi on it [µs]",
                      "fastest polynomial in double precision [µs] (degree)", "in single [µs] (degree)"], rows)


def counts(stored):
    """Iterations of a single system, of the smallest and the largest heart."""
    degrees = ["1", "2", "4", "8"]
    names = {"neumann": "Neumann", "least_squares": "least squares", "chebyshev": "Chebyshev"}
    found = {}
    for row in stored.rows("counts", of="second"):
        if row["correct"] == "yes" and row["method"] == "plain" and row["inside"] != "single":
            found[int(row["rows"]), float(row["step_ms"]), row["preconditioner"], row["degree"]] = row["iterations"]
    sizes = sorted({nodes for nodes, *_ in found})
    cases = [(nodes, step) for nodes in sizes[:1] + sizes[1:][-1:] for step in sorted({key[1] for key in found})]
    rows = [[name, *(found.get((*case, key, ""), NOT_MEASURED) for case in cases)]
            for key, name in (("jacobi", "Jacobi"), ("ssor", "SSOR"))]
    rows += [[f"{name}, degrees {', '.join(degrees)}",
              *(", ".join(found.get((*case, key, degree), NONE) for degree in degrees) for case in cases)]
             for key, name in names.items()]
    return rows_text(["iterations", *(f"{count(nodes)} nodes, {step:g} ms" for nodes, step in cases)],
                     rows if cases else [])


def ssor(stored):
    """Iterations and times of a solve on the path `plain`, beside Jacobi's fastest path."""
    solves = collections.defaultdict(list)
    for row in stored.rows("ssor"):
        if row["correct"] == "yes":
            solves[int(row["rows"]), float(row["step_ms"])].append(row)
    rows = []
    for nodes, step in with_shown_hearts(solves):
        found = solves[nodes, step]
        plain = {row["preconditioner"]: row for row in found if row["method"] == "in_graph"}
        best = fastest([row for row in found if row["preconditioner"] == "jacobi" and row["method"] in PATHS], "median_us")
        rows.append([count(nodes), f"{step:g}",
                     " / ".join(plain[name]["iterations"] if name in plain else NOT_MEASURED for name in PRECONDITIONERS),
                     *(of_row(plain.get(name), "median_us") for name in PRECONDITIONERS),
                     named(best, "median_us", "method")])
    return rows_text(["nodes", "step [ms]", "iterations: Jacobi / SSOR / Eisenstat", "Jacobi [µs]", "SSOR [µs]",
                      "Eisenstat [µs]", "Jacobi on its fastest path [µs]"], rows)


def operators(stored):
    """What a matrix and its iterations take with each operator; the least of a column of a mesh in bold."""
    found = {(int(row["nodes"]), row["way"]): row for row in stored.rows("operators", of="second")
             if row["backend"] == "gpu"}
    rows = []
    for nodes in chosen(sorted({nodes for nodes, _ in found}), SHOWN_HEARTS):
        of_mesh = [(found[nodes, way], name) for way, name in OPERATORS if (nodes, way) in found]
        before = [float(row["element_us"]) + float(row["assembly_us"]) for row, _ in of_mesh]
        totals = [[one + n * float(row["cg_iteration_us"]) for n in ITERATIONS] for one, (row, _) in zip(before, of_mesh)]
        least = [min(column) for column in zip(*totals)]
        rows += [[count(nodes), name, number(one), of_row(row, "cg_iteration_us"),
                  *(f"**{number(time)}**" if time == smallest else number(time) for time, smallest in zip(times, least))]
                 for one, (row, name), times in zip(before, of_mesh, totals)]
    return rows_text(["nodes", "operator", "elements and assembly [µs]", "an iteration [µs]",
                      *(f"with {n} iteration{'s' if n > 1 else ''} [µs]" for n in ITERATIONS)], rows)


TABLES = {"cg": cg, "linear_solves": linear_solves, "polynomials": polynomials, "gpu_polynomials": gpu_polynomials,
          "counts": counts, "ssor": ssor, "operators": operators}
