#!/usr/bin/env python3
"""Kills runs with SIGKILL at random moments and lets them go on, until so many have been killed.

usage: kill_and_resume.py PROGRAM KILLS [SEED]

After each kill every frame that the .pvd lists has to be there, whole. Whenever a run comes to its end, its frames, .pvd,
maps and probes have to be those of a run that was never ended, byte for byte, and the counts of its summary, too. The
ways to compute take turns. The last line is: seed, kills, resumptions, runs that came to their end, checkpoints that
were passed over. Exit code 0 where all of this held, else 1.
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

CONFIGURATION = """mesh: {file: bar.msh}
diffusivity: {isotropic: 0.2, anisotropic: 0}
stimuli:
  - where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}
    duration: 1 ms
    amplitude: 60 mV/ms
    period: 3.3 ms
    count: 2
time: {end: 6 ms, step: 0.02 ms}
output: {directory: out, interval: 0.25 ms}
probes:
  - {name: middle, point: [4.1, 0.5, 0.5]}
checkpoint: {interval: 0.4 ms, keep: 2}
"""

WAYS = [
    [],
    ["--set", "time.scheme=bdf2", "--set", "quadrature=vertices_and_centroid"],
    ["--set", "time.scheme=trbdf2", "--set", "time.adaptive.enabled=true", "--set", "time.adaptive.max_step=0.05 ms"],
    ["--set", "time.scheme=backward_euler", "--set", "quadrature=centroid"],
    ["--set", "time.scheme=rkc2"],
]


def results(folder):
    """The bytes of all results but checkpoints, and the counts of the summary."""
    found = {}
    for file in sorted(folder.rglob("*")):
        name = str(file.relative_to(folder))
        if file.is_file() and not name.startswith("checkpoints/") and name not in ("summary.json", "resolved.yaml"):
            found[name] = file.read_bytes()
    summary = json.loads((folder / "summary.json").read_text())
    for other in ("seconds", "started", "threads", "threads_from", "resumed_from_ms"):
        summary.pop(other, None)
    return found, summary


def broken_frames(folder):
    """What the .pvd lists and is not whole."""
    pvd = folder / "potential.pvd"
    if not pvd.exists():
        return []
    names = re.findall(r'file="([^"]*)"', pvd.read_text())
    return [name for name in names
            if not (folder / name).exists() or not (folder / name).read_bytes().rstrip().endswith(b"</VTKFile>")]


class Campaign:
    def __init__(self, program, folder, seed):
        self.program, self.folder = program, folder
        self.random = random.Random(seed)
        self.kills = self.resumptions = self.ended = self.passed_over = 0

    def command(self, way, output, *more):
        return [self.program, "run", str(self.folder / "bar.yaml"), "--backend", "cpu", "--output",
                str(self.folder / output), *way, *more]

    def prepare(self):
        subprocess.run([self.program, "mesh", "slab", "--size", "8,1,1", "--edge", "0.5mm", "--output",
                        str(self.folder / "bar.msh")], check=True, capture_output=True)
        (self.folder / "bar.yaml").write_text(CONFIGURATION)

    def whole(self, number):
        """The results of a run that nobody kills, and its seconds."""
        began = time.monotonic()
        subprocess.run(self.command(WAYS[number], f"whole_{number}"), check=True, capture_output=True)
        return results(self.folder / f"whole_{number}"), time.monotonic() - began

    def run_once(self, way, output, seconds):
        """Runs, or goes on with a run, for a random share of `seconds`. The exit code, or None where it was killed."""
        goes_on = any((self.folder / output / "checkpoints").glob("*.checkpoint"))
        threads = str(self.random.choice([1, 2, 3]))
        more = ["--threads", threads] + (["--resume"] if goes_on else [])
        self.resumptions += goes_on
        process = subprocess.Popen(self.command(way, output, *more), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        try:
            messages = process.communicate(timeout=self.random.uniform(0, 1.1 * seconds))[1]
        except subprocess.TimeoutExpired:
            process.kill()
            messages = process.communicate()[1]
        self.passed_over += messages.count("going on from the checkpoint before")
        if process.returncode == -9:
            self.kills += 1
            return None
        if process.returncode != 0:
            print(messages, file=sys.stderr)
        return process.returncode

    def round(self, number, expected, seconds, kills):
        """One run, killed until it ends. False where something did not hold."""
        output = f"killed_{self.ended}"
        while True:
            code = self.run_once(WAYS[number], output, seconds if self.kills < kills else 1e6)
            if broken := broken_frames(self.folder / output):
                print("listed, but not whole:", broken, file=sys.stderr)
                return False
            if code is not None:
                break
        self.ended += 1
        if code != 0:
            return False
        found, summary = results(self.folder / output)
        differing = [name for name in {**found, **expected[0]} if found.get(name) != expected[0].get(name)]
        if differing or summary != expected[1]:
            print(f"another answer ({WAYS[number]}): {differing or 'summary.json'}", file=sys.stderr)
            return False
        subprocess.run(["rm", "-r", str(self.folder / output)], check=True)
        return True


def main():
    program, kills = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 30)
    with tempfile.TemporaryDirectory(prefix="cardiowarp_faults_") as folder:
        campaign = Campaign(program, pathlib.Path(folder), seed)
        campaign.prepare()
        wholes, holds = {}, True
        while holds and campaign.kills < kills:
            number = campaign.ended % len(WAYS)
            if number not in wholes:
                wholes[number] = campaign.whole(number)
            holds = campaign.round(number, *wholes[number], kills)
    print(f"seed {seed}: {campaign.kills} kills, {campaign.resumptions} resumptions, {campaign.ended} runs ended, "
          f"{campaign.passed_over} checkpoints passed over: {'held' if holds else 'FAILED'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
