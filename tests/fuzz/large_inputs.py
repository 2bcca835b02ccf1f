#!/usr/bin/env python3
"""usage: large_inputs.py CARDIOWARP [NAME...]

Inputs that fuzzers with their short ones do not reach: some of nearly a megabyte that ask for as much time or memory as
they can, and a million YAML keys. Gives each to `cardiowarp check` and prints CSV: name, bytes, exit code, seconds of
the processor, peak memory in MB (of the largest process), message. Fails where one takes over 5 s or 1 GB, or ends in
another way than by 0 or 2.
"""
import base64
import os
import resource
import struct
import subprocess
import sys
import tempfile
import zlib

MEGABYTE = 1_000_000
RUN = ("mesh: {{file: {0}, length_unit: mm}}\nstimuli:\n  - where: {1}\n    duration: 2 ms\n    amplitude: 50 mV/ms\n"
       "time: {{end: 1 ms, step: 0.1 ms}}\n")
BOX = "{box: {min: [0, 0, 0], max: [1, 1, 1]}}"


def keys(count, indent=""):
    return "".join(f"{indent}key{i}: 1\n" for i in range(count))


def yaml_inputs():
    yield "million_keys", keys(MEGABYTE)
    yield "million_keys_in_a_section", "mesh:\n" + keys(MEGABYTE, "  ")
    yield "million_keys_one_repeated", keys(MEGABYTE) + "key77: 2\n"
    yield "flow_list", "a: [" + ",".join(["1"] * 490_000) + "]\n"
    yield "flow_map", "a: {" + ",".join(f"k{i}: 1" for i in range(80_000)) + "}\n"
    yield "brackets", "[" * 990_000
    yield "dashes", "- " * 490_000
    yield "indentation", "".join(" " * i + f"k{i}:\n" for i in range(1_300))
    yield "aliases_of_a_long_text", "a: &a " + "x" * 800_000 + "\nb: [" + ",".join(["*a"] * 60_000) + "]\n"
    yield "aliases_of_aliases", "a0: &a0 [1,1]\n" + "".join(f"a{i}: &a{i} [*a{i-1},*a{i-1}]\n" for i in range(1, 40))
    yield "anchors", "a: [" + ",".join(f"&a{i} 1" for i in range(90_000)) + "]\n"
    yield "long_key", "k" * 990_000 + ": 1\n"
    yield "long_key_of_two_lines", "mesh:\n  " + "k" * 990_000 + "\n  : 1\n"
    yield "long_value", "mesh: {file: " + "f" * 990_000 + "}\n"
    yield "open_quote", 'a: "' + "x\n" * 490_000
    yield "tabs", "a:\n" + "\t\n" * 490_000 + "\tb: 1\n"
    yield "complex_keys", "? a\n" * 240_000
    yield "documents", "---\n" * 240_000
    yield "probes", RUN.format("none.pts", BOX) + "probes:\n" + "".join(
        f"  - {{name: p{i}, point: [0, 0, 0]}}\n" for i in range(27_000))


def tetrahedra(count):
    return "".join(f"Tt 0 1 2 {3 + i}\n" for i in range(count))


def mesh_inputs():
    head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    yield "msh", "nodes", head + "$Nodes\n60000\n" + "".join(f"{i} 0 0 {i}\n" for i in range(1, 60_001)) + "$EndNodes\n"
    yield "msh", "names", head + "$PhysicalNames\n50000\n" + "".join(f'3 {i} "n{i}"\n' for i in range(50_000))
    yield "msh", "partition_name", head + '$PhysicalNames\n1\n3 1 "_part{' + "1," * 400_000 + '}_physical{7}_dim{3}"\n'
    yield "msh", "long_word", "$" + "x" * 990_000
    yield "msh", "declared", head + "$Nodes\n2147483647\n1 0 0 0\n"
    yield "msh", "sections", head + "$a\n$Enda\n" * 90_000
    yield "pts", "tetrahedra", ("40000\n0 0 0\n1 0 0\n0 1 0\n" + "".join(f"0 0 {i + 1}\n" for i in range(39_997)),
                                "39997\n" + tetrahedra(39_997))
    yield "pts", "declared", ("2147483647\n0 0 0\n", "1\nTt 0 1 2 3\n")
    yield "pts", "comments", ("#\n" * 490_000 + "4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n", "1\nTt 0 1 2 3\n")
    grid = "# vtk DataFile Version 3.0\nt\n{}\nDATASET UNSTRUCTURED_GRID\n"
    corners = struct.pack(">12f", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1)
    cells = b"\nCELLS 1 5\n" + struct.pack(">5i", 4, 0, 1, 2, 3) + b"\nCELL_TYPES 1\n" + struct.pack(">i", 10)
    sound = grid.format("BINARY").encode() + b"POINTS 4 float\n" + corners + cells
    yield "vtk", "bits", sound + b"\nFIELD f 1\nb 1 7900000 bit\n" + b"\0" * 987_500
    yield "vtk", "arrays", sound + b"\nCELL_DATA 1\nFIELD f 60000\n" + b"".join(
        b"a%d 1 1 char\n0" % i for i in range(60_000))
    yield "vtk", "offsets", grid.format("ASCII").replace("3.0", "5.1") + (
        "POINTS 1 float\n0 0 0\nCELLS 400000 0\nOFFSETS vtktypeint64\n" + "0 " * 400_000 + "\n")
    yield "vtk", "declared", grid.format("ASCII") + "POINTS 9223372036854775807 float\n0\n"
    packed, points = zlib.compress(b"\0" * 720_000_000, 9), 30_000_000
    header = base64.b64encode(struct.pack("<4Q", 1, 720_000_000, 0, len(packed))).decode()
    array = '<DataArray type="{}" Name="{}" {}format="{}">{}</DataArray>'
    yield "vtu", "bomb", (
        '<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" '
        'header_type="UInt64" compressor="vtkZLibDataCompressor"><UnstructuredGrid>'
        f'<Piece NumberOfPoints="{points}" NumberOfCells="1"><Points>'
        + array.format("Float64", "Points", 'NumberOfComponents="3" ', "binary",
                       header + base64.b64encode(packed).decode()) + "</Points><Cells>"
        + array.format("Int64", "connectivity", "", "ascii", "0 1 2 3") + array.format("Int64", "offsets", "", "ascii", "4")
        + array.format("UInt8", "types", "", "ascii", "10")
        + "</Cells></Piece></UnstructuredGrid></VTKFile>\n")
    yield "vtu", "elements", '<VTKFile type="UnstructuredGrid">' + "<a>" * 120_000 + "</a>" * 90_000 + "</VTKFile>\n"


def write(path, content):
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return os.path.getsize(path)


def files(folder):
    """Writes one input after the other; yields its name, bytes and the arguments of `check`."""
    for name, text in yaml_inputs():
        yield "yaml_" + name, lambda n=name, t=text: (write(f"{folder}/{n}.yaml", t), f"{folder}/{n}.yaml")
    for suffix, name, content in mesh_inputs():
        def make(s=suffix, n=name, c=content):
            size = 0
            for part, ending in zip(c if isinstance(c, tuple) else (c,), ("pts", "elem") if s == "pts" else (s,)):
                size += write(f"{folder}/{s}_{n}.{ending}", part)
            write(f"{folder}/{s}_{n}.yaml", RUN.format(f"{s}_{n}.{s}", BOX))
            return size, f"{folder}/{s}_{n}.yaml"
        yield f"{suffix}_{name}", make

    def node_list():
        for ending, text in (("pts", "4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"), ("elem", "1\nTt 0 1 2 3\n")):
            write(f"{folder}/four.{ending}", text)
        size = write(f"{folder}/many.vtx", "490000\n" + "0\n" * 490_000)
        write(f"{folder}/vtx.yaml", RUN.format("four.pts", "{nodes: many.vtx}"))
        return size, f"{folder}/vtx.yaml"
    yield "vtx_many", node_list


def measured(program, file):
    """Exit code, seconds, megabytes and message of one check, in a process of its own whose children are counted."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        result = subprocess.run([program, "check", file], capture_output=True, env=dict(os.environ, OMP_NUM_THREADS="1"))
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        lines = (result.stderr.decode(errors="replace").strip().splitlines() or [""])
        seconds = used.ru_utime + used.ru_stime
        os.write(writer, f"{result.returncode}\t{seconds:.2f}\t{used.ru_maxrss // 1024}\t{lines[-1][-160:]}".encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    return text.split("\t", 3)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    wanted, bad = sys.argv[2:], 0
    print("name,bytes,exit_code,seconds,peak_mb,message")
    with tempfile.TemporaryDirectory() as folder:
        for name, make in files(folder):
            if wanted and name not in wanted:
                continue
            size, file = make()
            code, seconds, peak, message = measured(os.path.realpath(sys.argv[1]), file)
            bad += code not in ("0", "2") or float(seconds) > 5 or int(peak) > 1000
            message = message.replace(folder + "/", "").replace('"', "'")
            print(f'{name},{size},{code},{seconds},{peak},"{message}"', flush=True)
            os.remove(file)
    sys.exit(bad > 0)


main()
