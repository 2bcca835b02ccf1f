#!/usr/bin/env python3
"""Errors that `cardiowarp run --estimate-error` estimates, against the true ones, into estimate.csv.

usage: estimate.py PROGRAM SURFACE     measures; the surface is that of a human heart, with its lower end below z = -35 mm
       estimate.py tables              renews their table in ../method/time_stepping.md

A line is a mesh, a scheme and its steps: the tolerance where they are adaptive, else their length in ms. The quantities
are those of summary.json, at the nodes activated at least 10 ms after the first. The truth is the limit of sdirk2 with
equal steps of 0.25 and 0.125 ms and solvers at rounding, of order 2, and on small meshes 0.125 and 0.0625 ms. For equal
steps `by_doubled` is what steps twice as long would let one estimate. Needs Python's standard library only; takes some
minutes on one core.
"""
import pathlib
import tempfile

import tables  # finds the modules of ../benchmarks for those below
import calls
import single_run
from calls import LOWER_END

HERE = tables.HERE
CONFIGS = HERE.parents[1] / "configs"
FILE = HERE / "estimate.csv"
TRAVELLED_MS = 10
ORDER_TWO = ["sdirk2", "trbdf2", "bdf2", "rkc2"]
QUANTITIES = ["activation_percent", "activation_ms", "apd90_ms"]
SLAB = {"stimuli.0.amplitude": 50, "stimuli.0.where": "{box: {min: [-1, -1, -1], max: [1.5, 1.5, 1.5]}}",
        "fibers.source": "none", "diffusivity": "{isotropic: 0.0953}", "time.end": 450}
ADAPTIVE = [(scheme, {"time.adaptive.tolerance": 2e-3}) for scheme in ORDER_TWO]
EQUAL = [("sdirk2", 0.1), *((scheme, step) for scheme in ORDER_TWO for step in (0.5, 1))]


def cases(program, surface, folder):
    """name, configuration, mesh, settings, the shortest step of the truth."""
    def mesh(name, *command):
        return calls.mesh(program, folder / f"{name}.msh", *command)

    return [
        ("cable", "slab.yaml", mesh("cable", "slab", "--size", "12,0.5,0.5", "--edge", "0.5mm"), SLAB, 0.0625),
        ("slab", "slab.yaml", mesh("slab", "slab", "--size", "20,7,3", "--edge", "0.5mm"), {"time.end": 480}, 0.0625),
        ("heart", "heart.yaml", mesh("heart", "biventricle", "--edge", "3mm"), {}, 0.125),
        ("human heart", "heart.yaml", mesh("human", "fill", surface, "--edge", "3mm"),
         {"stimuli.0.where": LOWER_END}, 0.125),
    ]


def equal_steps(scheme, step):
    return {"time.scheme": scheme, "time.adaptive.enabled": "false", "time.step": step}


def largest(maps, others, factor, activation):
    """The quantities of the summary for errors that are the differences of the maps times `factor`."""
    first = min(time for time in activation if time >= 0)
    result = dict.fromkeys(QUANTITIES, 0.0)
    for node, time in enumerate(activation):
        if time - first < TRAVELLED_MS:
            continue
        for name, a, b in (("activation_ms", maps[0][node], others[0][node]), ("apd90_ms", maps[1][node], others[1][node])):
            if a is None or b is None or a < 0 or b < 0:
                continue
            error = factor * abs(a - b)
            result[name] = max(result[name], error)
            if name == "activation_ms":
                result["activation_percent"] = max(result["activation_percent"], 100 * error / (time - first))
    return result


def measure(program, surface):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, config, mesh, settings, shortest in cases(program, surface, pathlib.Path(folder)):
            def run(more, *options):
                everywhere = {"mesh.file": mesh, "output.maps": "[activation_time, apd90]"}
                summary, _, maps = single_run.run(program, CONFIGS / config, everywhere | settings | more, options)
                return summary, [maps["activation_time"], maps["apd90"]]

            fine, coarse = (run(equal_steps("sdirk2", step) | single_run.AT_ROUNDING)[1] for step in (shortest, 2 * shortest))
            truth = [[f + (f - c) / 3 if f >= 0 and c >= 0 else None for f, c in zip(*pair)] for pair in zip(fine, coarse)]
            kinds = [("adaptive", scheme, more["time.adaptive.tolerance"], {"time.scheme": scheme} | more)
                     for scheme, more in ADAPTIVE]
            kinds += [("equal", scheme, step, equal_steps(scheme, step)) for scheme, step in EQUAL]
            for kind, scheme, steps, more in kinds:
                summary, maps = run(more, "--estimate-error")
                said, true = summary["estimated_error"], largest(maps, truth, 1, maps[0])
                doubled = largest(maps, run(equal_steps(scheme, 2 * steps))[1], 1 / 3, maps[0]) if kind == "equal" else {}
                rows += [{"mesh": name, "nodes": summary["mesh"]["nodes"], "scheme": scheme, "steps": kind,
                          "tolerance_or_ms": steps, "quantity": quantity, "estimated": f"{said[quantity]:.4g}",
                          "true": f"{true[quantity]:.4g}", "ratio": f"{said[quantity] / true[quantity]:.3f}",
                          "by_doubled": f"{doubled[quantity]:.4g}" if doubled else ""} for quantity in QUANTITIES]
                print(*rows[-3:], sep="\n", flush=True)
    return rows


def table(rows):
    """One line a mesh and kind of steps: the estimate of activation times over the truth, and of APD90;
    the human heart, which is like the other one, and the cable, which is like the slab, are in the file alone."""
    lines = {}
    for row in (row for row in rows if row["mesh"] not in ("human heart", "cable")):
        key = row["mesh"], int(row["nodes"]), row["steps"], row["tolerance_or_ms"]
        lines.setdefault(key, {}).setdefault(row["scheme"], {})[row["quantity"]] = row

    def cell(of_scheme):
        if of_scheme is None:
            return ""
        activation, apd90 = of_scheme["activation_percent"], of_scheme["apd90_ms"]
        return ", ".join(f"{float(row['true']):.2g} (×{float(row['ratio']):.2f})" for row in (activation, apd90))

    def of_steps(kind, number):
        return f"`tolerance: {float(number):g}`" if kind == "adaptive" else f"{float(number):g} ms"

    return tables.table(["mesh", "steps", *(f"`{scheme}` [%, ms]" for scheme in ORDER_TWO)],
                        [[mesh, of_steps(kind, number), *(cell(of.get(scheme)) for scheme in ORDER_TWO)]
                         for (mesh, _, kind, number), of in lines.items()])


if __name__ == "__main__":
    single_run.command_line(__doc__, FILE, "method/time_stepping.md", table, measure, arguments=2)
