#!/usr/bin/env python3
"""Seconds and bytes of the files of a run on a CPU, by format and precision, beside copying the same bytes.

usage: output.py PROGRAM OUT.csv [--before OLDER_PROGRAM] [--end 600] [--interval 5] [--repeats 5]
                 [--fill FILE] MESH...

Runs configs/heart.yaml on meshes of `cardiowarp mesh biventricle`, to `--end` ms with a frame every `--interval` ms of
`potential` and `recovery`. One line a mesh and way to write, with the commit of the program: `total_s` is the run as its
summary has it, `output_s` what it spent on its files, `processor_s` what all threads and the system took together,
`copy_s` what `cp -r` of its frames took at once after it; each the least of `--repeats` runs, in which the ways take
turns, as other work on the machine makes them longer only. `megabytes` is of all frames, `frame_kilobytes` of one.
`--fill` is a file, also a sparse one, that is read before each run. One as large as the free memory keeps a virtual
machine from giving that back to its host, which makes the next use of each page ten times as slow.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import tempfile
import time

import calls
import measured

HEART = calls.HEART.with_name("heart.yaml")
WAYS = [("vtu", "double", {}), ("vtu", "single", {"output.precision": "single"}),
        ("ensight", "single", {"output.format": "ensight"})]


def measure(program, mesh, settings, arguments):
    """A summary, and the seconds of processors and of a copy, and the bytes of the frames."""
    settings = {"mesh.file": mesh.resolve(), "time.end": f"{arguments.end} ms",
                "output.interval": f"{arguments.interval} ms"} | settings
    if arguments.fill:
        subprocess.run(["cat", arguments.fill], stdout=subprocess.DEVNULL, check=True)
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(calls.run(program, HEART, "cpu", f"{folder}/run", settings), check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.monotonic()
        subprocess.run(["cp", "-r", f"{folder}/run/frames", f"{folder}/copy"], check=True)
        copy = time.monotonic() - began
        summary = json.loads(pathlib.Path(f"{folder}/run/summary.json").read_text())
        size = sum(file.stat().st_size for file in pathlib.Path(f"{folder}/run/frames").iterdir())
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return summary, used, copy, size


def lines_of(mesh, arguments):
    ways = [(arguments.program, *way) for way in WAYS]
    if arguments.before:
        ways.insert(0, (arguments.before, *WAYS[0]))
    runs = {index: [] for index in range(len(ways))}
    for _ in range(arguments.repeats):
        for index, (program, _, _, settings) in enumerate(ways):
            runs[index].append(measure(program, mesh, settings, arguments))
    for index, (program, file_format, precision, _) in enumerate(ways):
        summaries = [run[0] for run in runs[index]]
        summary, size = summaries[0], runs[index][0][3]
        yield {"mesh": mesh.stem, "nodes": summary["mesh"]["nodes"], "elements": summary["mesh"]["elements"],
               "program": measured.head_of(program)["commit"], "threads": summary["threads"],
               "steps": summary["steps"], "frames": summary["frames"], "format": file_format, "precision": precision,
               "total_s": round(min(each["seconds"]["total"] for each in summaries), 3),
               "output_s": round(min(each["seconds"]["output"] for each in summaries), 3),
               "processor_s": round(min(run[1] for run in runs[index]), 3),
               "copy_s": round(min(run[2] for run in runs[index]), 3), "megabytes": round(size / 1e6, 1),
               "frame_kilobytes": round(size / summary["frames"] / 1e3, 1)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("mesh", nargs="+", type=pathlib.Path)
    parser.add_argument("--before")
    parser.add_argument("--end", type=float, default=600)
    parser.add_argument("--interval", type=float, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--fill")
    arguments = parser.parse_args()
    head, lines = measured.head_of(arguments.program), []
    for mesh in arguments.mesh:
        for line in lines_of(mesh, arguments):
            lines.append(line)
            print(line, flush=True)
            measured.write(arguments.out, head, list(lines[0]), lines)


if __name__ == "__main__":
    main()
