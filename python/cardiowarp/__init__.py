"""Hearts in Python: a simulation of cardiowarp step by step, with its potential, states and maps as NumPy arrays.

    import cardiowarp

    heart = cardiowarp.Simulation("heart.yaml")
    heart.run(lambda heart: print(heart.time, heart.potential.max()), every=10)
    print(heart.activation_time.max(), "ms")

The simulation runs in a program of its own, `cardiowarp serve`, so that nothing it does can end the interpreter. Units
are those of the program: mm, ms and mV.
"""
import base64
import contextlib
import difflib
import itertools
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.sax.saxutils

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

    `configuration` is the path of a YAML file, or a dict with the same keys, `{"time": {"end": "300 ms"}}`. Paths in a
    dict are relative to the current folder, which has its file for a moment. `mesh` replaces `mesh.file`: a pair
    (points, tetrahedra), arrays of numbers [nodes, 3] in mm and of node numbers [elements, 4], or a dict with these
    names and, as `node_data` and `element_data`, further arrays by name, as a mesh file may have them (`region`,
    `fiber`). `settings` replaces single keys, `{"time.step": "0.05 ms"}`. `backend` is cpu, gpu or auto; `threads` is
    for the CPU. Warnings of the program go to sys.stderr; `log_level="info"` shows also what it tells of the problem.

    Raises InputError, NotConverged or DeviceError with the program's message. It can be used in a `with` statement;
    close() ends the program, and so does an interrupt (Ctrl-C) in the midst of a request.
    """

    _process = _log = None

    def __init__(self, configuration, mesh=None, *, settings=None, backend=None, threads=None, program=None,
                 log_level="warning"):
        self._log, self._log_shown = tempfile.TemporaryFile(), 0
        self._instead = []  # pairs: a text of messages, and what is shown instead
        with tempfile.TemporaryDirectory() as folder:
            command = [find_program(program), "serve", "--log-level", log_level]
            settings = dict(settings or {})
            if mesh is not None:
                settings["mesh.file"] = made = pathlib.Path(folder) / "mesh.vtu"
                _write_mesh(mesh, made)
                self._instead = [(f"--set mesh.file={_json(made)}: mesh.file: ", ""), (str(made), "mesh")]
            for key, value in settings.items():
                command += ["--set", f"{key}={value if isinstance(value, str) else _json(value)}"]
            if backend is not None:
                command += ["--backend", backend]
            if threads is not None:
                command += ["--threads", str(threads)]
            with _file_of(configuration, mesh) as file:
                if isinstance(configuration, dict):
                    self._instead.append((file, "configuration"))
                # An interrupt of the terminal is for this process alone: between requests it harms no simulation.
                self._process = subprocess.Popen(command + [file], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                 stderr=self._log, start_new_session=True)
                about, _ = self._ask(None)
        self.time = 0.0  #: ms, at which the arrays are
        self.end = about["end_ms"]  #: ms, where the configured time ends
        self.finished = False  #: whether that end is reached
        self.nodes, self.elements = about["nodes"], about["elements"]
        self.state_names, self.probe_names = about["states"], about["probes"]
        self.backend, self.device = about["backend"], about["device"]

    def advance(self, until=None):
        """Makes steps until the time `until` in ms, or to the end. Returns how many. Arrays are then those of that
        time, or of the end of the last step where the time scheme knows nothing between its steps."""
        until = self.end if until is None else float(until)
        if math.isnan(until):
            raise InputError("until: expected a time in ms, got nan")
        reply, _ = self._ask({"advance": max(0.0, min(until, self.end))})
        self.time, self.finished = reply["time_ms"], reply["finished"]
        return reply["steps"]

    def run(self, callback=None, every=None):
        """Advances to the end, and calls `callback(self)` each `every` ms and at the end. It ends early where the
        callback returns False."""
        if every is not None and not every > 0:
            raise InputError(f"every: expected a positive number of ms, got {every!r}")
        begin = self.time
        for count in itertools.count(1):
            self.advance(self.end if every is None else min(begin + count * every, self.end))
            answer = None if callback is None else callback(self)
            if isinstance(answer, (bool, numpy.bool_)) and not answer or self.finished:
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
        _require(name, self.state_names, "a state of the cell model")
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
        if self._log:
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
        reply, data = self._ask({"array": name})
        return data.view(reply["dtype"]).reshape(reply["shape"])

    def _ask(self, request):
        """Sends a request, if it is one; returns the reply and the bytes of its array."""
        if not self._process:
            raise Error("the simulation is closed")
        reply, data, count = {}, None, 0
        try:
            with contextlib.suppress(OSError):  # the program has ended, as the missing reply tells
                if request:
                    self._process.stdin.write(json.dumps(request).encode() + b"\n")
                    self._process.stdin.flush()
            line = self._process.stdout.readline()
            if line.endswith(b"\n"):
                reply = json.loads(line)
                data = numpy.empty(reply.get("bytes", 0), numpy.uint8)
                count = self._process.stdout.readinto(data)
        except BaseException:  # a reply that nobody waited for would be taken for that of the next request
            self.close()
            raise
        if data is None or count < len(data):
            self._fail()
        sys.stderr.write(self._new_messages())
        return reply, data

    def _fail(self):
        code = self._process.wait()
        earlier, _, message = ("\n" + self._new_messages()).rpartition("\nerror: ")
        self.close()
        sys.stderr.write(earlier[1:] + "\n" if earlier else "")
        raise _ERRORS.get(code, Error)(message.strip() or f"the program ended with exit code {code}")

    def _new_messages(self):
        """What the program has said since the last call. It writes where its file ends, so that nobody may seek."""
        length = os.fstat(self._log.fileno()).st_size
        messages = os.pread(self._log.fileno(), length - self._log_shown, self._log_shown).decode(errors="replace")
        self._log_shown = length
        for text, shown in self._instead:
            messages = messages.replace(text, shown)
        return messages


def _without_missing(values):
    values[values < 0] = numpy.nan
    return values


def _require(name, names, what):
    if name not in names:
        near = difflib.get_close_matches(str(name), names, 1)
        raise InputError(f"expected {what}, one of {', '.join(names)}, got {name!r}"
                         + "".join(f"; did you mean {each!r}?" for each in near))


def _json(value):
    """YAML of a value, in which paths are texts, and arrays and numbers of NumPy are lists and numbers."""
    def plain(other):
        if isinstance(other, os.PathLike):
            return os.fspath(other)
        if isinstance(other, (numpy.ndarray, numpy.generic)):
            return other.tolist()
        raise InputError(f"expected numbers, texts, lists and dicts in a configuration, got {other!r}")

    return json.dumps(value, default=plain, ensure_ascii=False)  # YAML does not join two halves of a character


@contextlib.contextmanager
def _file_of(configuration, mesh):
    """The path of a configuration's file, for a `with` statement, at whose end the file of a dict is removed."""
    if not isinstance(configuration, dict):
        yield os.fspath(configuration)
        return
    section = configuration.get("mesh") or {}
    if mesh is not None and isinstance(section, dict):
        configuration = {**configuration, "mesh": {**section, "file": ""}}
    text = _json(configuration)
    try:
        descriptor, made = tempfile.mkstemp(".yaml", ".cardiowarp_", os.getcwd())
    except OSError as error:
        raise InputError(f"a dict needs a file in the current folder for a moment: {error}") from None
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        yield made
    finally:
        os.unlink(made)


def _write_mesh(mesh, path):
    """Writes a mesh as a .vtu file."""
    sections = ("points", "tetrahedra", "node_data", "element_data")
    if not isinstance(mesh, dict):
        if not isinstance(mesh, (tuple, list)) or len(mesh) != 2:
            raise InputError("mesh: expected a pair (points, tetrahedra) or a dict; a path belongs to "
                             f"the configuration as mesh.file; got {type(mesh).__name__}")
        mesh = dict(zip(sections, mesh))
    for name in mesh:
        _require(name, sections, "a part of a mesh")
    points = _array_of(mesh.get("points"), "points", 3).astype("<f8")
    tetrahedra = _array_of(mesh.get("tetrahedra"), "tetrahedra", 4, "iu")
    with open(path, "wb") as file:
        file.write(b'<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n'
                   b"<UnstructuredGrid>\n")
        file.write(f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(tetrahedra)}">\n'.encode())
        _write_section(file, "Points", {"Points": points})
        _write_section(file, "Cells", {"connectivity": tetrahedra.ravel(),
                                       "offsets": numpy.arange(4, 4 * len(tetrahedra) + 1, 4),
                                       "types": numpy.full(len(tetrahedra), 10)})
        for key, section, count in (("node_data", "PointData", len(points)),
                                    ("element_data", "CellData", len(tetrahedra))):
            arrays = {name: _array_of(values, f"{key} '{name}'") for name, values in mesh.get(key, {}).items()}
            for name, values in arrays.items():
                if not name:
                    raise InputError(f"mesh: {key}: expected names of arrays, got ''")
                if len(values) != count:
                    raise InputError(f"mesh: {key} '{name}': expected {count} rows, got {len(values)}")
            _write_section(file, section, arrays)
        file.write(b"</Piece>\n</UnstructuredGrid>\n</VTKFile>\n")


def _write_section(file, section, arrays):
    """Writes arrays, [..] or [.., components], into a .vtu file: their bytes in base64, behind the number of bytes."""
    file.write(f"<{section}>\n".encode())
    for name, values in arrays.items():
        kind = "Float" if values.dtype.kind == "f" else "Int"
        data = values.astype("<f8" if kind == "Float" else "<i8").tobytes()
        components = values.shape[1] if values.ndim == 2 else 1
        file.write(f'<DataArray type="{kind}64" Name={xml.sax.saxutils.quoteattr(str(name))} '
                   f'NumberOfComponents="{components}" format="binary">\n'.encode())
        file.write(base64.b64encode(len(data).to_bytes(8, "little") + data) + b"\n</DataArray>\n")
    file.write(f"</{section}>\n".encode())


def _array_of(values, name, width=None, kinds="biuf"):
    """An array [..] or [.., components], or [.., width] where there is a width; `kinds` are NumPy's of its numbers."""
    values = numpy.asarray(values)
    shape = "[..] or [.., components]" if width is None else f"[.., {width}]"
    if not (values.ndim == 2 and values.shape[1] == width or width is None and values.ndim in (1, 2)):
        raise InputError(f"mesh: {name}: expected an array of shape {shape}, got {list(values.shape)}")
    if values.dtype.kind not in kinds:
        raise InputError(f"mesh: {name}: expected {'whole ' * (kinds == 'iu')}numbers, got {values.dtype}")
    return values
