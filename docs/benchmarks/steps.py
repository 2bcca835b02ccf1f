#!/usr/bin/env python3
"""Seconds per phase of a time step, by backend, matrix format and assembly strategy.

usage: steps.py PROGRAM OUT.csv [--repeats N] [--backends gpu,cpu] MESH...

Runs the first 20 steps of 0.1 ms of configs/heart.yaml on each mesh (a wave from its lower end) with the ways below and
writes one line for each: the median over the repeats of the time of an iteration. GPU times are CUDA events, CPU times
wall clock.
"""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import tempfile

STRATEGIES = ["spmv_k1", "spmv_k1r", "spmv_k1rs", "spmv_k2", "spmv_k2r", "spmv_k2rs"]
GPU_WAYS = (
    [{"spmv": spmv} for spmv in ["auto", "csr", "cusparse", "k1", "k1r", "k1rs", "k2", "k2r", "k2rs"]]
    + [{"strategy": strategy} for strategy in STRATEGIES]
    + [{"strategy": "spmv_k1", "order": "csr"}]
)
CPU_WAYS = [{"spmv": "auto"}]


def run(program, config, mesh, backend, way):
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "mesh.file": mesh.resolve(),
            "probes": "[]",
            "time.step": 0.1,
            "time.end": 2,
            "stimuli.0.where": "{box: {min: [-1000, -1000, -1000], max: [1000, 1000, -35]}}",
            "output.interval": 100,
            "linear_solver.spmv": way.get("spmv", "auto"),
            "assembly.strategy": way.get("strategy", "auto"),
            "assembly.order": way.get("order", "slices"),
        }
        command = [program, "run", config, "--backend", backend, "--output", folder]
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        subprocess.run([*command, "--log-level", "error"], check=True, stdout=subprocess.DEVNULL)
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
    parser.add_argument("--config", default=str(pathlib.Path(__file__).parents[2] / "configs" / "heart.yaml"))
    arguments = parser.parse_args()

    lines = []
    for mesh in arguments.mesh:
        for backend in arguments.backends.split(","):
            for way in GPU_WAYS if backend == "gpu" else CPU_WAYS:
                runs = [run(arguments.program, arguments.config, mesh, backend, way) for _ in range(arguments.repeats)]
                lines.append(line(mesh, backend, way, runs))
                with arguments.out.open("w", newline="") as file:
                    writer = csv.DictWriter(file, lines[0], lineterminator="\n")
                    writer.writeheader()
                    writer.writerows(lines)


if __name__ == "__main__":
    main()
