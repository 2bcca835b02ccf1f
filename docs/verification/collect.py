#!/usr/bin/python3 -B
"""Repeats the verification: runs the test programs of a build folder, keeps what they measure in CSV files beside this
script, and renews the figure and the tables of ../method/verification.md. Nothing is written unless every test passes.

    docs/verification/collect.py build/release                        a few minutes on one core
    docs/verification/collect.py build/release --long                 also the slab at 0.125 mm: hours
    docs/verification/collect.py build/release --run 0.125=out/slab   also a run of configs/slab.yaml on such a mesh

The run of the slab of 0.125 mm, which takes most of an hour:

    cardiowarp mesh slab --size 20,7,3 --edge 0.125mm --output out/slab.msh
    cardiowarp run configs/slab.yaml --set 'time.step=0.2 ms' --set time.adaptive.enabled=false \
      --set time.scheme=backward_euler --set quadrature=centroid --set stimuli.0.edge=nodes

Needs matplotlib (Debian package python3-matplotlib).
"""

import argparse
import pathlib
import re
import subprocess
import sys

import tables  # finds the modules of ../benchmarks for those below
import figure
import measured
import one_cell
import slab

HERE = tables.HERE
PROGRAMS = [
    "convergence/convergence_manufactured",
    "convergence/convergence_second_order",
    "convergence/convergence_front_speed",
    "convergence/convergence_one_cell",
    "convergence/convergence_slab",
    "property/property_cell_model",
    "property/property_assembly",
    "property/property_invariance",
    "determinism/determinism_simulation",
]


def run_tests(build, long):
    """({name: rows} of the RESULT lines, names of the tests that passed); ends the script if one fails."""
    results, passed = {}, set()
    for program in PROGRAMS:
        path = build / "tests" / program
        print("running", path.name, flush=True)
        command = [path] if long else [path, "--gtest_filter=-*Long.*"]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            sys.exit(f"{path}: {error.strerror}; build the tests in {build} first")
        if done.returncode != 0:
            sys.exit(f"{done.stdout}{done.stderr}\n{path.name} failed; nothing was written")
        for name in re.findall(r"^\[ +OK \] (\S+)", done.stdout, re.MULTILINE):
            passed |= {name, re.sub(r"/[^./]+\.", ".", name)}  # Suite.Test for each type of Suite/type.Test
        for line in done.stdout.splitlines():
            if line.startswith("RESULT "):
                name, *pairs = line.split()[1:]
                results.setdefault(name, []).append(dict(pair.split("=", 1) for pair in pairs))
    return results, passed


def edge_and_folder(text):
    edge, _, folder = text.partition("=")
    return float(edge), pathlib.Path(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder with the tests in it")
    parser.add_argument("--long", action="store_true", help="include the tests labelled long")
    parser.add_argument("--run", type=edge_and_folder, action="append", default=[], metavar="EDGE_MM=FOLDER",
                        help="results of configs/slab.yaml on a regular slab of this edge length")
    arguments = parser.parse_args()

    head = measured.head_of(arguments.build / "app/cardiowarp")
    results, passed = run_tests(arguments.build, arguments.long)
    results["one_cell"].append(one_cell.reference())
    # Rows of meshes too fine to compute every time stay until they are measured again, with the commit they are of.
    old_head, _, old = measured.read(HERE / "slab.csv")
    new = [*[slab.rows_of_run(edge, folder) for edge, folder in arguments.run], results["slab"]]
    for row, of in [(row, old_head) for row in old] + [(row, head) for rows in new for row in rows]:
        row.setdefault("commit", of["commit"])
    results["slab"] = slab.merge(old, *new)
    document = HERE.parent / "method/verification.md"
    text = tables.fill(document.read_text(), tables.all_tables(results, passed))

    for name, rows in results.items():
        if len(rows) > 1:
            measured.write(HERE / f"{name}.csv", head, rows[0], rows)
    figure.draw(results, HERE / "convergence.svg")
    document.write_text(text)


if __name__ == "__main__":
    main()
