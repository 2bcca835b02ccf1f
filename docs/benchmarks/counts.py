#!/usr/bin/env python3
"""Iterations and products of a linear solve to 1e-10 by preconditioner, of hearts from 38 thousand to 1.9 million nodes.

usage: counts.py PROGRAM SURFACE OUT.csv [--levels 2] [--degrees 1,2,3,4,6,8]

Fills the surface of a heart (.vtp, .stl) with edges as long as its own, refines it so often, and lets `bench solver
--backend cpu` solve the systems of steps of 0.1 ms with lumped mass and of 1 ms with that of one point in an element, by
Jacobi, defect correction, SSOR, and polynomials applied in double and in single precision. A line each, without its
times: the numbers depend on no machine. With two levels it takes 16 cores some minutes and 6 GB.
"""
import argparse
import csv
import pathlib
import subprocess
import tempfile

import calls
import measured

SYSTEMS = [("0.1", "vertices"), ("1", "centroid")]
COLUMNS = ["mesh", "step_ms", "rows", "nonzeros", "method", "preconditioner", "degree", "inside", "correct", "iterations",
           "outer_iterations", "products", "true_residual", "lower_bound", "upper_bound"]


def lines_of(program, mesh, step, quadrature, degrees, folder):
    out = pathlib.Path(folder) / "solver.csv"
    subprocess.run([program, "bench", "solver", mesh, "--backend", "cpu", "--step", step, "--quadrature", quadrature,
                    "--preconditioner", "jacobi,defect_correction,ssor,ssor_eisenstat,neumann,least_squares,chebyshev",
                    "--degree", degrees, "--inside", "double,single", "--repeats", "1", "--csv", out], check=True,
                   stdout=subprocess.DEVNULL)
    text = [line for line in out.read_text().splitlines() if not line.startswith("#")]
    for row in csv.DictReader(text):
        if not row["method"].endswith("_mixed"):
            yield {"quadrature": quadrature} | {name: row[name] for name in COLUMNS}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("surface")
    parser.add_argument("out")
    parser.add_argument("--levels", type=int, default=2)
    parser.add_argument("--degrees", default="1,2,3,4,6,8")
    arguments = parser.parse_args()
    head, lines = measured.head_of(arguments.program), []
    with tempfile.TemporaryDirectory() as folder:
        coarser = None
        for level in range(arguments.levels + 1):
            make = ["refine", coarser] if coarser else ["fill", arguments.surface]
            mesh = calls.mesh(arguments.program, pathlib.Path(folder) / f"human_{level}.msh", *make)
            coarser = mesh
            for step, quadrature in SYSTEMS:
                lines += lines_of(arguments.program, mesh, step, quadrature, arguments.degrees, folder)
                measured.write(arguments.out, head, lines[0], lines)
                print(f"{lines[-1]['rows']} nodes, {step} ms", flush=True)


if __name__ == "__main__":
    main()
