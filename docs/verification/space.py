#!/usr/bin/env python3
"""Errors in space by quadrature, edge of the stimulus and length of the elements, into tests/data, since a test reads
the first, and beside this script:

    space_speed.csv   speed of a front in bars without recovery against the exact one, of structured and unstructured
                      meshes, along and across fibres, over the edge length in units of the front's δ
    space_slab.csv    activation times of configs/slab.yaml, of structured and unstructured meshes
    space_heart.csv   activation times, APD90 and seconds of an idealized heart that is refined again and again, at the
                      nodes of the coarsest mesh, against what each quadrature tends to
    space_human_heart.csv   the same of the human heart whose surface `--surface` gives, stimulated at its lower end

usage: space.py [--backend gpu] [--jobs 1] [--levels 2] [--folder FOLDER_OF_ALL] [--surface HUMAN_HEART.vtp]
                PROGRAM [speed] [slab] [heart] [human_heart]
       space.py tables     renews their tables in ../method/verification.md

Time steps are those of sdirk2 with tolerances of 1e-4 and, for the heart, 1e-3, whose own errors are about 0.01 and 0.06 %
of activation times. `--jobs` runs so many bars at a time, `--levels` is how often the slab of 0.5 mm and the hearts are refined. Needs
Python's standard library only.
"""
import argparse
import concurrent.futures
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import tables  # finds the modules of ../benchmarks for those below
import calls
import measured
import slab

HERE = tables.HERE
CONFIGS = HERE.parents[1] / "configs"
QUADRATURES = ["centroid", "vertices", "vertices_and_centroid"]
TIME_UNIT_MS, C, ALPHA = 12.9, 8, 0.01  # of Aliev-Panfilov, the defaults
SLAB_POINTS = [(20, 7, 3), (20, 0, 0), (0, 7, 0), (0, 0, 3), (10, 3.5, 1.5)]
LATE_MS = 10
FILES = {"speed": HERE.parents[1] / "tests/data/space_speed.csv", "slab": HERE / "space_slab.csv",
         "heart": HERE / "space_heart.csv", "human_heart": HERE / "space_human_heart.csv"}


class Study:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, pathlib.Path(folder)

    def mesh(self, name, *command):
        return calls.mesh(self.arguments.program, self.folder / f"{name}.msh", *command)

    def run(self, config, mesh, settings):
        """summary.json and the maps of a run, at the nodes in the order of the mesh file."""
        with tempfile.TemporaryDirectory(dir=self.folder) as output:
            everywhere = {"mesh.file": mesh, "probes": "[]", "time.scheme": "sdirk2", "time.adaptive.enabled": "true",
                          "output.interval": 1000, "output.fields": "[potential]"}
            subprocess.run(calls.run(self.arguments.program, CONFIGS / config, self.arguments.backend, output,
                                     everywhere | settings), check=True, stdout=subprocess.DEVNULL)
            maps = pathlib.Path(output) / "maps.vtu"
            summary = json.loads((pathlib.Path(output) / "summary.json").read_text())
            names = ["activation_time"] + (["apd90"] if "apd90" in str(settings.get("output.maps")) else [])
            points = measured.point_array(maps, "Points")
            return summary, list(zip(points[0::3], points[1::3], points[2::3])), [measured.point_array(maps, n)
                                                                                for n in names]


def slope(x, y):
    """Of the straight line nearest to the points (x, y)."""
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)


def speeds(study):
    diffusivity = C / (2 * TIME_UNIT_MS)  # with which the front's δ = sqrt(2 · 12.9 D / c) is 1 mm
    exact = (1 - 2 * ALPHA) * math.sqrt(C * diffusivity / (2 * TIME_UNIT_MS))
    cases = [(kind, fibres, quadrature, edge) for kind in ("structured", "unstructured")
             for edge in (0.25, 0.5, 0.8, 1, 1.25, 1.6, 2) for fibres in ("along", "across")
             for quadrature in QUADRATURES]

    def bar(kind, edge):
        return study.mesh(f"bar_{kind}_{edge}", "slab", "--size", f"40,{3 * edge},{3 * edge}", "--edge", f"{edge}mm",
                          *(["--unstructured"] if kind == "unstructured" else []))

    for kind, edge in dict.fromkeys((kind, edge) for kind, _, _, edge in cases):
        bar(kind, edge)

    def measure(case):
        kind, fibres, quadrature, edge = case
        along = fibres == "along"
        summary, points, (activation,) = study.run("slab.yaml", bar(kind, edge), {
            "quadrature": quadrature, "cell_model.parameters": "{gamma: 0, mu1: 0}",
            "diffusivity.longitudinal": diffusivity * (1 if along else 4),
            "diffusivity.transverse": diffusivity / (4 if along else 1),
            "fibers.direction": "[1, 0, 0]" if along else "[0, 1, 0]",
            "stimuli.0.where": "{box: {min: [-1, -1, -1], max: [3, 100, 100]}}",
            "time.adaptive.tolerance": 1e-4, "time.end": 160})
        at = [(t, p[0]) for t, p in zip(activation, points) if 14 <= p[0] <= 32]
        if any(t < 0 for t, _ in at):
            return {"mesh": kind, "fibres": fibres, "quadrature": quadrature, "edge_over_front": edge,
                    "nodes": summary["mesh"]["nodes"], "speed_error_percent": ""}
        speed = slope([t for t, _ in at], [x for _, x in at])
        return {"mesh": kind, "fibres": fibres, "quadrature": quadrature, "edge_over_front": edge,
                "nodes": summary["mesh"]["nodes"], "speed_error_percent": round(100 * (speed / exact - 1), 3)}

    with concurrent.futures.ThreadPoolExecutor(study.arguments.jobs) as pool:
        return list(pool.map(measure, cases))


def slabs(study):
    rows = []
    for kind in ("structured", "unstructured"):
        mesh = study.mesh(f"slab_{kind}_0", "slab", "--size", "20,7,3", "--edge", "0.5mm",
                          *(["--unstructured"] if kind == "unstructured" else []))
        for level in range(study.arguments.levels + 1):
            if level > 0:
                mesh = study.mesh(f"slab_{kind}_{level}", "refine", mesh)
            for quadrature in QUADRATURES:
                for edge in ("weighted", "nodes") if level < 3 else ("weighted",):
                    summary, points, (activation,) = study.run("slab.yaml", mesh, {
                        "quadrature": quadrature, "stimuli.0.edge": edge, "time.adaptive.tolerance": 1e-4})
                    for place in SLAB_POINTS:
                        nearest = min(range(len(points)), key=lambda i: math.dist(points[i], place))
                        if math.dist(points[nearest], place) > 1e-9:
                            continue  # the center need not be a node
                        rows.append({"mesh": kind, "quadrature": quadrature, "edge": edge, "edge_mm": 0.5 / 2**level,
                                     "nodes": summary["mesh"]["nodes"], "x_mm": place[0], "y_mm": place[1],
                                     "z_mm": place[2], "activation_ms": round(activation[nearest], 4)})
                print(kind, level, quadrature, flush=True)
    return rows


def idealized_hearts(study):
    return hearts(study, "heart", 3, ["biventricle"], {})


def human_hearts(study):
    return hearts(study, "human_heart", 2.8, ["fill", study.arguments.surface],
                  {"stimuli.0.where": calls.LOWER_END})


def hearts(study, name, edge_mm, kind, settings):
    """Errors at the nodes of the coarsest mesh, which come first in each that is refined from it."""
    runs, mesh = {}, study.mesh(name, *kind, "--edge", f"{edge_mm}mm")
    levels = range(study.arguments.levels + 1)
    for level in levels:
        if level > 0:
            mesh = study.mesh(f"{mesh.stem}_refined", "refine", mesh)
        for quadrature in QUADRATURES:
            summary, points, maps = study.run("heart.yaml", mesh, {
                "quadrature": quadrature, "stimuli.0.edge": "weighted", "output.maps": "[activation_time, apd90]",
                "time.adaptive.tolerance": 1e-3, "time.end": 540} | settings)
            if level == 0:
                first = points
            if points[:len(first)] != first:
                sys.exit("a refined heart does not begin with the nodes of the coarse one")
            runs[level, quadrature] = summary, [m[:len(first)] for m in maps]
            print(mesh.stem, level, quadrature, flush=True)

    def limits(quadrature):
        coarse, fine = runs[levels[-2], quadrature][1], runs[levels[-1], quadrature][1]
        return [[f + (f - c) / 3 if c >= 0 and f >= 0 else None for c, f in zip(*pair)] for pair in zip(coarse, fine)]

    limit_of = {quadrature: limits(quadrature) for quadrature in QUADRATURES}
    mean = [[None if None in values else sum(values) / 3 for values in zip(*maps)] for maps in zip(*limit_of.values())]

    def errors(maps):
        pairs = [(a, t, apd, limit_apd) for a, t, apd, limit_apd in zip(maps[0], mean[0], maps[1], mean[1])
                 if t is not None and t > LATE_MS]
        activation = [100 * abs(a - t) / t for a, t, _, _ in pairs if a is not None and a >= 0]
        apd90 = [abs(apd - limit) for _, _, apd, limit in pairs if apd is not None and apd >= 0 and limit is not None]
        return {"compared_nodes": len(activation), "activation_percent": round(max(activation), 3),
                "mean_activation_percent": round(sum(activation) / len(activation), 3),
                "apd90_ms": round(max(apd90), 3)}

    rows = []
    for (level, quadrature), (summary, maps) in runs.items():
        seconds = summary["seconds"]
        rows.append({"quadrature": quadrature, "edge_mm": edge_mm / 2**level, "nodes": summary["mesh"]["nodes"],
                     "steps": summary["steps"], "newton_iterations": summary["newton_iterations"],
                     "cg_iterations": summary["linear_iterations"],
                     "seconds": round(seconds["total"] - seconds["setup"] - seconds["output"], 4), **errors(maps)})
    for quadrature in QUADRATURES:  # how far its own limit is from the mean of the three
        rows.append({"quadrature": quadrature, "edge_mm": 0, "nodes": "", "steps": "", "newton_iterations": "",
                     "cg_iterations": "", "seconds": "", **errors(limit_of[quadrature])})
    return rows


def percent(error):
    return f"{error:+.2f}"


def speed_table(rows):
    """Of three edges, across the fibers and along them in one cell; the file has all edges."""
    edges = [edge for edge in dict.fromkeys(row["edge_over_front"] for row in rows) if float(edge) in (0.5, 1, 2)]
    lines = {}
    for row in rows:
        key = f"`{row['quadrature']}`", row["mesh"]
        lines.setdefault(key, {})[row["edge_over_front"], row["fibres"]] = percent(float(row["speed_error_percent"]))
    return tables.table(["quadrature", "mesh", *(f"{float(edge):g} δ" for edge in edges)],
                        [[*key, *(f"{values[edge, 'across']}, {values[edge, 'along']}" for edge in edges)]
                         for key, values in sorted(lines.items())])


def slab_errors(rows):
    """{(mesh, quadrature, edge): {place: {edge_mm: error in percent}}}, with 0 for the limit of order 2."""
    listed = {slab.place_of(row): float(row["listed_ms"]) for row in measured.read(HERE / "slab.csv")[2]}
    errors = {}
    for row in rows:
        of_place = errors.setdefault((row["mesh"], row["quadrature"], row["edge"]), {}).setdefault(slab.place_of(row), {})
        of_place[float(row["edge_mm"])] = 100 * (float(row["activation_ms"]) / listed[slab.place_of(row)] - 1)
    for by_place in errors.values():
        for of_place in by_place.values():
            fine, coarse = sorted(of_place)[:2]
            of_place[0] = of_place[fine] + (of_place[fine] - of_place[coarse]) / 3
    return errors


def slab_table(rows):
    """Of structured and unstructured meshes in one cell."""
    lines = {}
    for (mesh, quadrature, edge), by_place in slab_errors(rows).items():
        for h in next(iter(by_place.values())):
            worst = max((of_place[h] for of_place in by_place.values()), key=abs)
            lines.setdefault((f"`{quadrature}`", f"`{edge}`"), {})[h, mesh] = percent(worst)
    edges = sorted({float(row["edge_mm"]) for row in rows}, reverse=True)
    return tables.table(["quadrature", "edge", *(f"h {h:g} mm" for h in edges), "h → 0"],
                        [[*key, *(f"{worst[h, 'structured']}, {worst[h, 'unstructured']}" for h in [*edges, 0])]
                         for key, worst in sorted(lines.items())])


def default_slab_table(rows):
    lines = []
    for place, errors in slab_errors(rows)["structured", "vertices", "weighted"].items():
        of_place = [row for row in rows if (row["mesh"], row["quadrature"], row["edge"]) ==
                    ("structured", "vertices", "weighted") and slab.place_of(row) == place]
        times = [float(row["activation_ms"]) for row in sorted(of_place, key=lambda row: -float(row["edge_mm"]))]
        lines.append([f"({place[0]:g}, {place[1]:g}, {place[2]:g})", *(f"{time:.2f}" for time in times),
                      f"{times[-1] + (times[-1] - times[-2]) / 3:.2f}", percent(errors[0])])
    edges = sorted({float(row["edge_mm"]) for row in rows}, reverse=True)
    return tables.table(["point [mm]", *(f"h {h:g} mm" for h in edges), "h → 0", "off the listed time [%]"], lines)


def heart_table(rows):
    """A row for each mesh; in a cell the largest and the mean error of the activation times, that of APD90, and seconds."""
    cells = {}
    for row in rows:
        if row["nodes"]:
            numbers = [row["activation_percent"], row["mean_activation_percent"], row["apd90_ms"], f"{float(row['seconds']):.1f}"]
            cells.setdefault((row["edge_mm"], f"{int(row['nodes']):,}"), {})[row["quadrature"]] = ", ".join(numbers)
    return tables.table(["edge [mm]", "nodes", *(f"`{quadrature}`" for quadrature in QUADRATURES)],
                        [[*mesh, *(of_mesh[quadrature] for quadrature in QUADRATURES)] for mesh, of_mesh in cells.items()])


def renew_tables():
    speed, of_slab, human = (measured.read(FILES[what])[2] for what in ("speed", "slab", "human_heart"))
    document = HERE.parent / "method/verification.md"
    document.write_text(tables.fill(document.read_text(), {
        "space_speed": speed_table(speed), "space_slab": slab_table(of_slab),
        "space_human_heart": heart_table(human), "space_slab_default": default_slab_table(of_slab)}))


def main():
    if sys.argv[1:] == ["tables"]:
        return renew_tables()
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("what", nargs="*", default=["speed", "slab", "heart"])
    parser.add_argument("--backend", default="gpu")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--levels", type=int, default=2)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--surface", type=pathlib.Path)
    arguments = parser.parse_args()
    if "human_heart" in arguments.what and not arguments.surface:
        parser.error("the human heart needs the --surface that its mesh fills")
    head = measured.head_of(arguments.program)
    with tempfile.TemporaryDirectory() as folder:
        for what in arguments.what:
            study_of = {"speed": speeds, "slab": slabs, "heart": idealized_hearts, "human_heart": human_hearts}[what]
            rows = study_of(Study(arguments, folder))
            file = FILES[what] if arguments.folder is None else arguments.folder / FILES[what].name
            measured.write(file, head, rows[0], rows)


if __name__ == "__main__":
    main()
