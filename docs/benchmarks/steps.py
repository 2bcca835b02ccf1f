#!/usr/bin/env python3
"""Seconds per phase of a time step, by the way its linear systems are solved, stored and assembled.

usage: steps.py PROGRAM OUT.csv [--repeats N] [--backends gpu,cpu] [--ways NAME,..] MESH...

Runs the first 20 steps of 0.1 ms of configs/heart_isotropic.yaml on each mesh (a wave from its lower end) in each of these ways and
writes a line for each, the median over the repeats of the time of an iteration: `auto`; the paths of the linear solver;
each format in the path `plain`; each strategy of assembly; where --ways names them, each operator (`operator_local`, ..) in
the path `plain`. Phases inside a GPU's loops are times of its own clock, CPU
times wall clock. A way that a mesh or a machine does not have is left out, with a message.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import calls
import measured

FORMATS = ["csr", "cusparse", "k1", "k1r", "k1rs", "k2", "k2r", "k2rs"]
STRATEGIES = ["spmv_k1", "spmv_k1r", "spmv_k1rs", "spmv_k2", "spmv_k2r", "spmv_k2rs"]
WAYS = (
    {"auto": {}}
    | {path: {"linear_solver.path": path} for path in ["on_chip", "persistent", "in_parts", "plain"]}
    | {f"plain_{name}": {"linear_solver.path": "plain", "linear_solver.spmv": name} for name in FORMATS}
    | {name: {"assembly.strategy": name} for name in STRATEGIES}
    | {"spmv_k1_through_csr": {"assembly.strategy": "spmv_k1", "assembly.order": "csr"}}
)
# Only where --ways names them: what conjugate gradients multiply by, with elements that have one integration point, in
# double precision or in single.
OPERATORS = {f"operator_{name}{suffix}": {"linear_solver.operator": name, "linear_solver.path": "plain",
                                          "linear_solver.precision": precision}
             for name in ["assembled", "local", "local_full", "matrix_free", "split"]
             for suffix, precision in [("", "double"), ("_single", "single")]}
OF_THE_CPU = ["auto", *OPERATORS]
BAD_INPUT = 2


def run(program, config, mesh, backend, way):
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "mesh.file": mesh.resolve(),
            "probes": "[]",
            "time.step": 0.1,
            "time.adaptive.enabled": "false",
            "time.scheme": "backward_euler",
            "quadrature": "centroid",
            "time.end": 2,
            "stimuli.0.where": calls.LOWER_END,
            "output.interval": 100,
            "output.fields": "[potential]",
            "output.maps": "[]",
        }
        subprocess.run(calls.run(program, config, backend, folder, settings | (WAYS | OPERATORS)[way]), check=True,
                       capture_output=True, text=True)
        return json.loads((pathlib.Path(folder) / "summary.json").read_text())


def line(mesh, backend, way, runs):
    first = runs[0]
    newton, linear = first["newton_iterations"], first["linear_iterations"]

    def microseconds(phases, iterations):
        return statistics.median(1e6 * sum(r["seconds"][p] for p in phases) / iterations for r in runs)

    assembled = microseconds(["element", "assembly"], newton)
    return {
        "mesh": mesh.stem,
        "nodes": first["mesh"]["nodes"],
        "elements": first["mesh"]["elements"],
        "nonzeros": first["mesh"]["nonzeros"],
        "backend": backend,
        "device": first["device"] or f"{first['threads']} threads",
        "way": way,
        "solver": first["solver"],
        "spmv": first["spmv"],
        "assembly": first["assembly"],
        "order": first["assembly_order"],
        "repeats": len(runs),
        "newton_iterations": newton,
        "cg_iterations": linear,
        "element_us": round(microseconds(["element"], newton), 2),
        "assembly_us": round(microseconds(["assembly"], newton), 2),
        "elements_and_assembly_gtets_per_s": round(first["mesh"]["elements"] / assembled / 1e3, 3),
        "cg_iteration_us": round(microseconds(["linear_solve"], linear), 2),
        "update_us": round(microseconds(["update"], newton), 2),
        "setup_s": round(statistics.median(r["seconds"]["setup"] for r in runs), 2),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("mesh", type=pathlib.Path, nargs="+")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--backends", default="gpu,cpu")
    parser.add_argument("--ways", default=",".join(WAYS), help=", ".join(WAYS | OPERATORS))
    parser.add_argument("--config", default=str(pathlib.Path(__file__).parents[2] / "configs" / "heart_isotropic.yaml"))
    arguments = parser.parse_args()
    unknown = [way for way in arguments.ways.split(",") if way not in WAYS | OPERATORS]
    if unknown:
        parser.error(f"--ways: expected some of {', '.join(WAYS | OPERATORS)}, got {', '.join(unknown)}")

    head, lines, failed = measured.head_of(arguments.program), [], False
    for mesh in arguments.mesh:
        for backend in arguments.backends.split(","):
            for way in arguments.ways.split(","):
                if backend == "cpu" and way not in OF_THE_CPU:
                    continue
                try:
                    runs = [run(arguments.program, arguments.config, mesh, backend, way)
                            for _ in range(arguments.repeats)]
                except subprocess.CalledProcessError as error:
                    print(f"{mesh.stem}: {way} is left out: {error.stderr.strip()}", file=sys.stderr)
                    failed = failed or error.returncode != BAD_INPUT
                    continue
                lines.append(line(mesh, backend, way, runs))
                measured.write(arguments.out, head, lines[0], lines)
    if failed or not lines:
        sys.exit(1)


if __name__ == "__main__":
    main()
