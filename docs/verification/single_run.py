"""Runs of the program, as the scripts beside this one ask for them."""
import json
import pathlib
import subprocess
import sys
import tempfile

import tables  # finds the modules of ../benchmarks for those below
import calls
import measured

AT_ROUNDING = {"newton.tolerance": 1e-12, "linear_solver.tolerance": 1e-11}  # of the solvers


def run(program, config, settings, options=(), folder=None):
    """summary.json, the points, and the maps of a run on the CPU by their names, -1 where a node has no time; its files
    stay in the folder, if one is given."""
    if folder is None:
        with tempfile.TemporaryDirectory() as some:
            return run(program, config, settings, options, some)
    everywhere = {"probes": "[]", "output.interval": 10000, "output.fields": "[potential]", "backend": "cpu"} | settings
    backend = everywhere.pop("backend")
    subprocess.run(calls.run(program, config, backend, folder, everywhere, *options), check=True, stdout=subprocess.DEVNULL)
    file = pathlib.Path(folder) / "maps.vtu"
    summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
    flat = measured.point_array(file, "Points")
    names = [name for name in ("activation_time", "apd90") if f'Name="{name}"'.encode() in file.read_bytes()]
    return summary, list(zip(flat[0::3], flat[1::3], flat[2::3])), {name: measured.point_array(file, name)
                                                                    for name in names}


def command_line(usage, file, document, table, measure, arguments=1):
    """What a script does that measures into a file of its own and keeps one table of it in a document: with so many
    arguments, paths, `measure(*arguments)` gives the rows; with `tables`, `table(rows)` is renewed in the document."""
    document = pathlib.Path(__file__).resolve().parents[1] / document
    if sys.argv[1:] == ["tables"]:
        document.write_text(tables.fill(document.read_text(), {file.stem: table(measured.read(file)[2])}))
    elif len(sys.argv) == 1 + arguments:
        paths = list(map(pathlib.Path, sys.argv[1:]))
        head, rows = measured.head_of(paths[0]), measure(*paths)
        measured.write(file, head, rows[0], rows)
    else:
        sys.exit(usage)
