#!/usr/bin/env python3
"""Seconds of whole runs by phase, with few frames and with many, beside copying the same bytes.

usage: whole_runs.py PROGRAM OUT.csv [--backends gpu,cpu] [--intervals 400,5] [--rounds 2] MESH...

Runs configs/heart_isotropic.yaml as beat.py does for 400 ms, with a tolerance of 1e-1, a frame of the potential each of the
intervals in ms, and the maps. One line a mesh, backend, interval and round, by the run's own summary: `set_up_s` is from the
start of the program until the first step, `march_s` the steps, `output_s` what the run spent on its files, `total_s` all of
it; `copy_s` what `cp -r` of its results took at once after it.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import calls
import measured
from calls import HEART, LOWER_END

END_MS = 400


def line_of(program, mesh, backend, interval, number):
    settings = {"mesh.file": mesh.resolve(), "probes": "[]", "stimuli.0.where": LOWER_END, "time.end": END_MS,
                "time.adaptive.tolerance": 1e-1, "output.interval": interval, "output.fields": "[potential]"}
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / "run"
        subprocess.run(calls.run(program, HEART, backend, results, settings), check=True)
        begin = time.monotonic()
        subprocess.run(["cp", "-r", results, pathlib.Path(folder) / "copy"], check=True)
        copied = time.monotonic() - begin
        summary = json.loads((results / "summary.json").read_text())
        megabytes = sum(file.stat().st_size for file in results.rglob("*") if file.is_file()) / 1e6
    seconds = summary["seconds"]
    return {"mesh": mesh.stem, "format": mesh.suffix[1:], "nodes": summary["mesh"]["nodes"], "backend": backend,
            "frames": summary["frames"], "round": number, "set_up_s": round(seconds["setup"], 4),
            "march_s": round(calls.computing(summary), 4), "output_s": round(seconds["output"], 4),
            "total_s": round(seconds["total"], 4), "copy_s": round(copied, 4), "megabytes": round(megabytes, 1)}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("meshes", nargs="+", type=pathlib.Path)
    parser.add_argument("--backends", default="gpu,cpu")
    parser.add_argument("--intervals", default="400,5")
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    rows = []
    for mesh in arguments.meshes:
        for number in range(1, arguments.rounds + 1):
            for backend in arguments.backends.split(","):
                for interval in arguments.intervals.split(","):
                    rows.append(line_of(arguments.program, mesh, backend, interval, number))
                    print(*rows[-1].values(), flush=True)
        measured.write(arguments.out, measured.head_of(arguments.program), list(rows[0]), rows)


if __name__ == "__main__":
    main()
