#!/usr/bin/env python3
"""Iterations and seconds of the linear solver on the CPU by preconditioner, at short and long steps.

usage: preconditioners.py PROGRAM OUT.csv [--edges 3,1.2] [--steps 0.1,1] [--number 5] [--rounds 3]

Runs configs/heart_isotropic.yaml on hearts made with these edges (mm) by so many steps of backward Euler of each length (ms),
`newton.forcing` at its default and the linear solver's tightest tolerance at 1e-10, with Jacobi, block Jacobi, and each
polynomial of degree 1 to 8. Rounds take turns over all preconditioners. One line a heart, step and preconditioner:
`seconds` is the median over the rounds of the time in the linear solver, `to_jacobi` the median of its ratio to Jacobi's
of the same round. `products` counts those of an iteration times the iterations, without those that find the bounds.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

import calls
import measured

POLYNOMIALS = ["neumann", "least_squares", "chebyshev"]


def preconditioners():
    """Name, setting, and products an iteration."""
    yield "jacobi", "jacobi", 1
    yield "block_jacobi", "block_jacobi", 1
    for kind in POLYNOMIALS:
        for degree in range(1, 9):
            yield f"{kind} of degree {degree}", f"{{polynomial: {kind}, degree: {degree}}}", degree + 1


def summary_of(program, mesh, step, number, preconditioner):
    with tempfile.TemporaryDirectory() as folder:
        settings = {"mesh.file": mesh, "probes": "[]", "time.scheme": "backward_euler", "time.adaptive.enabled": "false",
                    "linear_solver.tolerance": "1e-10", "time.step": step, "time.end": f"{number * step:.6g}",
                    "output.interval": f"{number * step:.6g}", "linear_solver.preconditioner": preconditioner}
        subprocess.run(calls.run(program, calls.HEART, "cpu", folder, settings), check=True)
        return json.loads((pathlib.Path(folder) / "summary.json").read_text())


def lines_of(arguments, mesh, step):
    taken, last = {}, {}
    for _ in range(arguments.rounds):
        for name, setting, _ in preconditioners():
            last[name] = summary_of(arguments.program, mesh, step, arguments.number, setting)
            taken.setdefault(name, []).append(last[name]["seconds"]["linear_solve"])
    for name, _, products in preconditioners():
        iterations = last[name]["linear_iterations"]
        yield {"edge_mm": mesh.stem, "nodes": last[name]["mesh"]["nodes"], "threads": last[name]["threads"],
               "step_ms": step, "steps": arguments.number, "preconditioner": name,
               "newton_iterations": last[name]["newton_iterations"], "iterations": iterations,
               "products": products * iterations, "seconds": f"{statistics.median(taken[name]):.4f}",
               "least_s": f"{min(taken[name]):.4f}", "most_s": f"{max(taken[name]):.4f}",
               "to_jacobi": f"{statistics.median(a / b for a, b in zip(taken[name], taken['jacobi'])):.2f}"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("--edges", default="3,1.2")
    parser.add_argument("--steps", default="0.1,1")
    parser.add_argument("--number", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    head, lines = measured.head_of(arguments.program), []
    with tempfile.TemporaryDirectory() as folder:
        for edge in arguments.edges.split(","):
            mesh = calls.mesh(arguments.program, pathlib.Path(folder) / f"{edge}.msh", "biventricle", "--edge", f"{edge}mm")
            for step in map(float, arguments.steps.split(",")):
                lines += lines_of(arguments, mesh, step)
                measured.write(arguments.out, head, lines[0], lines)
                print(f"{edge} mm, {step} ms", flush=True)


if __name__ == "__main__":
    main()
