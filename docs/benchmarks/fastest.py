#!/usr/bin/env python3
"""Of all measurements of `bench spmv`, those of each format's fastest choices and of the rule's.

usage: fastest.py ALL.csv... OUT.csv

A choice (block size, threshold, ..) is kept with all its lines where it is the fastest of its format, of its length of
slices and of its window, for a matrix with so many unknowns a node and its nodes in this order, by any of the numbers of
products. All files have to be of one build and
machine.
"""
import sys

import measured

KIND = ["matrix", "unknowns", "node_order", "format", "slice_rows", "window"]
CHOICE = [*KIND, "block_size", "threshold", "lanes", "values_per_thread"]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    head, columns, rows = measured.read_set(sys.argv[1:-1])
    fastest = {}
    for row in rows:
        key = tuple(row[name] for name in [*KIND, "products"])
        if row["median_us"] and (key not in fastest or float(row["median_us"]) < float(fastest[key]["median_us"])):
            fastest[key] = row
    kept = {tuple(row[name] for name in CHOICE) for row in fastest.values()}
    measured.write(sys.argv[-1], head, columns,
                   [row for row in rows if tuple(row[name] for name in CHOICE) in kept or row["by_rule"] == "yes" or
                    row["correct"] == "no"])


if __name__ == "__main__":
    main()
