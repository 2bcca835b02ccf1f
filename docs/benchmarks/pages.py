"""Tables of pages, each between the lines <!-- NAME --> and <!-- /NAME -->, and the texts of their cells."""

import re
import sys

NONE = "–"
NOT_MEASURED = "not measured"


def count(text):
    return f"{int(text):,}"


def number(value):
    return f"{value:.3g}" if value < 999.5 else f"{value:,.0f}"


def of_row(row, column, text=number):
    return text(float(row[column])) if row and row.get(column) else NOT_MEASURED


def chosen(found, shown):
    """Those of the found that a page shows, or all where there is none of them."""
    return [name for name in found if name in shown] or list(found)


def rows_text(header, rows):
    """A table; where nothing is measured a row that says so."""
    rows = rows or [["hearts", *[NOT_MEASURED] * (len(header) - 1)]]
    lines = ["| " + " | ".join(cells) + " |\n" for cells in [header, *rows]]
    return lines[0] + "|---" * len(header) + "|\n" + "".join(lines[1:])


def names_of(document):
    return re.findall(r"^<!-- (\w+) -->$", document, re.MULTILINE)


def filled(document, name, text, where):
    """The document with the text between the markers of the name; ends the script where they are not there."""
    before, begin, rest = document.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- /{name} -->\n")
    if not end:
        sys.exit(f"{where}: expected a pair of markers '{name}'")
    return before + begin + text + end + after
