#!/usr/bin/env python3
"""What sdirk2 gains on backward Euler, with its default tolerance and with one that leaves a like error of activation times,
in a beat, with an early second stimulus, in sixty beats and in a spiral, into gains.csv for the CPU and gains_gpu.csv for a
GPU.

usage: gains.py PROGRAM cpu             measures on one thread
       gains.py PROGRAM gpu MESH...     measures on a GPU, with hearts whose lower end, z < -35 mm, is stimulated
       gains.py tables                  renews the table of the GPU in ../method/time_stepping.md

The cable has 20 mm and edges of 0.25 mm, the sheet 75 × 75 × 0.75 mm and edges of 0.75 mm, on a GPU of 0.375 mm. Errors are
against sdirk2 with a tolerance of 1e-5 and steps of at most 1 ms: those of the first beat at nodes activated after 10 ms,
and that of the last time at which a probe far from the stimuli rises through 0 mV, which it does `upstrokes` times; none
where it does so more or less often. In a heart the probe is the node that is activated last. Seconds are those of computing,
without setting up and output, the least of three runs where they are less than one. Needs Python's standard library only;
takes some minutes.
"""
import csv
import os
import pathlib
import sys
import tempfile

import tables  # finds the modules of ../benchmarks for those below
import calls
import measured
import single_run

HERE = tables.HERE
CONFIGS = HERE.parents[1] / "configs"
FILES = {"cpu": HERE / "gains.csv", "gpu": HERE / "gains_gpu.csv"}
LATE_MS = 10
SHORT_SECONDS = 1
END = "where: {box: {min: [-1, -1, -1], max: [1.5, 100, 100]}}, duration: 2, amplitude: 50"
CORNER = "where: {box: {min: [-1, -1, -1], max: [28, 37, 100]}}, duration: 2, amplitude: 50"
LOWER_END = "where: {box: {min: [-1000, -1000, -1000], max: [1000, 1000, -35]}}, duration: 2, amplitude: 50"
SLAB = {"diffusivity": "{isotropic: 0.0953}", "fibers.source": "none"}
EXACT = {"time.adaptive.tolerance": 1e-5, "time.adaptive.max_step": 1}
METHODS = [("backward_euler", 1e-4, 1), ("sdirk2", 2e-3, 5), ("sdirk2", 0.1, 10)]  # tolerance, longest step in ms


def paced(end, second):
    """Name, stimuli and end in ms of what is not a spiral, for stimuli at this end; those of `second` by their starts."""
    return [("a beat", f"[{{name: s1, {end}, start: 0}}]", 540),
            *((name, f"[{{name: s1, {end}, start: 0}}, {{name: s2, {end}, start: {start}}}]", 960)
              for name, start in second.items()),
            ("60 beats", f"[{{name: s1, {end}, start: 0, period: 500, count: 60}}]", 30000)]


def slab_cases(program, folder, kind, size, edge, cases, probe):
    mesh = calls.mesh(program, folder / f"{kind}.msh", "slab", "--size", size, "--edge", edge)
    return [(name, "slab.yaml", SLAB | {"mesh.file": mesh, "stimuli": stimuli, "time.end": end}, probe)
            for name, stimuli, end in cases]


def spiral(program, folder, edge):
    stimuli = f"[{{name: s1, {END}, start: 0}}, {{name: s2, {CORNER}, start: 560}}]"
    return slab_cases(program, folder, "sheet", "75,75,0.75", edge, [("a spiral", stimuli, 1500)], (60, 60, 0))


def heart_cases(program, backend, mesh):
    cases = [(f"{mesh.stem}: {name}", "heart.yaml", {"mesh.file": mesh.resolve(), "stimuli": stimuli, "time.end": end})
             for name, stimuli, end in paced(LOWER_END, {"S1–S2": 450, "S1–S2, early": 420})]
    _, points, maps = single_run.run(program, CONFIGS / "heart.yaml", cases[0][2] | {
        "backend": backend, "output.maps": "[activation_time]"})
    last = max(range(len(points)), key=lambda i: maps["activation_time"][i])
    return [(*case, points[last]) for case in cases]


def cases_of(program, folder, backend, meshes):
    """Name, configuration, settings and probe of each."""
    if backend == "cpu":
        return [*slab_cases(program, folder, "cable", "20,0.5,0.5", "0.25mm", paced(END, {"S1–S2": 420}), (18, 0, 0)),
                *spiral(program, folder, "0.75mm")]
    return [*spiral(program, folder, "0.375mm"), *(case for mesh in meshes for case in heart_cases(program, backend, mesh))]


def upstrokes(file):
    """Upward crossings of 0 mV of the last probe."""
    with open(file) as lines:
        rows = [[float(value) for value in row] for row in list(csv.reader(lines))[1:]]
    pairs = [(row[0], row[-1]) for row in rows]
    return [t0 - v0 * (t1 - t0) / (v1 - v0) for (t0, v0), (t1, v1) in zip(pairs, pairs[1:]) if v0 < 0 <= v1]


def measure(program, backend, meshes):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, config, settings, probe in cases_of(program, folder, backend, meshes):
            common = {"backend": backend, "output.maps": "[activation_time, apd90]",
                      "probes": f"[{{name: last, point: {list(probe)}}}]"} | settings

            def run(more):
                out = folder / "out"
                return *single_run.run(program, CONFIGS / config, common | more, folder=out), out

            _, _, exact, out = run(EXACT)
            exact_rises = upstrokes(out / "probes.csv")
            late = [i for i, time in enumerate(exact["activation_time"]) if time > LATE_MS]
            for scheme, tolerance, max_step in METHODS:
                method = {"time.scheme": scheme, "time.adaptive.tolerance": tolerance, "time.adaptive.max_step": max_step}
                summary, _, maps, out = run(method)
                seconds = calls.computing(summary)
                if seconds < SHORT_SECONDS:
                    seconds = min(seconds, *(calls.computing(run(method)[0]) for _ in range(2)))
                row = {"case": name, "nodes": summary["mesh"]["nodes"], "simulated_ms": settings["time.end"], "scheme": scheme,
                       "tolerance": tolerance, "max_step_ms": max_step, "steps": summary["steps"], "newton_iterations": summary["newton_iterations"],
                       "cg_iterations": summary["linear_iterations"],
                       "seconds": round(seconds, 3),
                       "activation_percent": round(max(
                           100 * abs(maps["activation_time"][i] / exact["activation_time"][i] - 1) for i in late), 3),
                       "apd90_ms": round(max(abs(maps["apd90"][i] - exact["apd90"][i]) for i in late
                                             if maps["apd90"][i] >= 0 and exact["apd90"][i] >= 0), 3)}
                rises = upstrokes(out / "probes.csv")
                same = len(rises) == len(exact_rises)  # else a wave came back or did not get through
                row |= {"upstrokes": len(rises), "last_upstroke_ms": round(exact_rises[-1], 2),
                        "last_upstroke_error_ms": round(rises[-1] - exact_rises[-1], 3) if same else ""}
                rows.append(row)
                print(row, flush=True)
    return rows


def table(rows):
    """Steps, seconds and errors, in brackets how many times fewer; of the two human hearts the finer one, without the second
    stimulus that is not early, which is like a beat."""
    names = {"steps": "steps", "seconds": "seconds"}

    def last_upstroke(row):
        if not row["last_upstroke_error_ms"]:
            return f"{row['upstrokes']} upstrokes, which is wrong"
        return f"{float(row['last_upstroke_error_ms']):+.2f} of {float(row['last_upstroke_ms']):.1f}"

    lines = []
    for row in (row for row in rows if not row["case"].startswith("human34k") and not row["case"].endswith("S1–S2")):
        before = next(r for r in rows if r["case"] == row["case"])
        cells = [row[name] if row is before else f"{row[name]} ({float(before[name]) / float(row[name]):.3g}×)" for name in names]
        lines.append([row["case"], f"`{row['scheme']}`, {float(row['tolerance']):g}, {row['max_step_ms']}", *cells,
                      row["activation_percent"], row["apd90_ms"], last_upstroke(row)])
    return tables.table(["", "scheme, `tolerance`, `max_step` [ms]", *names.values(), "activation [%]", "APD90 [ms]", "last upstroke [ms]"], lines)


def main():
    if sys.argv[1:] == ["tables"]:
        document = HERE.parent / "method/time_stepping.md"
        document.write_text(tables.fill(document.read_text(), {
            "gains_gpu": table(measured.read(FILES["gpu"])[2])}))
    elif sys.argv[2:] == ["cpu"] or (len(sys.argv) > 3 and sys.argv[2] == "gpu"):
        program, backend, *meshes = sys.argv[1:]
        if backend == "cpu":
            os.environ["OMP_NUM_THREADS"] = "1"
        head = measured.head_of(program)
        rows = measure(pathlib.Path(program), backend, list(map(pathlib.Path, meshes)))
        measured.write(FILES[backend], head, rows[0], rows)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
