#!/usr/bin/env python3
"""Iterations of conjugate gradients a linear solve takes, by the length of the edges and of the steps, into
cg_iterations.csv.

usage: cg_iterations.py PROGRAM     measures, on one thread
       cg_iterations.py tables      renews their table in ../method/time_stepping.md

The tissue is the idealized heart of configs/heart_isotropic.yaml, D = 1 mm²/ms: 600 ms with adaptive steps of three tolerances, and
the first 50 ms with equal steps. `linear_share` is the part that linear solves have of the seconds of all steps. Needs
Python's standard library only; takes some minutes.
"""
import os
import pathlib
import tempfile

import tables  # finds the modules of ../benchmarks for those below
import calls
import single_run

HERE = tables.HERE
CONFIG = HERE.parents[1] / "configs/heart_isotropic.yaml"
FILE = HERE / "cg_iterations.csv"
EDGES_MM = [3, 1.5]
TOLERANCES = [1e-3, 1e-2, 1e-1]
STEPS_MS = [0.5, 2, 5]


def measure(program):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for edge in EDGES_MM:
            mesh = calls.mesh(program, pathlib.Path(folder) / f"heart_{edge}.msh", "biventricle", "--edge", f"{edge}mm")
            methods = [("adaptive", tolerance, 600, {"time.adaptive.tolerance": tolerance}) for tolerance in TOLERANCES]
            methods += [("equal", step, 50, {"time.adaptive.enabled": "false", "time.step": step}) for step in STEPS_MS]
            for kind, number, end, more in methods:
                for preconditioner in ("jacobi", "block_jacobi"):
                    summary = single_run.run(program, CONFIG, {
                        "mesh.file": mesh, "time.end": end, "linear_solver.preconditioner": preconditioner} | more)[0]
                    seconds = summary["seconds"]
                    computing = sum(seconds[phase] for phase in ("element", "assembly", "linear_solve", "update"))
                    rows.append({"edge_mm": edge, "nodes": summary["mesh"]["nodes"], "steps": kind,
                                 "tolerance_or_ms": number, "preconditioner": preconditioner,
                                 "mean_step_ms": round(end / summary["steps"], 3),
                                 "solves": summary["newton_iterations"], "cg_iterations": summary["linear_iterations"],
                                 "a_solve": round(summary["linear_iterations"] / summary["newton_iterations"], 2),
                                 "linear_share": round(seconds["linear_solve"] / computing, 3),
                                 "seconds": round(computing, 3)})
                    print(rows[-1], flush=True)
    return rows


def table(rows):
    by_edge = {}
    for row in rows:
        by_edge.setdefault(f"{row['edge_mm']} mm, {row['nodes']} nodes", {})[
            row["steps"], row["tolerance_or_ms"], row["preconditioner"]] = row
    kinds = list(dict.fromkeys((row["steps"], row["tolerance_or_ms"]) for row in rows))

    def cell(of_edge, kind):
        jacobi, block = (of_edge[(*kind, name)] for name in ("jacobi", "block_jacobi"))
        step = f", steps of {float(jacobi['mean_step_ms']):.2g} ms" if kind[0] == "adaptive" else ""
        return f"{float(jacobi['a_solve']):.3g} ({100 * float(jacobi['linear_share']):.0f} %), " \
               f"{float(block['a_solve']):.3g}{step}"

    names = [f"`tolerance: {float(number):g}`" if kind == "adaptive" else f"{float(number):g} ms" for kind, number in kinds]
    return tables.table(["", *by_edge], [[name, *(cell(of_edge, kind) for of_edge in by_edge.values())]
                                        for name, kind in zip(names, kinds)])


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    single_run.command_line(__doc__, FILE, "method/time_stepping.md", table, measure)
