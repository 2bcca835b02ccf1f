#!/usr/bin/env python3
"""Fits the weights of the cost model of kernels/sparse/ell_warp_choice.cpp to measured times, by least squares.

usage: fit_rule.py TERMS.csv        (tests/support/rule_terms.cpp writes TERMS.csv)

A time is weights · amounts of the terms, and a number of its matrix that every choice takes alike. Each matrix counts
with its times over its best time, so that errors are relative, and with the choices that take at most WITHIN times as
long as the best one: how slow a bad choice is does not matter. In the cache and beyond it the terms are other ones.
Beyond it a cost is in times of a batch, so the weights are divided by that of longest_lane. A term that is the same for
all choices of every matrix cannot be fitted and keeps its weight.

Printed are the fitted weights beside those built in, and for both how near to the best of all measured choices that of
the least cost comes. The amounts have constants of their own, which are set by hand and not fitted: 0.325 µs a batch,
0.012 µs a warp and 0.0005 µs a gather, 48 sectors of 32 rows, the busiest twentieth, and 30, 34 and 60 MB.
"""
import math
import sys

import measured

WITHIN = 2
BATCH = "longest_lane"


class Matrix:
    """`choices` are pairs of a time and the amounts of `terms`; `best` is the least time of all, considered or not."""

    def __init__(self, name, terms, choices, best):
        self.name, self.terms, self.choices, self.best = name, terms, choices, best


def read(path):
    """Built-in weights by term, matrices, the rule's time of each, and what was left out."""
    head, columns, rows = measured.read(path)
    weights = {term: float(head["weight of " + term]) for term in columns if "weight of " + term in head}
    matrices, by_rule = [], {}
    for name in dict.fromkeys(row["matrix"] for row in rows):
        of_matrix = [row for row in rows if row["matrix"] == name]
        considered = [row for row in of_matrix if any(row[term] for term in weights)]
        terms = [term for term in weights if considered[0][term]]
        choices = [(float(row["median_us"]), [float(row[term]) for term in terms]) for row in considered]
        best = min(float(row["median_us"]) for row in of_matrix)
        matrices.append(Matrix(name, terms, choices, best))
        by_rule[name] = [float(row["median_us"]) for row in of_matrix if row["by_rule"] == "yes"]
    return weights, matrices, by_rule, head.get("left out", "")


def solve(a, b):
    """x with a x = b by Gauss, a symmetric and positive definite; the unknowns are scaled to a diagonal of 1."""
    size = len(b)
    scale = [1 / math.sqrt(a[i][i]) for i in range(size)]
    lines = [[a[i][j] * scale[i] * scale[j] for j in range(size)] + [b[i] * scale[i]] for i in range(size)]
    for i in range(size):
        for k in range(size):
            if k != i:
                factor = lines[k][i] / lines[i][i]
                lines[k] = [x - factor * y for x, y in zip(lines[k], lines[i])]
    return [lines[i][size] / lines[i][i] * scale[i] for i in range(size)]


def errors(matrix):
    """For each choice near the best its time and the amounts, less their means over these choices, which takes away the
    number of the matrix's own, and over the best time."""
    least = min(time for time, _ in matrix.choices)
    near = [[time] + amounts for time, amounts in matrix.choices if time <= WITHIN * least]
    mean = [sum(column) / len(near) for column in zip(*near)]
    return [[(x - m) / matrix.best for x, m in zip(numbers, mean)] for numbers in near]


def fit(matrices, weights):
    """The weights of least squares of these matrices, all of the same terms."""
    terms = matrices[0].terms
    a = [[0.0] * len(terms) for _ in terms]
    b = [0.0] * len(terms)
    for matrix in matrices:
        for time, *amounts in errors(matrix):
            for i, x in enumerate(amounts):
                b[i] += x * time
                for j, y in enumerate(amounts):
                    a[i][j] += x * y
    free = [i for i in range(len(terms)) if a[i][i] > 0]
    found = solve([[a[i][j] for j in free] for i in free], [b[i] for i in free])
    fitted = dict({term: weights[term] for term in terms}, **{terms[i]: x for i, x in zip(free, found)})
    scale = fitted[BATCH] if BATCH in terms else 1
    return {term: weight / scale for term, weight in fitted.items()}


def rms_error(matrices, weights):
    """Of the times in the cache, over the best ones: the root of the mean square that least squares make least."""
    squares = [(time - sum(weights[term] * x for term, x in zip(matrix.terms, amounts))) ** 2
               for matrix in matrices if BATCH not in matrix.terms for time, *amounts in errors(matrix)]
    return math.sqrt(sum(squares) / len(squares))


def chosen_us(matrix, weights):
    return min(matrix.choices, key=lambda choice: sum(weights[term] * x for term, x in zip(matrix.terms, choice[1])))[0]


def fit_all(matrices, weights):
    """In the cache and beyond."""
    fitted = dict(weights)
    for terms in dict.fromkeys(tuple(matrix.terms) for matrix in matrices):
        fitted.update(fit([matrix for matrix in matrices if tuple(matrix.terms) == terms], weights))
    return fitted


def loss(ratios):
    """Of the times of the choices over the best ones: share within 5 % of the best, mean and largest loss."""
    return (sum(ratio <= 1.05 for ratio in ratios) / len(ratios), sum(ratios) / len(ratios) - 1, max(ratios) - 1)


def ratios(matrices, weights):
    return [chosen_us(matrix, weights) / matrix.best for matrix in matrices]


def cross_validation(matrices, weights, part_of):
    """The ratios of each part by weights that are fitted to all others."""
    found = []
    for part in dict.fromkeys(part_of(matrix) for matrix in matrices):
        others = [matrix for matrix in matrices if part_of(matrix) != part]
        found += ratios([matrix for matrix in matrices if part_of(matrix) == part], fit_all(others, weights))
    return found


def class_of(matrix):
    """Of a stand-in; `heart` of a heart."""
    first = matrix.name.split(":")[0]
    return "heart" if any(c.isdigit() for c in first) else first


def seed_of(matrix):
    return class_of(matrix) if class_of(matrix) == "heart" else matrix.name.partition(":")[2]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    weights, matrices, _, left_out = read(sys.argv[1])
    if left_out:
        print(f"left out, hearts inside a surface that rule_terms was not given: {left_out}")
    fitted = fit_all(matrices, weights)
    print(f"{'term':12} {'built in':>9} {'fitted':>10} {'ratio':>6}")
    for term, weight in weights.items():
        print(f"{term:12} {weight:9g} {fitted[term]:10.3g} {fitted[term] / weight:6.2f}")
    print(f"error of the times in the cache: built in {100 * rms_error(matrices, weights):.1f} %, "
          f"fitted {100 * rms_error(matrices, fitted):.1f} %")
    print(f"\n{'weights':40} {'matrices':>8} {'within 5 %':>10} {'mean loss':>9} {'worst':>6}")
    for name, of_all in [("built in", ratios(matrices, weights)), ("fitted", ratios(matrices, fitted)),
                         ("fitted, one seed left out at a time", cross_validation(matrices, weights, seed_of)),
                         ("fitted, one class left out at a time", cross_validation(matrices, weights, class_of))]:
        near, mean, worst = loss(of_all)
        print(f"{name:40} {len(of_all):8} {100 * near:8.1f} % {100 * mean:7.1f} % {100 * worst:4.0f} %")


if __name__ == "__main__":
    main()
