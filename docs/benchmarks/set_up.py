#!/usr/bin/env python3
"""Seconds until the first step of a run, by phases of the set-up.

usage: set_up.py PROGRAM OUT.csv [--backends gpu,cpu] [--rounds 2] MESH...

Starts configs/heart_isotropic.yaml as beat.py does and ends it when it is set up. One line a mesh, backend, round and phase:
`seconds` is wall clock, `processor_seconds` the time of all threads together. The phase `plan and fill the device` has in
it those from `order nodes` to `plan steps`; what is left of it fills the device and, on a GPU, waits for the driver. The
line of the phase `whole` is from the start of the program on.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import calls
import measured
from calls import HEART, LOWER_END

LAST = "prepare files"


def phases_of(program, mesh, backend):
    """Pairs of phase and seconds, wall clock and of processors."""
    phases, began = [], time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", HEART, "--backend", backend, "--output", folder, "--log-level", "debug", *calls.settings(
            {"mesh.file": mesh.resolve(), "probes": "[]", "stimuli.0.where": LOWER_END, "time.end": 1000})]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            for line in process.stderr:
                found = re.search(r"setup: (.*) ([\d.]+) s, ([\d.]+) s of processors", line)
                if not found:
                    continue
                phases.append(found.groups())
                if found[1] == LAST:
                    phases.append(("whole", f"{time.monotonic() - began:.4f}", ""))
                    break
            process.kill()
    if not phases or phases[-1][0] != "whole":
        sys.exit(f"{mesh}: the run ended before it was set up")
    return phases


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("mesh", nargs="+", type=pathlib.Path)
    parser.add_argument("--backends", default="gpu,cpu")
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    head, lines = measured.head_of(arguments.program), []
    for mesh in arguments.mesh:
        for backend in arguments.backends.split(","):
            for number in range(arguments.rounds):
                for phase, seconds, processors in phases_of(arguments.program, mesh, backend):
                    lines.append({"mesh": mesh.stem, "backend": backend, "round": number + 1, "phase": phase,
                                  "seconds": seconds, "processor_seconds": processors})
                print(*lines[-1].values(), flush=True)
                measured.write(arguments.out, head, lines[0], lines)


if __name__ == "__main__":
    main()
