#!/usr/bin/env python3
"""Makes every call of the system fail once, in runs of the program, and looks at what it does about it.

usage: every_call.py PROGRAM LIBRARY [--most N] [--scenario NAME,..] [--kind NAME,..] [--next-every N]
                     [--ways NAME,..] [--seconds N] [--jobs N] [--csv FILE]

LIBRARY is the one of fail_one_call.cpp. Each scenario is carried out once to count its calls of a kind, then once for
each of them (or for N of them, evenly spaced), which fails; with writes and renames also once where all later ones fail,
as on a disk that is full; with allocations also once where the next one fails, too, with which the program tries again;
and with calls that change files once where the process is killed in place of the call: the ways `alone`, `later`,
`next` and `killed`, of which --ways chooses. With --seconds those calls are left out for which no time remains, evenly
spaced; the table has how many failed. Every time has to hold, but for the first three where it is killed:

- the program ends by itself, in time, with exit code 0, 2 or, where memory is short, 4
- with 0 the results are those of a run without a fault, byte for byte
- otherwise there is a line `error: ...`; it or a warning before it gives the system's reason, or the words of the library
  that keeps it to itself; and it names the file
- every frame that the list of frames has is one of the run, byte for byte; a mesh is the older one or the new one, never both
- no temporary file stays, except where removing files fails, or bringing older ones back
- nothing outside of the folder of the results is touched
- after it, `run --resume` (or `run` without a checkpoint) or the same command leads to the results of a run without a
  fault; with --next-every N this is done after one in N of them

Prints a line for each scenario and kind, and what did not hold. Exit code 0 where all of this held, else 1.
"""
import argparse
import errno
import math
import multiprocessing
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

sys.dont_write_bytecode = True
from frame_lists import listed_files  # noqa: E402
from kill_and_resume import results  # noqa: E402
from wave import wave_yaml  # noqa: E402

CONFIGURATION = wave_yaml(("bar.msh", "one.msh"), ("duration: 2 ms", "duration: 1 ms"),
                          ("end: 20 ms, step: 0.1 ms", "end: 0.3 ms, step: 0.02 ms"), ("interval: 5 ms", "interval: 0.1 ms"),
                          ("[4.1, 0.5, 0.5]", "[0.5, 0.5, 0.5]"), ("directory: result", "directory: out"),
                          more="checkpoint: {interval: 0.1 ms, keep: 2}\n")

# What the system says where a call of the kind fails.
KINDS = {"write": errno.ENOSPC, "sync": errno.EIO, "close": errno.ENOSPC, "rename": errno.EIO, "mkdir": errno.ENOSPC,
         "open": errno.ENOSPC, "look": errno.EMFILE, "read": errno.EIO, "unlink": errno.EIO, "truncate": errno.EIO,
         "map": errno.ENOMEM, "alloc": errno.ENOMEM, "folder": errno.EIO, "process": errno.EAGAIN}
STAYS_FULL = ("write", "rename")
TRIED_AGAIN = ("alloc",)
KILLED_AT = ("write", "sync", "close", "rename", "mkdir", "open", "unlink", "truncate")
MEMORY = ("memory", "alloc", "no more can be started")
# Where a library keeps the system's reason to itself.
OF_LIBRARIES = ("is the disk full?", "vtk says", "vtk cannot read it", "gmsh says", "reading it ended early", "readable values: expected")
SECONDS = 120


def files_of(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def without_temporaries(files):
    return {name: content for name, content in files.items() if not re.search(r"\.(part|old)(\.|$)", name)}


class Run:
    """A run into out/; `first` are the runs that went before it into the same folder."""
    touches = "out/"

    def __init__(self, arguments=(), first=()):
        self.arguments, self.first = list(arguments), first

    def prepare(self, program, folder):
        (folder / "bar.yaml").write_text(CONFIGURATION)
        call(program, ["mesh", "slab", "--size", "1,1,1", "--edge", "1mm", "--output", "one.msh"], folder)
        for arguments in self.first:
            call(program, self.command(arguments), folder, {0, 5})
        self.before = listed_files(folder / "out") if self.first else {}

    def command(self, arguments=None):
        return ["run", "bar.yaml", "--backend", "cpu", "--threads", "1",
                *(self.arguments if arguments is None else arguments)]

    def remember(self, folder):
        self.expected = results(folder / "out")
        self.frames = listed_files(folder / "out")
        if not self.frames:
            raise RuntimeError("the run has listed no frames")

    def whole(self, folder):
        return results(folder / "out") == self.expected

    def mixture(self, folder):
        try:
            found = listed_files(folder / "out")
        except (OSError, ValueError, TypeError, xml.etree.ElementTree.ParseError) as error:
            return f"the list of frames cannot be read: {error}"
        of_one = any(all(frames.get(name) == frame for name, frame in found.items())
                     for frames in (self.frames, self.before))
        return "" if of_one else "the list has frames that are not those of one run"

    def mend(self, folder):
        has = any((folder / "out" / "checkpoints").glob("*.checkpoint"))
        return self.command([*[word for word in self.arguments if word != "--resume"], *(["--resume"] if has else [])])


class Mesh:
    """A mesh written over another one; without its first file no reader takes the others."""

    def __init__(self, *names):
        self.names, self.touches = names, "bar"

    def prepare(self, program, folder):
        call(program, ["mesh", "slab", "--size", "1,1,1", "--edge", "1mm", "--output", self.names[0]], folder)
        self.older = files_of(folder)
        call(program, ["check", self.configured(folder)], folder)

    def configured(self, folder):
        (folder / "check.yaml").write_text(CONFIGURATION.replace("one.msh", self.names[0]))
        return "check.yaml"

    def command(self):
        return ["mesh", "slab", "--size", "2,1,1", "--edge", "1mm", "--output", self.names[0]]

    def remember(self, folder):
        self.expected = self.found(folder)

    def found(self, folder):
        return {name: (folder / name).read_bytes() for name in self.names if (folder / name).exists()}

    def whole(self, folder):
        return self.found(folder) == self.expected

    def mixture(self, folder):
        found = self.found(folder)
        older = {name: self.older[name] for name in self.names if name in self.older}
        if self.names[0] not in found or found in (self.expected, older):
            return ""
        return "the files are neither the older mesh nor the new one"

    def mend(self, folder):
        return self.command()


class Check:
    """What only reads."""
    touches = "nothing/"

    def __init__(self, mesh):
        self.mesh = mesh

    def prepare(self, program, folder):
        (folder / "bar.yaml").write_text(CONFIGURATION.replace("one.msh", self.mesh))
        call(program, ["mesh", "slab", "--size", "1,1,1", "--edge", "1mm", "--output", self.mesh], folder)

    def command(self):
        return ["check", "bar.yaml", "--backend", "cpu"]

    def remember(self, folder):
        pass

    def whole(self, folder):
        return True

    def mixture(self, folder):
        return ""

    def mend(self, folder):
        return self.command()


SCENARIOS = {
    "run": Run(),
    "run_over_another": Run(first=[["--set", "diffusivity.isotropic=0.3"]]),
    "resume": Run(["--resume"], first=[["--stop-after", "1ms"]]),
    "ensight_over_another": Run(["--set", "output.format=ensight"], first=[["--set", "diffusivity.isotropic=0.3"]]),
    "mesh_msh": Mesh("bar.msh"),
    "mesh_vtu": Mesh("bar.vtu"),
    "mesh_pts": Mesh("bar.pts", "bar.elem", "bar.lon"),
    "check_msh": Check("one.msh"),
    "check_vtu": Check("one.vtu"),
    "check_pts": Check("one.pts"),
}


def call(program, arguments, folder, codes=(0,)):
    """Exit code and messages. Raises where the code is none of `codes`."""
    environment = {**os.environ, "HOME": str(folder), "TMPDIR": str(folder), "OMP_WAIT_POLICY": "passive"}
    ended = subprocess.run([program, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL, timeout=SECONDS,
                           capture_output=True, text=True, errors="replace", check=False)
    if codes is not None and ended.returncode not in codes:
        raise RuntimeError(f"{arguments}: {ended.returncode}: {ended.stderr}")
    return ended.returncode, ended.stderr


class Server:
    """The program with the faults' library, loaded once and forked for each run of one command."""

    def __init__(self, program, library, arguments, counter):
        self.counter = counter
        counter.write_bytes(bytes(16))
        environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "LD_PRELOAD": library,
                       "CARDIOWARP_FAULT_COUNTER": str(counter), "CARDIOWARP_FAULT": "none 0 0",
                       "CARDIOWARP_FAULT_SERVER": "1"}
        self.process = subprocess.Popen([program, *arguments], env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def run(self, folder, kind, number):
        """Exit code, or minus the signal, messages, calls and failed calls of the run whose call fails."""
        self.process.stdin.write(f"{kind} {number.rstrip('k')} {0 if 'k' in number else KINDS[kind]} {folder}\n")
        self.process.stdin.flush()
        status, *counts = map(int, self.process.stdout.readline().split())
        errors = folder.with_suffix(".errors")
        messages = errors.read_text(errors="replace")
        errors.unlink()
        return os.waitstatus_to_exitcode(status), messages, counts

    def end(self):
        self.process.communicate()
        self.counter.unlink()


def wrong_message(kind, messages, folder):
    errors = [line for line in messages.splitlines() if line.startswith(("error:", "Fatal"))]
    if not errors:
        return "no line begins with `error:`"
    reasons = [os.strerror(KINDS[kind]).lower(), *OF_LIBRARIES]
    if kind in ("alloc", "map"):
        reasons += MEMORY
    if not any(reason in messages.lower() for reason in reasons):
        return "the message lacks the reason"
    if kind not in ("alloc", "process", "map") and not re.search(r"[\w/]+(\.\w+|/)|" + re.escape(str(folder)), errors[-1]):
        return "the message lacks the file"
    return ""


class Campaign:
    def __init__(self, program, library, root, next_every=1):
        self.program, self.library, self.root, self.next_every = program, library, root, next_every
        self.server = None

    def run(self, name, folder, kind, number):
        """As the server's, which each process of this script begins once for a scenario."""
        if self.server is None:
            self.server = Server(self.program, self.library, SCENARIOS[name].command(),
                                 self.root / f"{os.getpid()}.counter")
        return self.server.run(folder, kind, number)

    def end(self):
        self.server.end()
        self.server = None

    def template(self, name):
        """A folder in which the scenario can be carried out, and what a run without a fault leaves."""
        scenario, folder = SCENARIOS[name], self.root / f"template_{name}"
        folder.mkdir()
        scenario.prepare(self.program, folder)
        copy = self.root / f"whole_{name}"
        shutil.copytree(folder, copy)
        call(self.program, scenario.command(), copy)
        scenario.remember(copy)
        shutil.rmtree(copy)
        return folder

    def folder_of(self, name, kind, number):
        """Names of one length: longer ones would need more allocations than were counted."""
        return self.root / f"{name}_{kind}_{number:_>9}"

    def count(self, name, kind):
        folder = self.folder_of(name, kind, "0")
        shutil.copytree(self.root / f"template_{name}", folder)
        code, messages, counts = self.run(name, folder, kind, "0")
        if code != 0:
            raise RuntimeError(f"{name}: without a fault: {code}: {messages}")
        shutil.rmtree(folder)
        return counts[0]

    def fail(self, name, kind, number):
        """How a run ended whose call of that number fails, and what did not hold."""
        scenario = SCENARIOS[name]
        folder = self.folder_of(name, kind, number)
        template = self.root / f"template_{name}"
        shutil.copytree(template, folder)
        wrong, messages = [], ""
        try:
            code, messages, counts = self.run(name, folder, kind, number)
            if code == -signal.SIGALRM:
                raise TimeoutError
            is_killed = number.endswith("k") and counts[1] > 0
            ended = "unmet" if counts[1] == 0 else "killed" if is_killed else "signal" if code < 0 else str(code)
            if not is_killed:
                wrong = self.judge(scenario, kind, number, code, messages, folder)
            wrong += self.judge_files(scenario, folder, template)
            if self.next_every == 1 or wrong or int(number.rstrip("+kr")) % self.next_every == 0:
                wrong += self.judge_next(scenario, folder)
        except (subprocess.TimeoutExpired, TimeoutError):
            ended, wrong = "hang", ["has not ended"]
        except (OSError, ValueError) as error:
            ended, wrong = "?", [repr(error)]
        shutil.rmtree(folder)
        return ended, [f"{name}: {kind} {number}: {what}\n    " + messages.strip().replace("\n", "\n    ")
                       for what in wrong]

    def judge(self, scenario, kind, number, code, messages, folder):
        wrong, names = [], files_of(folder)
        if code not in (0, 2) and not (code == 4 and kind in ("alloc", "map")):
            wrong.append(f"exit code {code}")
        elif code == 0 and not scenario.whole(folder):
            wrong.append("exit code 0, but other results")
        elif code != 0 and (message := wrong_message(kind, messages, folder)):
            wrong.append(message)
        left = names.keys() - without_temporaries(names).keys()
        if kind == "rename" and "+" in number:  # the older files cannot come back, which is said
            left = [] if "the older file stays" in messages else left
        if left and kind != "unlink" and code >= 0:
            wrong.append(f"left behind: {sorted(left)}")
        return wrong

    def judge_next(self, scenario, folder):
        command = scenario.mend(folder)
        code, messages = call(self.program, command, folder, None)
        if code == 2 and "--resume" in command and scenario.first:  # of the earlier run, which still is there
            code, messages = call(self.program, [word for word in command if word != "--resume"], folder, None)
        if code == 0 and scenario.whole(folder):
            return []
        return [f"afterwards: exit code {code}, {'the' if scenario.whole(folder) else 'other'} results: {messages[-300:]}"]

    def judge_files(self, scenario, folder, template):
        wrong = []
        if mixture := scenario.mixture(folder):
            wrong.append(mixture)
        now, before = files_of(folder), files_of(template)
        changed = [name for name in {**now, **before} if now.get(name) != before.get(name)]
        if outside := [name for name in changed if not name.lstrip(".").startswith(scenario.touches)]:
            wrong.append(f"touched outside of the results: {outside}")
        return wrong


def spread(calls, most):
    if most <= 0 or calls <= most:
        return list(range(1, calls + 1))
    return sorted({1 + round(i * (calls - 1) / max(most - 1, 1)) for i in range(most)})


def evenly(numbers):
    """The same numbers in an order of which every beginning is spread evenly over all of them."""
    count = len(numbers)
    stride = next((stride for stride in range(round(0.618 * count), count) if math.gcd(stride, count) == 1), 1)
    return [numbers[i * stride % count] for i in range(count)]


# The ways in which a call fails, with what its number then ends in, and the kinds that fail so.
WAYS = {"alone": ("", tuple(KINDS)), "later": ("+", STAYS_FULL), "next": ("r", TRIED_AGAIN), "killed": ("k", KILLED_AT)}


WORK = {}  # what the processes of a pool find here as they are forked; each begins a server of its own


def fail_in_time(call_to_fail):
    if time.monotonic() > WORK["end"]:
        return "left out", []
    return WORK["campaign"].fail(WORK["name"], *call_to_fail)


def rows_of(name, calls, failed, found):
    """Lines of the table of a scenario: calls of each kind, and how runs ended whose call failed."""
    rows = []
    for kind, count in calls.items():
        ends = [(ended, wrong) for (kind_of_call, _), (ended, wrong) in zip(failed, found)
                if kind_of_call == kind and ended != "left out"]
        known = [len([1 for ended, _ in ends if ended == code]) for code in ("0", "2", "4", "killed", "signal")]
        rows.append([name, kind, count, len(ends), *known, len(ends) - sum(known),
                     len([1 for _, wrong in ends if wrong])])
    return [",".join(map(str, row)) for row in rows]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("library", type=os.path.abspath)
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--scenario", default=",".join(SCENARIOS))
    parser.add_argument("--kind", default=",".join(KINDS))
    parser.add_argument("--next-every", type=int, default=1)
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--csv", type=pathlib.Path)
    asked = parser.parse_args()
    head = subprocess.run([asked.program, "info", "--csv-head"], check=True, capture_output=True, text=True).stdout
    lines, failed = ["scenario,kind,calls,failed,exit_0,exit_2,exit_4,killed,signal,other,did_not_hold"], 0
    end = time.monotonic() + asked.seconds
    scenarios, kinds, ways = asked.scenario.split(","), asked.kind.split(","), asked.ways.split(",")
    with tempfile.TemporaryDirectory(prefix="cardiowarp_faults_") as root:
        campaign = Campaign(asked.program, asked.library, pathlib.Path(root), asked.next_every)
        for done, name in enumerate(scenarios):
            campaign.template(name)
            calls = {kind: campaign.count(name, kind) for kind in kinds}
            campaign.end()
            to_fail = evenly([(kind, f"{number}{WAYS[way][0]}") for way in ways for kind in kinds if kind in WAYS[way][1]
                              for number in spread(calls[kind], asked.most)])
            # What one scenario leaves of its time goes to those after it.
            now = time.monotonic()
            WORK.update(campaign=campaign, name=name, end=now + (end - now) / (len(scenarios) - done))
            with multiprocessing.get_context("fork").Pool(asked.jobs) as pool:
                found = list(pool.imap(fail_in_time, to_fail, 4))
            rows = rows_of(name, calls, to_fail, found)
            lines += rows
            print("\n".join(rows), flush=True)
            wrong = [what for _, whats in found for what in whats]
            failed += len(wrong)
            for what in wrong:
                print("  " + what, file=sys.stderr, flush=True)
            if asked.csv:
                asked.csv.write_text(head + "\n".join(lines) + "\n")
    print("held" if failed == 0 else f"FAILED: {failed} things did not hold")
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
