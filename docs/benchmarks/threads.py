#!/usr/bin/env python3
"""Seconds of a run on the CPU by the number of threads and how they wait, on a quiet and on a busy machine.

usage: threads.py PROGRAM OUT.csv [--edges 8,3,1.6] [--busy 0,1,N,2N] [--rounds 3] [--seconds 0.3] [--before PROGRAM]

Runs configs/heart_isotropic.yaml on hearts made with these edges (mm), so many steps as take one thread `--seconds` when nothing
else runs, beside `--busy` endless loops (N: the processors this process may use). Variants, in turn in each round:

  one      one thread
  looking  all threads, which look for the next loop before they sleep (OMP_WAIT_POLICY=active)
  passive  all threads, which sleep at once (OMP_WAIT_POLICY=passive)
  chosen   nothing set: what the program chooses by itself
  before   all threads of another program, nothing set, such as an earlier one

One line a heart, number of loops and variant: `seconds` is the median wall clock of the steps, without set-up and
output; `to_best` the median over the rounds of seconds over those of the best other variant in
the same round. A run that takes twenty times `--seconds` is ended and counted as that long. No variable of OpenMP is
handed on from the caller. The loops end with this script and by themselves after ten minutes.
"""
import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile

import calls
import measured

PROCESSORS = len(os.sched_getaffinity(0))
STEP_MS = 0.2


class Loops:
    """So many endless loops for as long as this lives."""

    def __init__(self, number):
        self.number = number

    def __enter__(self):
        self.processes = [subprocess.Popen(["timeout", "600", "sh", "-c", "while :; do :; done"], preexec_fn=os.setpgrp)
                          for _ in range(self.number)]

    def __exit__(self, *_):
        for process in self.processes:
            os.killpg(process.pid, signal.SIGKILL)  # a group of its own: `timeout` and its shell
            process.wait()


def seconds_of(program, mesh, steps, variables, limit):
    """Of the steps alone; `limit` where the run took longer; and the summary."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_"))}
    with tempfile.TemporaryDirectory() as folder:
        settings = {"mesh.file": mesh, "probes": "[]", "time.scheme": "backward_euler",
                    "time.adaptive.enabled": "false", "quadrature": "centroid", "time.step": STEP_MS, "time.end": f"{steps * STEP_MS:.6g}",
                    "output.interval": f"{steps * STEP_MS:.6g}"}
        try:
            subprocess.run(calls.run(program, calls.HEART, "cpu", folder, settings), check=True,
                           env=environment | variables, timeout=limit)
        except subprocess.TimeoutExpired:
            return limit, None
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
    return calls.computing(summary), summary


def variants_of(arguments):
    variants = {"one": {"OMP_NUM_THREADS": "1"}, "looking": {"OMP_WAIT_POLICY": "active"},
                "passive": {"OMP_WAIT_POLICY": "passive"}, "chosen": {}}
    return variants | ({"before": {}} if arguments.before else {})


def lines_of(arguments, mesh):
    trial = 10
    seconds, summary = seconds_of(arguments.program, mesh, trial, {"OMP_NUM_THREADS": "1"}, 600)
    steps = max(trial, round(trial * arguments.seconds / seconds))
    limit = 20 * arguments.seconds
    variants = variants_of(arguments)
    for busy in arguments.busy.split(","):
        taken = {name: [] for name in variants}
        threads = {}
        with Loops(int(busy)):
            for _ in range(arguments.rounds):
                for name, variables in variants.items():
                    program = arguments.before if name == "before" else arguments.program
                    seconds, of_run = seconds_of(program, mesh, steps, variables, limit)
                    taken[name].append(seconds)
                    threads[name] = of_run["threads"] if of_run else PROCESSORS
        best = {name: [min(of_round) for of_round in zip(*(taken[other] for other in variants if other != name))]
                for name in variants}
        for name in variants:
            yield {"processors": PROCESSORS, "edge_mm": mesh.stem,
                   "nodes": summary["mesh"]["nodes"], "steps": steps, "busy": int(busy), "variant": name,
                   "threads": threads[name], "seconds": f"{statistics.median(taken[name]):.3f}",
                   "least_s": f"{min(taken[name]):.3f}", "most_s": f"{max(taken[name]):.3f}",
                   "to_best": f"{statistics.median(a / b for a, b in zip(taken[name], best[name])):.2f}"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("--edges", default="8,3,1.6")
    parser.add_argument("--busy", default=f"0,1,{PROCESSORS},{2 * PROCESSORS}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--before")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # which ends the loops
    head, lines = measured.head_of(arguments.program), []
    with tempfile.TemporaryDirectory() as folder:
        for edge in arguments.edges.split(","):
            mesh = calls.mesh(arguments.program, pathlib.Path(folder) / f"{edge}.msh", "biventricle", "--edge", f"{edge}mm")
            for line in lines_of(arguments, mesh):
                lines.append(line)
                measured.write(arguments.out, head, lines[0], lines)
                print(*(f"{key} {value}" for key, value in line.items()), sep="  ", flush=True)


if __name__ == "__main__":
    main()
