#!/usr/bin/env python3
"""The pages are as long as a reader can bear: README has 70 lines, what a modeler reads 15,000 words, all pages together
55,000. Words are what white space parts.

usage: document_lengths_test.py SOURCE_FOLDER
       document_lengths_test.py --self-test
"""
import pathlib
import sys
import tempfile

README_LINES, MODELER_WORDS, ALL_WORDS = 70, 15000, 55000
REFERENCE = ("docs/configuration.md", "docs/output.md", "docs/meshes.md")
ROOMS = ("docs", "meshes", "python", "configs", "tests")
GUIDE_PAGE, METHOD_PAGE = (f"docs/{folder}/page.md" for folder in ("guide", "method"))  # of the self test


def words(pages):
    return sum(len(page.read_text().split()) for page in pages)


def complaints(root):
    """What is counted, and a line for each limit that is passed."""
    guide = sorted((root / "docs/guide").rglob("*.md"))
    reference = [root / page for page in REFERENCE]
    pages = [page for page in root.glob("*.md") if page.name != "CHANGELOG.md"]
    pages += [page for room in ROOMS for page in (root / room).rglob("*.md")]
    lines = len((root / "README.md").read_text().splitlines())
    counts = [(lines, README_LINES, "lines of README.md"),
              (words(guide + reference), MODELER_WORDS, "words of docs/guide and of " + ", ".join(REFERENCE)),
              (words(pages), ALL_WORDS, "words of all pages but the changelog")]
    return counts, [f"{count} {what}: at most {most}" for count, most, what in counts if count > most]


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for page in (GUIDE_PAGE, METHOD_PAGE, *REFERENCE, "README.md", "CHANGELOG.md"):
            (root / page).parent.mkdir(parents=True, exist_ok=True)
            (root / page).write_text("word\n")
        cases = [("CHANGELOG.md", 60000, 0), ("README.md", 71, 1), (GUIDE_PAGE, 14998, 1),
                 ("docs/output.md", 14998, 1), (METHOD_PAGE, 54996, 1), (METHOD_PAGE, 54995, 0)]
        for page, number, expected in cases:
            (root / page).write_text("word\n" * number)
            _, found = complaints(root)
            (root / page).write_text("word\n")
            if len(found) != expected:
                return [f"{number} words in {page}: {found}"]
    return []


def main():
    if sys.argv[1:] == ["--self-test"]:
        mistakes = self_test()
    else:
        counts, mistakes = complaints(pathlib.Path(sys.argv[1]))
        for count, most, what in counts:
            print(f"{count:6} of {most} {what}")
    for mistake in mistakes:
        print(mistake)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
