#!/usr/bin/env python3
"""Seconds of a run on a GPU with a frame every few milliseconds, by the format and the number of threads that write.

usage: frames.py PROGRAM OUT.csv [--format vtu,ensight] [--threads 1,4,15] [--fields potential] [--end 1000]
                 [--interval 5] [--repeats 3] [--backend gpu] MESH...

Runs configs/heart_isotropic.yaml as beat.py does, with its steps of order 2, a tolerance of 1e-2 and steps of at most 5 ms, to
`--end` ms. A run has one
thread fewer than OMP_NUM_THREADS for its frames, at least one. For each mesh the same run is made with two frames alone,
at the beginning and the end, in turn with each format and number of threads. One line for each of these: `seconds` is
wall clock without setting up, `without_frames_s` that of the run with two frames of the same format and threads,
`share` what the frames add to it, `output_s` what the run itself spent on its files (to get values from the device and
hand them over, to wait for threads, and the maps), the medians of `--repeats` runs; `megabytes` what all files in the
folder of the frames take, divided by the frames.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

import calls
import measured
from calls import HEART, LOWER_END


def run(arguments, mesh, file_format, threads, interval):
    """The summary of a run, and the bytes of its frames."""
    settings = {"mesh.file": mesh.resolve(), "probes": "[]", "stimuli.0.where": LOWER_END, "time.end": arguments.end,
                "time.adaptive.enabled": "true", "time.adaptive.tolerance": 1e-2,
                "time.adaptive.max_step": "5 ms", "output.format": file_format,
                "output.fields": f"[{arguments.fields}]", "output.interval": interval}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(calls.run(arguments.program, HEART, arguments.backend, folder, settings), check=True,
                       env=os.environ | {"OMP_NUM_THREADS": str(threads + 1)})
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
        return summary, sum(file.stat().st_size for file in (pathlib.Path(folder) / "frames").iterdir())


def line_of(arguments, mesh, file_format, threads):
    without, seconds, output = [], [], []
    for _ in range(arguments.repeats):
        summary, _ = run(arguments, mesh, file_format, threads, arguments.end)
        without.append(summary["seconds"]["total"] - summary["seconds"]["setup"])
        summary, size = run(arguments, mesh, file_format, threads, arguments.interval)
        seconds.append(summary["seconds"]["total"] - summary["seconds"]["setup"])
        output.append(summary["seconds"]["output"])
    base, total = statistics.median(without), statistics.median(seconds)
    return {"mesh": mesh.stem, "nodes": summary["mesh"]["nodes"], "elements": summary["mesh"]["elements"],
            "device": summary["device"], "simulated_ms": summary["simulated_ms"], "steps": summary["steps"],
            "fields": arguments.fields.replace(",", "+"), "frames": summary["frames"], "format": file_format,
            "threads": threads, "seconds": round(total, 4), "without_frames_s": round(base, 4),
            "share": round(total / base - 1, 4), "output_s": round(statistics.median(output), 4),
            "megabytes": round(size / summary["frames"] / 1e6, 3)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("mesh", nargs="+", type=pathlib.Path)
    parser.add_argument("--format", default="vtu,ensight")
    parser.add_argument("--threads", default="1,4,15")
    parser.add_argument("--fields", default="potential")
    parser.add_argument("--end", type=float, default=1000)
    parser.add_argument("--interval", type=float, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--backend", default="gpu")
    arguments = parser.parse_args()
    head, lines = measured.head_of(arguments.program), []
    for mesh in arguments.mesh:
        for threads in arguments.threads.split(","):
            for file_format in arguments.format.split(","):
                lines.append(line_of(arguments, mesh, file_format, max(1, int(threads))))
                print(lines[-1], flush=True)
                measured.write(arguments.out, head, lines[0], lines)


if __name__ == "__main__":
    main()
