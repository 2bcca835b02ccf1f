"""Hearts in Python: a simulation of cardiowarp step by step, with its potential, states and maps as NumPy arrays.

    import cardiowarp

    heart = cardiowarp.Simulation("heart.yaml")
    heart.run(lambda heart: print(heart.time, heart.potential.max()), every=10)
    print(heart.activation_time.max(), "ms")

The simulation runs in a program of its own, `cardiowarp serve`, so that nothing it does can end the interpreter. Units are
those of the program: mm, ms and mV.
"""
import contextlib
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy

__all__ = ["Error", "InputError", "NotConverged", "DeviceError", "Simulation", "find_program"]


class Error(Exception):
    """What cardiowarp could not do; its text is the program's message."""


class InputError(Error, ValueError):
    """The configuration, the mesh or a request is wrong."""


class NotConverged(Error, ArithmeticError):
    """A step did not converge."""


class DeviceError(Error, RuntimeError):
    """A GPU failed or is missing, or memory ran out."""


_ERRORS = {2: InputError, 3: NotConverged, 4: DeviceError}


def find_program(program=None):
    """The path of the program `cardiowarp`: the one that is given, that of the environment variable CARDIOWARP, the one
    that was built, unpacked or installed with this module, or the one that the shell finds."""
    named = program or os.environ.get("CARDIOWARP")
    if named:
        found = shutil.which(os.fspath(named))
        if not found:
            raise InputError(f"there is no program '{named}'")
        return found
    for home in pathlib.Path(__file__).resolve().parents[2:]:
        for place in (home / "bin/cardiowarp", home / "build/release/app/cardiowarp"):
            if os.access(place, os.X_OK):
                return str(place)
    found = shutil.which("cardiowarp")
    if not found:
        raise InputError("the program cardiowarp is not on PATH: give program=, or set CARDIOWARP to where it is")
    return found


class Simulation:
    """A heart that is advanced in time.

    `configuration` is the path of a YAML file, or a dict with the same keys; `{"time": {"end": "300 ms"}}`. Paths in a dict
    are relative to the current folder. `mesh` replaces `mesh.file`: a pair (points, tetrahedra), arrays of numbers
    [nodes, 3] in mm and of node numbers [elements, 4], or a dict with these names and, as `node_data` and
    `element_data`, further arrays by name, as a mesh file may have them (`region`, `fiber`). `settings` replaces single
    keys, `{"time.step": "0.05 ms"}`. `backend` is cpu, gpu or auto; `threads` is for the CPU. Warnings of the program go
    to standard error; `log_level="info"` shows all that `cardiowarp run` says.

    Raises InputError, NotConverged or DeviceError with the program's message. It can be used in a `with` statement;
    close() ends the program.
    """

    def __init__(self, configuration, mesh=None, *, settings=None, backend=None, threads=None, program=None,
                 log_level="warning"):
        self._process, self._log = None, tempfile.TemporaryFile()
        with tempfile.TemporaryDirectory() as folder:
            command = [find_program(program), "serve", "--log-level", log_level]
            settings = dict(settings or {})
            if mesh is not None:
                settings["mesh.file"] = _written(mesh, pathlib.Path(folder) / "mesh.vtk")
            for key, value in settings.items():
                command += ["--set", f"{key}={value if isinstance(value, (str, os.PathLike)) else json.dumps(value)}"]
            if backend is not None:
                command += ["--backend", backend]
            if threads is not None:
                command += ["--threads", str(threads)]
            with _file_of(configuration, mesh) as (file, self._file_in_words):
                self._process = subprocess.Popen(command + [file], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                 stderr=self._log)
                about = self._reply()
        self.time = 0.0  #: ms, at which the arrays are
        self.end = about["end_ms"]  #: ms, where the configured time ends
        self.finished = False  #: whether that end is reached
        self.nodes, self.elements = about["nodes"], about["elements"]
        self.state_names, self.probe_names = about["states"], about["probes"]
        self.backend, self.device = about["backend"], about["device"]

    def advance(self, until=None):
        """Makes steps until the time `until` in ms, or to the end. Returns how many. Arrays are then those of that time;
        with a time scheme that knows nothing between its steps, of the end of the last step."""
        reply = self._ask({"advance": float(self.end if until is None else until)})
        self.time, self.finished = reply["time_ms"], reply["finished"]
        return reply["steps"]

    def run(self, callback=None, every=None):
        """Advances to the end, and calls `callback(self)` each `every` ms and at the end. It ends early where the callback
        returns False."""
        if every is not None and not every > 0:
            raise InputError(f"every: expected a positive number of ms, got {every!r}")
        begin = self.time
        for count in itertools.count(1):
            self.advance(self.end if every is None else min(begin + count * every, self.end))
            if callback is not None and callback(self) is False or self.finished:
                return

    @property
    def points(self):
        """[nodes, 3] mm"""
        return self._array("points")

    @property
    def tetrahedra(self):
        """[elements, 4] node numbers"""
        return self._array("tetrahedra")

    @property
    def potential(self):
        """[nodes] mV"""
        return self._array("potential")

    @property
    def activation_time(self):
        """[nodes] ms, at which the first beat rose above the threshold; NaN where it did not yet"""
        return _without_missing(self._array("activation_time"))

    @property
    def apd90(self):
        """[nodes] ms, the duration of the first action potential; NaN where it has not ended yet"""
        return _without_missing(self._array("apd90"))

    @property
    def probes(self):
        """The potential in mV at each probe, by its name."""
        return dict(zip(self.probe_names, self._array("probes").tolist()))

    def state(self, name):
        """[elements] of a state of the cell model, one of `state_names`."""
        return self._array(f"state:{name}")

    def close(self):
        """Ends the program."""
        process, self._process = self._process, None
        if process:
            process.kill()
            process.wait()
            process.stdout.close()
            with contextlib.suppress(OSError):  # a request that it did not read
                process.stdin.close()
        self._log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def __repr__(self):
        where = self.device or "the CPU"
        return f"<cardiowarp.Simulation of {self.nodes} nodes on {where} at {self.time:g} of {self.end:g} ms>"

    def _array(self, name):
        reply = self._ask({"array": name})
        return numpy.frombuffer(bytearray(self._read(reply["bytes"])), reply["dtype"]).reshape(reply["shape"])

    def _ask(self, request):
        if not self._process:
            raise Error("the simulation is closed")
        with contextlib.suppress(OSError):  # it has ended, which the reply says
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        return self._reply()

    def _reply(self):
        try:
            line = self._process.stdout.readline()
            if line:
                return json.loads(line)
        except BaseException:  # a reply that nobody waited for would be taken for that of the next request
            self.close()
            raise
        self._fail()

    def _read(self, count):
        try:
            data = self._process.stdout.read(count)
        except BaseException:
            self.close()
            raise
        if len(data) < count:
            self._fail()
        return data

    def _fail(self):
        code = self._process.wait()
        self._log.seek(0)
        log = self._log.read().decode(errors="replace")
        self.close()
        message = ("\n" + log).rpartition("\nerror: ")[2].strip() or f"the program ended with exit code {code}"
        raise _ERRORS.get(code, Error)(message.replace(self._file_in_words, "configuration"))


def _without_missing(values):
    values[values < 0] = numpy.nan
    return values


class _file_of:
    """The file of a configuration, for a `with` statement: its path, and what stands for it in messages."""

    def __init__(self, configuration, mesh):
        self._made, self._configuration = None, configuration
        if isinstance(configuration, dict) and mesh is not None:
            self._configuration = {**configuration, "mesh": {**configuration.get("mesh", {}), "file": ""}}

    def __enter__(self):
        if not isinstance(self._configuration, dict):
            return os.fspath(self._configuration), "\0"
        with tempfile.NamedTemporaryFile("w", dir=".", prefix=".cardiowarp_", suffix=".yaml", delete=False) as file:
            self._made = file.name
            json.dump(self._configuration, file)
        return self._made, self._made

    def __exit__(self, *_):
        if self._made:
            os.unlink(self._made)


def _written(mesh, path):
    """Writes a mesh as a legacy VTK file, and returns its path."""
    if not isinstance(mesh, dict):
        mesh = dict(zip(("points", "tetrahedra"), mesh, strict=True))
    points = _shaped(mesh["points"], ">f8", "points", 3)
    tetrahedra = _shaped(mesh["tetrahedra"], ">i4", "tetrahedra", 4)
    cells = numpy.insert(tetrahedra, 0, 4, axis=1)
    with path.open("wb") as file:
        file.write(b"# vtk DataFile Version 3.0\nmesh\nBINARY\nDATASET UNSTRUCTURED_GRID\n")
        file.write(f"POINTS {len(points)} double\n".encode() + points.tobytes())
        file.write(f"\nCELLS {len(cells)} {cells.size}\n".encode() + cells.astype(">i4").tobytes())
        file.write(f"\nCELL_TYPES {len(cells)}\n".encode() + numpy.full(len(cells), 10, ">i4").tobytes())
        for kind, key, count in (("CELL", "element_data", len(cells)), ("POINT", "node_data", len(points))):
            arrays = mesh.get(key, {})
            if arrays:
                file.write(f"\n{kind}_DATA {count}\nFIELD arrays {len(arrays)}\n".encode())
            for name, values in arrays.items():
                values = numpy.asarray(values)
                if values.ndim not in (1, 2) or len(values) != count:
                    raise InputError(f"mesh: {key} '{name}': expected {count} rows, got an array of shape {values.shape}")
                whole = numpy.issubdtype(values.dtype, numpy.integer)
                width = values.size // max(count, 1)
                file.write(f"{name} {width} {count} {'int' if whole else 'double'}\n".encode())
                file.write(values.astype(">i4" if whole else ">f8").tobytes() + b"\n")
    return path


def _shaped(values, kind, name, width):
    values = numpy.asarray(values)
    if values.ndim != 2 or values.shape[1] != width:
        raise InputError(f"mesh: {name}: expected an array of shape [.., {width}], got {list(values.shape)}")
    if name == "tetrahedra" and not numpy.issubdtype(values.dtype, numpy.integer):
        raise InputError(f"mesh: {name}: expected whole numbers, got {values.dtype}")
    return values.astype(kind)
