#!/usr/bin/env python3
"""Seconds of a whole beat with adaptive steps, and how far its activation and recovery are from those of short steps.

usage: beat.py PROGRAM OUT.csv [--backend gpu] [--methods SCHEME:TOLERANCE:MAX_STEP_MS,..] [--quadrature NAME,..]
               [--references 8e-6,1e-6] [--stimulus WHERE] MESH...

Runs configs/heart_isotropic.yaml for 1000 ms on each mesh, with a stimulus at its lower end (z < -35 mm), by each method and
quadrature, and with sdirk2 and two small tolerances, from which the limit of no tolerance is extrapolated: errors are
proportional to tolerance^(2/3). One line a mesh, quadrature and method; `seconds` is wall clock without setting up and
without output.
Activation, relative to its time, and APD90 are compared with the limit of the same mesh and quadrature, where the limit's
activation is after 10 ms. What is activated earlier is so by the stimulus, which may leave a node just below the threshold
or lift it just above: APD90 there is in columns by itself. The columns `far_..` are of all nodes at least 2 mm from the stimulus
whose limit has a time, also of the early ones; they are empty with another stimulus.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import calls
import measured
from calls import HEART, LOWER_END

LATE_MS = 10
FAR_Z_MM = -33  # 2 mm from the lower end


def command(program, backend, mesh, folder, stimulus=LOWER_END, settings=None):
    """Of a run of a beat on a mesh that writes its results into the folder."""
    everywhere = {
        "mesh.file": mesh.resolve(),
        "probes": "[]",
        "time.end": 1000,
        "stimuli.0.where": stimulus,
        "output.interval": 1000,
    }
    return calls.run(program, HEART, backend, folder, everywhere | (settings or {}))


def run(arguments, mesh, settings):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(command(arguments.program, arguments.backend, mesh, folder, arguments.stimulus, settings), check=True,
                       stdout=subprocess.DEVNULL)
        maps = pathlib.Path(folder) / "maps.vtu"
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
        return summary, measured.point_array(maps, "activation_time"), measured.point_array(maps, "apd90"), \
            measured.point_array(maps, "Points")[2::3]


def limits(coarse, fine, ratio):
    """For errors of which the coarse one's is `ratio` times the fine one's; None where one of the two has nothing."""
    return [None if c < 0 or f < 0 else f + (f - c) / (ratio - 1) for c, f in zip(coarse, fine)]


def numbers(text):
    return [float(number) for number in text.split(",")]


def methods(text):
    """scheme, tolerance and longest step in ms of each."""
    return [(scheme, float(tolerance), float(max_step)) for scheme, tolerance, max_step in
            (method.split(":") for method in text.split(","))]


def lines_of(arguments, mesh, quadrature):
    def adaptive(scheme, tolerance, max_step):
        return run(arguments, mesh, {"time.scheme": scheme, "time.adaptive.enabled": "true", "quadrature": quadrature,
                                     "time.adaptive.tolerance": tolerance, "time.adaptive.max_step": f"{max_step} ms"})

    tolerances = arguments.references
    coarse, fine = (adaptive("sdirk2", tolerance, 5) for tolerance in tolerances)
    exact = [limits(coarse[k], fine[k], (tolerances[0] / tolerances[1]) ** (2 / 3)) for k in (1, 2)]
    fixed = {"seconds_of_limit": computing(fine[0]), "tolerance_of_limit": tolerances[1]}
    lines = []
    for method in arguments.methods:
        summary, activation, apd90, z = adaptive(*method)
        is_far = [z_mm >= FAR_Z_MM for z_mm in z] if arguments.stimulus == LOWER_END else []
        lines.append(line(mesh, quadrature, method, summary, activation, apd90, *exact, fixed) |
                     far_errors(activation, apd90, *exact, is_far))
    return lines


def far_errors(activation, apd90, exact_activation, exact_apd90, is_far):
    """Of all nodes far from the stimulus: the largest errors of activation relative to its time, and of APD90."""
    late = [abs(activation[i] - exact_activation[i]) / exact_activation[i] for i, far in enumerate(is_far)
            if far and activation[i] >= 0 and exact_activation[i]]
    recovery = [abs(apd90[i] - exact_apd90[i]) for i, far in enumerate(is_far)
                if far and apd90[i] >= 0 and exact_apd90[i] is not None]
    names = ["far_nodes", "far_activation_percent", "far_apd90_ms", "far_over_2_ms"]
    if not late or not recovery:
        return dict.fromkeys(names, "")
    return dict(zip(names, [len(late), round(100 * max(late), 3), round(max(recovery), 4),
                            sum(error > 2 for error in recovery)]))


def of_problem(mesh, summary):
    return {
        "mesh": mesh.stem,
        "nodes": summary["mesh"]["nodes"],
        "elements": summary["mesh"]["elements"],
        "device": summary["device"],
        "solver": summary["solver"],
    }


def counts_of(summary):
    names = {"steps": "steps", "rejected_steps": "rejected_steps", "newton_iterations": "newton_iterations",
             "cg_iterations": "linear_iterations"}
    return {column: summary[name] for column, name in names.items()}


def computing(summary):
    return round(calls.computing(summary), 4)


def line(mesh, quadrature, method, summary, activation, apd90, exact_activation, exact_apd90, fixed):
    errors = {True: [], False: []}  # of APD90, by whether activation is late
    late = []
    for a, of_limit, apd, of_limits_apd in zip(activation, exact_activation, apd90, exact_apd90):
        if of_limit is None:
            continue
        is_late = of_limit > LATE_MS
        if is_late and a >= 0:
            late.append((abs(a - of_limit), of_limit))
        if apd >= 0 and of_limits_apd is not None:
            errors[is_late].append(abs(apd - of_limits_apd))
    if not late:
        sys.exit(f"{mesh}: nothing is activated after {LATE_MS} ms")
    return {
        **of_problem(mesh, summary),
        "scheme": method[0],
        "quadrature": quadrature,
        "tolerance": method[1],
        "max_step_ms": method[2],
        **counts_of(summary),
        "seconds": computing(summary),
        **fixed,
        "activation_percent": round(100 * max(error / time for error, time in late), 3),
        "activation_ms": round(max(error for error, _ in late), 4),
        "apd90_ms": round(max(errors[True]), 4),
        "activated_nodes": len(late),
        "recovered_nodes": len(errors[True]),
        "early_nodes": len(errors[False]),
        "early_apd90_ms": round(max(errors[False], default=0), 4),
        "early_over_2_ms": sum(error > 2 for error in errors[False]),
    }


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("meshes", nargs="+", type=pathlib.Path)
    parser.add_argument("--backend", default="gpu")
    parser.add_argument("--methods", type=methods,
                        default="backward_euler:1e-4:1,sdirk2:1e-1:10,sdirk2:5e-2:5,sdirk2:3e-2:5,sdirk2:1e-2:5,sdirk2:1e-3:5")
    parser.add_argument("--quadrature", type=lambda text: text.split(","), default="vertices")
    parser.add_argument("--references", type=numbers, default="8e-6,1e-6")
    parser.add_argument("--stimulus", default=LOWER_END)
    arguments = parser.parse_args()
    head, lines = measured.head_of(arguments.program), []
    for mesh in arguments.meshes:
        for quadrature in arguments.quadrature:
            lines += lines_of(arguments, mesh, quadrature)
            measured.write(arguments.out, head, lines[0], lines)
            print(*lines[-len(arguments.methods):], sep="\n", flush=True)


if __name__ == "__main__":
    main()
