"""Tables of pages, each between the lines <!-- NAME --> and <!-- /NAME -->."""

import sys

NONE = "–"


def count(text):
    return f"{int(text):,}"


def rows_text(header, rows):
    return "".join("| " + " | ".join(cells) + " |\n" for cells in [header, ["---"] * len(header), *rows])


def filled(document, name, text, where):
    """The document with the text between the markers of the name; ends the script where they are not there."""
    before, begin, rest = document.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- /{name} -->\n")
    if not end:
        sys.exit(f"{where}: expected a pair of markers '{name}'")
    return before + begin + text + end + after


def fill(page, name, text):
    page.write_text(filled(page.read_text(), name, text, page))
