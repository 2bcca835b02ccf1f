#!/usr/bin/env python3
"""usage: pictures.py PROGRAM     in a folder where the commands of the pages have been run

Makes the pictures of the gallery, beside this script, from the results in out/: maps and frames are those that `PROGRAM
report` draws, side by side; curves are those that the runs have written, with fewer points. All together are small."""
import base64
import csv
import pathlib
import re
import struct
import subprocess
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
# Of the pictures of a report, in their order: activation from two sides, APD90 from two sides, ten frames. Maps are made
# half as wide.
MAPS = 4
PICTURES = {"heart": ("out/heart", [0, 1]), "slab": ("out/slab", [0, 1]), "human_heart": ("out/human", [0, 1]),
            "isthmus": ("out/isthmus", [5, 6, 7, 8]), "spiral": ("out/spiral", [6, 8, 10, 13]),
            "scroll": ("out/scroll", [10, 11, 12, 13]), "prepaced": ("out/prepaced", [2, 3]),
            "purkinje": ("out/purkinje", [0, 1]), "sinus": ("out/sinus", [0, 1])}
CURVES = {"ecg": "out/ecg/ecg.svg", "electrograms": "out/electrograms/ecg.svg", "t_wave": "out/t_wave/ecg.svg",
          "restitution": "out/pacing_restitution/restitution.svg", "sweep": "out/pacing_sweep/sweep.svg"}
GAP = 8


def rows_of(png):
    """Width in pixels and the rows of a picture of the program: red, green, blue without filters."""
    width, height = struct.unpack_from(">II", png, 16)
    data, place = b"", 8
    while place < len(png):
        size, kind = struct.unpack_from(">I4s", png, place)
        data += png[place + 8:place + 8 + size] if kind == b"IDAT" else b""
        place += 12 + size
    data = zlib.decompress(data)
    return width, [data[row * (3 * width + 1) + 1:(row + 1) * (3 * width + 1)] for row in range(height)]


def png_of(width, rows):
    """Each byte less the one above it, which suits areas of one color; colors are rounded to 64 a channel."""
    rows = [bytes(value & 252 | value >> 6 for value in row) for row in rows]
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    filtered = b"".join(b"\2" + bytes((a - b) & 255 for a, b in zip(row, above))
                        for row, above in zip(rows, [bytes(3 * width)] + rows))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(filtered, 9)) + chunk(b"IEND", b""))


def half(width, rows):
    """The picture with the mean of four pixels in place of them."""
    wide = width // 2
    return wide, [bytes((upper[i] + upper[i + 3] + lower[i] + lower[i + 3] + 2) // 4 for x in range(wide) for i in range(6 * x, 6 * x + 3))
                  for upper, lower in zip(rows[::2], rows[1::2])]


def thinned(svg):
    """The curves with every fourth of their points, where they have many."""
    def fewer(match):
        points = match[1].split()
        return f'points="{" ".join(points if len(points) < 200 else points[::4] + points[-1:])}"'
    return re.sub(r'points="([^"]*)"', fewer, svg)


def path_of_tip(file, size, pixels=166):
    """The places of a spiral's tip on a sheet so many mm wide, with lines from each to the next, as SVG."""
    with open(file) as lines:
        rows = [(float(row["x"]), float(row["y"])) for row in csv.DictReader(lines)]
    points = " ".join(f"{x / size * pixels:.1f},{(1 - y / size) * pixels:.1f}" for x, y in rows)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{pixels}" height="{pixels}"><rect width="100%" height="100%" '
            f'fill="white" stroke="gray"/><polyline fill="none" stroke="#0072B2" points="{points}"/></svg>\n')


def side_by_side(pictures):
    height = max(len(rows) for _, rows in pictures)
    joined = []
    for row in range(height):
        joined.append((b"\xff" * 3 * GAP).join(rows[row] if row < len(rows) else b"\xff" * 3 * width for width, rows in pictures))
    return sum(width for width, _ in pictures) + GAP * (len(pictures) - 1), joined


def main():
    program = sys.argv[1]
    for name, (folder, chosen) in PICTURES.items():
        if not pathlib.Path(folder).is_dir():
            print(f"{name}: no results in {folder}")
            continue
        page = pathlib.Path(folder, "report.html")
        subprocess.run([program, "report", folder, "--output", page], check=True, stdout=subprocess.DEVNULL)
        shown = re.findall(r"data:image/png;base64,([^\"]+)", page.read_text())
        pictures = [rows_of(base64.b64decode(shown[number])) for number in chosen]
        pictures = [half(*picture) if number < MAPS else picture for number, picture in zip(chosen, pictures)]
        (HERE / f"{name}.png").write_bytes(png_of(*side_by_side(pictures)))
    for name, file in CURVES.items():
        if pathlib.Path(file).is_file():
            (HERE / f"{name}.svg").write_text(thinned(pathlib.Path(file).read_text()))
    if pathlib.Path("out/tip.csv").is_file():
        (HERE / "tip.svg").write_text(path_of_tip("out/tip.csv", 50))
    for file in sorted(HERE.glob("*.png")) + sorted(HERE.glob("*.svg")):
        print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
