#!/usr/bin/env python3
"""Cell models, computed a second time: their rates, and restitution by finite differences on a cable, with sharp switches.

It shares nothing with the program but the equations, parameters and units of docs/method/cell_models.md. Without an argument it
writes rates.txt and, in some minutes, restitution.txt beside itself; with --check it computes the numbers again and ends
with 1 where those kept are others, with --check-rates those of rates.txt alone. It needs numpy.

rates.txt: f and the rates of the states by the model's own time, at potentials u between the switches.

restitution.txt:

  du/dt = D u'' + f(u, s) + stimulus,   ds/dt = g(u, s),   no flux at the ends
Nodes 0.25 mm apart, Heun's method. A cable is paced at x <= 1 mm; `beats` pulses come `period` after one another before
the one whose wave is measured. velocity: from x = 5 to 15 mm by the upward crossings of 0 mV; 0 where the wave does not
come. apd90: at x = 10 mm, from there to the downward crossing of rest + 10 % (peak - rest); -1 where that is after the
next pulse.
"""

import csv
import pathlib
import sys

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
DIFFUSIVITY, LENGTH, SPACING, STEP = 0.1171, 20.0, 0.25, 0.005  # mm^2/ms, mm, mm, ms
PULSE_MS, PULSE_MV_PER_MS, PULSE_END = 2.0, 43.0, 1.0

CASES = [  # model, parameter set, period, beats before
    ("mitchell_schaeffer", "", 1000, 2),
    ("mitchell_schaeffer", "", 400, 6),
    ("mitchell_schaeffer", "", 320, 8),
    ("bueno_orovio", "epicardial", 1000, 2),
    ("bueno_orovio", "epicardial", 400, 6),
    ("bueno_orovio", "epicardial", 320, 8),
    ("bueno_orovio", "endocardial", 1000, 2),
    ("bueno_orovio", "endocardial", 400, 6),
    ("bueno_orovio", "endocardial", 320, 8),
    ("bueno_orovio", "midmyocardial", 1000, 2),
    ("bueno_orovio", "midmyocardial", 500, 5),
    ("bueno_orovio", "midmyocardial", 400, 1),
    ("bueno_orovio", "midmyocardial", 320, 2),  # every other pulse is blocked
    ("bueno_orovio", "midmyocardial", 320, 3),
]

# The table of Bueno-Orovio, Cherry and Fenton (2008), J. Theor. Biol. 253:544, its columns EPI, ENDO and M.
NAMES = """u_u theta_v theta_w theta_v_minus theta_o tau_v1_minus tau_v2_minus tau_v_plus tau_w1_minus tau_w2_minus
  k_w_minus u_w_minus tau_w_plus tau_fi tau_o1 tau_o2 tau_so1 tau_so2 k_so u_so tau_s1 tau_s2 k_s u_s tau_si
  tau_w_infinity w_infinity_star""".split()
SETS = {
    "epicardial": [1.55, 0.3, 0.13, 0.006, 0.006, 60, 1150, 1.4506, 60, 15, 65, 0.03, 200, 0.11, 400, 6, 30.0181, 0.9957,
                   2.0458, 0.65, 2.7342, 16, 2.0994, 0.9087, 1.8875, 0.07, 0.94],
    "endocardial": [1.56, 0.3, 0.13, 0.2, 0.006, 75, 10, 1.4506, 6, 140, 200, 0.016, 280, 0.1, 470, 6, 40, 1.2, 2, 0.65,
                    2.7342, 2, 2.0994, 0.9087, 2.9013, 0.0273, 0.78],
    "midmyocardial": [1.61, 0.3, 0.13, 0.1, 0.005, 80, 1.4506, 1.4506, 70, 8, 200, 0.016, 280, 0.078, 410, 7, 91, 0.8,
                      2.1, 0.6, 2.7342, 4, 2.0994, 0.9087, 3.3849, 0.01, 0.5],
}


class BuenoOrovio:
    """A row of cells a case; the states are u, v, w, s."""

    rest_mv, mv_per_u = -84.0, 85.7
    start = (0.0, 1.0, 1.0, 0.0)

    def __init__(self, sets):
        for name, values in zip(NAMES, zip(*(SETS[each] for each in sets))):
            setattr(self, name, np.array(values)[:, None])

    def rates(self, y):
        u, v, w, s = y
        fast, slow, low_v, low_o = (u >= self.theta_v, u >= self.theta_w, u >= self.theta_v_minus, u >= self.theta_o)
        tau_so = self.tau_so1 + (self.tau_so2 - self.tau_so1) * (1 + np.tanh(self.k_so * (u - self.u_so))) / 2
        tau_w = self.tau_w1_minus + (self.tau_w2_minus - self.tau_w1_minus) * (
            1 + np.tanh(self.k_w_minus * (u - self.u_w_minus))) / 2
        current = np.where(slow, 1 / tau_so - w * s / self.tau_si, u / np.where(low_o, self.tau_o2, self.tau_o1))
        current -= fast * v * (u - self.theta_v) * (self.u_u - u) / self.tau_fi
        w_infinity = np.where(low_o, self.w_infinity_star, 1 - u / self.tau_w_infinity)
        return np.stack([
            -current,
            np.where(fast, -v / self.tau_v_plus, np.where(low_v, -v / self.tau_v2_minus, (1 - v) / self.tau_v1_minus)),
            np.where(slow, -w / self.tau_w_plus, (w_infinity - w) / tau_w),
            ((1 + np.tanh(self.k_s * (u - self.u_s))) / 2 - s) / np.where(slow, self.tau_s2, self.tau_s1),
        ])


class MitchellSchaeffer:
    """Mitchell and Schaeffer (2003), Bull. Math. Biol. 65:767; the states are u and h."""

    rest_mv, mv_per_u = -80.0, 100.0
    start = (0.0, 1.0)

    def __init__(self, sets):
        self.tau_in, self.tau_out, self.tau_open, self.tau_close, self.gate = 0.3, 6.0, 120.0, 150.0, 0.13

    def rates(self, y):
        u, h = y
        return np.stack([h * u * u * (1 - u) / self.tau_in - u / self.tau_out,
                         np.where(u < self.gate, (1 - h) / self.tau_open, -h / self.tau_close)])


def measure(model, cases, spacing=SPACING, step=STEP):
    """[cases] velocity in m/s and APD90 in ms of the last beat."""
    cells = model([case[1] for case in cases])
    period, beats = np.array([case[2] for case in cases], float), np.array([case[3] for case in cases])
    nodes = round(LENGTH / spacing) + 1
    x = np.arange(nodes) * spacing
    paced = x <= PULSE_END + 1e-9
    y = np.repeat(np.repeat(np.array(model.start)[:, None, None], len(cases), 1), nodes, 2)

    def rates(y, now):
        change = cells.rates(y)
        u = y[0]
        padded = np.concatenate([u[:, 1:2], u, u[:, -2:-1]], 1)
        change[0] += DIFFUSIVITY / spacing**2 * (padded[:, 2:] + padded[:, :-2] - 2 * u)
        pulsing = np.mod(now + step / 2, period) < PULSE_MS
        change[0] += pulsing[:, None] * paced * (PULSE_MV_PER_MS / model.mv_per_u)
        return change

    begin, end = beats * period, (beats + 1) * period
    level = -model.rest_mv / model.mv_per_u
    at = [round(place / spacing) for place in (5, 10, 15)]
    crossed, recovered, peak = np.full((len(cases), 3), np.nan), np.full(len(cases), np.nan), np.zeros(len(cases))
    for n in range(round(end.max() / step)):
        now = n * step
        first = rates(y, now)
        after = y + step / 2 * (first + rates(y + step * first, now))
        before_u, u = y[0][:, at], after[0][:, at]
        y = after
        timed = (now >= begin - 1e-9) & (now < end - 1e-9)
        rising = timed[:, None] & np.isnan(crossed) & (before_u < level) & (u >= level)
        if rising.any():
            crossed[rising] = now + (step * (level - before_u) / (u - before_u))[rising]
        peak = np.where(timed & ~np.isnan(crossed[:, 1]), np.maximum(peak, u[:, 1]), peak)
        falling = timed & np.isnan(recovered) & (peak > 0) & (u[:, 1] <= 0.1 * peak)
        if falling.any():
            share = (0.1 * peak - before_u[:, 1]) / np.where(falling, u[:, 1] - before_u[:, 1], 1)
            recovered[falling] = (now + step * share)[falling]
    velocity = 10 / (crossed[:, 2] - crossed[:, 0])
    return np.nan_to_num(velocity, nan=0), np.nan_to_num(recovered - crossed[:, 1], nan=-1)


# Where rates are computed: potentials on either side of each switch of each set, and states in the order of the tables.
POTENTIALS = [-0.1, 0.003, 0.0075, 0.04, 0.12, 0.15, 0.25, 0.35, 0.9, 1.4]
STATES = [0.7, 0.6, 0.3]


class AlievPanfilov:
    """Aliev and Panfilov (1996) as Goektepe and Kuhl (2009) have it; the states are phi and r."""

    start = (0.0, 0.0)

    def __init__(self, sets):
        self.alpha, self.gamma, self.b, self.c, self.mu1, self.mu2 = 0.01, 0.002, 0.15, 8.0, 0.2, 0.3

    def rates(self, y):
        phi, r = y
        return np.stack([self.c * phi * (phi - self.alpha) * (1 - phi) - r * phi,
                         (self.gamma + self.mu1 * r / (self.mu2 + phi)) * (-r - self.c * phi * (phi - self.b - 1))])


def rates_of_all():
    rows = [["model", "set", "u", "f", "g1", "g2", "g3"]]
    kinds = [("aliev_panfilov", AlievPanfilov, ""), ("mitchell_schaeffer", MitchellSchaeffer, "")]
    for name, model, kind in kinds + [("bueno_orovio", BuenoOrovio, kind) for kind in SETS]:
        for u in POTENTIALS:
            states = STATES[: len(model.start) - 1]
            rates = model([kind]).rates([np.array([[value]]) for value in [u] + states]).ravel()
            rows.append([name, kind, "%g" % u] + ["%.12g" % value for value in rates] + [""] * (3 - len(states)))
    return rows


def restitution():
    rows = [["model", "set", "period_ms", "beats", "velocity_m_per_s", "apd90_ms"]]
    for name, model in (("mitchell_schaeffer", MitchellSchaeffer), ("bueno_orovio", BuenoOrovio)):
        cases = [case for case in CASES if case[0] == name]
        for case, velocity, apd90 in zip(cases, *measure(model, cases)):
            rows.append([str(item) for item in case] + ["%.4f" % velocity, "%.2f" % apd90])
    return rows


def is_kept(name, computed):
    kept = list(csv.reader((FOLDER / name).open()))
    for row in [row for row in computed if row not in kept]:
        print("not kept in %s: %s" % (name, ",".join(row)))
    return computed == kept


def main():
    tables = [("rates.txt", rates_of_all), ("restitution.txt", restitution)]
    if sys.argv[1:] in (["--check"], ["--check-rates"]):
        tables = tables[: 2 if sys.argv[1] == "--check" else 1]
        sys.exit(0 if all([is_kept(name, compute()) for name, compute in tables]) else 1)
    for name, compute in tables:
        with (FOLDER / name).open("w") as file:
            csv.writer(file, lineterminator="\n").writerows(compute())


if __name__ == "__main__":
    main()
