#!/usr/bin/env python3
"""How near to the best tuned choice the rule's is, of the measurements of `bench spmv`.

usage: rule.py ALL.csv OUT.csv [FITTED...]

One line a matrix: its fastest choice of any format that was measured, the rule's (column by_rule), and the ratio of
their times. Matrices that the rule was fitted to are named; all others are `held_out`.
"""
import sys

import measured


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    head, _, rows = measured.read(sys.argv[1])
    rows = [row for row in rows if row["matrix"] and row["median_us"]]
    lines = []
    for matrix in dict.fromkeys(row["matrix"] for row in rows):
        choices = [row for row in rows if row["matrix"] == matrix]
        best = min(choices, key=lambda row: float(row["median_us"]))
        rule = next(row for row in choices if row["by_rule"] == "yes")
        best_us, rule_us = float(best["median_us"]), float(rule["median_us"])
        lines.append({"matrix": matrix, "best_format": best["format"], "best_us": best_us,
                      "rule_format": rule["format"], "rule_block_size": rule["block_size"],
                      "rule_threshold": rule["threshold"], "rule_us": rule_us, "ratio": round(rule_us / best_us, 4),
                      "held_out": "no" if matrix in sys.argv[3:] else "yes"})
    measured.write(sys.argv[2], head, lines[0], lines)


if __name__ == "__main__":
    main()
