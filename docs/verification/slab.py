"""Activation times of the slab benchmark: from the probes of a run, and extrapolated to h, dt → 0."""

import csv
import math

# Probes of configs/slab.yaml. The corner at the origin is inside the stimulus and shows nothing.
PLACES = {"far_corner": (20, 7, 3), "x": (20, 0, 0), "y": (0, 7, 0), "z": (0, 0, 3), "center": (10, 3.5, 1.5)}


def rows_of_run(edge_mm, folder):
    """Upward crossings of 0 mV, by linear interpolation in time as the program does it."""
    with open(folder / "probes.csv", newline="") as file:
        samples = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    step_ms = round(samples[1]["time_ms"] - samples[0]["time_ms"], 6)
    rows = []
    for name, (x, y, z) in PLACES.items():
        for before, after in zip(samples, samples[1:]):
            if before[name] < 0 <= after[name]:
                part = -before[name] / (after[name] - before[name])
                time_ms = before["time_ms"] + part * (after["time_ms"] - before["time_ms"])
                rows.append({"edge_mm": f"{edge_mm:g}", "step_ms": f"{step_ms:g}", "x_mm": f"{x:g}", "y_mm": f"{y:g}",
                             "z_mm": f"{z:g}", "activation_ms": f"{time_ms:.3f}"})
                break
        else:
            raise SystemExit(f"{folder}/probes.csv: {name} is never activated; the run has to last longer")
    return rows


def place_of(row):
    return tuple(float(row[key]) for key in ("x_mm", "y_mm", "z_mm"))


def merge(*groups):
    """One row for each place, edge and step; later groups win. The listed times come from the last group, the tests."""
    listed = {place_of(row): row["listed_ms"] for row in groups[-1]}
    merged = {}
    for row in (row for group in groups for row in group):
        key = (-float(row["edge_mm"]), -float(row["step_ms"]), list(PLACES.values()).index(place_of(row)))
        merged[key] = {**row, "listed_ms": listed[place_of(row)]}
    return [merged[key] for key in sorted(merged)]


class Place:
    """What is known of one place. times_ms: {edge_mm: activation at dt → 0}, from the coarsest edge on."""

    def __init__(self, place, rows):
        self.place = place
        times = {}
        for row in rows:
            if place_of(row) == place:
                self.listed_ms = float(row["listed_ms"])
                times.setdefault(float(row["edge_mm"]), {})[float(row["step_ms"])] = float(row["activation_ms"])
        self.times_ms = {}
        slope = None  # of the time over the step (order 1); on a mesh with one step that of the next coarser mesh
        for edge in sorted(times, reverse=True):
            fine, *coarser = sorted(times[edge])
            if coarser:
                slope = (times[edge][coarser[0]] - times[edge][fine]) / (coarser[0] - fine)
            if slope is None:
                raise SystemExit(f"slab.csv: the slab of {edge} mm needs two time steps")
            self.times_ms[edge] = times[edge][fine] - slope * fine

    def errors_ms(self):
        return {edge: abs(time - self.listed_ms) for edge, time in self.times_ms.items()}

    def order_and_limit(self):
        """Of the three finest edges, each half of the one before: observed order, and the time at h → 0."""
        coarse, middle, fine = list(self.times_ms.values())[-3:]
        order = math.log2((middle - coarse) / (fine - middle))
        return order, fine + (fine - middle) / (2**order - 1)


def places(rows):
    return [Place(place, rows) for place in PLACES.values()]
