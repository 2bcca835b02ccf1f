#!/usr/bin/env python3
"""Seconds of a beat of a heart by cell model, mesh and tolerance, and how far its maps are from those of short steps.

usage: beat_cells.py PROGRAM OUT.csv [--backend gpu] [--models NAME[:PRECISION],..] [--methods SCHEME:TOLERANCE:MAX_STEP_MS,..]
                     [--references 2e-3,2.5e-4] [--diffusivity MM2_PER_MS] [--end MS] [--repeats 5] MESH...

Runs the tissue of configs/heart_isotropic.yaml with each cell model at rest, a stimulus at its lower end (z < -35 mm),
integration points at the nodes and no output but maps. One line a mesh, model and method: `seconds` is the median of the
repeats, `min_seconds` and `max_seconds` the least and the most, wall clock without setting up and without output.

Activation, relative to a node's time, and APD90 are compared with the limit of no tolerance over the nodes that it
activates after 10 ms: the largest errors and their means. The limit is extrapolated from two runs of sdirk2 in double
precision with the tolerances of --references, whose errors are proportional to tolerance^(2/3); with `--references none`
there are no errors. `bytes_a_node` is the device memory that `cardiowarp check` expects over the nodes.

A physiological diffusivity is far below what coarse meshes resolve. Choose one with which the front crosses the heart in
as many ms as in a body (`last_activation_ms`), since steps at the front are what a beat costs.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import beat
import calls
import measured

MODELS = "aliev_panfilov,luo_rudy_1991,courtemanche_1998,ten_tusscher_2006,torord_dyncl_2020"
AT_REST = {"aliev_panfilov": "{potential: -80 mV, recovery: 0}"}  # others begin as their set says


def settings(model, method, arguments):
    """Keys of a run of NAME or NAME:PRECISION by a method."""
    name, _, precision = model.partition(":")
    scheme, tolerance, max_step = method
    return {
        "cell_model": f"{{name: {name}, precision: {precision}}}" if precision else f"{{name: {name}}}",
        "initial": AT_REST.get(name, "{}"),
        "diffusivity.isotropic": f"{arguments.diffusivity} mm^2/ms",
        "quadrature": "vertices",
        "output.fields": "[potential]",
        "output.interval": arguments.end,
        "time": f"{{end: {arguments.end}, step: 0.02 ms, scheme: {scheme}, "
                f"adaptive: {{enabled: true, tolerance: {tolerance}, max_step: {max_step} ms}}}}",
    }


def run(arguments, mesh, keys):
    """Summary, activation times and APD90."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(calls.run(arguments.program, calls.HEART, arguments.backend, folder, of_mesh(mesh) | keys), check=True,
                       stdout=subprocess.DEVNULL)
        maps = pathlib.Path(folder) / "maps.vtu"
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
        return summary, measured.point_array(maps, "activation_time"), measured.point_array(maps, "apd90")


def of_mesh(mesh):
    return {"mesh.file": mesh.resolve(), "probes": "[]", "stimuli.0.where": calls.LOWER_END}


def device_mib(arguments, mesh, keys):
    command = [arguments.program, "check", calls.HEART, "--backend", arguments.backend,
               *calls.settings(of_mesh(mesh) | keys)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.search(r"^device memory: (\d+) MiB", text, re.MULTILINE)
    return int(found[1]) if found else None


def limit_of(arguments, mesh, model):
    """Activation times and APD90 of no tolerance, and the seconds of the finer run; None where no limit is asked for."""
    if not arguments.references:
        return None
    in_double = model.partition(":")[0] + (":double" if ":" in model else "")
    coarse, fine = (run(arguments, mesh, settings(in_double, ("sdirk2", tolerance, 2), arguments))
                    for tolerance in arguments.references)
    ratio = (arguments.references[0] / arguments.references[1]) ** (2 / 3)
    return [beat.limits(coarse[k], fine[k], ratio) for k in (1, 2)] + [beat.computing(fine[0])]


def errors(activation, apd90, limit):
    names = ["late_nodes", "activation_percent", "mean_activation_percent", "activation_ms", "mean_activation_ms",
             "apd90_ms", "mean_apd90_ms", "seconds_of_limit"]
    if limit is None:
        return dict.fromkeys(names, "")
    late = [(abs(a - of), of) for a, of in zip(activation, limit[0]) if of is not None and of > beat.LATE_MS and a >= 0]
    apd = [abs(a - of) for a, of, began in zip(apd90, limit[1], limit[0])
           if of is not None and a >= 0 and began is not None and began > beat.LATE_MS]
    if not late or not apd:
        sys.exit(f"nothing is activated after {beat.LATE_MS} ms and recovers")
    percent, ms = [100 * error / of for error, of in late], [error for error, _ in late]
    numbers = [number for values in (percent, ms, apd) for number in (max(values), statistics.fmean(values))]
    return dict(zip(names, [len(late), *(round(number, 4) for number in numbers), limit[2]]))


def line_of(arguments, mesh, model, method, limit):
    keys = settings(model, method, arguments)
    seconds = []
    for _ in range(arguments.repeats):
        summary, activation, apd90 = run(arguments, mesh, keys)
        seconds.append(beat.computing(summary))
    name = model.partition(":")[0]
    nodes, mib = summary["mesh"]["nodes"], device_mib(arguments, mesh, keys)
    return {
        **beat.of_problem(mesh, summary),
        "cell_model": name,
        "cell_precision": summary.get("cell_precision", "double"),
        "diffusivity_mm2_per_ms": arguments.diffusivity,
        "end_ms": arguments.end,
        "scheme": method[0],
        "tolerance": method[1],
        "max_step_ms": method[2],
        **beat.counts_of(summary),
        "seconds": statistics.median(seconds),
        "min_seconds": min(seconds),
        "max_seconds": max(seconds),
        "repeats": arguments.repeats,
        "last_activation_ms": round(max(activation), 2),
        "bytes_a_node": round(mib * 2**20 / nodes) if mib else "",
        **errors(activation, apd90, limit),
    }


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("meshes", nargs="+", type=pathlib.Path)
    parser.add_argument("--backend", default="gpu")
    parser.add_argument("--models", type=lambda text: text.split(","), default=MODELS)
    parser.add_argument("--methods", type=beat.methods, default="sdirk2:1e-1:5,sdirk2:3e-2:5,sdirk2:7e-3:5")
    parser.add_argument("--references", type=lambda text: [] if text == "none" else beat.numbers(text), default="2e-3,2.5e-4")
    parser.add_argument("--diffusivity", type=float, default=0.3)
    parser.add_argument("--end", type=float, default=600)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    head, lines = measured.head_of(arguments.program), []
    for mesh in arguments.meshes:
        for model in arguments.models:
            limit = limit_of(arguments, mesh, model)
            for method in arguments.methods:
                lines.append(line_of(arguments, mesh, model, method, limit))
                measured.write(arguments.out, head, lines[0], lines)
                print(*(lines[-1][key] for key in ("mesh", "cell_model", "cell_precision", "tolerance", "seconds",
                                                   "activation_percent", "activation_ms")), flush=True)


if __name__ == "__main__":
    main()
