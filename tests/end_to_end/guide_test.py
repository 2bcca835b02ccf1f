#!/usr/bin/env python3
"""usage: guide_test.py SOURCE_FOLDER PROGRAM SCRATCH_FOLDER PAGE

Tries README.md or a page of docs/guide as a reader does who types what it says, in a tree with configs/ and docs/guide/
alone, and holds its numbers against what comes out:

- the first block ```yaml or ```xml is, line by line, from a file of docs/guide/ or configs/ (.yaml, .cellml), which a
  command of the page runs;
- <!-- needs FILE --> names public data of ../shared that a reader has beside the project;
- blocks ```sh are run in turn, unless the line before is <!-- not run -->;
- a block ```text has lines that the commands before it print, in this order. An ellipsis stands for anything, and numbers
  may differ by one in their last digit, or, where Gmsh is not the version that made the meshes of the pages, by a fifth;
- blocks ```python are run where the modules that they import are there, and a block ```text behind is what they print;
- <!-- check ... --> at the end has Python that holds numbers in the text against results: says("0.59 m/s", value) wants
  these words in the page and their first number to be the value, rounded.

Exit code 77 where a page cannot be tried as Python is too old or its data is not there."""
import contextlib
import csv
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

NUMBER = r"[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?"
BLOCK = re.compile(r"(<!-- not run -->\n)?^```(\w+)\n(.*?)^```$|^<!-- check\n(.*?)^-->$", re.DOTALL | re.MULTILINE)


GMSH = "4.8"  # that of the pages


class Mistake(Exception):
    pass


def value_of(text):
    return float(text.replace(",", "").replace("−", "-"))


def last_digit(text):
    """What one in the last digit of a number is worth."""
    mantissa, _, exponent = text.partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


class Slack:
    """By which share numbers may be others than those of the page."""
    share = 0.0


def agree(number, value, digits):
    """Whether a number of a page is the value, to so many of its last digits or to the share that is allowed."""
    return abs(value_of(number) - value) <= max(digits * last_digit(number), Slack.share * abs(value))


def fits(expected, line):
    """Whether a line of output is the one that a page has."""
    parts = re.split(f"({NUMBER}|…)", expected.strip())
    pattern = "".join(".*?" if part == "…" else f"({NUMBER})" if re.fullmatch(NUMBER, part) else re.sub(r"\\ +", r"\\s+", re.escape(part))
                      for part in parts)
    match = re.fullmatch(pattern, line.strip())
    wanted = [part for part in parts if re.fullmatch(NUMBER, part)]
    return match and all(agree(a, value_of(b), 1.01) for a, b in zip(wanted, match.groups()))


def hold_lines(block, output):
    """Each line of the block is in the output, behind the one before."""
    lines = iter(output.splitlines())
    for expected in filter(str.strip, block.splitlines()):
        if not any(fits(expected, line) for line in lines):
            raise Mistake(f"expected the line\n  {expected}\nin this output:\n{output}")


class Results:
    """What the checks of a page ask for; folders as the page has them."""

    def __init__(self, page, source):
        self.text = re.sub(r"\s+", " ", re.sub(r"<!-- check.*?-->", "", page, flags=re.DOTALL))
        self.folders = [source / "docs/papers", source / "docs/benchmarks"]

    def says(self, words, value):
        if re.sub(r"\s+", " ", words) not in self.text:
            raise Mistake(f"the page does not say '{words}' any more, whose number is {value}")
        number = re.search(NUMBER, words)[0]
        if not agree(number, value, 0.6):
            raise Mistake(f"the page says '{words}', the run {value}")

    @staticmethod
    def summary(folder):
        return json.loads(pathlib.Path(folder, "summary.json").read_text())

    @staticmethod
    def column(file, name):
        with open(file) as lines:
            return [float(row[name]) for row in csv.DictReader(lines)]

    @staticmethod
    def upstrokes(folder, probe, level=0):
        """When the probe rises through a potential, in ms."""
        with open(pathlib.Path(folder, "probes.csv")) as file:
            rows = [(float(row["time_ms"]), float(row[probe])) for row in csv.DictReader(file)]
        return [t0 + (level - v0) / (v1 - v0) * (t1 - t0) for (t0, v0), (t1, v1) in zip(rows, rows[1:]) if v0 < level <= v1]

    def maps(self, folder, name, point=None):
        """The numbers of an array of maps.vtu, or that of the node nearest to a point."""
        sys.path += map(str, self.folders)
        import measured
        file = pathlib.Path(folder, "maps.vtu")
        values = measured.point_array(file, name)
        if point is None:
            return values
        places = measured.point_array(file, "Points")
        return values[min(range(len(values)), key=lambda i: math.dist(places[3 * i:3 * i + 3], point))]


def run(command, folder, environment):
    done = subprocess.run(command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def python_block(code, folder, environment):
    """What a block prints; nothing where a module is not there."""
    modules = re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE)
    status, output = run([sys.executable, "-c", "import " + ", ".join(modules)] if modules else ["true"], folder, environment)
    if status:
        print(f"not tried, as one of the modules is not here: {', '.join(modules)}")
        return None
    status, output = run([sys.executable, "-c", code], folder, environment)
    if status:
        raise Mistake(f"this Python of the page fails:\n{code}\n{output}")
    return output


def example_of(text, tree):
    """The file that the page begins with."""
    block = re.search(r"^```(yaml|xml)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    if not block:
        raise Mistake("the page has no block of YAML or XML")
    for file in sorted(tree.rglob("*.yaml" if block[1] == "yaml" else "*.cellml")):
        lines = iter(file.read_text().splitlines())
        if all(line in lines for line in block[2].splitlines()) and str(file.relative_to(tree)) in text:
            return file.relative_to(tree)
    raise Mistake("the first block is in no file of docs/guide or configs that a command of the page runs")


def try_page(text, tree, source, environment):
    example = example_of(text, tree)
    if not re.search(rf"^cardiowarp (run|compare|cell|restitution|sweep) {re.escape(str(example))}\b", text, re.MULTILINE):
        raise Mistake(f"no command of the page runs {example}")
    output, tried = None, 0
    for not_run, kind, body, check in BLOCK.findall(text):
        if check:
            results = Results(text, source)
            names = {name: getattr(results, name) for name in ("says", "summary", "column", "upstrokes", "maps")}
            with within(tree):
                exec(check, names)
        elif kind == "sh" and not not_run:
            status, output = run(["bash", "-euc", body], tree, environment)
            tried += 1
            if status and "# fails" not in body:
                raise Mistake(f"exit code {status} of\n{body}\n{output}")
        elif kind == "python":
            output = python_block(body, tree, environment)
        elif kind == "text" and output is not None:
            hold_lines(body, output)
    if not tried:
        raise Mistake("the page has no commands to try")


def bring_data(text, tree, source):
    """Puts what a page needs of ../shared where its commands look; the first file that is not there, else nothing."""
    for name in re.findall(r"^<!-- needs (\S+) -->$", text, re.MULTILINE):
        file = source.parent / "shared" / name
        if not file.is_file():
            return file
        (tree / file.name).symlink_to(file)
    return None


@contextlib.contextmanager
def within(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def main():
    if sys.version_info < (3, 10):
        print("Python 3.10 is needed to try the pages of the guide")
        return 77
    source, program, scratch = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
    shutil.rmtree(scratch, ignore_errors=True)
    (scratch / "bin").mkdir(parents=True)
    (scratch / "bin/cardiowarp").symlink_to(program)
    tree = scratch / "tree"
    shutil.copytree(source / "docs/guide", tree / "docs/guide")
    shutil.copytree(source / "configs", tree / "configs", ignore=shutil.ignore_patterns("out"))
    environment = os.environ | {"PATH": f"{scratch / 'bin'}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(scratch / "cache"),
                                "PYTHONDONTWRITEBYTECODE": "1", "CARDIOWARP": str(program),
                                "PYTHONPATH": str(source / "python")}
    sys.dont_write_bytecode = True
    version = re.search(r"Gmsh +(\d+\.\d+)", run(["cardiowarp", "info"], tree, environment)[1])
    if version and version[1] != GMSH:
        print(f"Gmsh is {version[1]} and not {GMSH}: meshes are others, and numbers are held to a fifth")
        Slack.share = 0.2
    text = (source / sys.argv[4]).read_text()
    if missing := bring_data(text, tree, source):
        print(f"skipped: {missing} is not here")
        return 77
    try:
        try_page(text, tree, source, environment)
    except Mistake as mistake:
        print(f"{sys.argv[4]}: {mistake}")
        return 1
    shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
