#!/usr/bin/env python3
"""What activation times tend to with ever shorter steps, by each scheme, quadrature and edge of the stimulus, into
limits.csv.

usage: limits.py PROGRAM     measures
       limits.py tables      renews their table in ../method/verification.md

The tissue is a slab of 6 × 3 × 1 mm with edges of 0.5 mm, for 60 ms, with solvers at rounding. Equal steps are halved from
1/8 to 1/32 ms, and what they tend to follows by Richardson's extrapolation again and again, of orders 2 and 3; with backward
Euler from 1/64 to 1/512 ms, of orders 1, 2 and 3. Adaptive steps are those of two tolerances, one an eighth of the other (for backward Euler, whose
steps would be too many, equal ones only). Each limit is held against that of sdirk2 with equal steps, at the nodes activated
after 5 ms, relative to their times. Needs Python's standard library only; takes some minutes on one core.
"""
import pathlib
import sys
import tempfile

import tables  # finds the modules of ../benchmarks for those below
import calls
import single_run

HERE = tables.HERE
CONFIG = HERE.parents[1] / "configs/slab.yaml"
FILE = HERE / "limits.csv"
SETTINGS = {"time.end": 60, "stimuli.0.amplitude": 50, "stimuli.0.where": "{box: {min: [-1, -1, -1], max: [1.7, 1.3, 2]}}",
            "diffusivity": "{isotropic: 0.0953}", "fibers.source": "none"}
SCHEMES = ["sdirk2", "trbdf2", "bdf2", "rkc2", "backward_euler"]
QUADRATURES = ["centroid", "vertices_and_centroid", "vertices"]
TOLERANCES = [8e-9, 1e-9]  # errors fall by 4
AFTER_MS = 5


def extrapolate(maps, ratios):
    """Romberg: `ratios` are those of the errors of two neighbors that one pass after the other takes away."""
    for ratio in ratios:
        maps = [[b + (b - a) / (ratio - 1) for a, b in zip(coarse, fine)] for coarse, fine in zip(maps, maps[1:])]
    return maps[-1]


def apart(maps, limit):
    """The largest relative distance."""
    return max(abs(a / b - 1) for a, b in zip(maps, limit) if b > AFTER_MS)


def measure(program):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        mesh = calls.mesh(program, pathlib.Path(folder) / "slab.msh", "slab", "--size", "6,3,1", "--edge", "0.5mm")

        def run(scheme, quadrature, edge, more):
            settings = {"mesh.file": mesh, "time.scheme": scheme, "quadrature": quadrature, "stimuli.0.edge": edge}
            maps = single_run.run(program, CONFIG, SETTINGS | settings | single_run.AT_ROUNDING | more)[2]
            if min(maps["activation_time"]) < 0:
                sys.exit(f"{scheme}, {quadrature}: some nodes are not activated")
            return list(maps["activation_time"])

        for quadrature in QUADRATURES:
            for edge in ("weighted", "nodes"):
                common = None
                for scheme in SCHEMES if quadrature == "vertices" else [s for s in SCHEMES if s != "rkc2"]:
                    first_order = scheme == "backward_euler"
                    steps = [1 / 64, 1 / 128, 1 / 256, 1 / 512] if first_order else [1 / 8, 1 / 16, 1 / 32]
                    equal = [run(scheme, quadrature, edge, {"time.adaptive.enabled": "false", "time.step": step})
                             for step in steps]
                    limit = extrapolate(equal, [2, 4, 8] if first_order else [4, 8])
                    common = common or limit
                    kinds = [("equal", steps[-1], equal[-1], limit)]
                    if not first_order:
                        adaptive = [run(scheme, quadrature, edge, {
                            "time.adaptive.enabled": "true", "time.adaptive.tolerance": tolerance, "time.step": 0.001,
                            "time.adaptive.min_step": 1e-5, "time.adaptive.max_step": 1}) for tolerance in TOLERANCES]
                        kinds.append(("adaptive", TOLERANCES[-1], adaptive[-1], extrapolate(adaptive, [4])))
                    for kind, finest, maps, of_kind in kinds:
                        rows.append({"quadrature": quadrature, "edge": edge, "scheme": scheme, "steps": kind,
                                     "finest_ms_or_tolerance": finest, "finest_from_limit": f"{apart(maps, of_kind):.3e}",
                                     "limit_from_common": f"{apart(of_kind, common):.3e}",
                                     "latest_ms": f"{max(of_kind):.6f}"})
                        print(rows[-1], flush=True)
    return rows


def table(rows):
    """Of weighted edges; the file has those of whole nodes, too. Equal and adaptive steps stand in one cell."""
    lines = {}
    for row in rows:
        if row["edge"] != "weighted":
            continue
        text = f"{float(row['limit_from_common']):.1e}"
        if row["scheme"] == "sdirk2" and row["steps"] == "equal":
            text = f"{float(row['latest_ms']):.4f} ms"
        lines.setdefault(f"`{row['scheme']}`", {}).setdefault(row["quadrature"], []).append(text)
    return tables.table(["scheme", *(f"`{quadrature}`" for quadrature in QUADRATURES)],
                        [[key, *(", ".join(cells.get(quadrature, [])) for quadrature in QUADRATURES)]
                         for key, cells in lines.items()])


if __name__ == "__main__":
    single_run.command_line(__doc__, FILE, "method/verification.md", table, measure)
