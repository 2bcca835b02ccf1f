#!/usr/bin/env python3
"""Device memory that a run of each mesh takes, as `cardiowarp check` says it before the run.

usage: device_memory.py PROGRAM OUT.csv MESH...

The configuration is configs/heart_isotropic.yaml with a stimulus at the lower end of the mesh, with each quadrature. A machine without a
GPU plans for an H200; what is planned is what a run takes (`parity_device_memory`). One line a mesh and quadrature.
"""
import pathlib
import re
import subprocess
import sys

import calls
import measured
from calls import HEART, LOWER_END


def line_of(program, mesh, quadrature):
    command = [program, "check", HEART, "--backend", "gpu", *calls.settings(
        {"mesh.file": mesh.resolve(), "probes": "[]", "stimuli.0.where": LOWER_END, "quadrature": quadrature})]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    nodes = int(re.search(r"mesh: (\d+) nodes", done.stderr)[1])
    mib = int(re.search(r"^device memory: (\d+) MiB", done.stdout, re.MULTILINE)[1])
    path = re.search(r"^solver: (\w+)", done.stdout, re.MULTILINE)[1]
    return {"mesh": mesh.stem, "nodes": nodes, "quadrature": quadrature, "path": path, "mib": mib,
            "bytes_a_node": round(mib * 2**20 / nodes)}


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program = sys.argv[1]
    lines = [line_of(program, mesh, quadrature) for mesh in map(pathlib.Path, sys.argv[3:])
             for quadrature in ("vertices", "vertices_and_centroid", "centroid")]
    measured.write(sys.argv[2], measured.head_of(program), lines[0], lines)


if __name__ == "__main__":
    main()
