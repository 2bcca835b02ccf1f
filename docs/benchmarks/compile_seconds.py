#!/usr/bin/env python3
"""What it costs to compile the program: seconds by source file, and how many of them see a header.

usage: compile_seconds.py BUILD_FOLDER [--alone] [--csv OUT.csv] [--headers OUT.csv]

BUILD_FOLDER has been built by Ninja from nothing. The seconds are those of its log, from the start to the end of each
compilation, which is honest only where nothing else ran and no cache answered. With --alone each source is compiled again,
one after the other and without a cache, and the seconds are those of the processor, which other work on the machine does
not lengthen. Prints the sum, the ten longest, and what belongs to measurements alone (`bench`, `tests`) apart; then, for
the headers of fem/, assembly/ and solver/, how many sources of the program are compiled again when one is touched.
"""
import argparse
import csv
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOMS = ("fem/", "assembly/", "solver/")
LAUNCHER = re.compile(r"^\S*ccache ")


def part_of(source):
    """`program`, or what a run needs nothing of."""
    if source.startswith("tests/"):
        return "tests"
    if source.startswith(("app/bench", "kernels/rivals/")):
        return "bench"
    return "program"


def commands(build, root):
    """{object: (source, command, folder)} of all compilations."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if not source.is_relative_to(root):  # made by the build
            continue
        output = re.search(r" -o (\S+)", entry["command"]).group(1)
        found[output] = (str(source.relative_to(root)), entry["command"], entry["directory"])
    return found


def logged_seconds(build):
    """{object: seconds} of the newest compilation of each."""
    seconds = {}
    for line in (build / ".ninja_log").read_text().splitlines():
        if not line.startswith("#"):
            begin, end, _, output, _ = line.split("\t")
            seconds[output] = (int(end) - int(begin)) / 1000
    return seconds


def seconds_alone(command, folder):
    """Of the processor, for one compilation whose object is thrown away."""
    with tempfile.TemporaryDirectory() as scratch:
        command = re.sub(r" -o \S+", f" -o {scratch}/object.o", LAUNCHER.sub("", command))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, shell=True, cwd=folder, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def included(build, root):
    """{object: headers of the project}"""
    headers, output = {}, None
    for line in subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout.splitlines():
        if not line.startswith(" "):
            output = line.partition(":")[0]
        elif line.strip():
            path = pathlib.Path(os.path.normpath(build / line.strip()))
            if path.is_relative_to(root):
                headers.setdefault(output, set()).add(str(path.relative_to(root)))
    return headers


def print_seconds(rows):
    for part in ("program", "bench", "tests"):
        of_part = [row for row in rows if row["part"] == part]
        if of_part:
            by_nvcc = sum(row["seconds"] for row in of_part if row["source"].endswith(".cu"))
            total = sum(row["seconds"] for row in of_part)
            print(f"{part}: {total:.0f} s in {len(of_part)} sources, {by_nvcc:.0f} s of them by nvcc")
    print("the ten longest of the program:")
    for row in [row for row in rows if row["part"] == "program"][:10]:
        print(f"{row['seconds']:8.1f} s  {row['source']}")


def fan_out(compiled, headers):
    """One row a header: how many sources of the program see it."""
    program = [output for output, (source, _, _) in compiled.items() if part_of(source) == "program" and output in headers]
    seen = {}
    for output in program:
        for header in headers[output]:
            if header.startswith(ROOMS) and header.endswith((".hpp", ".cuh")):
                seen[header] = seen.get(header, 0) + 1
    rows = [{"header": header, "sources": count, "of": len(program)} for header, count in seen.items()]
    return sorted(rows, key=lambda row: (-row["sources"], row["header"]))


def print_fan_out(rows):
    if not rows:
        return
    third = rows[0]["of"] / 3
    print(f"headers of {', '.join(ROOMS)} that more than a third of the {rows[0]['of']} sources of the program see: "
          f"{sum(row['sources'] > third for row in rows)} of {len(rows)}")
    for row in rows[:10]:
        print(f"{row['sources']:6} sources  {row['header']}")


def write(path, rows):
    with open(path, "w", newline="") as file:
        table = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--alone", action="store_true")
    arguments.add_argument("--csv", type=pathlib.Path)
    arguments.add_argument("--headers", type=pathlib.Path)
    given = arguments.parse_args()
    cache = (given.build / "CMakeCache.txt").read_text()
    root = pathlib.Path(re.search(r"CMAKE_HOME_DIRECTORY:INTERNAL=(.*)", cache).group(1))
    compiled = commands(given.build, root)
    logged = {} if given.alone else logged_seconds(given.build)
    rows = []
    for output, (source, command, folder) in compiled.items():
        if given.alone:
            seconds = seconds_alone(command, folder)
        elif output in logged:
            seconds = logged[output]
        else:
            continue  # not built
        rows.append({"part": part_of(source), "source": source, "seconds": round(seconds, 1)})
    if not rows:
        sys.exit(f"{given.build}: expected a build folder in which something was compiled")
    rows.sort(key=lambda row: (-row["seconds"], row["source"]))
    print_seconds(rows)
    heads = fan_out(compiled, included(given.build.resolve(), root))
    print_fan_out(heads)
    if given.csv:
        write(given.csv, rows)
    if given.headers and heads:
        write(given.headers, heads)


if __name__ == "__main__":
    main()
