#!/usr/bin/env python3
"""Two regions, computed a second time: the equations of the model by dense matrices and plain loops.

It shares nothing with the program but the equations. Without an argument it writes two_regions.pts, .elem, .lon (openCARP
meshes, mm) and reference.json beside itself; with --check it computes the numbers again and ends with 1 where those kept
in reference.json are others. two_regions.yaml says the same case in the program's words.

  dphi/dtau = div(D grad phi) + f + s,  f = c phi (phi - alpha) (1 - phi) - r phi       mV = 100 phi - 80
  dr/dtau = g,  g = (gamma + mu1 r / (mu2 + phi)) (-r - c phi (phi - b - 1))            ms = 12.9 tau
Linear tetrahedra with one point, at the centroid, backward Euler, Newton for the nodes around a Newton for r.
"""

import json
import math
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
MS_PER_TAU, MV_PER_PHI, REST_MV = 12.9, 100.0, -80.0

END_MS, STEP_MS, FRAME_MS = 140.1, 0.25, 20.0  # 560 steps and a short one
PROBES = [("near", (0.55, 0.75, 0.45)), ("far", (3.4, 1.3, 0.5))]
PROBE_EVERY = 8  # steps between the rows that are kept


# The mesh: 4 x 2 x 1 cells of a crooked box, six tetrahedra each.


def mesh():
    def number(i, j, k):
        return (k * 3 + j) * 5 + i

    nodes = []
    for k in range(2):
        for j in range(3):
            for i in range(5):
                wobble = [0.08 * math.sin(7 * i + 3 * j + 5 * k + shift) for shift in (0, 1, 2)]
                nodes.append(tuple(round(a + b, 3) for a, b in zip((i, 0.8 * j, 0.9 * k), wobble)))
    # Corner to corner along the axes, in each of the six orders of the axes.
    orders = [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)]
    elements = []
    for k in range(1):
        for j in range(2):
            for i in range(4):
                for order in orders:
                    corner, walk = [i, j, k], [number(i, j, k)]
                    for axis in order:
                        corner[axis] += 1
                        walk.append(number(*corner))
                    if six_volumes([nodes[n] for n in walk]) < 0:
                        walk[2], walk[3] = walk[3], walk[2]
                    elements.append(tuple(walk))
    centres = [centroid(nodes, element) for element in elements]
    tags = [1 if centre[0] < 2.2 else 2 for centre in centres]
    fibers = []
    for x, y, z in centres:  # of no particular length
        fibers.append((round(1.5 * math.cos(0.6 * x), 3), round(1.5 * math.sin(0.6 * x) + 0.2, 3), round(0.3 + z, 3)))
    return nodes, elements, tags, fibers


def minus(a, b):
    return tuple(x - y for x, y in zip(a, b))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def six_volumes(x):
    return dot(minus(x[1], x[0]), cross(minus(x[2], x[0]), minus(x[3], x[0])))


def centroid(nodes, element):
    return tuple(sum(nodes[n][axis] for n in element) / 4 for axis in range(3))


def inside(point, low, high):
    return all(a <= p <= b for a, p, b in zip(low, point, high))


def write_mesh(nodes, elements, tags, fibers):
    def rows(count, lines):
        return "\n".join([str(count)] + lines) + "\n"

    files = {
        "two_regions.pts": rows(len(nodes), ["%g %g %g" % node for node in nodes]),
        "two_regions.elem": rows(len(elements), ["Tt %d %d %d %d %d" % (*e, tag) for e, tag in zip(elements, tags)]),
        "two_regions.lon": rows(1, ["%g %g %g" % fiber for fiber in fibers]),
    }
    for name, text in files.items():
        (FOLDER / name).write_text(text)


# The case.

BASE = {"alpha": 0.01, "gamma": 0.02, "b": 0.15, "c": 8.0, "mu1": 1.5, "mu2": 0.3}


def materials(nodes, elements, tags):
    """Of each element: cell parameters, isotropic and anisotropic diffusivity in mm^2/ms."""
    result = []
    for element, tag in zip(elements, tags):
        cell, isotropic, anisotropic = dict(BASE), 0.04, 0.08
        if tag == 2:
            cell.update(c=7.0, mu1=0.9)
            isotropic, anisotropic = 0.09, 0.12
        if inside(centroid(nodes, element), (1.45, -1, -1), (3.05, 0.85, 2)):
            cell.update(alpha=0.06, b=0.1, mu2=0.4)
            isotropic, anisotropic = 0.05, 0.03
        result.append((cell, isotropic, anisotropic))
    return result


def start(nodes, elements, tags):
    """Potentials in mV and recoveries; later lines win."""
    potential, recovery = [-80.0] * len(nodes), [0.02] * len(elements)
    for element, tag in zip(elements, tags):
        if tag == 2:
            for node in element:
                potential[node] = -72.0
    for e, tag in enumerate(tags):
        if tag == 2:
            recovery[e] = 0.1
    for n, node in enumerate(nodes):
        if inside(node, (1.5, -1, -1), (2.5, 1.2, 2)):
            potential[n] = -66.0
    for e, element in enumerate(elements):
        if math.dist(centroid(nodes, element), (3.6, 0.8, 0.4)) <= 0.9:
            recovery[e] = 0.35
    return potential, recovery


# where (a closed box), first start, duration, period, count in ms, mV/ms
STIMULI = [
    {"low": (-1, -1, -1), "high": (1.4, 3, 3), "start": 2, "duration": 2, "period": 90, "count": 2, "rate": 40},
    {"low": (0.5, -1, -1), "high": (2.4, 1.2, 3), "start": 3, "duration": 3, "period": 0, "count": 1, "rate": 18},
]


def rate_at(stimulus, time_ms):
    """mV/ms in the step that ends at time_ms."""
    for pulse in range(stimulus["count"]):
        begin = stimulus["start"] + pulse * stimulus["period"]
        if begin + 1e-6 < time_ms <= begin + stimulus["duration"] + 1e-6:
            return stimulus["rate"]
    return 0


# One element.


def gradients(x):
    """Of the four hat functions, and the volume."""
    result = []
    for a in range(4):
        b, c, d = [x[k] for k in range(4) if k != a]
        normal = cross(minus(c, b), minus(d, b))
        height = dot(normal, minus(x[a], b))
        result.append(tuple(component / height for component in normal))
    return result, abs(six_volumes(x)) / 6


def stiffness(x, fiber, isotropic, anisotropic):
    gradient, volume = gradients(x)
    length = math.sqrt(dot(fiber, fiber))
    along = [dot(g, fiber) / length for g in gradient]
    return volume, [
        [MS_PER_TAU * volume * (isotropic * dot(gradient[a], gradient[b]) + anisotropic * along[a] * along[b])
         for b in range(4)] for a in range(4)
    ]


def reaction(cell, phi, r_old, h):
    """f, its total slope and r at the end of a step: r - r_old - h g(phi, r) = 0 by Newton's method."""
    alpha, gamma, b, c, mu1, mu2 = (cell[name] for name in ("alpha", "gamma", "b", "c", "mu1", "mu2"))
    r = r_old
    for _ in range(60):
        speed, target = gamma + mu1 * r / (mu2 + phi), -r - c * phi * (phi - b - 1)
        dg_dr = mu1 / (mu2 + phi) * target - speed
        change = -(r - r_old - h * speed * target) / (1 - h * dg_dr)
        r += change
        if abs(change) < 1e-15 * (1 + abs(r)):
            break
    else:
        assert abs(change) < 1e-12, change
    speed, target = gamma + mu1 * r / (mu2 + phi), -r - c * phi * (phi - b - 1)
    dg_dphi = -mu1 * r / (mu2 + phi) ** 2 * target + speed * -c * (2 * phi - b - 1)
    dg_dr = mu1 / (mu2 + phi) * target - speed
    dr_dphi = h * dg_dphi / (1 - h * dg_dr)
    f = c * phi * (phi - alpha) * (1 - phi) - r * phi
    df_dphi = c * ((phi - alpha) * (1 - phi) + phi * (1 - phi) - phi * (phi - alpha)) - r - phi * dr_dphi
    return f, df_dphi, r


# The whole.


def solve(matrix, right):
    """Gauss, with the largest pivot of each column."""
    n = len(right)
    rows = [matrix[i] + [right[i]] for i in range(n)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        top = rows[k]
        for i in range(k + 1, n):
            row = rows[i]
            factor = row[k] / top[k]
            if factor != 0:
                for j in range(k, n + 1):
                    row[j] -= factor * top[j]
    x = [0.0] * n
    for k in range(n - 1, -1, -1):
        x[k] = (rows[k][n] - sum(rows[k][j] * x[j] for j in range(k + 1, n))) / rows[k][k]
    return x


def locate(nodes, elements, point):
    """An element around a point, and its weights there."""
    for element in elements:
        x = [nodes[n] for n in element]
        whole = six_volumes(x)
        weights = [six_volumes(x[:a] + [point] + x[a + 1:]) / whole for a in range(4)]
        if min(weights) >= 0:
            return element, weights
    raise SystemExit("no element around %s" % (point,))


def compute():
    nodes, elements, tags, fibers = mesh()
    n = len(nodes)
    material = materials(nodes, elements, tags)
    parts = [stiffness([nodes[i] for i in element], fiber, isotropic, anisotropic)
             for element, fiber, (_, isotropic, anisotropic) in zip(elements, fibers, material)]
    cells = [cell for cell, _, _ in material]
    potential, r = start(nodes, elements, tags)
    phi = [(value - REST_MV) / MV_PER_PHI for value in potential]
    masks = [[1.0 if inside(node, s["low"], s["high"]) else 0.0 for node in nodes] for s in STIMULI]
    probes = [locate(nodes, elements, point) for _, point in PROBES]

    activation = [0.0 if value >= 0.8 else -1.0 for value in phi]
    apd90, peak = [-1.0] * n, list(phi)
    frames, rows = [], []

    def keep_frame(time_ms):
        frames.append({"time_ms": time_ms, "potential": [MV_PER_PHI * v + REST_MV for v in phi], "recovery": list(r)})

    def keep_probes(time_ms):
        rows.append([time_ms] + [MV_PER_PHI * sum(w * phi[i] for i, w in zip(*probe)) + REST_MV for probe in probes])

    keep_frame(0.0)
    keep_probes(0.0)
    steps = math.ceil(END_MS / STEP_MS - 1e-9)
    time_ms = 0.0
    for step in range(1, steps + 1):
        before_ms, time_ms = time_ms, min(step * STEP_MS, END_MS)
        h = (time_ms - before_ms) / MS_PER_TAU
        rates = [MS_PER_TAU / MV_PER_PHI * rate_at(s, time_ms) for s in STIMULI]
        source = [sum(rate * mask[i] for rate, mask in zip(rates, masks)) for i in range(n)]
        phi_old, r_old = list(phi), list(r)
        for _ in range(30):
            residual, tangent = [0.0] * n, [[0.0] * n for _ in range(n)]
            for e, element in enumerate(elements):
                volume, diffusion = parts[e]
                centre, centre_old = sum(phi[i] for i in element) / 4, sum(phi_old[i] for i in element) / 4
                f, slope, r[e] = reaction(cells[e], centre, r_old[e], h)
                at_point = volume / 4 * ((centre - centre_old) / h - f - sum(source[i] for i in element) / 4)
                mass = volume / 16 * (1 / h - slope)
                for a, i in enumerate(element):
                    residual[i] += at_point + sum(diffusion[a][b] * phi[j] for b, j in enumerate(element))
                    for b, j in enumerate(element):
                        tangent[i][j] += mass + diffusion[a][b]
            change = solve(tangent, [-value for value in residual])
            phi = [value + by for value, by in zip(phi, change)]
            if max(abs(by) for by in change) < 1e-12:
                break
        else:
            raise SystemExit("Newton's method did not converge at %g ms" % time_ms)
        for e, element in enumerate(elements):
            r[e] = reaction(cells[e], sum(phi[i] for i in element) / 4, r_old[e], h)[2]

        for i in range(n):
            def crossing(level):
                return before_ms + (time_ms - before_ms) * (level - phi_old[i]) / (phi[i] - phi_old[i])

            if activation[i] < 0:
                if phi[i] >= 0.8:
                    activation[i], peak[i] = crossing(0.8), phi[i]
            elif apd90[i] < 0:
                peak[i] = max(peak[i], phi[i])
                if phi[i] <= 0.1 * peak[i]:
                    apd90[i] = crossing(0.1 * peak[i]) - activation[i]
        if step % PROBE_EVERY == 0 or step == steps:
            keep_probes(time_ms)
        if step == steps or abs(time_ms / FRAME_MS - round(time_ms / FRAME_MS)) < 1e-9:
            keep_frame(time_ms)
    return {"frames": frames, "activation_time": activation, "apd90": apd90, "probes": rows}


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return round(value, 8)


def largest_difference(a, b):
    if isinstance(a, dict):
        return max(largest_difference(a[key], b[key]) for key in a | b)
    if isinstance(a, list):
        return math.inf if len(a) != len(b) else max(map(largest_difference, a, b), default=0)
    return abs(a - b)


def main():
    numbers = FOLDER / "reference.json"
    computed = rounded(compute())
    if sys.argv[1:] == ["--check"]:
        difference = largest_difference(computed, json.loads(numbers.read_text()))
        print("largest difference from the numbers kept: %.3g" % difference)
        sys.exit(0 if difference < 1e-7 else 1)
    write_mesh(*mesh())
    text = json.dumps(computed, separators=(",", ":"))
    numbers.write_text(text.replace("],", "],\n").replace("},", "},\n") + "\n")


if __name__ == "__main__":
    main()
