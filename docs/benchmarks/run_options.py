#!/usr/bin/env python3
"""Seconds of a beat by the options of `run` that change none of its results: how often the host looks, and errors estimated.

usage: run_options.py PROGRAM OUT.csv [--rounds 5] [--gpus 0,1] MESH...

Runs configs/heart_isotropic.yaml for 1000 ms on each mesh, with a stimulus at its lower end (z < -35 mm) and the default scheme and
tolerance, by each way in turn, as often as there are rounds: looking at the device after each step (`look_1`) and after up to
eight (`look_8`), and with `--estimate-error` on the first of the GPUs (`estimate_one_gpu`) and on the first two
(`estimate_two_gpus`, where there are two). One line a mesh and way: the median and the least of `computing_s`, without setting
up and output, and of `whole_s`, from the start of the program to its end.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import beat
import measured

COLUMNS = ["mesh", "nodes", "device", "way", "rounds", "steps", "median_computing_s", "least_computing_s", "median_whole_s",
           "least_whole_s"]


def run(program, mesh, options, gpus):
    with tempfile.TemporaryDirectory() as folder:
        command = [*beat.command(program, "gpu", mesh, folder), *options]
        begin = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"CUDA_VISIBLE_DEVICES": gpus})
        whole = time.perf_counter() - begin
        return json.loads((pathlib.Path(folder) / "summary.json").read_text()), whole


def lines_of(arguments, mesh):
    first = arguments.gpus.split(",")[0]
    ways = {"look_1": (["--look-every", "1"], first), "look_8": (["--look-every", "8"], first),
            "estimate_one_gpu": (["--estimate-error"], first)}
    if "," in arguments.gpus:
        ways["estimate_two_gpus"] = (["--estimate-error"], arguments.gpus)
    runs = {way: [] for way in ways}
    for _ in range(arguments.rounds):
        for way, (options, gpus) in ways.items():
            runs[way].append(run(arguments.program, mesh, options, gpus))
    for way, of_way in runs.items():
        summary = of_way[0][0]
        computing, whole = [beat.computing(each) for each, _ in of_way], [seconds for _, seconds in of_way]
        yield {"mesh": mesh.stem, "nodes": summary["mesh"]["nodes"], "device": summary["device"], "way": way,
               "rounds": arguments.rounds, "steps": summary["steps"],
               "median_computing_s": f"{statistics.median(computing):.4g}", "least_computing_s": f"{min(computing):.4g}",
               "median_whole_s": f"{statistics.median(whole):.4g}", "least_whole_s": f"{min(whole):.4g}"}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("mesh", nargs="+", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--gpus", default="0")
    arguments = parser.parse_args()
    head, lines = measured.head_of(arguments.program), []
    for mesh in arguments.mesh:
        lines += lines_of(arguments, mesh)
        measured.write(arguments.out, head, COLUMNS, lines)
        print(f"{mesh.stem}: " + ", ".join(f"{line['way']} {line['median_computing_s']} of {line['median_whole_s']} s"
                                           for line in lines if line["mesh"] == mesh.stem), flush=True)


if __name__ == "__main__":
    main()
