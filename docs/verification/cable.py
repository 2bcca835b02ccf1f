#!/usr/bin/env python3
"""Speed of a front in a cable of linear elements in one dimension, by quadrature and edge, against the exact speed.

usage: cable.py PROGRAM    writes cable.csv beside this script, with the commit and machine that PROGRAM tells, and renews
                           its table in ../method/verification.md
       cable.py tables     renews the table alone

The program has tetrahedra alone. This is a second implementation of its equation in one dimension and without
recovery: dphi/dt = D phi'' - c phi (phi - alpha) (phi - 1), whose front has the speed sqrt(c D / 2) (1 - 2 alpha) and the
thickness delta = sqrt(2 D / c). Mass and reaction are integrated by one point in an element (`centroid`), by its ends
(`vertices`), or by 2/3 of the latter and 1/3 of the former (`vertices_and_centroid`, the weights of `quadrature`). Steps are
those of the trapezoidal rule with c dt = 0.04, a fiftieth of the time in which the front travels delta. Needs Python's
standard library only, and a minute.
"""
import math
import sys

import tables  # finds the modules of ../benchmarks for those below
import measured

HERE = tables.HERE
FILE = HERE / "cable.csv"
C, ALPHA = 8, 0.01  # of Aliev-Panfilov, the defaults
DIFFUSIVITY = C / 2  # delta is 1
AT_VERTICES = {"centroid": 0, "vertices": 1, "vertices_and_centroid": 2 / 3}  # the rest is at the centroid
EDGES = (0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3)
LENGTH, STIMULATED, FROM, TO = 40, 3, 14, 32
STEP = 0.04 / C


def reaction(phi):
    return -C * phi * (phi - ALPHA) * (phi - 1)


def slope_of_reaction(phi):
    return -C * (3 * phi * phi - 2 * (1 + ALPHA) * phi + ALPHA)


def solve_tridiagonal(diagonal, beside, right):
    """Of a symmetric matrix; overwrites its arguments, the solution is in `right`."""
    for i in range(1, len(right)):
        factor = beside[i - 1] / diagonal[i - 1]
        diagonal[i] -= factor * beside[i - 1]
        right[i] -= factor * right[i - 1]
    right[-1] /= diagonal[-1]
    for i in range(len(right) - 2, -1, -1):
        right[i] = (right[i] - beside[i] * right[i + 1]) / diagonal[i]


def newton_update(phi, before, edge, share):
    """The change of phi, at the end of a step that began with `before`, by one iteration of Newton's method."""
    nodes, stiffness = len(phi), DIFFUSIVITY / edge
    diagonal, beside, right = [0.0] * nodes, [0.0] * (nodes - 1), [0.0] * nodes
    for i in range(nodes - 1):
        j = i + 1
        # (M + dt/2 (K - F')) change = -(M (phi - before) + dt/2 (K (phi + before) - F(phi) - F(before)))
        flux = STEP / 2 * stiffness * (phi[i] - phi[j] + before[i] - before[j])
        right[i] -= flux
        right[j] += flux
        diagonal[i] += STEP / 2 * stiffness
        diagonal[j] += STEP / 2 * stiffness
        beside[i] -= STEP / 2 * stiffness
        for node in (i, j):
            weight = share * edge / 2
            right[node] -= weight * (phi[node] - before[node] - STEP / 2 * (reaction(phi[node]) + reaction(before[node])))
            diagonal[node] += weight * (1 - STEP / 2 * slope_of_reaction(phi[node]))
        middle, middle_before = (phi[i] + phi[j]) / 2, (before[i] + before[j]) / 2
        weight = (1 - share) * edge
        of_middle = weight / 2 * (middle - middle_before - STEP / 2 * (reaction(middle) + reaction(middle_before)))
        tangent = weight / 4 * (1 - STEP / 2 * slope_of_reaction(middle))
        right[i] -= of_middle
        right[j] -= of_middle
        diagonal[i] += tangent
        diagonal[j] += tangent
        beside[i] += tangent
    solve_tridiagonal(diagonal, beside, right)
    return right


def speed(edge, share):
    """Of the front between FROM and TO, from the times at which nodes come to 1/2."""
    nodes = round(LENGTH / edge) + 1
    phi = [1.0 if i * edge <= STIMULATED else 0.0 for i in range(nodes)]
    activation, time = {}, 0.0
    while phi[-1] < 0.5:
        if time > 4 * LENGTH / exact_speed():
            sys.exit(f"no front with an edge of {edge} and {share} of the weights at vertices")
        before = phi
        for _ in range(10):
            change = newton_update(phi, before, edge, share)
            phi = [value + by for value, by in zip(phi, change)]
            if max(map(abs, change)) < 1e-9:
                break
        for i in range(nodes):
            if before[i] < 0.5 <= phi[i]:
                activation[i * edge] = time + STEP * (0.5 - before[i]) / (phi[i] - before[i])
        time += STEP
    between = [(t, x) for x, t in activation.items() if FROM <= x <= TO]
    mean_t, mean_x = (sum(values) / len(between) for values in zip(*between))
    return (sum((t - mean_t) * (x - mean_x) for t, x in between) / sum((t - mean_t) ** 2 for t, _ in between))


def exact_speed():
    return math.sqrt(C * DIFFUSIVITY / 2) * (1 - 2 * ALPHA)


def measure(program):
    rows = []
    for name, share in AT_VERTICES.items():
        for edge in EDGES:
            rows.append({"quadrature": name, "edge_over_front": edge,
                         "speed_error_percent": round(100 * (speed(edge, share) / exact_speed() - 1), 3)})
            print(rows[-1], flush=True)
    measured.write(FILE, measured.head_of(program), list(rows[0]), rows)


def renew_table():
    """Of two edges; the file has all of them."""
    errors, edges = {}, [1, 2]
    for row in measured.read(FILE)[2]:
        if float(row["edge_over_front"]) not in edges:
            continue
        errors.setdefault(row["quadrature"], []).append(f"{float(row['speed_error_percent']):+.2f}")
    document = HERE.parent / "method/verification.md"
    document.write_text(tables.fill(document.read_text(), {"cable": tables.table(
        ["quadrature", *(f"{edge:g} δ" for edge in edges)], [[f"`{name}`", *row] for name, row in errors.items()])}))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] != "tables":
        measure(sys.argv[1])
    renew_table()
