#!/usr/bin/env python3
"""Kills runs with SIGKILL at random moments and lets them go on, until so many have been killed.

usage: kill_and_resume.py PROGRAM KILLS [--seed N] [--jobs N] [--backend NAME] [--seconds N] [--csv FILE]

A moment is anywhere from the start of the program, while it sets up, makes steps, or writes frames and checkpoints, to
its end. After each kill every frame that is listed has to be there, whole. Whenever a run comes to its end, its
frames, their list, maps and probes have to be those of a run that was never ended, byte for byte, and the counts of its
summary, too. After so many seconds no more are killed. Six ways to compute and write take turns, each with one to three threads that change with every resumption. The last
line and the file have: kills, those before the first checkpoint was written, runs that went on from a checkpoint, runs
that came to their end, damaged checkpoints that were passed over, runs with another answer or a broken list. Exit code
0 where there is none of these, else 1.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

sys.dont_write_bytecode = True
from frame_lists import listed_files  # noqa: E402
from wave import wave_yaml  # noqa: E402

CONFIGURATION = wave_yaml(("duration: 2 ms", "duration: 1 ms"), ("60 mV/ms", "60 mV/ms\n    period: 3.3 ms\n    count: 2"),
                          ("end: 20 ms, step: 0.1 ms", "end: 4 ms, step: 0.02 ms"), ("interval: 5 ms", "interval: 0.5 ms"),
                          more="checkpoint: {interval: 0.4 ms, keep: 2}\n")

WAYS = [
    [],
    ["--set", "time.scheme=bdf2", "--set", "quadrature=vertices_and_centroid"],
    ["--set", "time.scheme=trbdf2", "--set", "time.adaptive.enabled=true", "--set", "time.adaptive.max_step=0.05 ms"],
    ["--set", "time.scheme=backward_euler", "--set", "quadrature=centroid"],
    ["--set", "time.scheme=rkc2"],
    ["--set", "output.format=ensight"],
]


def results(folder):
    """The bytes of all results but checkpoints, and the counts of the summary."""
    found = {}
    for file in sorted(folder.rglob("*")):
        name = str(file.relative_to(folder))
        if file.is_file() and not name.startswith("checkpoints/") and name not in ("summary.json", "resolved.yaml"):
            found[name] = file.read_bytes()
    summary = json.loads((folder / "summary.json").read_text())
    for other in ("seconds", "started", "threads", "threads_from", "resumed_from_ms", "work", "warnings"):
        summary.pop(other, None)
    return found, summary


def broken_frame(output):
    """What is not whole of the listed frames, or an empty text."""
    try:
        listed_files(output)
    except (OSError, ValueError, TypeError, xml.etree.ElementTree.ParseError) as error:
        return str(error)
    return ""


class Campaign:
    def __init__(self, program, backend, folder, kills, end):
        self.program, self.backend, self.folder, self.asked, self.end = program, backend, folder, kills, end
        self.lock = threading.Lock()
        self.kills = self.early = self.resumptions = self.ended = self.passed_over = self.failed = 0
        self.wholes = {}

    def command(self, way, output, *more):
        return [self.program, "run", str(self.folder / "bar.yaml"), "--backend", self.backend, "--output",
                str(self.folder / output), *way, *more]

    def has_enough(self):
        return self.kills >= self.asked or time.monotonic() >= self.end

    def prepare(self):
        """The mesh, and of each way the results of a run that nobody kills, and its seconds."""
        subprocess.run([self.program, "mesh", "slab", "--size", "8,1,1", "--edge", "0.5mm", "--output",
                        str(self.folder / "bar.msh")], check=True, capture_output=True)
        (self.folder / "bar.yaml").write_text(CONFIGURATION)
        for number, way in enumerate(WAYS):
            began = time.monotonic()
            subprocess.run(self.command(way, f"whole_{number}"), check=True, capture_output=True)
            seconds = time.monotonic() - began
            self.wholes[number] = (results(self.folder / f"whole_{number}"), seconds)

    def run_once(self, random_numbers, way, output, seconds):
        """Runs, or goes on with a run, for a random share of `seconds`. The exit code, or None where it was killed."""
        goes_on = any((self.folder / output / "checkpoints").glob("*.checkpoint"))
        threads = str(random_numbers.choice([1, 2, 3]))
        more = ["--threads", threads] + (["--resume"] if goes_on else [])
        process = subprocess.Popen(self.command(way, output, *more), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        try:
            messages = process.communicate(timeout=random_numbers.uniform(0, 1.1 * seconds))[1]
        except subprocess.TimeoutExpired:
            process.kill()
            messages = process.communicate()[1]
        has_checkpoint = any((self.folder / output / "checkpoints").glob("*.checkpoint"))
        with self.lock:
            self.resumptions += goes_on
            self.passed_over += messages.count("going on from the checkpoint before")
            if process.returncode == -9:
                self.kills += 1
                self.early += not has_checkpoint
                return None
        if process.returncode != 0:
            print(messages, file=sys.stderr)
        return process.returncode

    def what_is_wrong(self, seed, round_number):
        """Kills one run until it ends. What did not hold, or an empty text."""
        random_numbers = random.Random(f"{seed} {round_number}")
        number, output = round_number % len(WAYS), f"killed_{round_number}"
        (expected, counts), seconds = self.wholes[number]
        code = None
        while code is None:
            code = self.run_once(random_numbers, WAYS[number], output, 1e6 if self.has_enough() else seconds)
            if broken := broken_frame(self.folder / output):
                return f"listed, but not whole: {broken}"
        if code != 0:
            return f"exit code {code}"
        found, summary = results(self.folder / output)
        differing = [name for name in {**found, **expected} if found.get(name) != expected.get(name)]
        if differing or summary != counts:
            return f"another answer ({WAYS[number]}): {differing or 'summary.json'}"
        subprocess.run(["rm", "-r", str(self.folder / output)], check=True)
        return ""

    def work(self, seed, first, stride):
        """Rounds first, first + stride, ..., until enough have been killed."""
        round_number = first
        while not self.has_enough() and self.failed == 0:
            wrong = self.what_is_wrong(seed, round_number)
            with self.lock:
                self.ended += not wrong
                self.failed += bool(wrong)
            if wrong:
                print(f"round {round_number}: {wrong}", file=sys.stderr)
            round_number += stride


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--csv", type=pathlib.Path)
    asked = parser.parse_args()
    head = subprocess.run([asked.program, "info", "--csv-head"], check=True, capture_output=True, text=True).stdout
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cardiowarp_faults_") as folder:
        campaign = Campaign(asked.program, asked.backend, pathlib.Path(folder), asked.kills, began + asked.seconds)
        campaign.prepare()
        with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
            for job in [pool.submit(campaign.work, asked.seed, first, asked.jobs) for first in range(asked.jobs)]:
                job.result()
    seconds = round(time.monotonic() - began)
    figures = {"backend": asked.backend, "seed": asked.seed, "kills": campaign.kills, "before_a_checkpoint": campaign.early,
               "resumptions": campaign.resumptions, "runs_ended": campaign.ended,
               "checkpoints_passed_over": campaign.passed_over, "failures": campaign.failed, "seconds": seconds}
    if asked.csv:
        asked.csv.write_text(head + ",".join(figures) + "\n" + ",".join(map(str, figures.values())) + "\n")
    print(", ".join(f"{key} {value}" for key, value in figures.items()) + (": FAILED" if campaign.failed else ": held"))
    return 1 if campaign.failed else 0


if __name__ == "__main__":
    sys.exit(main())
