#!/usr/bin/env python3
"""Restitution and the effective refractory period (ERP) of a cable: for each interval from S1 to S2 whether S2 captured,
how fast its wave travels from the probe `near` to the probe `far`, and how long the cell at `far` is then activated. The
ERP is the longest interval at which S2 does not capture. It is found to 1 ms by halving, between the shortest interval
at which S2 captured and the longest one below that at which it did not.

usage: docs/guide/restitution.py FILE.yaml DISTANCE INTERVAL...

FILE.yaml has the stimuli S1 and S2, in this order, and the probes near and far, DISTANCE mm apart; intervals are in ms.
The program is `cardiowarp` in PATH. Needs the standard library of Python alone.
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ACTIVE_MV = -50  # as early waves may stay below 0 mV; `captured` is judged by this potential, too


def run(file, interval):
    """summary.json, the times of the steps and the potentials of each probe."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cardiowarp", "run", file, "--set", f"stimuli[1].start={interval}", "--output", folder,
                        "--log-level", "error"], check=True)
        folder = pathlib.Path(folder)
        rows = list(csv.DictReader((folder / "probes.csv").open()))
        columns = {name: [float(row[name]) for row in rows] for name in rows[0]}
        return json.loads((folder / "summary.json").read_text()), columns.pop("time_ms"), columns


def crossings(times, values, level, up=True):
    """When the values pass the level, upwards or downwards."""
    sign = 1 if up else -1
    return [t0 + (level - v0) / (v1 - v0) * (t1 - t0)
            for t0, t1, v0, v1 in zip(times, times[1:], values, values[1:]) if sign * v0 < sign * level <= sign * v1]


def apd90(times, values, activation):
    """From the activation to 90 % of the way from the peak back to the lowest potential, in ms."""
    beat = [(t, v) for t, v in zip(times, values) if t >= activation]
    peak = max(v for _, v in beat)
    return crossings(*zip(*beat), peak - 0.9 * (peak - min(values)), up=False)[0] - activation


def beat(file, distance, interval):
    """Whether S2 captured and, if it did, the speed in m/s and the APD90 in ms of its wave."""
    summary, times, probes = run(file, interval)
    if not summary["stimuli"][1]["captured"]:
        return None
    near, far = ([t for t in crossings(times, probes[name], ACTIVE_MV) if t > interval][-1] for name in ("near", "far"))
    return distance / (far - near), apd90(times, probes["far"], far)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    file, distance, intervals = sys.argv[1], float(sys.argv[2]), sorted(map(float, sys.argv[3:]), reverse=True)
    print("S1-S2 [ms]  captured  speed [m/s]  APD90 [ms]")
    captured, missed = None, None
    for interval in intervals:
        if wave := beat(file, distance, interval):
            print(f"{interval:10g}  yes       {wave[0]:11.3f}  {wave[1]:10.1f}", flush=True)
            captured = interval
        else:
            print(f"{interval:10g}  no", flush=True)
            missed = interval
            break
    if captured is None or missed is None:
        return
    while captured - missed > 1:
        middle = round((captured + missed) / 2)
        if beat(file, distance, middle):
            captured = middle
        else:
            missed = middle
    print(f"ERP: {missed:g} ms")


if __name__ == "__main__":
    main()
