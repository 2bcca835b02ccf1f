#!/usr/bin/env python3
"""Of all measurements of `bench spmv`, those of each format's fastest choices and of the rule's.

usage: fastest.py ALL.csv OUT.csv

A choice (block size, threshold, ..) is kept with all its lines where it is the fastest of its format for a matrix by any
of the numbers of products.
"""
import csv
import sys

CHOICE = ["matrix", "format", "block_size", "threshold", "lanes", "values_per_thread", "window"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    fastest = {}
    for row in rows:
        key = (row["matrix"], row["format"], row["products"])
        if row["median_us"] and (key not in fastest or float(row["median_us"]) < float(fastest[key]["median_us"])):
            fastest[key] = row
    kept = {tuple(row[name] for name in CHOICE) for row in fastest.values()}
    with open(sys.argv[2], "w", newline="") as file:
        writer = csv.DictWriter(file, reader.fieldnames, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            if tuple(row[name] for name in CHOICE) in kept or row["by_rule"] == "yes" or row["correct"] == "no":
                writer.writerow(row)


if __name__ == "__main__":
    main()
