#!/usr/bin/env python3
"""Seconds of the linear solves of a whole beat, by precision and by preconditioner.

usage: linear_solves.py PROGRAM OUT.csv [--backend gpu] [--repeats 3] [--stimulus WHERE] MESH...

Runs configs/heart_isotropic.yaml for 1000 ms on each mesh, with a stimulus at its lower end (z < -35 mm) and the default scheme and
tolerance, by Jacobi in each precision and by Chebyshev's polynomials that are applied in single precision. One line each:
`path` and `precision` are what the run took; `linear_solve_s` and `computing_s`, without setting up and output, are the
least of the repeats, by the device's clock and by the wall.
"""
import argparse
import pathlib
import sys

import beat
import measured

WAYS = {"double": {}} | {name: {"linear_solver.precision": name} for name in ("mixed", "single", "auto")} | {
    f"chebyshev_{degree}": {"linear_solver.preconditioner": f"{{polynomial: chebyshev, degree: {degree}, precision: single}}"}
    for degree in (1, 2, 4)}
COLUMNS = ["mesh", "nodes", "device", "way", "path", "precision", "steps", "newton_iterations", "cg_iterations",
           "linear_solve_s", "computing_s"]


def lines_of(arguments, mesh):
    for way, settings in WAYS.items():
        runs = [beat.run(arguments, mesh, settings)[0] for _ in range(arguments.repeats)]
        yield {"mesh": mesh.stem, "nodes": runs[0]["mesh"]["nodes"], "device": runs[0]["device"], "way": way,
               "path": runs[0]["solver"], "precision": runs[0]["precision"], "steps": runs[0]["steps"],
               "newton_iterations": runs[0]["newton_iterations"], "cg_iterations": runs[0]["linear_iterations"],
               "linear_solve_s": f"{min(run['seconds']['linear_solve'] for run in runs):.4g}",
               "computing_s": f"{min(beat.computing(run) for run in runs):.4g}"}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("mesh", nargs="+", type=pathlib.Path)
    parser.add_argument("--backend", default="gpu")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--stimulus", default=beat.LOWER_END)
    arguments = parser.parse_args()
    head, lines = measured.head_of(arguments.program), []
    for mesh in arguments.mesh:
        for line in lines_of(arguments, mesh):
            lines.append(line)
            print(line, file=sys.stderr, flush=True)
        measured.write(arguments.out, head, COLUMNS, lines)


if __name__ == "__main__":
    main()
