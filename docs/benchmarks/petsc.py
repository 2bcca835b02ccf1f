#!/usr/bin/env python3
"""Paper 000, Figure 12: a run on a GPU by each product, and with assembly by one core, beside PETSc on this machine.

usage: petsc.py PROGRAM OUT.csv [--processes 1,2,3,4,16] [--repeats 3] [--steps 20] MESH...

Compares on each mesh the first steps of 0.1 ms of configs/heart_isotropic.yaml (a wave from its lower end, backward Euler, one
point an element) by `cardiowarp compare`, which holds all answers against each other: PETSc with so many processes, with
Jacobi and with block Jacobi; the CPU; the GPU with linear solves alone, one thread assembling; the GPU with what `auto`
chooses; and the GPU with each of several products both in conjugate gradients, on the path `plain`, and, where it is
one of ELL-WARP, in the assembly. One line each. `stepping_s` is the time of all steps without set-up and output, wall
clock, and the other seconds are its phases; `of_petsc` is that of one process of PETSc with block Jacobi over this. Where PETSc or MPI
is missing the lines are without it.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import calls
import measured
from calls import HEART, LOWER_END

PRODUCTS = {"csr": "spmv_k1", "cusparse": "spmv_k1"} | {
    name: f"spmv_{name}" for name in ["k1", "k1r", "k1rs", "k2", "k2r", "k2rs"]
}
PHASES = ["element", "assembly", "linear_solve", "update"]
COLUMNS = (
    ["mesh", "nodes", "side", "device", "spmv", "assembly", "repeats", "steps", "newton_iterations", "cg_iterations"]
    + [f"{phase}_s" for phase in PHASES]
    + ["stepping_s", "bus_mib", "agrees", "of_petsc"]
)
REFERENCE = "petsc_block_jacobi_1"


def sides(program, mesh, repeats, steps, options, settings=None):
    """What `compare` says of each side, by name: the line of each phase."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "all.json"
        command = [program, "compare", HEART, "--steps", steps, "--repeats", repeats, "--warm-up", 3, "--json", out]
        command += [*options, "--log-level", "error", *calls.settings(
            {"mesh.file": mesh.resolve(), "probes": "[]", "stimuli.0.where": LOWER_END, "time.step": "0.1ms",
             "time.adaptive.enabled": "false", "time.scheme": "backward_euler", "quadrature": "centroid",
             "output.interval": "1000ms"} | (settings or {}))]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if not out.exists():
            print(f"{mesh.stem}: {done.stderr.strip()}", file=sys.stderr)
            return {}
        found = {}
        for line in json.loads(out.read_text()):
            found.setdefault(line["side"], {})[line["phase"]] = line
        return found


def line_of(mesh, name, phases):
    total = phases["total"]
    line = {key: total[key] for key in COLUMNS if key in total}
    line |= {f"{phase}_s": f"{phases[phase]['median_s']:.4g}" for phase in PHASES}
    return line | {"mesh": mesh.stem, "side": name, "stepping_s": f"{total['stepping_s']:.4g}",
                   "agrees": "yes" if total["agrees"] else "no"}


def lines_of(program, mesh, processes, repeats, steps):
    lines = []
    first = ["--gpu-solver-only"]
    for count in processes:
        found = sides(program, mesh, repeats, steps, ["--petsc", count, *first])
        if not found and first:
            found = sides(program, mesh, repeats, steps, first)
        for side, phases in found.items():
            if side.startswith("petsc_"):
                lines.append(line_of(mesh, f"{side}_{count}", phases))
            elif first:
                lines.append(line_of(mesh, side, phases))
        first = []
    for product, assembly in PRODUCTS.items():
        settings = {"linear_solver.path": "plain", "linear_solver.spmv": product, "assembly.strategy": assembly}
        if "gpu" in (found := sides(program, mesh, repeats, steps, [], settings)):
            lines.append(line_of(mesh, f"gpu_{product}", found["gpu"]))
    reference = next((line for line in lines if line["side"] == REFERENCE), None)
    for line in lines:
        line["of_petsc"] = f"{float(reference['stepping_s']) / float(line['stepping_s']):.4g}" if reference else ""
    return lines


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("mesh", nargs="+", type=pathlib.Path)
    parser.add_argument("--processes", default="1,2,3,4,16")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--steps", type=int, default=20)
    arguments = parser.parse_args()
    processes = [int(count) for count in arguments.processes.split(",")]
    lines = []
    for mesh in arguments.mesh:
        lines += lines_of(arguments.program, mesh, processes, arguments.repeats, arguments.steps)
    measured.write(arguments.out, measured.head_of(arguments.program), COLUMNS, lines)


if __name__ == "__main__":
    main()
