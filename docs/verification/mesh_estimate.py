#!/usr/bin/env python3
"""Errors of the mesh that `cardiowarp run --estimate-mesh-error` estimates on hearts, against the true ones, into
mesh_estimate.csv.

usage: mesh_estimate.py PROGRAM SURFACE [cpu|gpu]     measures; the surface is that of a human heart
       mesh_estimate.py tables                        renews their table in ../method/time_stepping.md

The truth is the limit of the mesh refined once and twice, of order 2, at the nodes of the mesh. The quantities are those of
summary.json, at the nodes activated at least 10 ms after the first. Needs Python's standard library only, and on two cores a
quarter of an hour.
"""
import pathlib
import sys
import tempfile

import tables  # finds the modules of ../benchmarks for those below
import calls
import measured
import single_run
from calls import LOWER_END
from estimate import CONFIGS, QUANTITIES, largest

HERE = tables.HERE
FILE = HERE / "mesh_estimate.csv"
QUADRATURES = ["vertices", "vertices_and_centroid", "centroid"]


def cases(program, surface, folder):
    """Name, mesh, settings."""
    return [("heart", calls.mesh(program, folder / "heart.msh", "biventricle", "--edge", "3mm"), {}),
            ("human heart", calls.mesh(program, folder / "human.msh", "fill", surface, "--edge", "4mm"),
             {"stimuli.0.where": LOWER_END})]


def measure(program, surface, backend):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, mesh, settings in cases(program, surface, pathlib.Path(folder)):
            meshes = [mesh]
            for times in ("once", "twice"):
                meshes.append(calls.mesh(program, mesh.with_name(f"{mesh.stem}_{times}.msh"), "refine", meshes[-1]))
            for quadrature in QUADRATURES:
                def run(file, *options):
                    everywhere = {"mesh.file": file, "output.maps": "[activation_time, apd90]", "quadrature": quadrature,
                                  "backend": backend}
                    summary, points, maps = single_run.run(program, CONFIGS / "heart.yaml", everywhere | settings, options)
                    return summary, points, [maps["activation_time"], maps["apd90"]]

                summary, points, maps = run(mesh, "--estimate-mesh-error")
                finer = []
                for file in meshes[1:]:
                    _, there, values = run(file)
                    place = {point: node for node, point in enumerate(there)}
                    finer.append([[one[place[point]] for point in points] for one in values])
                truth = [[f + (f - c) / 3 if f >= 0 and c >= 0 else None for f, c in zip(fine, coarse)]
                         for coarse, fine in zip(*finer)]
                said, true = summary["estimated_mesh_error"], largest(maps, truth, 1, maps[0])
                rows += [{"mesh": name, "nodes": summary["mesh"]["nodes"], "quadrature": quadrature, "quantity": quantity,
                          "estimated": f"{said[quantity]:.4g}", "true": f"{true[quantity]:.4g}",
                          "ratio": f"{said[quantity] / true[quantity]:.3f}"} for quantity in QUANTITIES]
                print(*rows[-3:], sep="\n", flush=True)
    return rows


def table(rows):
    lines = {}
    for row in rows:
        lines.setdefault((row["mesh"], int(row["nodes"]), row["quadrature"]), {})[row["quantity"]] = row

    def cell(row, unit):
        return f"{float(row['estimated']):.3g} {unit}, {float(row['true']):.3g} {unit} (× {float(row['ratio']):.2f})"

    return tables.table(["mesh", "nodes", "`quadrature`", "activation", "APD90"],
                        [[mesh, f"{nodes:,}", f"`{quadrature}`", cell(of["activation_percent"], "%"), cell(of["apd90_ms"], "ms")]
                         for (mesh, nodes, quadrature), of in lines.items()])


def main():
    if sys.argv[1:] == ["tables"]:
        document = HERE.parent / "method/time_stepping.md"
        document.write_text(tables.fill(document.read_text(), {"mesh_estimate": table(measured.read(FILE)[2])}))
    elif len(sys.argv) in (3, 4) and sys.argv[3:] in ([], ["cpu"], ["gpu"]):
        program, surface = map(pathlib.Path, sys.argv[1:3])
        head = measured.head_of(program)
        rows = measure(program, surface.resolve(), sys.argv[3] if len(sys.argv) == 4 else "cpu")
        measured.write(FILE, head, rows[0], rows)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
