#!/usr/bin/env python3
"""Beats of single ionic cells, computed a second time, for tests/unit/ionic_beats_test.cpp and docs/method/cell_models.md.

  ionic_reference.py fenton_karma                             the four sets of the paper, by its equations below
  ionic_reference.py FILE POTENTIAL CURRENT PULSE MS STEP BEATS [NAME=VALUE ...]
                                                              a CellML 1.0 file, whose equations become a C program

FILE's equations are taken as they are: CURRENT is the name of its stimulus current, which gets -PULSE for MS (`none`
where there is none), and NAME=VALUE replaces an initial value. Runge-Kutta steps of order 4; beats of 1000 ms. Printed:
rest before the beat, peak, time of 0 mV, APD50 and APD90 from the steepest upstroke. It needs a C compiler for FILE.

  ionic_reference.py ohara_rudy_2011_endo.cellml v Istim 80 0.5 0.005 10 celltype=2
  ionic_reference.py stewart_zhang_model_2008_ss.cellml V none 0 1 0.002 2
"""

import math
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

MATHML = "{http://www.w3.org/1998/Math/MathML}"


def shape(times, potentials):
    peak = max(range(len(potentials)), key=potentials.__getitem__)
    slopes = [(b - a) / (t - s) for a, b, s, t in zip(potentials, potentials[1:], times, times[1:])]
    steepest = max(range(peak), key=slopes.__getitem__)
    upstroke = (times[steepest] + times[steepest + 1]) / 2

    def crossing(level, begin, sign):
        for i in range(begin, len(potentials)):
            if sign * (potentials[i] - level) >= 0 > sign * (potentials[i - 1] - level):
                share = (level - potentials[i - 1]) / (potentials[i] - potentials[i - 1])
                return times[i - 1] + share * (times[i] - times[i - 1])
        return math.nan

    rest, top = potentials[0], potentials[peak]
    falls = [crossing(top - part * (top - rest), peak + 1, -1) - upstroke for part in (0.5, 0.9)]
    return "rest %.3f peak %.3f zero %.4f apd50 %.3f apd90 %.3f" % (rest, top, crossing(0, 1, 1), *falls)


def fenton_karma():
    """Fenton and Karma (1998), Chaos 8:20, eqs. 3-9 and table I: g_fi, tau_r, tau_si, tau_0, tau_v+, tau_v1-, tau_v2-,
    tau_w+, tau_w-, u_v; u_c = 0.13, u_c^si = 0.85, k = 10."""
    sets = {
        "beeler_reuter": (4, 33.33, 29, 12.5, 3.33, 1250, 19.6, 870, 41, 0.04),
        "modified_beeler_reuter": (4, 50, 44.84, 8.3, 3.33, 1000, 19.2, 667, 11, 0.055),
        "modified_luo_rudy": (5.8, 130, 127, 12.5, 10, 18.2, 18.2, 1020, 80, 0),
        "guinea_pig": (8.7, 25, 22.22, 12.5, 10, 333, 40, 1000, 65, 0.025),
    }
    h = 0.005
    for name, (g, tau_r, tau_si, tau_0, v_plus, v1_minus, v2_minus, w_plus, w_minus, u_v) in sets.items():

        def rates(u, v, w, stimulus):
            on = 1 if u >= 0.13 else 0
            current = -v * g * on * (1 - u) * (u - 0.13) + u * (1 - on) / tau_0 + on / tau_r
            current -= w / (2 * tau_si) * (1 + math.tanh(10 * (u - 0.85)))
            v_minus = v1_minus if u >= u_v else v2_minus
            return (stimulus - current, (1 - on) * (1 - v) / v_minus - on * v / v_plus,
                    (1 - on) * (1 - w) / w_minus - on * w / w_plus)

        state = (0.0, 1.0, 1.0)
        for beat in (1, 2):
            times, potentials = [0.0], [-85 + 100 * state[0]]
            for i in range(200000):
                stimulus = 0.3 if i < 200 else 0  # 30 mV/ms for 1 ms
                k1 = rates(*state, stimulus)
                k2 = rates(*(s + h / 2 * k for s, k in zip(state, k1)), stimulus)
                k3 = rates(*(s + h / 2 * k for s, k in zip(state, k2)), stimulus)
                k4 = rates(*(s + h * k for s, k in zip(state, k3)), stimulus)
                state = tuple(s + h / 6 * (a + 2 * b + 2 * c + d) for s, a, b, c, d in zip(state, k1, k2, k3, k4))
                times.append((i + 1) * h)
                potentials.append(-85 + 100 * state[0])
            print(name, "beat", beat, shape(times, potentials))


def in_c(term):
    tag = term.tag.replace(MATHML, "")
    if tag == "ci":
        return "v_" + term.text.strip()
    if tag == "cn":
        text = (term.text or "").strip()
        return "(%r)" % float(text + "e" + term[0].tail.strip() if term.get("type") == "e-notation" else text)
    if tag == "piecewise":
        pieces = [piece for piece in term if piece.tag == MATHML + "piece"]
        others = [piece for piece in term if piece.tag == MATHML + "otherwise"]
        text = in_c(others[0][0]) if others else "NAN"
        for piece in reversed(pieces):
            text = "(%s ? %s : %s)" % (in_c(piece[1]), in_c(piece[0]), text)
        return text
    operation = term[0].tag.replace(MATHML, "")
    if operation == "root":
        return "sqrt(%s)" % in_c(term[-1])
    operands = [in_c(operand) for operand in term[1:]]
    signs = {"plus": "+", "times": "*", "minus": "-", "divide": "/", "eq": "==", "lt": "<", "gt": ">", "leq": "<=",
             "geq": ">=", "and": "&&", "or": "||"}
    if operation in signs:
        return "(%s%s)" % ("-" if operation == "minus" and len(operands) == 1 else "", signs[operation].join(operands))
    function = {"power": "pow", "ln": "log", "abs": "fabs"}.get(operation, operation)
    return "%s(%s)" % (function, ", ".join(operands))


def defined_in(component):
    """The names that a component gives a value."""
    names = [child.get("name") for child in component if child.get("initial_value")]
    equations = [equation for child in component if child.tag == MATHML + "math" for equation in child]
    return names + [e[1].text.strip() for e in equations if e[1].tag != MATHML + "apply"]


def name_apart(root):
    """A name that several components define is another variable in each."""
    components = [component for component in root if component.tag.endswith("}component")]
    names = [name for component in components for name in defined_in(component)]
    for component in components:
        own = [name for name in defined_in(component) if names.count(name) > 1]
        for ci in component.iter(MATHML + "ci"):
            if ci.text.strip() in own:
                ci.text = ci.text.strip() + "_" + component.get("name")
        for child in component:
            if child.get("name") in own:
                child.set("name", child.get("name") + "_" + component.get("name"))
    return root


def program_of(file, potential, current, replaced):
    values, equations, rates = {}, {}, {}
    for component in name_apart(ElementTree.parse(file).getroot()).iter():
        for child in component:
            if child.tag.endswith("}variable") and child.get("initial_value"):
                values[child.get("name")] = child.get("initial_value")
            if child.tag == MATHML + "math":
                for equation in child:
                    if equation[1].tag == MATHML + "apply":
                        rates[equation[1][-1].text.strip()] = equation[2]
                    else:
                        equations[equation[1].text.strip()] = equation[2]
    values.update(replaced)
    equations.pop(current, None)
    states = [potential] + [name for name in rates if name != potential]
    known, lines = set(values) | set(states) | {"time", current}, []
    while equations:
        ready = [n for n, term in equations.items() if {ci.text.strip() for ci in term.iter(MATHML + "ci")} <= known]
        if not ready:
            sys.exit("no order of the equations of " + ", ".join(equations))
        for name in ready:
            lines.append("double v_%s = %s;" % (name, in_c(equations.pop(name))))
        known |= set(ready)
    constants = ["const double v_%s = %s;" % item for item in values.items() if item[0] not in states]
    return r"""#include <math.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = %d };
static double y[N] = {%s};
static void rates(const double* s, double v_%s, double* ds) { const double v_time = 0; (void)v_time; (void)v_%s;
%s
}
static void step(double h, double current) {
  double k[4][N], z[N]; int i, j; static const double at[4] = {0, 0.5, 0.5, 1};
  for (j = 0; j < 4; ++j) {
    for (i = 0; i < N; ++i) z[i] = y[i] + (j ? h * at[j] * k[j - 1][i] : 0);
    rates(z, current, k[j]);
  }
  for (i = 0; i < N; ++i) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}
int main(int count, char** word) {
  const double pulse = atof(word[1]), end = atof(word[2]), h = atof(word[3]); (void)count;
  for (int beat = 0; beat < atoi(word[4]); ++beat) {
    puts("beat"); printf("0 %%.15g\n", y[0]);
    for (long i = 0; i < lround(1000 / h); ++i) {
      step(h, i < lround(end / h) ? -pulse : 0); printf("%%.15g %%.15g\n", (i + 1) * h, y[0]);
    }
  }
}
""" % (len(states), ", ".join(values[name] for name in states), current, current, "\n".join(
        constants + ["const double v_%s = s[%d];" % (name, i) for i, name in enumerate(states)] + lines +
        ["ds[%d] = %s;" % (i, in_c(rates[name])) for i, name in enumerate(states)]))


def cellml(file, potential, current, pulse, duration, step, beats, *replaced):
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "cell.c"), pathlib.Path(folder, "cell")
        source.write_text(program_of(file, potential, current, dict(item.split("=") for item in replaced)))
        subprocess.run(["cc", "-O2", "-w", "-o", program, source, "-lm"], check=True)
        with subprocess.Popen([program, pulse, duration, step, beats], stdout=subprocess.PIPE, text=True) as run:
            times, potentials, beat = [], [], 0
            for line in run.stdout:
                if line != "beat\n":
                    time, value = line.split()
                    times.append(float(time))
                    potentials.append(float(value))
                    if time != "1000":
                        continue
                    beat += 1
                    print("beat", beat, shape(times, potentials), flush=True)
                    times, potentials = [], []


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1] == "fenton_karma":
        fenton_karma()
    elif len(sys.argv) >= 8:
        cellml(*sys.argv[1:])
    else:
        sys.exit(__doc__)
