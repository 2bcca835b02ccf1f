#!/usr/bin/env python3
"""Seconds of a run on a GPU with a frame every few milliseconds, by the number of threads that write frames.

usage: frames.py PROGRAM OUT.csv [--threads 1,4,15] [--end 1000] [--interval 5] MESH...

Runs configs/heart.yaml as beat.py does, with adaptive steps, to `--end` ms. A run has one thread fewer than
OMP_NUM_THREADS for its frames, at least one. One line a mesh and number: `seconds` is wall clock without setting up,
`output_s` what the run itself spent on its files (to get values from the device and hand them over, to wait for
threads, and the maps), `megabytes` the mean size of a frame.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import measured
from beat import HEART, LOWER_END


def line_of(arguments, mesh, threads):
    settings = {"mesh.file": mesh.resolve(), "probes": "[]", "stimuli.0.where": LOWER_END, "time.end": arguments.end,
                "time.scheme": "backward_euler", "quadrature": "centroid",
                "time.adaptive.enabled": "true", "time.adaptive.tolerance": 1e-4, "time.adaptive.max_step": "1 ms",
                "output.interval": arguments.interval}
    with tempfile.TemporaryDirectory() as folder:
        command = [arguments.program, "run", HEART, "--backend", "gpu", "--output", folder, "--log-level", "error"]
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        subprocess.run(command, check=True, env=os.environ | {"OMP_NUM_THREADS": str(threads + 1)})
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
        sizes = [file.stat().st_size for file in (pathlib.Path(folder) / "frames").iterdir()]
    seconds = summary["seconds"]
    return {"mesh": mesh.stem, "nodes": summary["mesh"]["nodes"], "elements": summary["mesh"]["elements"],
            "device": summary["device"], "simulated_ms": summary["simulated_ms"], "steps": summary["steps"],
            "frames": summary["frames"], "threads": threads,
            "seconds": round(seconds["total"] - seconds["setup"], 3), "output_s": round(seconds["output"], 3),
            "megabytes": round(sum(sizes) / len(sizes) / 1e6, 2)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("mesh", nargs="+", type=pathlib.Path)
    parser.add_argument("--threads", default="1,4,15")
    parser.add_argument("--end", type=float, default=1000)
    parser.add_argument("--interval", type=float, default=5)
    arguments = parser.parse_args()
    head, lines = measured.head_of(arguments.program), []
    for mesh in arguments.mesh:
        for threads in arguments.threads.split(","):
            lines.append(line_of(arguments, mesh, max(1, int(threads))))
            print(lines[-1], flush=True)
            measured.write(arguments.out, head, lines[0], lines)


if __name__ == "__main__":
    main()
