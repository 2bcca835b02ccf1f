#!/usr/bin/env python3
"""Restitution of single ionic cells, computed a second time: cell_restitution.txt beside this script, which
tests/convergence/cell_restitution_test.cpp holds the program against.

  cell_restitution.py FOLDER          writes the file; FOLDER has the CellML files that CASES names
  cell_restitution.py FOLDER NAME     prints the lines of one model

Each cell begins as its file or set does and gets ten pulses of 40 mV/ms for 1 ms, one period apart, which are charged to
no ion. Written are the peak of the tenth beat and APD90 of the ninth and the tenth, from the steepest upstroke to 90 % of
the way from peak to the potential before the pulse; -1 where the next pulse comes first. The equations are those of the
CellML files, which ionic_reference.py turns into C, and of Fenton and Karma's paper; the steps are of Runge and Kutta's
method of order 4. It needs a C compiler. ToRORd-dynCl is there with the one set that begins as a file does.
"""

import array
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

from ionic_reference import program_of

FOLDER = pathlib.Path(__file__).resolve().parent
PERIODS, BEATS, PULSE, PULSE_MS = (1000, 600, 400, 320), 10, 40.0, 1.0

CASES = [  # model, set, file, potential, stimulus current, step in ms, replaced values
    ("ten_tusscher_2006", "epicardial", "ten_tusscher_model_2006_epi", "V", "i_Stim", 0.001, {}),
    ("ten_tusscher_2006", "endocardial", "ten_tusscher_model_2006_endo", "V", "i_Stim", 0.001, {}),
    ("ten_tusscher_2006", "midmyocardial", "ten_tusscher_model_2006_M", "V", "i_Stim", 0.001, {}),
    ("ohara_rudy_2011", "endocardial", "ohara_rudy_2011_endo", "v", "Istim", 0.004, {}),
    ("ohara_rudy_2011", "epicardial", "ohara_rudy_2011_endo", "v", "Istim", 0.004, {"celltype": "1"}),
    ("ohara_rudy_2011", "midmyocardial", "ohara_rudy_2011_endo", "v", "Istim", 0.004, {"celltype": "2"}),
    ("torord_dyncl_2020", "epicardial", "ToRORd_dynCl_epi", "v", "Istim", 0.004, {}),
    ("courtemanche_1998", "", "courtemanche_ramirez_nattel_1998", "V", "i_st", 0.004, {}),
    ("stewart_2009", "", "stewart_zhang_model_2008_ss", "V", "none", 0.001, {}),
    ("luo_rudy_1991", "", "luo_rudy_1991", "V", "I_stim", 0.004, {}),
]

FENTON_KARMA = {  # Fenton and Karma (1998), Chaos 8:20, table I, in the order of fenton_karma() in ionic_reference.py
    "beeler_reuter": (4, 33.33, 29, 12.5, 3.33, 1250, 19.6, 870, 41, 0.04),
    "modified_beeler_reuter": (4, 50, 44.84, 8.3, 3.33, 1000, 19.2, 667, 11, 0.055),
    "modified_luo_rudy": (5.8, 130, 127, 12.5, 10, 18.2, 18.2, 1020, 80, 0),
    "guinea_pig": (8.7, 25, 22.22, 12.5, 10, 333, 40, 1000, 65, 0.025),
}


def beat(h, potentials):
    """Peak and APD90 of a beat, with the potential at each step of h ms."""
    peak = max(range(len(potentials)), key=potentials.__getitem__)
    steepest = max(range(peak), key=lambda k: potentials[k + 1] - potentials[k])
    level = potentials[peak] - 0.9 * (potentials[peak] - potentials[0])
    for k in range(peak + 1, len(potentials)):
        if potentials[k] <= level:
            share = (level - potentials[k - 1]) / (potentials[k] - potentials[k - 1])
            return potentials[peak], (k - 1 + share - steepest - 0.5) * h
    return potentials[peak], -1.0


def row(name, kind, period, h, last_two):
    (_, before), (peak, last) = (beat(h, each) for each in last_two)
    return [name, kind, "%d" % period, "%.2f" % peak, "%.2f" % before, "%.2f" % last]


MAIN = r"""
int main(int count, char** word) {
  const double period = atof(word[1]), h = atof(word[2]), pulse = atof(word[3]), end = atof(word[4]);
  const int beats = atoi(word[5]); const long steps = lround(period / h); (void)count;
  for (int beat = 0; beat < beats; ++beat) {
    if (beat + 2 >= beats) fwrite(y, sizeof(double), 1, stdout);
    for (long i = 0; i < steps; ++i) {
      added = i < lround(end / h) ? pulse : 0;
      step(h, 0);
      if (beat + 2 >= beats) fwrite(y, sizeof(double), 1, stdout);
    }
  }
}
"""


def of_file(folder, case):
    name, kind, file, potential, current, step, replaced = case
    text = program_of(pathlib.Path(folder, file + ".cellml"), potential, current, replaced)
    text = text[: text.index("int main")].replace("static double y[N]", "static double added;\nstatic double y[N]")
    text = text.replace("rates(z, current, k[j]);", "rates(z, current, k[j]); k[j][0] += added;") + MAIN
    with tempfile.TemporaryDirectory() as scratch:
        source, program = pathlib.Path(scratch, "cell.c"), pathlib.Path(scratch, "cell")
        source.write_text(text)
        subprocess.run(["cc", "-O2", "-w", "-o", program, source, "-lm"], check=True)
        for period in PERIODS:
            words = [program, str(period), str(step), str(PULSE), str(PULSE_MS), str(BEATS)]
            values = array.array("d", subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)
            yield row(name, kind, period, step, (values[: len(values) // 2], values[len(values) // 2 :]))


def marched(rates, state, period, stimulus, step):
    """The first unknown in the last two beats."""
    steps, kept = round(period / step), []
    for _ in range(BEATS):
        values = [state[0]]
        for i in range(steps):
            s = stimulus if i < round(PULSE_MS / step) else 0.0
            k1 = rates(state, s)
            k2 = rates([a + step / 2 * b for a, b in zip(state, k1)], s)
            k3 = rates([a + step / 2 * b for a, b in zip(state, k2)], s)
            k4 = rates([a + step * b for a, b in zip(state, k3)], s)
            state = [a + step / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(state, k1, k2, k3, k4)]
            values.append(state[0])
        kept = (kept + [values])[-2:]
    return kept


def fenton_karma():
    for kind, (g, tau_r, tau_si, tau_0, v_plus, v1_minus, v2_minus, w_plus, w_minus, u_v) in FENTON_KARMA.items():

        def rates(state, stimulus):
            u, v, w = state
            on = 1.0 if u >= 0.13 else 0.0
            current = u * (1 - on) / tau_0 + on / tau_r - v * g * on * (1 - u) * (u - 0.13)
            current -= w / (2 * tau_si) * (1 + math.tanh(10 * (u - 0.85)))
            v_minus = v1_minus if u >= u_v else v2_minus
            return (stimulus - current, (1 - on) * (1 - v) / v_minus - on * v / v_plus,
                    (1 - on) * (1 - w) / w_minus - on * w / w_plus)

        for period in PERIODS:
            kept = marched(rates, [0.0, 1.0, 1.0], period, PULSE / 100, 0.01)
            yield row("fenton_karma_1998", kind, period, 0.01, [[-85 + 100 * u for u in each] for each in kept])


def main():
    folder, only = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    rows = []
    for case in CASES:
        if only in ("", case[0]):
            rows += of_file(folder, case)
    if only in ("", "fenton_karma_1998"):
        rows += fenton_karma()
    header = ["model", "set", "period_ms", "peak_mv", "apd90_before_ms", "apd90_ms"]
    if only:
        csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
        return
    with (FOLDER / "cell_restitution.txt").open("w") as file:
        csv.writer(file, lineterminator="\n").writerows([header] + rows)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main()
