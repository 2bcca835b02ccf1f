#!/usr/bin/env python3
"""Activation times of the N-version benchmark (configs/niederer.yaml) at its nine points, beside those of its eleven codes, into
n_version.csv for the CPU and n_version_gpu.csv for a GPU.

usage: n_version.py PROGRAM cpu|gpu [EDGES]     measures, with edges of 0.5,0.2 mm (a GPU 0.5,0.2,0.1,0.05)
       n_version.py tables                      renews the table of a GPU in ../method/verification.md, whose text says that
                                                the CPU has the same times; ends with an error where it has others

Regular meshes are cubes cut into six; irregular ones, made for edges of 0.5 mm (a GPU 0.2 mm and more), are filled by Gmsh with
edges of this mean. Times are those of 0 mV at the probes, in steps with a tolerance of 0.01. The benchmark's mean and standard deviation at
0.5, 0.2 and 0.1 mm are those of Niederer et al., Phil. Trans. R. Soc. A 369 (2011) 4331, supplement. What the edges tend to is
of order 2, of the two finest regular meshes. Needs Python's standard library only.
"""
import csv
import pathlib
import sys
import tempfile

import tables  # finds the modules of ../benchmarks for those below
import calls
import measured
import single_run

HERE = tables.HERE
CONFIG = HERE.parents[1] / "configs/niederer.yaml"
FILES = {"cpu": HERE / "n_version.csv", "gpu": HERE / "n_version_gpu.csv"}
EDGES = {"cpu": "0.5,0.2", "gpu": "0.5,0.2,0.1,0.05"}
SIZE = "20,7,3"
POINTS = {"P1": "(0, 0, 0)", "P2": "(20, 0, 0)", "P3": "(0, 0, 3)", "P4": "(20, 0, 3)", "P5": "(0, 7, 0)", "P6": "(20, 7, 0)",
          "P7": "(0, 7, 3)", "P8": "(20, 7, 3)", "P9": "center"}
CODES = {  # mean and deviation in ms
    "0.5": [(1.04, .38), (47.73, 8.33), (27.37, 11.04), (54.57, 11.97), (105.66, 33.36), (117.34, 34.83), (106.80, 35.08),
            (117.86, 36.11), (55.17, 17.40)],
    "0.2": [(1.05, .40), (34.43, 1.48), (11.29, 1.60), (36.67, 2.98), (38.56, 5.00), (52.56, 7.10), (40.52, 6.08),
            (53.81, 8.17), (24.58, 3.76)],
    "0.1": [(1.04, .38), (32.23, .56), (8.95, .56), (33.70, 1.00), (29.76, 1.65), (43.97, 2.83), (31.32, 2.12),
            (44.93, 3.22), (20.50, 1.30)]}


def activations(folder):
    """The upward crossings of 0 mV of the probes, by their names."""
    with open(folder / "probes.csv", newline="") as file:
        samples = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    times = {}
    for name in POINTS:
        for before, after in zip(samples, samples[1:]):
            if before[name] < 0 <= after[name]:
                part = -before[name] / (after[name] - before[name])
                times[name] = before["time_ms"] + part * (after["time_ms"] - before["time_ms"])
                break
        else:
            sys.exit(f"{folder}/probes.csv: {name} is never activated; the run has to last longer")
    return times


def measure(program, backend, edges):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for edge in edges:
            has_irregular = float(edge) >= 0.2 and backend == "gpu" or float(edge) >= 0.5
            for kind in ("regular", "irregular") if has_irregular else ("regular",):
                mesh = calls.mesh(program, pathlib.Path(folder) / f"{kind}_{edge}.msh", "slab", "--size", SIZE, "--edge",
                                  f"{edge}mm", *(["--unstructured"] if kind == "irregular" else []))
                out = pathlib.Path(folder) / f"{kind}_{edge}"
                probes = f"[{', '.join(f'{{name: {name}, point: {place_of(name)}}}' for name in POINTS)}]"
                end_ms = 150 if float(edge) > 0.3 else 65  # until all of the slab is activated
                summary = single_run.run(program, CONFIG, {"mesh.file": mesh, "backend": backend, "probes": probes,
                                                           "time.end": end_ms}, folder=out)[0]
                for name, time_ms in activations(out).items():
                    rows.append({"mesh": kind, "edge_mm": edge, "nodes": summary["mesh"]["nodes"], "point": name,
                                 "activation_ms": f"{time_ms:.3f}"})
                mesh.unlink()
    return rows


def place_of(name):
    return [10, 3.5, 1.5] if name == "P9" else [float(x) for x in POINTS[name].strip("()").split(",")]


def table(rows):
    """Points down, meshes across, with those of the codes behind the regular ones."""
    times = times_of(rows)
    edges = sorted({row["edge_mm"] for row in rows}, key=float, reverse=True)
    head, columns = [""], []
    for edge in edges:
        head.append(f"{edge} mm")
        columns.append(lambda point, edge=edge: f"{times['regular', edge, point]:.2f}")
        if ("irregular", edge, "P1") in times:
            head.append("irregular")
            columns.append(lambda point, edge=edge: f"{times['irregular', edge, point]:.2f}")
        if edge in CODES:
            head.append("codes")
            columns.append(lambda point, edge=edge: "{:.2f} ± {:.2f}".format(*CODES[edge][list(POINTS).index(point)]))
    if len(edges) > 2:
        coarse, fine = edges[-2:]
        ratio = (float(coarse) / float(fine)) ** 2
        head.append("h → 0")
        columns.append(lambda point: "{:.2f}".format(
            times["regular", fine, point] + (times["regular", fine, point] - times["regular", coarse, point]) / (ratio - 1)))
    return tables.table(head, [[f"{point} {place}", *(of(point) for of in columns)] for point, place in POINTS.items()])


def times_of(rows):
    return {(row["mesh"], row["edge_mm"], row["point"]): float(row["activation_ms"]) for row in rows}


def renew_table(document):
    cpu, gpu = (measured.read(FILES[backend])[2] for backend in ("cpu", "gpu"))
    on_gpu = times_of(gpu)
    for place, time_ms in times_of(cpu).items():
        if place in on_gpu and abs(time_ms - on_gpu[place]) > 0.01:
            sys.exit(f"{' '.join(place)}: {time_ms} ms on the CPU, {on_gpu[place]} ms on a GPU")
    document.write_text(tables.fill(document.read_text(), {FILES["gpu"].stem: table(gpu)}))


def main():
    document = HERE.parent / "method/verification.md"
    if sys.argv[1:] == ["tables"]:
        renew_table(document)
    elif len(sys.argv) in (3, 4) and sys.argv[2] in FILES:
        program, backend = pathlib.Path(sys.argv[1]), sys.argv[2]
        head = measured.head_of(program)
        rows = measure(program, backend, (sys.argv[3] if len(sys.argv) == 4 else EDGES[backend]).split(","))
        measured.write(FILES[backend], head, rows[0], rows)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
