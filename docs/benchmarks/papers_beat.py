"""Tables of ../papers/beat.md, of ../papers/rivals.md and of the project's README: steps, beats and runs.

papers.py fills them in. The numbers of the papers stand here, each with its place there. Each function takes what is
stored and returns the text of a table.
"""

import collections
import statistics

from pages import NONE, NOT_MEASURED, chosen, count, number, of_row, rows_text
from stored import PHASES, by_nodes, fastest, of_phases

# Paper 000, sec. 8: times as fast as one process of PETSc with block Jacobi. Of PETSc's preconditioners the faster counts.
WHOLE = {"solver on the GPU, assembly on one core": "2 to 2.5", "GPU, by `k1`": "5 to 12", "GPU, by `k2`": "5 to 12"}
PETSC = ["jacobi", "block_jacobi"]
SHOWN_HEARTS, SHOWN_STEPS = [222458, 1586103], [2983, 33658, 222458, 1586103]  # of the tables of beats and of Newton iterations
STEP_PARTS = ["elements", "assembly", "cg", "update", "whole"]


def speed(stored):
    """What a step takes on the CPU and on the GPU, and a beat and its parts there."""
    beats = {int(row["nodes"]): row for row in stored.rows("beat")
             if (row["scheme"], row["quadrature"], float(row["tolerance"])) == ("sdirk2", "vertices", 1e-2)}
    of_assembly, of_solver = (dict(by_nodes(stored.rows(name), column))
                              for name, column in (("assembly", "nodes"), ("solver", "rows")))
    steps = {int(row["nodes"]): int(row["steps"]) for row in stored.rows("compare")}
    rows = []
    for nodes, sides in ((int(nodes), sides) for nodes, sides in stored.seconds().items()):
        cpu, gpu = (1e3 * of_phases(sides[side], *PHASES) / steps[nodes] for side in ("cpu", "gpu"))
        solves = of_solver.get(nodes, [])
        rows.append([count(nodes), *(number(time) if time else NOT_MEASURED for time in (cpu, gpu)),
                     f"{cpu / gpu:.0f} ×" if cpu and gpu else NOT_MEASURED,
                     of_row(beats.get(nodes), "seconds", "{:.2g}".format),
                     of_row(fastest(of_assembly.get(nodes, []), "median_us"), "median_us"),
                     *(of_row(fastest([row for row in solves if precision(row) == kind], "iteration_us"), "iteration_us")
                       for kind in ("double", "single"))])
    device = {row["side"]: row["device"] for row in stored.rows("compare") if row.get("device")}
    return rows_text(["nodes", f"step, CPU, {device.get('cpu', '')} [ms]", f"step, {device.get('gpu', '')} [ms]", "",
                      "beat [s]", "elements and assembly [µs]", "CG iteration [µs]", "in single precision [µs]"], rows)


def numbers(stored):
    """Two lines of the README: a beat of the heart of middle size on the GPU, and a step beside the CPU's threads."""
    beats = [row for row in stored.rows("beat") if (row["nodes"], row["scheme"], row["quadrature"], float(row["tolerance"]))
             == ("222458", "sdirk2", "vertices", 1e-2)]
    sides = stored.seconds().get("222458", {})
    if not beats or not {"cpu", "gpu"} <= sides.keys():
        return f"- {NOT_MEASURED}\n"
    device = {row["side"]: row["device"] for row in stored.rows("compare")}
    source = "docs/benchmarks/nvidia-h200"
    return (f"- **{float(beats[0]['seconds']):.2g} s** takes a beat, one second, of a human heart of "
            f"{count(beats[0]['nodes'])} nodes on an\n  {device['gpu']}, in steps that leave activation times within "
            f"{float(beats[0]['activation_percent']):.1g} % ([source]({source}/beat.csv)).\n"
            f"- **{of_phases(sides['cpu']) / of_phases(sides['gpu']):.0f} times** as fast is a step there as on "
            f"{device['cpu']} of its host\n  ([source]({source}/compare.csv)).\n")


def precision(row):
    """That of a whole solve of solver.csv, `mixed` where the values of K alone are single."""
    return next((kind for kind in ("mixed", "single") if row["method"].endswith(f"_{kind}")), "double")


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
              for text in (f"{name}: one core", "H200")]
    return rows_text(["share of a step [%]: nodes", *header], rows)


def inside(stored):
    """Shares within assembly and solver where each is a launch of its own."""
    steps = {(int(row["nodes"]), row["way"]): row for row in stored.rows("steps") if row["backend"] == "gpu"}
    of = stored.products("spmv")
    rows = []
    for nodes in sorted({nodes for nodes, _ in steps}):
        sums, plain = steps.get((nodes, "spmv_k1")), steps.get((nodes, "plain"))
        cells = [count(nodes), NOT_MEASURED, NOT_MEASURED, NOT_MEASURED, NOT_MEASURED]
        if sums:
            parts = [float(sums[column]) for column in ("element_us", "assembly_us")]
            cells[1:3] = [f"{100 * part / sum(parts):.0f}" for part in parts]
        product = plain and of.best.get((plain["mesh"], 50, plain["spmv"]))
        if product:
            once, solving = float(product["median_us"]), float(plain["cg_iteration_us"])
            newton, linear = int(plain["newton_iterations"]), int(plain["cg_iterations"])
            whole = linear * solving + newton * sum(float(plain[column])
                                                    for column in ("element_us", "assembly_us", "update_us"))
            cells[3:] = [f"{100 * once / solving:.0f}", f"{100 * linear * once / whole:.0f}"]
        rows.append(cells)
    return rows_text(["share [%]: nodes", "elements, of the assembly", "sums, of the assembly",
                      "products, of conjugate gradients", "products, of the whole"],
                     [["paper", NONE, NONE, "up to 33", "up to 10"], *rows])


def newton(stored):
    """The phases of a Newton iteration, and what their bytes take at the bandwidth of a copy."""
    rows = []
    hearts = dict(by_nodes(stored.rows("step")))
    for nodes in chosen(hearts, SHOWN_STEPS):
        found = hearts[nodes]
        parts = {row["part"]: row for row in found if row["correct"] == "yes"}
        rows.append([count(nodes), f"`{found[0]['solver']}`", *(of_row(parts.get(part), "median_us") for part in STEP_PARTS),
                     of_row(parts.get("whole"), "ratio_to_roof", "{:.1f}".format)])
    return rows_text(["nodes", "path", "elements [µs]", "assembly [µs]", "ten iterations [µs]", "update [µs]",
                      "whole [µs]", "times what its bytes take"], rows)


def beat(stored):
    """A beat by scheme and tolerance on two GPUs and on 16 cores, and its errors."""
    def of(name, folder):
        return {(int(row["nodes"]), row["scheme"], float(row["tolerance"])): row for row in stored.rows(name, of=folder)
                if row["quadrature"] == "vertices"}

    h200, h100, cpu = of("beat", "gpu"), of("beat", "second"), of("beat_cpu", "second")
    shown = [("sdirk2", 0.1), ("sdirk2", 0.01), ("sdirk2", 0.001), ("backward_euler", 0.0001)]
    rows = []
    for nodes in chosen(sorted({key[0] for key in h200}), SHOWN_HEARTS):
        for scheme, tolerance in shown:
            key = nodes, scheme, tolerance
            if key in h200:
                rows.append([count(nodes), f"`{scheme}`, {tolerance:g}",
                             *(of_row(found.get(key), "seconds", "{:.2g}".format) if found is h200 or key in found else NONE
                               for found in (h200, h100, cpu)),
                             h200[key]["steps"], count(h200[key]["cg_iterations"]), h200[key]["activation_percent"],
                             of_row(h200[key], "apd90_ms", "{:.2f}".format)])
    return rows_text(["nodes", "scheme, tolerance", "H200 [s]", "H100 [s]", "16 cores [s]", "steps", "CG iterations",
                      "activation [%]", "APD90 [ms]"], rows)


def quadratures(stored):
    """A beat of order 2 with a tolerance of 1e-2 by the points of quadrature, and the memory of a run."""
    names = ["vertices", "centroid", "vertices_and_centroid"]
    of_memory = dict(by_nodes(stored.rows("device_memory", of="cpu")))
    rows = []
    for nodes, found in by_nodes([row for row in stored.rows("beat", of="second")
                                  if row["scheme"] == "sdirk2" and float(row["tolerance"]) == 1e-2]):
        of_name, memory = ({row["quadrature"]: row for row in rows_of} for rows_of in (found, of_memory.get(nodes, [])))
        rows.append([count(nodes), *(of_row(of_name.get(name), "seconds", "{:.3g}".format) for name in names),
                     *(of_row(memory.get(name), "bytes_a_node") for name in names)])
    return rows_text(["nodes", *(f"`{name}` [s]" for name in names), *(f"`{name}` [bytes a node]" for name in names)], rows)


def set_up(stored):
    """Seconds until the first step, medians of the rounds."""
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in stored.rows("set_up", of="second"):
        times[row["mesh"], row["backend"]][row["phase"]].append(float(row["seconds"]))
    meshes = {row.get("mesh"): int(row["nodes"]) for row in stored.rows("beat", "operators", of="second")}
    rows = []
    for (mesh, backend), found in sorted(times.items(), key=lambda item: (meshes.get(item[0][0], 0), item[0][1] == "cpu")):
        median = {phase: statistics.median(seconds) for phase, seconds in found.items()}
        names = list(median)
        whole = "plan and fill the device"
        planned = sum(median[name] for name in names[names.index("order nodes"):names.index(whole)])
        cells = [median["read mesh"], median["check mesh"], sum(median[name] for name in names[2:names.index("order nodes")]),
                 planned, max(0.0, median[whole] - planned), median["prepare files"], median["whole"]]
        rows.append([count(meshes[mesh]), backend.upper(), *(f"{cell:.2g}" for cell in cells)])
    return rows_text(["nodes", "", "read [s]", "check [s]", "problem [s]", "plan [s]", "fill the device [s]", "files [s]",
                      "from the start of the program [s]"], rows)


def threads(stored):
    """Seconds of steps by how threads wait, beside endless loops."""
    found = {(int(row["nodes"]), int(row["busy"]), row["variant"]): row for row in stored.rows("threads")}
    rows = [[count(nodes), str(busy), *(of_row(found.get((nodes, busy, way)), "seconds")
                                        for way in ("one", "looking", "passive", "chosen"))]
            for nodes, busy in sorted({key[:2] for key in found})]
    return rows_text(["nodes", "endless loops", "one thread [s]", "always look [s]", "always sleep [s]", "chosen [s]"], rows)


def options(stored):
    """What frames add to a run, how often the host looks, and errors estimated beside a run."""
    of_frames = {int(row["nodes"]): row for row in stored.rows("frames_ensight")}
    rows = []
    for nodes, found in by_nodes(stored.rows("run_options", of="second")):
        of_way = {row["way"]: row for row in found}
        rows.append([count(nodes), of_row(of_frames.get(nodes), "seconds"), of_row(of_frames.get(nodes), "without_frames_s"),
                     *(of_row(of_way.get(way), "median_computing_s") for way in ("look_1", "look_8")),
                     *(of_row(of_way.get(way), "median_whole_s") for way in ("look_8", "estimate_one_gpu",
                                                                            "estimate_two_gpus"))])
    return rows_text(["nodes", "201 frames of EnSight [s]", "2 frames [s]", "a look each step [s]", "up to eight steps [s]",
                      "whole run [s]", "with errors estimated [s]", "on a second GPU [s]"], rows)


def output(stored):
    """What the files of a run cost on a CPU, by who writes them, beside copying the frames."""
    rows = []
    for nodes, found in by_nodes(stored.rows("output", of="counts")):
        latest = found[-1]["program"]
        for row in found:
            by = "VTK's writer" if row["program"] != latest else "cardiowarp"
            rows.append([count(nodes), f"`{row['format']}`, {row['precision']}, by {by}", row["frames"],
                         *(of_row(row, column) for column in ("total_s", "output_s", "copy_s", "megabytes"))])
    return rows_text(["nodes", "frames", "number", "whole run [s]", "of it output [s]", "`cp` of the frames [s]",
                      "frames [MB]"], rows)


def whole(stored):
    """Paper 000, Figure 12: all steps of a run, times as fast as one process of PETSc with block Jacobi."""
    sizes = []
    for gpu, names, folder in (("H200", ["petsc"], "gpu"), ("H100", ["petsc", "petsc_large"], "second")):
        sizes += [(gpu, nodes, {row["side"]: float(row["of_petsc"]) for row in found
                                if row["agrees"] == "yes" and row["of_petsc"]})
                  for nodes, found in by_nodes(stored.rows(*names, of=folder))]
    sides = [(f"PETSc, {processes} process{'es' * (processes > 1)}", [f"petsc_{name}_{processes}" for name in PETSC])
             for processes in (1, 4, 16)]
    sides += [("`cpu`, one core", ["cpu_1"]), ("`cpu`, all cores", ["cpu"]),
              ("solver on the GPU, assembly on one core", ["gpu_solver_only"])]
    sides += [(f"GPU, by `{name}`", [f"gpu_{name}"]) for name in ("csr", "cusparse", "k1", "k2")]
    sides.append(("GPU, by what `auto` takes", ["gpu"]))
    rows = []
    for name, of_line in sides:
        cells = [[found[side] for side in of_line if side in found] for _, _, found in sizes]
        rows.append([name, WHOLE.get(name, NONE), *(number(max(cell)) if cell else NOT_MEASURED for cell in cells)])
    return rows_text(["times as fast as one process of PETSc with block Jacobi", "paper, GTX 480",
                      *(f"{gpu}, {count(nodes)} nodes" for gpu, nodes, _ in sizes)], rows if sizes else [])


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


def petsc_by_hand(stored):
    """Two threads beside two processes of PETSc, by how PETSc inserts, and which numbering and BLAS it has."""
    ways = [("cardiowarp", ("cardiowarp", "jacobi", "", "row_lengths", "")),
            ("PETSc, MatSetValues, Jacobi", ("petsc", "jacobi", "set_values", "locality", "reference")),
            ("PETSc, MatSetValues, block Jacobi", ("petsc", "block_jacobi", "set_values", "locality", "reference")),
            ("PETSc, MatSetValuesCOO, our numbering", ("petsc", "jacobi", "coo", "row_lengths", "reference")),
            ("the same with OpenBLAS", ("petsc", "jacobi", "coo", "row_lengths", "openblas"))]
    columns = ["program", "preconditioner", "insertion", "numbering", "blas"]
    rows = []
    for nodes, found in by_nodes(stored.rows("petsc", of="cpu"))[-1:]:
        of_way = {tuple(row[column] for column in columns): row for row in found}
        rows += [[count(nodes), name, *(of_row(of_way.get(way), column)
                                        for column in ("element_ms", "assembly_ms", "cg_iteration_us", "step_ms"))]
                 for name, way in ways]
    return rows_text(["nodes", "two threads or processes", "elements [ms]", "assembly [ms]", "CG iteration [µs]",
                      "step [ms]"], rows)


TABLES = {"speed": speed, "numbers": numbers, "shares": shares, "inside": inside, "newton": newton, "beat": beat,
          "quadratures": quadratures, "set_up": set_up, "threads": threads, "options": options, "output": output, "whole": whole,
          "speed_ups": speed_ups, "petsc_by_hand": petsc_by_hand}
