#!/usr/bin/env python3
"""CSV files of measurements: lines `# key: value` that say where the numbers come from, then a table.

usage: measured.py merge OUT.csv IN.csv...     the tables, one below the other; all have to be of one build and machine
"""
import array
import csv
import io
import os
import pathlib
import re
import struct
import subprocess
import sys
import zlib

KEYS = ["commit", "gpu", "driver", "cuda", "processor", "date"]
OF_ONE_SET = [key for key in KEYS if key != "date"]


def head_of(program):
    """What `program` writes at the beginning of a CSV file here and now."""
    text = subprocess.run([program, "info", "--csv-head"], check=True, capture_output=True, text=True).stdout
    return parse_head(text.splitlines(), program)


def parse_head(lines, source):
    head = dict(line[2:].split(": ", 1) for line in lines)
    missing = [key for key in KEYS if not head.get(key)]
    if missing:
        sys.exit(f"{source}: expected lines '# key: value' with {', '.join(KEYS)}, got none with {', '.join(missing)}")
    return head


def read(path):
    """Head, names of the columns, and rows by these names."""
    lines = pathlib.Path(path).read_text().splitlines(keepends=True)
    length = next((number for number, line in enumerate(lines) if not line.startswith("# ")), len(lines))
    head = parse_head([line.rstrip("\n") for line in lines[:length]], path)
    reader = csv.DictReader(lines[length:])
    return head, reader.fieldnames or [], list(reader)


def write(path, head, columns, rows):
    """All at once, so that what was there before stays until then."""
    text = io.StringIO()
    text.writelines(f"# {key}: {value}\n" for key, value in head.items())
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    part = pathlib.Path(f"{path}.part")
    part.write_text(text.getvalue())
    os.replace(part, path)


def read_set(paths):
    """Of tables of one set: the head of the first, the columns, and all rows."""
    head, columns, rows = read(paths[0])
    for path in paths[1:]:
        other, other_columns, more = read(path)
        for key in OF_ONE_SET:
            if other[key] != head[key]:
                sys.exit(f"{path}: expected {key} '{head[key]}' as {paths[0]} has, got '{other[key]}'")
        if other_columns != columns:
            sys.exit(f"{path}: expected the columns of {paths[0]}")
        rows += more
    return head, columns, rows


def point_array(file, name):
    """A double array of a VTU file that the program wrote (appended raw data, compressed by zlib)."""
    data = pathlib.Path(file).read_bytes()
    appended = data.index(b"_", data.index(b"<AppendedData")) + 1
    tag = re.search(rb'<DataArray[^>]*Name="' + name.encode() + rb'"[^>]*offset="(\d+)"', data)
    start = appended + int(tag.group(1))
    blocks = struct.unpack_from("<Q", data, start)[0]
    start += 8 * 3
    sizes = struct.unpack_from(f"<{blocks}Q", data, start)
    start += 8 * blocks
    values = array.array("d")
    for size in sizes:
        values.frombytes(zlib.decompress(data[start:start + size]))
        start += size
    return values


def main():
    if len(sys.argv) < 4 or sys.argv[1] != "merge":
        sys.exit(__doc__)
    write(sys.argv[2], *read_set(sys.argv[3:]))


if __name__ == "__main__":
    main()
