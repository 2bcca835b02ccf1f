#!/usr/bin/env python3
"""Seconds of a whole beat with adaptive steps, and how far its activation and recovery are from those of short steps.

usage: beat.py PROGRAM OUT.csv [--backend gpu] [--tolerance 1e-4] [--max-step 1] [--references 0.05,0.025] MESH...

Runs configs/heart.yaml for 1000 ms on each mesh, with a stimulus at its lower end (z < -35 mm), three times: adaptive,
and with two fixed steps, from which the limit of no step is extrapolated, since backward Euler is of first order. One
line a mesh; `seconds` is wall clock without setting up and without output. Activation is compared where it is after
10 ms, relative to its time; APD90 where there is one.
"""
import argparse
import array
import csv
import json
import pathlib
import re
import struct
import subprocess
import tempfile
import zlib

HEART = pathlib.Path(__file__).resolve().parents[2] / "configs/heart.yaml"


def point_array(file, name):
    """A double array of a VTU file with appended raw data, compressed by zlib."""
    data = file.read_bytes()
    appended = data.index(b"_", data.index(b"<AppendedData")) + 1
    tag = re.search(rb'<DataArray[^>]*Name="' + name.encode() + rb'"[^>]*offset="(\d+)"', data)
    start = appended + int(tag.group(1))
    blocks = struct.unpack_from("<Q", data, start)[0]
    start += 8 * 3
    sizes = struct.unpack_from(f"<{blocks}Q", data, start)
    start += 8 * blocks
    values = array.array("d")
    for size in sizes:
        values.frombytes(zlib.decompress(data[start:start + size]))
        start += size
    return values


def run(program, mesh, backend, settings):
    with tempfile.TemporaryDirectory() as folder:
        everywhere = {
            "mesh.file": mesh.resolve(),
            "probes": "[]",
            "time.end": 1000,
            "stimuli.0.where": "{box: {min: [-1000, -1000, -1000], max: [1000, 1000, -35]}}",
            "output.interval": 1000,
        }
        command = [program, "run", HEART, "--backend", backend, "--output", folder]
        for key, value in (everywhere | settings).items():
            command += ["--set", f"{key}={value}"]
        subprocess.run([*command, "--log-level", "error"], check=True, stdout=subprocess.DEVNULL)
        maps = pathlib.Path(folder) / "maps.vtu"
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
        return summary, point_array(maps, "activation_time"), point_array(maps, "apd90")


def limits(coarse, fine, ratio):
    """For errors proportional to the step; -1, nothing there, where one has nothing."""
    return [-1 if c < 0 or f < 0 else f + (f - c) / (ratio - 1) for c, f in zip(coarse, fine)]


def line(program, mesh, arguments):
    adaptive = {"time.adaptive.enabled": "true", "time.adaptive.tolerance": arguments.tolerance,
                "time.adaptive.max_step": f"{arguments.max_step} ms"}
    summary, activation, apd90 = run(program, mesh, arguments.backend, adaptive)
    steps = [float(step) for step in arguments.references.split(",")]
    coarse, fine = (run(program, mesh, arguments.backend, {"time.step": f"{step} ms"}) for step in steps)
    ratio = steps[0] / steps[1]
    exact_activation, exact_apd90 = (limits(coarse[k], fine[k], ratio) for k in (1, 2))
    late = [(abs(a - e), e) for a, e in zip(activation, exact_activation) if e > 10 and a >= 0]
    recovered = [abs(a - e) for a, e in zip(apd90, exact_apd90) if e >= 0 and a >= 0]
    seconds = summary["seconds"]
    return {
        "mesh": mesh.stem,
        "nodes": summary["mesh"]["nodes"],
        "elements": summary["mesh"]["elements"],
        "device": summary["device"],
        "solver": summary["solver"],
        "tolerance": arguments.tolerance,
        "max_step_ms": arguments.max_step,
        "steps": summary["steps"],
        "rejected_steps": summary["rejected_steps"],
        "newton_iterations": summary["newton_iterations"],
        "cg_iterations": summary["linear_iterations"],
        "seconds": round(seconds["total"] - seconds["setup"] - seconds["output"], 4),
        "seconds_at_fixed_step": round(
            fine[0]["seconds"]["total"] - fine[0]["seconds"]["setup"] - fine[0]["seconds"]["output"], 4),
        "fixed_step_ms": steps[1],
        "activation_percent": round(100 * max(error / time for error, time in late), 3),
        "activation_ms": round(max(error for error, _ in late), 4),
        "apd90_ms": round(max(recovered), 4),
        "activated_nodes": len(late),
        "recovered_nodes": len(recovered),
    }


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("meshes", nargs="+", type=pathlib.Path)
    parser.add_argument("--backend", default="gpu")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--max-step", type=float, default=1)
    parser.add_argument("--references", default="0.05,0.025")
    arguments = parser.parse_args()
    lines = []
    for mesh in arguments.meshes:
        lines.append(line(arguments.program, mesh, arguments))
        with arguments.out.open("w", newline="") as out:
            writer = csv.DictWriter(out, lines[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)
        print(lines[-1], flush=True)


if __name__ == "__main__":
    main()
