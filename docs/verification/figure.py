"""The figure of ../method/verification.md: observed orders on logarithmic axes."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import slab

# Okabe and Ito: told apart with any color vision; shapes repeat what colors say.
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000"]
MARKERS = ["o", "s", "^", "D", "v"]
GUIDE = {"color": "#888888", "linewidth": 1, "linestyle": "--", "zorder": 1}


def column(rows, name):
    return [float(row[name]) for row in rows]


def guide(axes, x, coarsest, order):
    """A line of this order through (x[0], coarsest), with its name at the other end."""
    y = [coarsest * (value / x[0]) ** order for value in x]
    axes.plot(x, y, **GUIDE)
    axes.annotate(f"order {order}", (x[-1], y[-1]), (-6, 0), textcoords="offset points", color="#555555", ha="right",
                  va="center", fontsize=8)


def logarithmic(axes, x_ticks, y_limits, title, xlabel, ylabel):
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(x_ticks, [f"{tick:.3g}" for tick in x_ticks])
    ticks = [digit * 10.0**power for power in range(-6, 3) for digit in (1, 2, 5)]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlim(min(x_ticks) / 1.7, max(x_ticks) * 1.25)
    axes.set_ylim(*y_limits)
    label(axes, title, xlabel, ylabel)


def label(axes, title, xlabel, ylabel):
    axes.set_title(title, fontsize=10, loc="left", fontweight="bold")
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.grid(True, color="#e4e4e4", linewidth=0.6)
    axes.set_axisbelow(True)


def order_panel(axes, rows, x_name, order, title, xlabel):
    x, error = column(rows, x_name), column(rows, "l2_error")
    guide(axes, x, error[0] * 0.75, order)
    axes.plot(x, error, color=COLORS[0], marker="o", linewidth=1.5)
    logarithmic(axes, x, (error[-1] / 2, error[0] * 2), title, xlabel, "L2 error of φ")


def newton_panel(axes, rows):
    axes.semilogy(column(rows, "iteration"), column(rows, "residual_norm"), color=COLORS[0], marker="o", linewidth=1.5)
    axes.set_ylim(1e-16, 1e2)
    label(axes, "c  Newton in one long step", "iteration", "|R|")


def slab_panel(axes, rows):
    places = slab.places(rows)
    for place, color, marker in zip(places, COLORS, MARKERS):
        errors = place.errors_ms()
        axes.plot(errors.keys(), errors.values(), color=color, marker=marker, linewidth=1.3,
                  label="({:g}, {:g}, {:g})".format(*place.place))
    edges = list(places[0].times_ms)
    lowest = min(place.errors_ms()[edges[0]] for place in places)
    guide(axes, edges, lowest * 0.55, 1)
    guide(axes, edges, lowest * 0.55, 2)
    logarithmic(axes, edges, (0.15, 70), "d  Slab, dt → 0", "edge length h [mm]", "|activation − listed| [ms]")
    axes.legend(title="point [mm]", fontsize=7, title_fontsize=7, frameon=False, loc="upper left")


def draw(results, path):
    plt.rcParams.update({"font.size": 9, "svg.hashsalt": "cardiowarp", "axes.spines.top": False,
                         "axes.spines.right": False, "lines.markersize": 5})
    figure, ((space, time), (newton, activation)) = plt.subplots(2, 2, figsize=(8.4, 6.6), layout="constrained")
    order_panel(space, results["space_order"], "edge_mm", 2, "a  Manufactured solution, space", "edge length h [mm]")
    order_panel(time, results["time_order"], "step_ms", 1, "b  Manufactured solution, time", "time step [ms]")
    newton_panel(newton, results["newton"])
    slab_panel(activation, results["slab"])
    figure.savefig(path, metadata={"Date": None})
