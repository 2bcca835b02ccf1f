"""Tables of ../papers/README.md for papers 003 and 004 that need times of an H200: operators, SSOR, orders of the nodes, block
sizes, elements without arithmetic and the ways of GlobalNZ.

papers.py fills them in with its own. Each function takes what is stored and returns the text of a table.
"""

from pages import count, rows_text

NOT_MEASURED = "not measured"
ITERATIONS = [1, 3, 10, 50]
OPERATORS = [("auto", "what `auto` takes"), ("operator_assembled", "`assembled`"), ("operator_local", "`local`"),
             ("operator_local_full", "`local_full`"), ("operator_matrix_free", "`matrix_free`"),
             ("operator_split", "`split`"), ("operator_assembled_single", "`assembled`, single"),
             ("operator_local_single", "`local`, single"), ("operator_matrix_free_single", "`matrix_free`, single"),
             ("operator_split_single", "`split`, single")]
# Those that the set measures of every heart.
OF_EVERY_HEART = ["auto", "operator_assembled", "operator_matrix_free", "operator_split"]
PRECONDITIONERS = ["jacobi", "ssor", "ssor_eisenstat"]
ORDERS = ["mesh", "rcm", "hilbert", "metis_nodes"]
GLOBAL = [("global_nz_general", "fetched by each element", "a thread a sum"),
          ("global_nz_prefetched_general", "nodes of a block of elements fetched ahead", "a thread a sum"),
          ("global_nz_prefetched_general_metis", "the same, blocks by METIS", "a thread a sum"),
          ("global_nz_nodal_general", "positions stored for each element", "a thread a sum"),
          ("global_nz_packed_general", "fetched by each element", "packed lists")]


def number(value):
    return f"{value:.3g}" if value < 999.5 else f"{value:,.0f}"


def of_row(row, column, text=number):
    return text(float(row[column])) if row and row.get(column) else NOT_MEASURED


def operators(stored):
    """What a matrix and its iterations take with each operator; the least of a column of a mesh in bold."""
    found = {(int(row["nodes"]), row["way"]): row for row in stored.operators if row["backend"] == "gpu"}
    rows = []
    for nodes in sorted({nodes for nodes, _ in found}):
        times = {}
        for way, _ in OPERATORS:
            row = found.get((nodes, way))
            if row:
                before = float(row["element_us"]) + float(row["assembly_us"])
                times[way] = before, [before + n * float(row["cg_iteration_us"]) for n in ITERATIONS]
        least = [min(of_way[k] for _, of_way in times.values()) for k in range(len(ITERATIONS))]
        for way, name in OPERATORS:
            if way not in times:
                if way in OF_EVERY_HEART:
                    rows.append([count(nodes), name, *[NOT_MEASURED] * (2 + len(ITERATIONS))])
                continue
            before, totals = times[way]
            rows.append([count(nodes), name, number(before), of_row(found[nodes, way], "cg_iteration_us"),
                         *(f"**{number(t)}**" if t == least[k] else number(t) for k, t in enumerate(totals))])
    return rows_text(["nodes", "operator", "elements and assembly [µs]", "an iteration [µs]",
                      *(f"with {n} iteration{'s' if n > 1 else ''} [µs]" for n in ITERATIONS)],
                     rows or [["hearts", *[NOT_MEASURED] * 7]])


def ssor(stored):
    """Iterations and times of a solve on the path `plain`, beside Jacobi's fastest path."""
    rows = []
    solves = [row for row in stored.ssor if row["correct"] == "yes"]
    for size, step in sorted({(int(row["rows"]), float(row["step_ms"])) for row in solves}):
        here = [row for row in solves if (int(row["rows"]), float(row["step_ms"])) == (size, step)]
        plain = {row["preconditioner"]: row for row in here if row["method"] == "in_graph"}
        fastest = min((row for row in here if row["preconditioner"] == "jacobi"
                       and row["method"] in ("in_graph", "in_parts", "persistent", "on_chip")),
                      key=lambda row: float(row["median_us"]), default=None)
        rows.append([count(size), f"{step:g}",
                     " / ".join(plain[name]["iterations"] if name in plain else NOT_MEASURED for name in PRECONDITIONERS),
                     *(of_row(plain.get(name), "median_us") for name in PRECONDITIONERS),
                     f"{of_row(fastest, 'median_us')} (`{fastest['method']}`)" if fastest else NOT_MEASURED])
    return rows_text(["nodes", "step [ms]", "iterations: Jacobi / SSOR / Eisenstat", "Jacobi [µs]", "SSOR [µs]",
                      "Eisenstat [µs]", "Jacobi on its fastest path [µs]"], rows or [["hearts", *[NOT_MEASURED] * 6]])


def fastest_product(rows, window, formats):
    found = [row for row in rows if row["format"] in formats and row["products"] == "50" and row["correct"] == "yes"
             and (row["format"] in ("sell", "csr_vector") or row["window"] == window)]
    return min(found, key=lambda row: float(row["median_us"]), default=None)


def order_of(row):
    """That of the nodes; methods in parts name it in the column of their parts, too."""
    return row.get("node_order") or row["order"]


def orders(stored):
    """Products, iterations of conjugate gradients and assemblies by the order of the nodes."""
    matrices = {row["matrix"]: int(row["rows"]) for row in stored.renumbering_spmv if row["rows"]}
    rows = []
    for matrix in sorted(matrices, key=matrices.get):
        for order in ORDERS:
            products = [row for row in stored.renumbering_spmv
                        if row["matrix"] == matrix and row["node_order"] == order]
            solves = [row for row in stored.renumbering_solver
                      if row["mesh"] == matrix and order_of(row) == order and row["correct"] == "yes"
                      and row["method"] in ("in_graph", "in_parts", "persistent", "on_chip")]
            solve = min(solves, key=lambda row: float(row["iteration_us"]), default=None)
            assembled = {row["strategy"]: row for row in stored.renumbering_assembly
                         if row["mesh"] == matrix and row["node_order"] == order and row["correct"] == "yes"}
            rows.append([f"`{matrix}`", f"`{order}`",
                         of_row(fastest_product(products, "", ["sell"]), "median_us"),
                         of_row(fastest_product(products, "1024", ["k1rs"]), "median_us"),
                         of_row(fastest_product(products, "0", ["k1rs"]), "median_us"),
                         of_row(fastest_product(products, "", ["csr_vector"]), "median_us"),
                         f"{of_row(solve, 'iteration_us')} (`{solve['method']}`)" if solve else NOT_MEASURED,
                         of_row(assembled.get("slice_gather"), "median_us"),
                         of_row(assembled.get("atomics"), "median_us")])
    return rows_text(["", "order of the nodes", "product, rows unsorted (`sell`) [µs]",
                      "windows of 1024 (`k1rs`) [µs]", "all rows (`k1rs`) [µs]", "compressed rows (`csr_vector`) [µs]",
                      "iteration of CG [µs]", "assembly, `slice_gather` [µs]", "`atomics` [µs]"],
                     rows or [["hearts", *[NOT_MEASURED] * 8]])


def loop_sizes(stored):
    """The best block of the loops of an assembly against the constants in the code."""
    rows = []
    timed = [row for row in stored.blocks_assembly if row["correct"] == "yes" and row["median_us"]]
    for nodes in sorted({int(row["nodes"]) for row in timed}):
        here = [row for row in timed if int(row["nodes"]) == nodes]
        constant = {row["strategy"]: row for row in here if not row["block_size"] and "x" not in shape_of(row)}
        for name, row in constant.items():
            tried = [other for other in here if other is not row
                     and (other["strategy"] == name or name == other["strategy"].removesuffix(shape_of(other)))]
            if not tried:
                continue
            best = min(tried, key=lambda other: float(other["median_us"]))
            before, after = float(row["median_us"]), float(best["median_us"])
            choice = (best["block_size"] or shape_of(best).lstrip("_").replace("x", " nodes, ")) + " threads"
            rows.append([count(nodes), f"`{name}`", number(before), choice if after < before else "the constant",
                         number(min(before, after)), f"{100 * (1 - min(before, after) / before):.1f}"])
    return rows_text(["nodes", "strategy", "constants [µs]", "best choice", "[µs]", "saves [%]"],
                     rows or [["hearts", *[NOT_MEASURED] * 5]])


def shape_of(row):
    """The end `_128x512` of the name of a strategy in parts, or nothing."""
    last = row["strategy"].rpartition("_")[2]
    nodes, x, threads = last.partition("x")
    return f"_{last}" if x and nodes.isdigit() and threads.isdigit() else ""


def product_sizes(stored):
    """The best and the worst block of a product."""
    timed = [row for row in stored.blocks_spmv
             if row["correct"] == "yes" and row["products"] == "50" and row["block_size"]]
    matrices = {row["matrix"]: int(row["rows"]) for row in timed}
    rows = []
    for matrix in sorted(matrices, key=matrices.get):
        for name in dict.fromkeys(row["format"] for row in timed):
            by_size = {}
            for row in timed:
                if row["matrix"] == matrix and row["format"] == name:
                    size, time = int(row["block_size"]), float(row["median_us"])
                    by_size[size] = min(time, by_size.get(size, time))
            if by_size:
                best, worst = min(by_size, key=by_size.get), max(by_size, key=by_size.get)
                rows.append([f"`{matrix}`", f"`{name}`", f"{best}: {number(by_size[best])}",
                             f"{worst}: {number(by_size[worst])}", f"{by_size[worst] / by_size[best]:.2f}"])
    return rows_text(["", "format", "best block [µs]", "worst [µs]", "times as long"],
                     rows or [["hearts", *[NOT_MEASURED] * 4]])


def of_strategies(stored):
    """{nodes: {strategy: row}} of the correct rows with the constants of the code, in the format of a run."""
    found = {}
    for row in stored.strategies:
        if row["correct"] == "yes" and not row.get("block_size") and row.get("format") not in ("csr", "ell"):
            found.setdefault(int(row["nodes"]), {})[row["strategy"]] = row
    return found


def dummy(stored):
    """Elements over elements without arithmetic."""
    names = [("slice_gather", "two numbers"), ("global_nz_general", "10 + 4 numbers")]
    rows = [[count(nodes), *(cell for name, _ in names for cell in
                             (of_row(of_mesh.get(name), "elements_us"), of_row(of_mesh.get(name), "dummy_us"),
                              of_row(of_mesh.get(name), "elements_over_dummy", lambda value: f"{value:.2f}")))]
            for nodes, of_mesh in sorted(of_strategies(stored).items())
            if any(of_mesh.get(name, {}).get("dummy_us") for name, _ in names)]
    return rows_text(["nodes", *(text for _, kind in names
                                 for text in (f"elements of {kind} [µs]", "without arithmetic [µs]", "times as long"))],
                     rows or [["hearts", *[NOT_MEASURED] * 6]])


def global_nz(stored):
    """Elements, sums and padding of each way of GlobalNZ."""
    rows = []
    for nodes, of_mesh in sorted(of_strategies(stored).items()):
        if not any(row.get("padding") for row in of_mesh.values()):
            continue
        for name, elements, sums in GLOBAL:
            row = of_mesh.get(name)
            if row:
                rows.append([count(nodes), f"`{name}`", elements, of_row(row, "elements_us"), sums,
                             of_row(row, "assembly_us"), of_row(row, "padding", lambda value: f"{value:.2f}"),
                             of_row(row, "median_us")])
    return rows_text(["nodes", "strategy", "an element's nodes are ..", "elements [µs]", "sums by ..", "sums [µs]",
                      "stored over needed", "both [µs]"], rows or [["hearts", *[NOT_MEASURED] * 7]])


def places(stored):
    """Additions to places worked out before, in compressed rows and in ELLPACK."""
    names = ["atomics", "atomics_general", "elem_color", "elem_color_general"]
    found = {(int(row["nodes"]), row["format"], row["strategy"]): row for row in stored.strategies
             if row["correct"] == "yes" and row.get("format") in ("csr", "ell")}
    rows = [[count(nodes), f"`{kind}`", *(of_row(found.get((nodes, kind, name)), "median_us") for name in names)]
            for nodes, kind in sorted({(nodes, kind) for nodes, kind, _ in found})]
    return rows_text(["nodes", "format", *(f"`{name}` [µs]" for name in names)],
                     rows or [["hearts", *[NOT_MEASURED] * 5]])


TABLES = {"operators": operators, "ssor": ssor, "orders": orders, "loop_sizes": loop_sizes,
          "product_sizes": product_sizes, "dummy": dummy, "global_nz": global_nz, "places": places}
