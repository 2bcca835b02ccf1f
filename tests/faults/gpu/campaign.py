#!/usr/bin/env python3
"""Lets calls of the CUDA runtime fail, one in each run, and looks what is left of the run.

usage: campaign.py PROGRAM [--no-gpu] [--faults N] [--seed N] [--jobs N] [--only NAME] [--seconds N]

PROGRAM is cardiowarp_failing_gpu. A run without a fault counts the calls. Then, for each function that was called, the
first, the last and random ones of its calls fail: once, with all later calls after it, or by never returning. Each run
has to end within its time, with exit code 4 and one line that says why, and

- every frame that is listed is whole, and one of the run without a fault;
- no other file lies about;
- the message names the checkpoint on disk, and --resume from there leaves the files of the run without a fault.

A run that could do without the call (it then computes in another way, asks again or frees nothing) may also end with
exit code 0 and the files of the run without a fault. Every allocation of device memory is made to fail once, and device memory is
made to be short. A GPU that is there and cannot be used has to be told of before what is wrong with the problem for a GPU,
and `auto` then has to take the CPU. A signal has to end a run with exit code 130 while it waits for a GPU that does not
answer. --no-gpu takes the place of a GPU by one whose kernels do nothing. What does not hold is printed, and
the others follow. --seconds N begins no fault after that time; SIGTERM ends the program likewise. The last line is: seed,
faults of how many, how many of them ended a run and how many did not, resumptions. Exit code 0 where all of this held, else 1.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from frame_lists import listed_files  # noqa: E402
from wave import wave_yaml  # noqa: E402

CONFIGURATION = wave_yaml(("duration: 2 ms", "duration: 1 ms"), ("end: 20 ms", "end: 2.4 ms"),
                          ("interval: 5 ms", "interval: 0.2 ms"), more="checkpoint: {interval: 0.3 ms, keep: 2}\n")

WAYS = [
    [],
    ["--set", "time.scheme=backward_euler", "--set", "quadrature=centroid", "--set", "linear_solver.path=plain"],
    ["--set", "output.format=ensight"],
]

# Errors of CUDA by their numbers: name, and whether all later calls fail, too.
MEMORY, ECC, UNAVAILABLE, ADDRESS = 2, 214, 46, 700
NAMES = {MEMORY: "cudaErrorMemoryAllocation", ECC: "cudaErrorECCUncorrectable",
         UNAVAILABLE: "cudaErrorDevicesUnavailable", ADDRESS: "cudaErrorIllegalAddress"}
HANG, SPIN = "hang", "spin"  # a call that does not return, a kernel that does not end
HANGING = ("cudaStreamSynchronize", "cudaMemcpyAsync", "cudaGraphLaunch", "cudaEventSynchronize")

# Functions whose error the program tells in words, or that compiled code calls and whose error shows at the next launch.
NOT_NAMED = re.compile(r"cudaGetDeviceCount|cudaDriverGetVersion|__cudaGetKernel")
SECONDS = 120  # a run that takes longer hangs


def files_of(folder):
    """Name and bytes of all results but checkpoints and what says how long things took."""
    found = {}
    for file in sorted(folder.rglob("*")):
        name = str(file.relative_to(folder))
        if file.is_file() and not name.startswith("checkpoints/") and name not in ("summary.json", "resolved.yaml"):
            found[name] = file.read_bytes()
    return found


class Fault:
    def __init__(self, way, name, number, error, stays):
        self.way, self.name, self.number, self.error, self.stays = way, name, number, error, stays

    def hangs(self):
        return self.error in (HANG, SPIN)

    def __str__(self):
        what = self.error if self.hangs() else f"{self.error}{'!' if self.stays else ''}"
        return f"{self.name}:{self.number}:{what}"


class Campaign:
    def __init__(self, program, folder, no_gpu):
        self.program, self.folder, self.no_gpu = program, folder, no_gpu
        self.whole, self.calls = {}, {}

    def run(self, way, output, *more, backend="gpu", meanwhile=None, **variables):
        """The ended run, or nothing where it hangs. `meanwhile` is called with the process once that is started."""
        environment = {**os.environ, **variables}
        if self.no_gpu:
            environment["CARDIOWARP_GPU"] = "none"
        command = [self.program, "run", str(self.folder / "bar.yaml"), "--backend", backend, "--threads", "2", "--output",
                   str(output), *WAYS[way], *more]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
            try:
                if meanwhile:
                    meanwhile(process)
                told, errors = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                return None
        return subprocess.CompletedProcess(command, process.returncode, told, errors)

    def prepare(self):
        subprocess.run([self.program, "mesh", "slab", "--size", "8,1,1", "--edge", "0.5mm", "--output",
                        str(self.folder / "bar.msh")], check=True, capture_output=True)
        (self.folder / "bar.yaml").write_text(CONFIGURATION)
        for way in range(len(WAYS)):
            output, calls = self.folder / f"whole_{way}", self.folder / f"calls_{way}"
            ended = self.run(way, output, CARDIOWARP_GPU_CALLS=str(calls))
            if ended is None or ended.returncode != 0:
                sys.exit("the run without a fault: " + (ended.stderr if ended else "hangs"))
            self.whole[way] = files_of(output)
            self.calls[way] = {name: int(number) for name, number in map(str.split, calls.read_text().splitlines())}

    def faults(self, number, chance):
        """All that are tried; `number` is how many calls of a function fail beside the first and the last."""
        faults = []
        for way, calls in self.calls.items():
            for name, most in calls.items():
                every = name == "cudaMalloc" and way == 0
                tries = 10 * number if name == "any" else number
                chosen = set(range(1, most + 1)) if every else {1, most, *(chance.randint(1, most) for _ in range(tries))}
                for call in sorted(chosen):
                    code, stays = (MEMORY, False) if every else chance.choice(
                        [(MEMORY, False), (ECC, True), (UNAVAILABLE, False), (ADDRESS, True)])
                    faults.append(Fault(way, name, call, code, stays))
            for name in HANGING:
                if name in calls:
                    faults.append(Fault(way, name, chance.randint(1, calls[name]), HANG, True))
            if not self.no_gpu:
                faults.append(Fault(way, "cudaStreamSynchronize", calls["cudaStreamSynchronize"] // 2, SPIN, True))
        return faults

    def wrong(self, fault, number):
        """What does not hold with this fault, or nothing, and whether it ended the run, and whether one went on."""
        output = self.folder / f"fault_{number}"
        hangs = fault.hangs()
        more = ["--gpu-timeout", "2 s"] if hangs else []
        ended = self.run(fault.way, output, *more, CARDIOWARP_GPU_FAULT=str(fault))
        if ended is None:
            return "hangs", False, False
        whole, found = self.whole[fault.way], files_of(output)
        if ended.returncode == 0:
            if found != whole:
                return "exit code 0 with other files", False, False
            return ("exit code 0" if hangs else ""), False, False
        wrong = self.wrong_of_ended(fault, output, ended, found, whole)
        saved = sorted((output / "checkpoints").glob("*")) if (output / "checkpoints").is_dir() else []
        names_one = re.search(r"--resume goes on from the checkpoint at t = ([0-9.]+) ms", ended.stderr)
        if bool(saved) != bool(names_one):
            wrong.append(f"{len(saved)} checkpoints, and the message says otherwise")
        if saved:
            again = self.run(fault.way, output, "--resume")
            if again is None or again.returncode != 0:
                wrong.append(f"--resume: {again.stderr if again else 'hangs'}")
            elif names_one and f"at t = {names_one.group(1)} ms" not in again.stderr:
                wrong.append("--resume goes on from another checkpoint than the message says")
            elif files_of(output) != whole:
                wrong.append("--resume leaves other files")
        message = "; ".join(wrong) + f"\n{ended.stderr}" if wrong else ""
        shutil.rmtree(output, ignore_errors=True)
        return message, True, bool(saved)

    def wrong_of_ended(self, fault, output, ended, found, whole):
        wrong = []
        errors = [line for line in ended.stderr.splitlines() if line.startswith("error: ")]
        if ended.returncode != 4:
            wrong.append(f"exit code {ended.returncode}")
        if len(errors) != 1:
            wrong.append(f"{len(errors)} lines of errors")
        elif fault.hangs():
            if "the GPU has not answered for 2 s" not in errors[0]:
                wrong.append("the message does not say that the GPU does not answer")
        elif NAMES[fault.error] not in errors[0] and not (fault.error == MEMORY and "device memory" in errors[0]) \
                and not NOT_NAMED.match(fault.name):
            wrong.append("the message does not name the error")
        for (_, name), content in listed_files(output).items():
            if content != whole.get(name):
                wrong.append(f"'{name}' is listed and not that of a whole run")
        if (output / "summary.json").exists():
            wrong.append("there is a summary")
        wrong += [f"'{name}' lies about" for name in found if name not in whole]
        return wrong

    def interrupted(self):
        """A signal during a wait for the GPU that does not end, long before --gpu-timeout."""
        output = self.folder / "interrupted"

        def send_signal(process):
            def newest():
                return max((file.stat().st_mtime for file in (output / "frames").glob("*")), default=time.time())

            while process.poll() is None and time.time() - newest() < 3:  # frames are written until the GPU hangs
                time.sleep(0.1)
            process.send_signal(signal.SIGTERM)

        fault = Fault(0, "cudaStreamSynchronize", self.calls[0]["cudaStreamSynchronize"] // 2, HANG, True)
        ended = self.run(0, output, "--gpu-timeout", "1 h", meanwhile=send_signal, CARDIOWARP_GPU_FAULT=str(fault))
        if ended is None:
            return f"{fault} and SIGTERM: hangs"
        wrong = []
        if ended.returncode != 130 or "took too long on the GPU and was given up" not in ended.stderr:
            wrong.append(f"exit code {ended.returncode}: {ended.stderr}")
        for (_, name), content in listed_files(output).items():
            if content != self.whole[0].get(name):
                wrong.append(f"'{name}' is listed and not that of a whole run")
        again = self.run(0, output, "--resume")
        if again is None or again.returncode != 0 or files_of(output) != self.whole[0]:
            wrong.append(f"--resume: {again.stderr if again else 'hangs'}")
        return f"{fault} and SIGTERM: {'; '.join(wrong)}" if wrong else ""

    def short_memory(self):
        """With less device memory than a run needs."""
        output = self.folder / "short"
        ended = self.run(0, output, CARDIOWARP_GPU_FREE_BYTES="4096")
        if ended is None or ended.returncode != 4 or output.exists() or not re.search(
                r"error: not enough device memory: the run needs \d+ bytes, 4096 of \d+ are free", ended.stderr):
            return f"with 4096 bytes of device memory: {ended.stderr if ended else 'hangs'}"
        return ""

    def unusable(self):
        """A GPU that lets nobody in, and a problem that a CPU alone can solve."""
        wrong = []
        for backend, code, line in [("gpu", 4, "error: CUDA: cudaErrorDevicesUnavailable"),
                                    ("auto", 0, "info: running on the CPU: CUDA: cudaErrorDevicesUnavailable")]:
            ended = self.run(0, self.folder / f"unusable_{backend}", "--set", "assembly.strategy=row_gather", "--set",
                             "quadrature=centroid", backend=backend, CARDIOWARP_GPU_FAULT=f"cudaFree:1:{UNAVAILABLE}*")
            if ended is None or ended.returncode != code or line not in ended.stderr:
                wrong.append(f"with a GPU that cannot be used, --backend {backend}: expected exit code {code} and '{line}', "
                             f"got {f'{ended.returncode} and {ended.stderr}' if ended else 'no end'}")
        return "; ".join(wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--no-gpu", action="store_true")
    parser.add_argument("--faults", type=int, default=1, metavar="N", help="random calls of each function, and ten times as many of any")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", metavar="NAME", help="of a function")
    parser.add_argument("--seconds", type=float, default=float("inf"), metavar="N", help="begin no fault after this time")
    given = parser.parse_args()
    # A signal only moves the end to now, so that the counts are printed in any case.
    last = [time.monotonic() + given.seconds]
    signal.signal(signal.SIGTERM, lambda *_: last.__setitem__(0, 0))
    tried = ended = lived = resumed = failed = 0
    with tempfile.TemporaryDirectory(prefix="cardiowarp_gpu_faults_") as folder, \
            concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        campaign = Campaign(os.path.abspath(given.program), pathlib.Path(folder), given.no_gpu)
        campaign.prepare()
        faults = [fault for fault in campaign.faults(given.faults, random.Random(given.seed))
                  if given.only in ("", fault.name)]

        def try_one(fault, number):
            if time.monotonic() >= last[0]:
                return None
            result = campaign.wrong(fault, number)
            return None if last[0] == 0 else result  # the signal may have ended the program's run, too

        for fault, result in zip(faults, pool.map(try_one, faults, range(len(faults)))):
            if result is None:
                continue
            wrong, was_ended, went_on = result
            tried += 1
            ended, lived, resumed = ended + was_ended, lived + (not was_ended), resumed + went_on
            if wrong:
                failed += 1
                print(f"FAILED {fault} ({' '.join(WAYS[fault.way])}): {wrong}", file=sys.stderr, flush=True)
        for wrong in filter(None, (campaign.short_memory(), campaign.unusable(), campaign.interrupted())):
            failed += 1
            print(f"FAILED {wrong}", file=sys.stderr)
    print(f"seed {given.seed}: {tried} of {len(faults)} faults, {ended} ended a run, {lived} did not, {resumed} resumptions: "
          f"{f'{failed} FAILED' if failed else 'held'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
