#!/usr/bin/env python3
"""What an error of the front's speed costs with linear and with quadratic tetrahedra, into degree_cost.csv for the CPU and
degree_cost_gpu.csv for a GPU.

usage: degree_cost.py PROGRAM cpu|gpu [FINEST]     measures, with nodes as near as FINEST mm (0.375; a GPU 0.1875)
       degree_cost.py tables                       renews their table in ../method/verification.md

A front without recovery, D 0.5 mm²/ms and so 1.27 mm thick, runs through a bar of 48 × 3 × 3 mm of cubes that are cut into six;
its speed follows from the times at which it arrives 24 and 36 mm down the bar. Steps are 0.1 ms by sdirk2. A quadratic mesh of
edges h has nodes h/2 apart. Seconds are those of the steps by the wall clock and, of the CPU, those that its processors were at
work in the whole run, on one thread, which a machine with other work changes less. Needs Python's standard library only.
"""
import math
import os
import pathlib
import sys
import tempfile

import tables  # finds the modules of ../benchmarks for those below
import calls
import measured
import single_run

HERE = tables.HERE
CONFIG = HERE.parents[1] / "configs/slab.yaml"
FILES = {"cpu": HERE / "degree_cost.csv", "gpu": HERE / "degree_cost_gpu.csv"}
FINEST_MM = {"cpu": 0.375, "gpu": 0.1875}
TIME_UNIT_MS, C, ALPHA, D = 12.9, 8, 0.01, 0.5
SPEED = (1 - 2 * ALPHA) * math.sqrt(C * D / (2 * TIME_UNIT_MS))
SETTINGS = {"cell_model.parameters": "{gamma: 0, mu1: 0}", "diffusivity": f"{{isotropic: {D}}}", "fibers.source": "none",
            "stimuli.0.where": "{box: {min: [-1, -1, -1], max: [3, 9, 9]}}", "time.adaptive.enabled": "false",
            "time.step": 0.1, "time.end": 105, "output.maps": "[activation_time]"}
PHASES = ["element", "assembly", "linear_solve", "update"]
WAYS = [("quadratic", "fourteen_points"), ("linear", "vertices"), ("linear", "vertices_and_centroid")]


def processor_seconds():
    """Of the processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def measure(program, backend, finest_mm):
    rows = []
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        for elements, quadrature in WAYS:
            order, spacing = (2 if elements == "quadratic" else 1), 1.5
            while spacing >= finest_mm:
                mesh = calls.mesh(program, pathlib.Path(folder) / f"{elements}_{spacing}.msh", "slab", "--size", "48,3,3",
                                       "--edge", f"{order * spacing}mm", "--order", str(order))
                before = processor_seconds()
                summary, points, maps = single_run.run(program, CONFIG, SETTINGS | {
                    "mesh.file": mesh, "quadrature": quadrature, "backend": backend})
                at = {x: time for (x, y, z), time in zip(points, maps["activation_time"]) if y == z == 0}
                speed = 12 / (at[36] - at[24])
                rows.append({"backend": backend, "elements": elements, "quadrature": quadrature, "node_distance_mm": spacing,
                             "nodes": len(points), "tetrahedra": summary["mesh"]["elements"], "newton_iterations": summary["newton_iterations"],
                             "linear_iterations": summary["linear_iterations"],
                             "speed_error_percent": f"{100 * (speed / SPEED - 1):.4f}",
                             "step_seconds": f"{sum(summary['seconds'][phase] for phase in PHASES):.3f}",
                             "processor_seconds": f"{processor_seconds() - before:.2f}"})
                print(rows[-1], flush=True)
                spacing /= 2
    return rows


def table(rows, gpu_rows):
    """A row for each distance; in a cell the error, the seconds of one processor and those of the steps on a GPU."""
    found, nodes = {}, {}
    for row in gpu_rows + rows:
        spacing = float(row["node_distance_mm"])
        nodes[spacing] = f"{int(row['nodes']):,}"
        found.setdefault((row["elements"], row["quadrature"], spacing), {})[row["backend"]] = row

    def cell(way, spacing):
        of = found.get((*way, spacing))
        if not of:
            return ""
        error = float(of.get("cpu", of.get("gpu"))["speed_error_percent"])
        return ", ".join([f"{error:+.4f}".replace("-", "−"), of["cpu"]["processor_seconds"] if "cpu" in of else "–",
                          of["gpu"]["step_seconds"] if "gpu" in of else "–"])

    return tables.table(["distance [mm]", "nodes", *(f"{elements}, `{quadrature}`" for elements, quadrature in WAYS)],
                        [[f"{spacing:g}", nodes[spacing], *(cell(way, spacing) for way in WAYS)]
                         for spacing in sorted(nodes, reverse=True)])


def main():
    if sys.argv[1:] == ["tables"]:
        document = HERE.parent / "method/verification.md"
        of = {name: measured.read(file)[2] if file.exists() else [] for name, file in FILES.items()}
        document.write_text(tables.fill(document.read_text(), {"degree_cost": table(of["cpu"], of["gpu"])}))
    elif len(sys.argv) in (3, 4) and sys.argv[2] in FILES:
        program, backend = pathlib.Path(sys.argv[1]), sys.argv[2]
        head = measured.head_of(program)
        rows = measure(program, backend, float(sys.argv[3]) if len(sys.argv) == 4 else FINEST_MM[backend])
        measured.write(FILES[backend], head, rows[0], rows)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
