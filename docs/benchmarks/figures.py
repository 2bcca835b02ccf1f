#!/usr/bin/python3 -B
"""Draws the figures of the measurements in a folder, and fills the tables of ../papers anew.

    docs/benchmarks/figures.py [FOLDER]        nvidia-h200 beside this script unless given

reads spmv.csv, assembly.csv, solver.csv, step.csv, compare.csv, rule.csv and row_lengths.csv, which measure.sh makes, and
writes into that folder spmv_bandwidth.svg, spmv_formats.svg, reordering.svg, roofline.svg, step.svg, phases.svg, rule.svg and
row_lengths.svg. What needs a file that is missing or has other columns is skipped, and a line says so.

Needs matplotlib (Debian package python3-matplotlib).
"""

import argparse
import collections
import math
import pathlib
import statistics
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

import measured
import papers
import papers_beat
from pages import NONE, count
from products import Products

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = {
    "spmv.csv": ["matrix", "rows", "nonzeros", "format", "block_size", "threshold", "lanes", "values_per_thread",
                 "products", "padding", "correct", "median_us", "gb_per_s", "percent_of_copy", "effective_gb_per_s",
                 "ratio_to_cusparse_csr_1", "ratio_to_best_cusparse", "reorder_gpu_us", "reorder_cpu_us", "alpha_gpu",
                 "alpha_cpu"],
    "compare.csv": ["configuration", "nodes", "steps", "side", "device", "spmv", "assembly", "phase", "median_s",
                    "min_s", "max_s", "speed_up", "newton_iterations", "cg_iterations", "memory_mib",
                    "potential_max_mv", "activation_max_ms", "agrees"],
    "assembly.csv": ["mesh", "nodes", "elements", "strategy", "correct", "elements_us", "assembly_us", "median_us",
                     "giga_elements_per_s", "gb_per_s", "percent_of_copy"],
    "solver.csv": ["mesh", "rows", "method", "correct", "iterations", "median_us", "iteration_us"],
    "step.csv": ["mesh", "nodes", "solver", "part", "correct", "median_us", "roof_us", "ratio_to_roof"],
    "rule.csv": ["matrix", "best_format", "rule_format", "rule_block_size", "rule_threshold", "ratio", "held_out"],
    "row_lengths.csv": ["matrix", "unknowns", "rows", "row_length", "rows_of_this_length"],
}
OUTPUTS = {
    "spmv.csv": "spmv_bandwidth.svg, spmv_formats.svg, reordering.svg and its part of roofline.svg",
    "compare.csv": "phases.svg",
    "assembly.csv": "its part of roofline.svg",
    "solver.csv": "its part of roofline.svg",
    "step.csv": "step.svg",
    "rule.csv": "rule.svg",
    "row_lengths.csv": "row_lengths.svg",
}

# Okabe and Ito: told apart with any color vision; shapes repeat what colors say.
BLUE, VERMILION, GREEN, PURPLE, ORANGE, BLACK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#000000"
FAMILIES = {  # of which the best format is drawn: color, marker, formats
    "K1, K1r, K1rs, in parts": (BLUE, "o", ["k1", "k1r", "k1rs", "k1rs_parts", "k1r_mapped"]),
    "K2, K2r, K2rs": (VERMILION, "^", ["k2", "k2r", "k2rs"]),
    "cuSPARSE": (GREEN, "s", ["cusparse_csr_1", "cusparse_csr_2", "cusparse_sliced_ell", "cusparse_bsr"]),
    "CSR scalar, vector": (PURPLE, "D", ["csr", "csr_vector"]),
    "ELL, ELL-R, SELL, HYB": (ORANGE, "v", ["ell", "ell_r", "sell", "hyb", "bell", "sbell"]),
    "others": (BLACK, ">", None),
}
PHASES = {"setup": "#999999", "element": BLUE, "assembly": "#56B4E9", "linear_solve": VERMILION, "update": "#F0E442",
          "output": GREEN, "rest": BLACK}
STEP_PARTS = {"elements": PHASES["element"], "assembly": PHASES["assembly"], "cg": PHASES["linear_solve"],
              "update": PHASES["update"]}


def read(path):
    """Rows of a file; none, and a line, where it is missing or lacks a column."""
    if not path.exists():
        print(f"{path}: no such file; skipped {OUTPUTS[path.name]}", file=sys.stderr)
        return []
    _, _, rows = measured.read(path)
    missing = [name for name in COLUMNS[path.name] if not rows or name not in rows[0]]
    if missing:
        print(f"{path}: no rows with {', '.join(missing)}; skipped {OUTPUTS[path.name]}", file=sys.stderr)
    return [] if missing else rows


def products_text(number):
    return f"{number} product" + "s" * (number != 1)


def title(axes, text):
    axes.set_title(text, fontsize=9, loc="left", fontweight="bold")


def legend(figure, handles, columns):
    figure.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1), ncol=columns, frameon=False)


def matrix_axis(axes, products):
    """Matrices from the top, meshes apart from stand-ins."""
    axes.set_yticks(range(len(products.matrices)), products.matrices)
    axes.set_ylim(len(products.matrices) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    if products.others and products.stand_ins:
        axes.axhline(len(products.others) - 0.5, color=BLACK, linewidth=0.8)


def logarithmic(axes, values, candidates):
    """Logarithmic x around all values, with those ticks that are in the range."""
    low, high = min(values), max(values)
    margin = max((high / low) ** 0.06, 1.01)
    axes.set_xscale("log")
    axes.set_xlim(low / margin, high * margin)
    ticks = [tick for tick in candidates if low / margin <= tick <= high * margin]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.grid(True, color="#e4e4e4", linewidth=0.6)
    axes.set_axisbelow(True)


def bandwidth_figure(products, copy_gb_per_s):
    named = sum((formats for _, _, formats in FAMILIES.values() if formats), [])
    others = [name for name in products.formats if name not in named]
    figure, panels = plt.subplots(1, len(products.counts), sharey=True, squeeze=False, layout="constrained",
                                  figsize=(2.2 + 2.9 * len(products.counts), 1.4 + 0.23 * len(products.matrices)))
    for axes, number in zip(panels[0], products.counts):
        values = [copy_gb_per_s]
        for y, matrix in enumerate(products.matrices):
            fastest = products.fastest(matrix, number)
            for color, marker, formats in FAMILIES.values():
                row = products.fastest(matrix, number, formats or others or ["none"])
                if row:
                    values.append(float(row["effective_gb_per_s"]))
                    axes.plot(values[-1], y, marker, color=color, markersize=7 if row is fastest else 5,
                              markerfacecolor=color if row is fastest else "none", zorder=2 if row is fastest else 3)
        axes.axvline(copy_gb_per_s, color="#888888", linestyle="--", linewidth=1, zorder=1)
        logarithmic(axes, values, [digit * 10**power for power in range(6) for digit in (1, 3)])
        matrix_axis(axes, products)
        title(axes, products_text(number))
        axes.set_xlabel("effective GB/s")
    handles = [Line2D([], [], color=color, marker=marker, linestyle="", markerfacecolor="none",
                      label=name if formats else ", ".join(others)) for name, (color, marker, formats) in
               FAMILIES.items() if formats or others]
    handles += [Line2D([], [], color="#555555", marker="o", linestyle="", markersize=7, label="filled: fastest"),
                Line2D([], [], color="#888888", linestyle="--", label="copy")]
    legend(figure, handles, 4)
    return figure


def formats_figure(products, number):
    """Times as fast as cuSPARSE's CSR ALG1, every matrix and format."""
    colors = LinearSegmentedColormap.from_list("loss and gain", [VERMILION, "#ffffff", BLUE])
    figure, axes = plt.subplots(figsize=(1.8 + 0.46 * len(products.formats), 1.5 + 0.23 * len(products.matrices)),
                                layout="constrained")
    for y, matrix in enumerate(products.matrices):
        fastest = products.fastest(matrix, number)
        for x, name in enumerate(products.formats):
            row = products.best.get((matrix, number, name))
            ratio = float(row["ratio_to_cusparse_csr_1"] or "nan") if row else float("nan")
            shade = (math.log2(ratio) + 2) / 4 if ratio == ratio else 0.5  # the ends are 1/4 and 4
            text = f"{ratio:.2f}" if ratio == ratio else "wrong" if (matrix, name) in products.wrong else NONE
            fill = colors(min(max(shade, 0.0), 1.0)) if ratio == ratio else "#e4e4e4"
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=fill))
            axes.text(x, y, text, ha="center", va="center", fontsize=7, fontweight="bold" if row is fastest else None,
                      color="#ffffff" if abs(shade - 0.5) > 0.4 else BLACK)
            if row and row is fastest:
                axes.add_patch(Rectangle((x - 0.47, y - 0.45), 0.94, 0.9, fill=False, linewidth=1.5, zorder=4))
    matrix_axis(axes, products)
    axes.set_xticks(range(len(products.formats)), products.formats, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.5, len(products.formats) - 0.5)
    axes.tick_params(axis="x", length=0)
    scale = figure.colorbar(plt.cm.ScalarMappable(plt.Normalize(-2, 2), colors), ax=axes, extend="both", pad=0.01,
                            aspect=30, ticks=range(-2, 3))
    scale.set_ticklabels(["1/4", "1/2", "1", "2", "4"])
    title(axes, f"times as fast as cusparse_csr_1, {products_text(number)}; framed: fastest of the matrix")
    return figure


def reordering_figure(products):
    """How many products the reordering of the values takes, on the GPU and on the CPU (paper 000, Fig. 10)."""
    figure, panels = plt.subplots(1, 2, sharey=True, squeeze=False, layout="constrained",
                                  figsize=(8, 1.4 + 0.23 * len(products.matrices)))
    ways = [("GPU", "reorder_gpu_us", BLUE, "o"), ("CPU, all cores", "reorder_cpu_us", VERMILION, "s")]
    for axes, name in zip(panels[0], ("k1", "k2")):
        values = []
        for y, matrix in enumerate(products.matrices):
            row = products.best.get((matrix, products.tuned, name))
            for _, column, color, marker in ways if row and row["reorder_gpu_us"] else []:
                values.append(float(row[column]) / float(row["median_us"]))
                axes.plot(values[-1], y, marker, color=color)
        if values:
            logarithmic(axes, values, [digit * 10**power for power in range(-2, 5) for digit in (1, 3)])
        matrix_axis(axes, products)
        title(axes, name.upper())
        axes.set_xlabel("products that take as long as reordering")
    legend(figure, [Line2D([], [], color=color, marker=marker, linestyle="", label=name)
                    for name, _, color, marker in ways], 2)
    return figure


def row_lengths_figure(rows):
    """Histograms of row lengths (paper 000, Fig. 3)."""
    matrices = list(dict.fromkeys(row["matrix"] for row in rows))
    columns = min(4, len(matrices))
    figure, panels = plt.subplots(math.ceil(len(matrices) / columns), columns, squeeze=False, layout="constrained",
                                  figsize=(2.4 * columns, 1.6 * math.ceil(len(matrices) / columns)))
    for axes, matrix in zip(panels.flat, matrices):
        found = [row for row in rows if row["matrix"] == matrix]
        lengths = [int(row["row_length"]) for row in found]
        shares = [100 * int(row["rows_of_this_length"]) / int(row["rows"]) for row in found]
        if max(lengths) > 250:  # a power law
            axes.plot(lengths, shares, ".", color=BLUE, markersize=2)
            axes.set_xscale("log")
            axes.set_yscale("log")
        else:
            axes.bar(lengths, shares, width=0.8, color=BLUE)
        title(axes, matrix)
        axes.set_xlabel("entries of a row")
        axes.set_ylabel("rows [%]")
    for axes in list(panels.flat)[len(matrices):]:
        axes.set_axis_off()
    return figure


def roofline_figure(products, assembly, solver):
    """Bandwidth by size of the mesh. The bytes are those that must move, so what stays in a cache can pass the copy; of
    conjugate gradients, in double precision, those of the leanest method for all."""
    series, copies = collections.defaultdict(list), []

    def add(name, rows, row, column="gb_per_s"):
        if row.get(column):
            series[name].append((int(rows), float(row[column])))
            copies.append(100 * float(row[column]) / float(row["percent_of_copy"]))

    for matrix in products.others if products else []:
        for name, rival in (("product", False), ("product, cuSPARSE", True)):
            row = products.fastest(matrix, products.tuned,
                                   [key for key in products.formats if key.startswith("cusparse") == rival] or ["none"])
            if row:
                add(name, row["rows"], row)
    for row in assembly:
        add(f"assembly, {row['strategy']}", row["nodes"], row)
    for row in solver:
        if papers_beat.precision(row) != "double":
            continue
        add(f"CG iteration, {row['method']}", row["rows"], row, "effective_gb_per_s")
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for k, (name, points) in enumerate(series.items()):
        axes.plot(*zip(*sorted(points)), marker="os^vD<>*P"[k % 9], linewidth=1, label=name,
                  color=[BLUE, GREEN, VERMILION, PURPLE, ORANGE, BLACK, "#56B4E9"][k % 7])
    if copies:
        axes.axhline(statistics.median(copies), color="#888888", linestyle="--", linewidth=1, label="copy")
    axes.set_xscale("log")
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    ticks = [digit * 10**power for power in range(5) for digit in (1, 2, 5) if low <= digit * 10**power <= high]
    axes.set_yticks(ticks, map(str, ticks))
    axes.set_yticks([], minor=True)
    axes.set_xlabel("nodes")
    axes.set_ylabel("GB/s")
    axes.grid(True, color="#e4e4e4", linewidth=0.6)
    legend(figure, axes.get_lines(), 3)
    return figure


def steps_by_size(rows):
    """{(mesh, nodes, solver): {part: row}}"""
    steps = collections.defaultdict(dict)
    for row in sorted(rows, key=lambda row: int(row["nodes"])):
        if row["correct"] == "yes":
            steps[row["mesh"], row["nodes"], row["solver"]][row["part"]] = row
    return steps


def step_figure(steps):
    figure, axes = plt.subplots(figsize=(8, 0.8 + 0.45 * len(steps)), layout="constrained")
    for y, parts in enumerate(steps.values()):
        whole, begin = float(parts["whole"]["median_us"]), 0.0
        for name, color in STEP_PARTS.items():
            share, roof = (100 * float(parts[name][column]) / whole for column in ("median_us", "roof_us"))
            axes.barh(y, share, 0.7, begin, color=color)
            axes.barh(y, min(roof, share), 0.15, begin, color=BLACK)
            begin += share
        axes.text(max(begin, 100), y, f"  {whole:.0f} µs, {float(parts['whole']['ratio_to_roof']):.2f} × the roof",
                  va="center")
    axes.set_yticks(range(len(steps)), [f"{name}: {count(nodes)}, {solver}" for name, nodes, solver in steps])
    axes.set_ylim(len(steps) - 0.5, -0.5)
    axes.set_xticks(range(0, 101, 20))
    axes.set_xlabel("share of a Newton iteration with ten of CG [%]")
    colors = {**STEP_PARTS, "roof": BLACK}
    legend(figure, [Rectangle((0, 0), 1, 1, color=color, label=name) for name, color in colors.items()], len(colors))
    return figure


def sides(rows):
    """{(configuration, nodes, steps): {side: {phase: row}}}, meshes by size, a side named with its format."""
    meshes = collections.defaultdict(lambda: collections.defaultdict(dict))
    for row in sorted(rows, key=lambda row: int(row["nodes"])):
        side = ", ".join(filter(None, [row["side"], row["spmv"], row["assembly"]]))
        phase = meshes[row["configuration"], row["nodes"], row["steps"]][side]
        if row["phase"] in phase:
            sys.exit(f"compare.csv: {row['configuration']}, {row['nodes']} nodes: '{side}' is there twice")
        phase[row["phase"]] = row
    return meshes


def answer(row):
    """The speed-up, or why there is none in total."""
    if row["agrees"] != "yes":
        return " (answers differ)" if row["phase"] == "total" else ""
    return f" ({float(row['speed_up']):.3g} ×)" if row["speed_up"] and row["side"] != "cpu" else ""


def phases_figure(rows):
    meshes = sides(rows)
    heights = [len(mesh) for mesh in meshes.values()]
    figure, panels = plt.subplots(len(meshes), 2, squeeze=False, layout="constrained",
                                  figsize=(10.4, 0.75 * len(meshes) + 0.3 * sum(heights)),
                                  gridspec_kw={"height_ratios": [n + 1 for n in heights], "width_ratios": [3, 2]})
    for (seconds, share), ((name, nodes, steps), mesh) in zip(panels, meshes.items()):
        totals = [phase["total"] for phase in mesh.values()]
        for y, (phase, total) in enumerate(zip(mesh.values(), totals)):
            median = float(total["median_s"])
            parts = {key: float(phase[key]["median_s"]) for key in PHASES if key in phase}
            parts["rest"] = max(0.0, median - sum(parts.values()))
            begin = 0.0
            for key, value in parts.items():
                seconds.barh(y, value, 0.7, begin, color=PHASES[key])
                share.barh(y, 100 * value / median, 0.7, 100 * begin / median, color=PHASES[key])
                begin += value
            seconds.plot([float(total["min_s"]), float(total["max_s"])], [y, y], color=BLACK, linewidth=1)
            seconds.annotate(f"{median:.3g} s{answer(total)}", (max(begin, float(total["max_s"])), y), (5, 0),
                             textcoords="offset points", va="center", fontsize=8)
        seconds.set_yticks(range(len(mesh)), mesh)
        share.set_yticks([])
        for axes in (seconds, share):
            axes.set_ylim(len(mesh) - 0.5, -0.5)
        seconds.set_xlim(0, 1.28 * max(float(total["max_s"]) for total in totals))
        share.margins(x=0)
        title(seconds, f"{name}: {count(nodes)} nodes, {count(steps)} steps [s]")
        title(share, "share of the total [%]")
    legend(figure, [Rectangle((0, 0), 1, 1, color=color, label=key.replace("_", " ")) for key, color in
                    PHASES.items()], len(PHASES))
    return figure


def rule_groups(rows):
    """{group: rows by ratio}, those that the rule has not seen first."""
    groups = {"held out": "yes", "used to make the rule": "no"}
    unknown = [row["matrix"] for row in rows if not row["ratio"]]
    if unknown:
        sys.exit(f"rule.csv: no ratio for {', '.join(unknown)}")
    found = {name: sorted((row for row in rows if row["held_out"] == held_out), key=lambda row: float(row["ratio"]))
             for name, held_out in groups.items()}
    return {name: group for name, group in found.items() if group}


def within(rows):
    return sum(float(row["ratio"]) <= 1.05 for row in rows)


def rule_figure(rows):
    groups = rule_groups(rows)
    figure, panels = plt.subplots(1, len(groups), sharey=True, squeeze=False, layout="constrained",
                                  figsize=(1 + 4.4 * len(groups), 4.2))
    top = max(1.2, 1.1 * max(float(row["ratio"]) for row in rows))
    for axes, (name, group) in zip(panels[0], groups.items()):
        axes.axhline(1.05, color="#888888", linestyle="--", linewidth=1)
        axes.axvline(90, color="#888888", linestyle="--", linewidth=1)
        lowest = 1.05 * top**0.04  # where the next label may be, so that they do not touch
        for place, row in enumerate(group, 1):
            x, ratio = 100 * place / len(group), float(row["ratio"])
            axes.plot(x, ratio, "o" if ratio <= 1.05 else "^", color=BLUE if ratio <= 1.05 else VERMILION)
            if ratio > 1.05:
                lowest = max(ratio, lowest)
                axes.annotate(f"{row['matrix']}: {row['rule_format']}, best {row['best_format']}", (x, ratio),
                              (82, lowest), ha="right", va="center", fontsize=7,
                              arrowprops={"arrowstyle": "-", "color": "#bbbbbb", "linewidth": 0.6})
                lowest *= top**0.05
        axes.set_yscale("log")
        axes.set_ylim(top**-0.02, max(top, lowest))
        axes.set_xlim(0, 103)
        ticks = [tick for tick in (1, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50) if tick <= top]
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        axes.set_xlabel("matrices, by ratio [%]")
        title(axes, f"{name}: {within(group)} of {len(group)} within 5 %")
    panels[0][0].set_ylabel("time of the rule's choice / best tuned time")
    return figure


def save(figure, path):
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)
    print(f"wrote {path}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="?", default=HERE / "nvidia-h200")
    folder = parser.parse_args().folder.resolve()
    plt.rcParams.update({"font.size": 8, "svg.hashsalt": "cardiowarp", "svg.fonttype": "none", "axes.spines.top": False,
                         "axes.spines.right": False, "lines.markersize": 5})
    spmv, compare, assembly, solver, step, rule, row_lengths = (read(folder / name) for name in COLUMNS)
    iterations = steps_by_size(step)
    products = Products(spmv) if spmv else None
    if products or assembly or solver:
        save(roofline_figure(products, assembly, solver), folder / "roofline.svg")
    if products:
        copies = [float(row["gb_per_s"]) for row in spmv if row["format"] == "copy"]
        save(bandwidth_figure(products, copies[0]), folder / "spmv_bandwidth.svg")
        save(formats_figure(products, products.tuned), folder / "spmv_formats.svg")
        save(reordering_figure(products), folder / "reordering.svg")
    if iterations:
        save(step_figure(iterations), folder / "step.svg")
    if compare:
        save(phases_figure(compare), folder / "phases.svg")
    if rule:
        save(rule_figure(rule), folder / "rule.svg")
    if row_lengths:
        save(row_lengths_figure(row_lengths), folder / "row_lengths.svg")
    if not any((spmv, compare, assembly, solver, iterations, rule, row_lengths)):
        sys.exit(f"{folder}: nothing to draw")
    papers.main([])


if __name__ == "__main__":
    main()
