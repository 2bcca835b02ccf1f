#!/bin/bash
# usage: document_links_test.sh ROOT
# Every link of a Markdown page to a file, folder or heading of the tree leads somewhere, every page that sources, tests,
# scripts and configurations name as docs/... is there, docs/guide/README.md leads to every page of the guide, and
# README.md has at most 70 lines. Prints what is not so, and fails. What Git does not track is no part of the tree, where there is Git.
set -euo pipefail
command -v python3 >/dev/null || { echo "no python3: links are not tried"; exit 77; }
cd -- "$1"
PYTHONDONTWRITEBYTECODE=1 python3 - <<'PYTHON'
import pathlib
import re
import subprocess
import sys

OUTSIDE = {".git", "build", "out", "shared"}
NAMED = re.compile(r"(?<![\w/.])docs/[\w/.-]*\.(?:md|py|sh)\b")
bad = []


def all_files():
    if pathlib.Path(".git").exists():
        tracked = subprocess.run(["git", "-c", f"safe.directory={pathlib.Path.cwd()}", "ls-files", "-z"], capture_output=True, text=True)
        if tracked.returncode == 0:
            return [pathlib.Path(name) for name in tracked.stdout.split("\0") if name]
    return [path for path in pathlib.Path(".").rglob("*") if path.parts[0] not in OUTSIDE]


def files(suffixes):
    return sorted(path for path in tree if path.suffix in suffixes and path.is_file())


def anchors(page):
    """What the headings of a page are called in links, by the rule of GitHub."""
    found, fenced = set(), False
    for line in page.read_text().splitlines():
        fenced ^= line.startswith("```")
        if not fenced and (heading := re.match(r"#{1,6} (.*)", line)):
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1]).strip().lower()
            anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            number = 0
            while (name := anchor + (f"-{number}" if number else "")) in found:
                number += 1
            found.add(name)
    return found


def links(page):
    """Number of the line and target of each link, pictures among them."""
    fenced = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fenced ^= line.startswith("```")
        if not fenced:
            for target in re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", re.sub(r"`[^`]*`", "", line)):
                yield number, target[0] or target[1]


tree = all_files()
for page in files({".md"}):
    for number, target in links(page):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        goal = page.parent / path if path else page
        if not goal.exists():
            bad.append(f"{page}:{number}: there is no {target}")
        elif anchor and anchor not in anchors(goal):
            bad.append(f"{page}:{number}: {goal} has no heading #{anchor}")

for source in files({".hpp", ".cpp", ".cuh", ".cu", ".py", ".sh", ".yaml", ".cmake", ".txt"}):
    if source.name.startswith("document_links"):
        continue
    for number, line in enumerate(source.read_text(errors="replace").splitlines(), 1):
        for name in NAMED.findall(line):
            if not pathlib.Path(name).exists():
                bad.append(f"{source}:{number}: there is no {name}")

front = pathlib.Path("docs/guide/README.md")
if front in tree:
    led_to = {(front.parent / target).resolve() for _, target in links(front)}
    bad += [f"{front}: there is no link to {page}" for page in files({".md"})
            if front.parent in page.parents and page != front and page.resolve() not in led_to]
if (lines := len(pathlib.Path("README.md").read_text().splitlines())) > 70:
    bad.append(f"README.md: at most 70 lines expected, got {lines}")
print("\n".join(bad), end="\n" if bad else "")
sys.exit(bool(bad))
PYTHON
