#!/usr/bin/env python3
"""How near to the best tuned choice the rule's is, of the measurements of `bench spmv`.

usage: rule.py ALL.csv OUT.csv [FITTED...]

One line a matrix: its fastest choice of any format that was measured, the rule's (column by_rule), and the ratio of
their times. Matrices that the rule was fitted to are named; all others are `held_out`.
"""
import csv
import sys


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with open(sys.argv[1], newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["matrix"] and row["median_us"]]
    with open(sys.argv[2], "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["matrix", "best_format", "best_us", "rule_format", "rule_block_size", "rule_threshold",
                         "rule_us", "ratio", "held_out"])
        for matrix in dict.fromkeys(row["matrix"] for row in rows):
            choices = [row for row in rows if row["matrix"] == matrix]
            best = min(choices, key=lambda row: float(row["median_us"]))
            rule = next(row for row in choices if row["by_rule"] == "yes")
            best_us, rule_us = float(best["median_us"]), float(rule["median_us"])
            writer.writerow([matrix, best["format"], best_us, rule["format"], rule["block_size"], rule["threshold"],
                             rule_us, round(rule_us / best_us, 4), "no" if matrix in sys.argv[3:] else "yes"])


if __name__ == "__main__":
    main()
