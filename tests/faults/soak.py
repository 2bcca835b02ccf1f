#!/usr/bin/env python3
"""Runs very many steps at once and in two halves: memory must not grow, and the results must be the same.

usage: soak.py PROGRAM [--steps N] [--backend cpu|gpu] [--edge LENGTH] [--threads N] [--set KEY=VALUE]...

Equal steps of 0.02 ms on a small slab that is stimulated every 300 ms, with a probe, frames and checkpoints, N in all
(1000000). The memory of the process (VmRSS) and, on a GPU, its memory of the device are looked at twice a second: by
nvidia-smi, which in a container may not know the process; then what all programs use of the first device is taken, so that
no other one may run there, and the last line says so. One run goes from the start to the end; another one ends in the middle and goes on by --resume. Every file of
the two has to be the same byte for byte, the last checkpoint too.
The last lines are what memory was after a tenth of the run and at most after that. Exit code 0 where the process had
grown by less than 2 MiB and the device by less than 4 MiB, and the files are the same; else 1.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from wave import wave_yaml  # noqa: E402

STEP_MS = 0.02


def resident_bytes(process):
    """VmRSS of a process, 0 where it has ended."""
    try:
        for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0


def nvidia_smi(*words):
    """Its answer as a list of rows of a list of words each, none where there is no answer."""
    try:
        answer = subprocess.run(["nvidia-smi", *words, "--format=csv,noheader,nounits"], capture_output=True, text=True)
    except OSError:
        return []
    return [line.split(", ") for line in answer.stdout.splitlines()] if answer.returncode == 0 else []


def device_bytes_of(process):
    """What a process uses of the memory of devices, 0 where nvidia-smi does not know it."""
    return sum(int(row[1]) << 20 for row in nvidia_smi("--query-compute-apps=pid,used_memory")
               if len(row) == 2 and row[0] == str(process) and row[1].isdigit())


def device_bytes_of_all():
    """What is used of the memory of the first device, by all programs."""
    rows = nvidia_smi("--query-gpu=memory.used", "--id=0")
    return int(rows[0][0]) << 20 if rows and rows[0][0].isdigit() else 0


class Samples:
    """Memory over the time of a run."""

    def __init__(self):
        self.of = []  # seconds, bytes of the host, of the device by the process and by all programs

    def take(self, began, process, with_device):
        host = resident_bytes(process)
        if host > 0:
            device = (device_bytes_of(process), device_bytes_of_all()) if with_device else (0, 0)
            self.of.append((time.monotonic() - began, host, *device))

    def device_by_process(self):
        """Whether the device's memory of the process is known over the time that growth() looks at."""
        return all(sample[2] > 0 for sample in self.of[:-1] if sample[0] >= 0.1 * self.of[-1][0])

    def growth(self, number):
        """Bytes after a tenth of the time, and the most after that; 1: host, 2: device by the process, 3: device by all. The last sample is left out,
        as a process that ends gives its memory back."""
        late = [sample[number] for sample in self.of[:-1] if sample[0] >= 0.1 * self.of[-1][0]]
        return late[0], max(late)


def files_of(folder):
    found = {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}
    summary = json.loads(found.pop("summary.json"))
    for other in ("seconds", "started", "resumed_from_ms", "host", "work", "warnings"):
        summary.pop(other, None)
    found.pop("resolved.yaml")
    checkpoints = sorted(name for name in found if name.startswith("checkpoints/"))
    for name in checkpoints[:-1]:
        found.pop(name)
    return found, summary


class Soak:
    def __init__(self, given, folder):
        self.given, self.folder = given, folder

    def run(self, name, *more):
        """A run of this name, and the samples of its memory."""
        began, samples = time.monotonic(), Samples()
        command = [os.path.abspath(self.given.program), "run", str(self.folder / "slab.yaml"), "--backend",
                   self.given.backend, "--threads", str(self.given.threads), "--output", str(self.folder / "out"),
                   "--log-level", "error", *more]
        for setting in self.given.set:
            command += ["--set", setting]
        process = subprocess.Popen(command)
        while True:
            try:
                code = process.wait(0.5)
                break
            except subprocess.TimeoutExpired:
                samples.take(began, process.pid, self.given.backend == "gpu")
        if code != 0:
            sys.exit(f"{' '.join(command)}: exit code {code}")
        print(f"{name} {' '.join(more)}: {time.monotonic() - began:.1f} s, {len(samples.of)} samples", flush=True)
        return samples

    def prepare(self):
        end_ms = STEP_MS * self.given.steps
        subprocess.run([self.given.program, "mesh", "slab", "--size", "2,1,1", "--edge", self.given.edge, "--output",
                        str(self.folder / "slab.msh")], check=True, capture_output=True)
        interval_ms = end_ms / 20
        (self.folder / "slab.yaml").write_text(wave_yaml(
            ("bar.msh", "slab.msh"), ("max: [1, 1, 1]", "max: [0.6, 9, 9]"),
            ("60 mV/ms", "60 mV/ms\n    period: 300 ms\n    count: 1000000"),
            ("end: 20 ms, step: 0.1 ms", f"end: {end_ms} ms, step: {STEP_MS} ms"),
            ("interval: 5 ms", f"interval: {interval_ms} ms"), ("[4.1, 0.5, 0.5]", "[1, 0.5, 0.5]"),
            more=f"checkpoint: {{interval: {interval_ms} ms, keep: 2}}\n"))
        return end_ms


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--steps", type=int, default=1000000, help="a multiple of 20")
    parser.add_argument("--backend", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--edge", default="1mm")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    given = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cardiowarp_soak_"))
    try:
        soak = Soak(given, folder)
        end_ms = soak.prepare()
        samples = soak.run("whole")
        (folder / "out").rename(folder / "whole")  # its name is in the checkpoints
        soak.run("halves", "--set", f"time.end={end_ms / 2} ms")
        soak.run("halves", "--resume")
        whole, halves = files_of(folder / "whole"), files_of(folder / "out")
    finally:
        shutil.rmtree(folder)
    differing = [name for name in {**whole[0], **halves[0]} if whole[0].get(name) != halves[0].get(name)]
    if whole[1] != halves[1]:
        differing.append("summary.json")
    print(f"{given.steps} steps at once and in two halves: " +
          (f"other files: {differing}" if differing else f"{len(whole[0])} files, the last checkpoint with them, are the same"))
    if len(samples.of) < 10:
        sys.exit("too short to see how memory grows")
    by_process = samples.device_by_process()
    (host, most_host), (device, most_device) = samples.growth(1), samples.growth(2 if by_process else 3)
    print(f"memory of the process after a tenth {host / 2**20:.2f} MiB, at most after that {most_host / 2**20:.2f} MiB")
    if given.backend == "gpu":
        print(f"memory of the device after a tenth {device / 2**20:.0f} MiB, at most after that {most_device / 2**20:.0f} MiB, "
              + ("by this process" if by_process else "by all programs on it"))
    return 0 if not differing and most_host - host < 2 << 20 and most_device - device < 4 << 20 else 1


if __name__ == "__main__":
    sys.exit(main())
