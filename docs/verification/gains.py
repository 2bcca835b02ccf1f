#!/usr/bin/env python3
"""What sdirk2 gains on backward Euler, with its default tolerance and with one that leaves a like error of activation times,
in a beat, with an early second stimulus, in sixty beats and in a spiral, into gains.csv.

usage: gains.py PROGRAM     measures, on one thread
       gains.py tables      renews their table in ../time_stepping.md

The cable has 20 mm and edges of 0.25 mm, the sheet 75 × 75 × 0.75 mm and edges of 0.75 mm. Errors are
against sdirk2 with a tolerance of 1e-5 and steps of at most 1 ms: those of the first beat at nodes activated after 10 ms,
and that of the last time at which a probe far from the stimuli rises through 0 mV, which it does `upstrokes` times.
Seconds are those of computing, without setting up and output. Needs Python's standard library only; takes some minutes.
"""
import csv
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "benchmarks"))
import single_run
import tables

CONFIG = HERE.parents[1] / "configs/slab.yaml"
FILE = HERE / "gains.csv"
LATE_MS = 10
END = "where: {box: {min: [-1, -1, -1], max: [1.5, 100, 100]}}, duration: 2, amplitude: 50"
CORNER = "where: {box: {min: [-1, -1, -1], max: [28, 37, 100]}}, duration: 2, amplitude: 50"
CASES = [  # name, mesh, stimuli, end in ms, last probe
    ("a beat", "cable", f"[{{name: s1, {END}, start: 0}}]", 540, (18, 0, 0)),
    ("S1–S2", "cable", f"[{{name: s1, {END}, start: 0}}, {{name: s2, {END}, start: 420}}]", 960, (18, 0, 0)),
    ("60 beats", "cable", f"[{{name: s1, {END}, start: 0, period: 500, count: 60}}]", 30000, (18, 0, 0)),
    ("a spiral", "sheet", f"[{{name: s1, {END}, start: 0}}, {{name: s2, {CORNER}, start: 560}}]", 1500, (60, 60, 0)),
]
SIZES = {"cable": ("20,0.5,0.5", "0.25mm"), "sheet": ("75,75,0.75", "0.75mm")}
EXACT = {"time.adaptive.tolerance": 1e-5, "time.adaptive.max_step": 1}
METHODS = [("backward_euler", 1e-4, 1), ("sdirk2", 2e-3, 5), ("sdirk2", 0.1, 10)]  # tolerance, longest step in ms


def upstrokes(file):
    """Upward crossings of 0 mV of the last probe."""
    with open(file) as lines:
        rows = [[float(value) for value in row] for row in list(csv.reader(lines))[1:]]
    pairs = [(row[0], row[-1]) for row in rows]
    return [t0 - v0 * (t1 - t0) / (v1 - v0) for (t0, v0), (t1, v1) in zip(pairs, pairs[1:]) if v0 < 0 <= v1]


def measure(program):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, kind, stimuli, end, probe in CASES:
            size, edge = SIZES[kind]
            mesh = single_run.mesh(program, folder / f"{kind}.msh", "slab", "--size", size, "--edge", edge)
            common = {"mesh.file": mesh, "stimuli": stimuli, "diffusivity": "{isotropic: 0.0953}", "fibers.source": "none",
                      "output.maps": "[activation_time, apd90]",
                      "probes": f"[{{name: last, point: {list(probe)}}}]"}

            def run(more):
                out = folder / "out"
                return *single_run.run(program, CONFIG, common | {"time.end": end} | more, folder=out), out

            _, _, exact, out = run(EXACT)
            exact_rises = upstrokes(out / "probes.csv")
            late = [i for i, time in enumerate(exact["activation_time"]) if time > LATE_MS]
            for scheme, tolerance, max_step in METHODS:
                summary, _, maps, out = run({"time.scheme": scheme, "time.adaptive.tolerance": tolerance,
                                             "time.adaptive.max_step": max_step})
                seconds = summary["seconds"]
                row = {"case": name, "nodes": summary["mesh"]["nodes"], "simulated_ms": end, "scheme": scheme,
                       "tolerance": tolerance, "max_step_ms": max_step, "steps": summary["steps"], "newton_iterations": summary["newton_iterations"],
                       "cg_iterations": summary["linear_iterations"],
                       "seconds": round(seconds["total"] - seconds["setup"] - seconds["output"], 3),
                       "activation_percent": round(max(
                           100 * abs(maps["activation_time"][i] / exact["activation_time"][i] - 1) for i in late), 3),
                       "apd90_ms": round(max(abs(maps["apd90"][i] - exact["apd90"][i]) for i in late
                                             if maps["apd90"][i] >= 0 and exact["apd90"][i] >= 0), 3)}
                rises = upstrokes(out / "probes.csv")
                row |= {"upstrokes": len(rises), "last_upstroke_ms": round(exact_rises[-1], 2),
                        "last_upstroke_error_ms": round(rises[-1] - exact_rises[-1], 3)}
                if len(rises) != len(exact_rises):
                    sys.exit(f"{row}: expected {len(exact_rises)} upstrokes")
                rows.append(row)
                print(row, flush=True)
    return rows


def table(rows):
    names = {"steps": "steps", "newton_iterations": "Newton iterations", "cg_iterations": "CG iterations",
             "seconds": "seconds"}
    lines = []
    for row in rows:
        before = next(r for r in rows if r["case"] == row["case"])
        cells = [row[name] if row is before else f"{row[name]} ({float(before[name]) / float(row[name]):.3g} ×)" for name in names]
        lines.append([row["case"], f"`{row['scheme']}`, {float(row['tolerance']):g}, {row['max_step_ms']} ms", *cells,
                      f"{row['activation_percent']} %", f"{row['apd90_ms']} ms",
                      f"{float(row['last_upstroke_error_ms']):+.2f} of {float(row['last_upstroke_ms']):.1f} ms"])
    return tables.table(["", "scheme, `tolerance`, `max_step`", *names.values(), "activation", "APD90", "last upstroke"], lines)


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    single_run.command_line(__doc__, FILE, "time_stepping.md", table, measure)
