#!/usr/bin/python3 -B
"""Draws the figures and writes the tables of the measurements in a folder.

    docs/benchmarks/figures.py [FOLDER]        nvidia-h200 beside this script unless given

reads spmv.csv, assembly.csv, solver.csv, step.csv, steps.csv, compare.csv, rule.csv, beat.csv and row_lengths.csv, which
measure.sh makes, and writes into that folder spmv_bandwidth.svg, spmv_formats.svg, reordering.svg, roofline.svg, step.svg,
phases.svg, rule.svg, row_lengths.svg and tables.md, whose text it prints as well; of nvidia-h200 also the tables of hearts in README.md beside this script and in
that of the project, and the tables of ../papers/README.md. What needs a file that is missing or has other columns is skipped,
and a line says so.

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
from pages import NONE, count, fill, rows_text
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
    "steps.csv": ["mesh", "nodes", "way", "solver", "spmv", "element_us", "assembly_us", "cg_iteration_us", "update_us"],
    "step.csv": ["mesh", "nodes", "solver", "part", "correct", "median_us", "roof_us", "ratio_to_roof"],
    "beat.csv": ["mesh", "nodes", "solver", "scheme", "quadrature", "tolerance", "max_step_ms", "steps",
                 "newton_iterations", "cg_iterations", "seconds",
                 "activation_percent", "apd90_ms"],
    "rule.csv": ["matrix", "best_format", "rule_format", "rule_block_size", "rule_threshold", "ratio", "held_out"],
    "row_lengths.csv": ["matrix", "unknowns", "rows", "row_length", "rows_of_this_length"],
}
OUTPUTS = {
    "spmv.csv": "spmv_bandwidth.svg, spmv_formats.svg, reordering.svg, its part of roofline.svg and its tables",
    "compare.csv": "phases.svg and its tables",
    "assembly.csv": "its part of roofline.svg and its table",
    "solver.csv": "its part of roofline.svg and its table",
    "steps.csv": "its table",
    "step.csv": "step.svg and its table",
    "beat.csv": "its table",
    "rule.csv": "rule.svg and its tables",
    "row_lengths.csv": "row_lengths.svg",
}

# Okabe and Ito: told apart with any colour vision; shapes repeat what colours say.
BLUE, VERMILION, GREEN, PURPLE, ORANGE, BLACK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#000000"
FAMILIES = {  # of which the best format is drawn: colour, marker, formats
    "K1, K1r, K1rs, in parts": (BLUE, "o", ["k1", "k1r", "k1rs", "k1rs_parts", "k1r_mapped"]),
    "K2, K2r, K2rs": (VERMILION, "^", ["k2", "k2r", "k2rs"]),
    "cuSPARSE": (GREEN, "s", ["cusparse_csr_1", "cusparse_csr_2", "cusparse_sliced_ell", "cusparse_bsr"]),
    "CSR scalar, vector": (PURPLE, "D", ["csr", "csr_vector"]),
    "ELL, ELL-R, SELL, HYB": (ORANGE, "v", ["ell", "ell_r", "sell", "hyb", "bell", "sbell"]),
    "others": (BLACK, ">", None),
}
EFFECTS = [  # formats without and with it
    ("rows sorted", [("sell", "k1")]),
    ("coalesced", [("k1_row_major", "k1")]),
    ("several threads a row", [("k1", "k2")]),
    ("rows renumbered", [("k1", "k1r"), ("k2", "k2r")]),
    ("columns sorted", [("k1r", "k1rs"), ("k2r", "k2rs")]),
]
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


def table(title, header, rows, note):
    return f"## {title}\n\n{note}\n\n{rows_text(header, rows)}"


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
        if precision(row) != "double":
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


def choice(row):
    """`k2rs` 256, threshold 16."""
    words = [row["block_size"]] + [f"{word} {row[name]}" for name, word in
                                   [("threshold", "threshold"), ("lanes", "lanes"), ("values_per_thread", "values")]
                                   if row[name]]
    return f"`{row['format']}` {', '.join(filter(None, words))}".strip()


def best_table(products):
    def cell(row):
        ratios = [row[name] for name in ("ratio_to_cusparse_csr_1", "ratio_to_best_cusparse")]
        return f"{choice(row)}: " + " / ".join(f"{float(ratio):.2f}" if ratio else NONE for ratio in ratios)

    rows, winners = [], {number: collections.Counter() for number in products.counts}
    for matrix in products.matrices:
        fastest = [products.fastest(matrix, number) for number in products.counts]
        rows.append([matrix, *map(count, products.sizes[matrix]), *(cell(row) if row else NONE for row in fastest)])
        for number, row in zip(products.counts, fastest):
            winners[number].update([row["format"]] if row else [])
    lines = [f"{number}: " + ", ".join(f"`{name}` {times}" for name, times in winner.most_common())
             for number, winner in winners.items()]
    note = ("Block size and other parameters; times as fast as `cusparse_csr_1` / as the best of cuSPARSE. More than "
            f"{products.tuned} products are measured with the choices that are best for {products.tuned}. Fastest how "
            f"often, by products: {'; '.join(lines)}.")
    if products.wrong:
        note += " Wrong: " + ", ".join(f"`{name}` of {matrix}" for matrix, name in sorted(products.wrong)) + "."
    return table("Fastest format", ["matrix", "rows", "nonzeros", *map(products_text, products.counts)],
                 rows, note)


def parameter_table(products):
    numbers = [number for number in products.counts if number <= products.tuned]
    kinds = [("k1", ["block_size"]), ("k2", ["threshold", "block_size"]), ("csr_vector", ["lanes", "block_size"]),
             ("merge", ["values_per_thread", "block_size"]),
             ("segmented_scan", ["values_per_thread", "block_size"])]

    def cell(matrix, name, columns):
        found = [products.best.get((matrix, number, name)) for number in numbers]
        return " / ".join(", ".join(row[column] for column in columns) if row else NONE for row in found)

    rows = [[matrix, *(cell(matrix, *kind) for kind in kinds)] for matrix in products.matrices]
    header = ["matrix", *(f"`{name}` {', '.join(columns).replace('_', ' ')}" for name, columns in kinds)]
    return table("Best parameters", header, rows, f"By {' / '.join(map(str, numbers))} products.")


def alpha_table(products):
    names = ["k1", "k1rs", "k2", "k2rs"]

    def cell(matrix, name, column):
        row = products.best.get((matrix, products.tuned, name))
        return (row[column] or "never") if row and row["reorder_gpu_us"] and row["ratio_to_cusparse_csr_1"] else NONE

    rows = [[matrix, *(cell(matrix, name, column) for name in names for column in ("alpha_gpu", "alpha_cpu"))]
            for matrix in products.matrices]
    header = ["matrix", *(f"`{name}` {where}" for name in names for where in ("GPU", "CPU"))]
    return table("Products that pay for reordering (α)", header, rows,
                 "Products after which bringing the values of CSR into a format's order, on the GPU or on the CPU, has "
                 "paid against `cusparse_csr_1`; never: the format is no faster.")


def effects_table(products):
    def padding(matrix):
        sell, k1 = (products.best.get((matrix, products.tuned, name)) for name in ("sell", "k1"))
        return f"{100 * (1 - float(k1['padding']) / float(sell['padding'])):.1f}" if sell and k1 else NONE

    pairs = [(name, pair) for name, pairs in EFFECTS for pair in pairs]
    rows = []
    for matrix in products.matrices:
        gains = [products.gain(matrix, *pair) for _, pair in pairs]
        rows.append([matrix, padding(matrix), *(f"{gain:.2f}" if gain else NONE for gain in gains)])
    header = ["matrix", "stored entries saved by sorting [%]", *(f"{name}: `{a}` → `{b}`" for name, (a, b) in pairs)]
    return table("Effects one by one", header, rows, f"Times as fast, {products.tuned} products, each format with its "
                 "best parameters; below 1 is a loss.")


def compare_tables(rows):
    seconds, answers = [], []
    for (name, nodes, steps), mesh in sides(rows).items():
        for side, phase in mesh.items():
            total = phase["total"]
            cells = [f"{float(phase[key]['median_s']):.3g}{answer(phase[key])}" if key in phase else NONE
                     for key in [*PHASES, "total"] if key != "rest"]
            seconds.append([name, count(nodes), steps, side, *cells])
            answers.append([name, count(nodes), side, total["device"], total["newton_iterations"],
                            total["cg_iterations"], *(f"{float(total[key]):.3g}" if total[key] else NONE for key in
                                                      ("memory_mib", "potential_max_mv", "activation_max_ms"))])
    phases = [key.replace("_", " ") for key in [*PHASES, "total"] if key != "rest"]
    return (table("CPU and GPU: seconds", ["configuration", "nodes", "steps", "side", *phases], seconds,
                  "Medians; in brackets how many times as fast as `cpu`.") + "\n" +
            table("CPU and GPU: answers", ["configuration", "nodes", "side", "device", "Newton iterations",
                                           "CG iterations", "memory [MiB]", "potential [mV]", "activation [ms]"],
                  answers, "The last two are the largest differences from `cpu`."))


def assembly_table(rows):
    cells = [[row["mesh"], count(row["nodes"]), count(row["elements"]), f"`{row['strategy']}`",
              *(f"{float(row[name]):.3g}" for name in ("elements_us", "assembly_us", "median_us", "giga_elements_per_s",
                                                      "percent_of_copy"))] for row in rows if row["correct"] == "yes"]
    return table("Elements and assembly", ["mesh", "nodes", "tetrahedra", "strategy", "elements [µs]", "sums [µs]",
                                           "both [µs]", "10⁹ tetrahedra/s", "of copy [%]"], cells,
                 "K, −R and 1 / K_II from the state; one number an element.")


def solver_table(rows):
    cells = [[row["mesh"], count(row["rows"]), f"`{row['method']}`", row["iterations"], f"{float(row['median_us']):.0f}",
              f"{float(row['iteration_us']):.1f}"] for row in rows if row["correct"] == "yes"]
    return table("Conjugate gradients", ["mesh", "rows", "method", "iterations", "solve [µs]", "iteration [µs]"], cells,
                 "With Jacobi, to 1e-10 of the right-hand side.")


def step_table(steps):
    cells = [[name, count(nodes), solver,
              *(f"{float(parts[part]['median_us']):.0f}" +
                (f" ({float(parts[part]['ratio_to_roof']):.2f})" if parts[part]["ratio_to_roof"] else "")
                for part in [*STEP_PARTS, "whole"])] for (name, nodes, solver), parts in steps.items()]
    return table("A Newton iteration", ["mesh", "nodes", "solver", *STEP_PARTS, "whole"], cells,
                 "With ten iterations of conjugate gradients, µs; in brackets times the roof.")


def precision(row):
    """The precision of a row of solver.csv: that of the whole solve, `mixed` where the values of K alone are single."""
    return next((kind for kind in ("mixed", "single") if row["method"].endswith(f"_{kind}")), "double")


def speed_table(compare, beat, assembly, solver):
    """For the README: what a step takes on the CPU and on the GPU, and a beat and its parts there."""
    def best(rows, nodes, column):
        times = [float(row[column]) for row in rows
                 if row.get("nodes", row.get("rows")) == nodes and row["correct"] == "yes" and row[column]]
        return f"{min(times):.3g}" if times else ""

    beat_s = {row["nodes"]: f"{float(row['seconds']):.2g}" for row in beat
              if (row["scheme"], row["quadrature"], float(row["tolerance"])) == ("sdirk2", "vertices", 1e-2)}
    steps_of = {row["nodes"]: ["", "", ""] for row in beat}
    for (_, nodes, steps), by_side in sides(compare).items():
        step_ms = {}
        for name, by_phase in by_side.items():
            seconds = sum(float(by_phase[phase]["median_s"])
                          for phase in ("element", "assembly", "linear_solve", "update"))
            step_ms[name.split(",")[0]] = 1e3 * seconds / int(steps)
        if {"cpu", "gpu"} <= step_ms.keys():
            steps_of[nodes] = [f"{step_ms['cpu']:.3g}", f"{step_ms['gpu']:.3g}",
                               f"{step_ms['cpu'] / step_ms['gpu']:.0f} ×"]
    cells = [[count(nodes), *of, beat_s.get(nodes, ""), best(assembly, nodes, "median_us"),
              *(best([row for row in solver if precision(row) == kind], nodes, "iteration_us")
                for kind in ("double", "single"))] for nodes, of in steps_of.items()]
    threads = next(row["device"] for row in compare if row["side"] == "cpu")
    device = next(row["device"] for row in compare if row["side"] == "gpu")
    return rows_text(["nodes", f"step, CPU, {threads} [ms]", f"step, {device} [ms]", "", "beat [s]",
                      "elements and assembly [µs]", "CG iteration [µs]", "in single precision [µs]"], cells)


def beat_table(rows):
    cells = [[row["mesh"], count(row["nodes"]), f"`{row['scheme']}`", f"`{row['quadrature']}`", row["tolerance"],
              row["max_step_ms"], row["solver"], f"{float(row['seconds']):.3g}", row["steps"],
              f"{int(row['newton_iterations']) / int(row['steps']):.1f}",
              f"{int(row['cg_iterations']) / int(row['newton_iterations']):.1f}", row["activation_percent"],
              row["apd90_ms"]] for row in rows]
    return table("A beat", ["mesh", "nodes", "scheme", "quadrature", "tolerance", "longest step [ms]", "solver", "seconds",
                            "steps", "Newton a step", "CG a Newton iteration", "activation [%]", "APD90 [ms]"], cells,
                 "1000 ms with adaptive steps; the last two are the largest distance from the limit of short steps, "
                 "where the limit is activated after 10 ms.")


def rule_tables(rows):
    groups = rule_groups(rows)
    shares = [[name, str(len(group)), str(within(group)), f"{100 * within(group) / len(group):.0f} %",
               f"{statistics.median(float(row['ratio']) for row in group):.3f}", f"{float(group[-1]['ratio']):.2f}"]
              for name, group in groups.items()]
    misses = [[row["matrix"], name, f"`{row['best_format']}`",
               choice({"format": row["rule_format"], "block_size": row["rule_block_size"], "lanes": "",
                       "threshold": row["rule_threshold"], "values_per_thread": ""}), f"{float(row['ratio']):.3f}"]
              for name, group in groups.items() for row in reversed(group) if float(row["ratio"]) > 1.05]
    text = table("The rule", ["matrices", "number", "within 5 %", "share", "median", "worst"], shares,
                 "Time of the rule's choice over the best tuned time.")
    return text + "\n" + table("Where the rule misses", ["matrix", "", "best", "rule", "ratio"], misses,
                               "All by more than 5 %, worst first.") if misses else text


def ways_table(rows):
    cells = [[row["mesh"], f"`{row['way']}`", row["solver"], row["spmv"], *(f"{float(row[name]):.1f}" for name in
              ("element_us", "assembly_us", "cg_iteration_us", "update_us"))] for row in rows if row["backend"] == "gpu"]
    return table("A step in every way", ["mesh", "way", "solver", "matrix", "elements [µs]", "sums [µs]",
                                         "CG iteration [µs]", "update [µs]"], cells,
                 "The first 20 steps of a run, by its own laps: elements, sums and update a Newton iteration. A solve on "
                 "the chip or in one launch has its start and end in the time of its iterations.")


def hearts_table(products, assembly, solver, iterations):
    """The hearts of the page: each beside the best of NVIDIA's libraries."""
    def fastest(rows, column):
        return min((row for row in rows if row["correct"] == "yes" and row[column]), default=None,
                   key=lambda row: float(row[column]))

    def product(nodes, of_library):
        names = [matrix for matrix in (products.others if products else []) if products.sizes[matrix][0] == nodes]
        rows = [products.fastest(name, products.tuned, [key for key in products.formats
                                                        if key.startswith("cusparse") == of_library] or ["none"])
                for name in names]
        return next(filter(None, rows), None)

    def iteration(nodes, of_library):
        return fastest([row for row in solver if int(row["rows"]) == nodes and precision(row) == "double" and
                        row["method"].startswith("library") == of_library], "iteration_us")

    def number(text):
        return f"{float(text):.3g}" if float(text) < 999.5 else f"{float(text):,.0f}"

    def cell(row, column, name=None):
        return number(row[column]) + (f" (`{row[name]}`)" if name else "") if row else NONE

    def gain(ours, theirs, column):
        return f"{float(theirs[column]) / float(ours[column]):.2f} ×" if ours and theirs else NONE

    sizes = sorted({int(row["nodes"]) for row in assembly} | {int(row["rows"]) for row in solver})
    whole = {int(nodes): parts["whole"] for (_, nodes, _), parts in iterations.items()}
    rows = []
    for nodes in sizes:
        ours, theirs = product(nodes, False), product(nodes, True)
        cg, of_library = iteration(nodes, False), iteration(nodes, True)
        single = fastest([row for row in solver if int(row["rows"]) == nodes and precision(row) == "single"], "iteration_us")
        sums = fastest([row for row in assembly if int(row["nodes"]) == nodes], "median_us")
        step = whole.get(nodes)
        rows.append([count(nodes), cell(ours, "median_us", "format"), cell(theirs, "median_us", "format"),
                     gain(ours, theirs, "median_us"), cell(sums, "median_us"), cell(cg, "iteration_us", "method"),
                     cell(of_library, "iteration_us"), gain(cg, of_library, "iteration_us"),
                     cell(single, "iteration_us"),
                     f"{number(step['median_us'])} ({float(step['ratio_to_roof']):.1f})" if step else NONE])
    return rows_text(["nodes", "product [µs]", "cuSPARSE's [µs]", "", "elements and assembly [µs]",
                      "CG iteration [µs]", "the libraries' [µs]", "", "in single precision [µs]",
                      "Newton iteration [µs] (roofs)"], rows)


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
    tables = []
    spmv, compare, assembly, solver, steps, step, beat, rule, row_lengths = (read(folder / name) for name in COLUMNS)
    products = Products(spmv) if spmv else None
    if products or assembly or solver:
        save(roofline_figure(products, assembly, solver), folder / "roofline.svg")
    if spmv:
        copies = [float(row["gb_per_s"]) for row in spmv if row["format"] == "copy"]
        save(bandwidth_figure(products, copies[0]), folder / "spmv_bandwidth.svg")
        save(formats_figure(products, products.tuned), folder / "spmv_formats.svg")
        save(reordering_figure(products), folder / "reordering.svg")
        tables += [best_table(products), "![Times as fast as cuSPARSE, by format](spmv_formats.svg)\n",
                   parameter_table(products), alpha_table(products), effects_table(products)]
    if assembly:
        tables.append(assembly_table(assembly))
    if solver:
        tables.append(solver_table(solver))
    if steps:
        tables.append(ways_table(steps))
    iterations = steps_by_size(step)
    if iterations:
        save(step_figure(iterations), folder / "step.svg")
        tables.append(step_table(iterations))
    if beat:
        tables.append(beat_table(beat))
    if compare:
        save(phases_figure(compare), folder / "phases.svg")
        tables.append(compare_tables(compare))
    if rule:
        save(rule_figure(rule), folder / "rule.svg")
        tables.append(rule_tables(rule))
    if row_lengths:
        save(row_lengths_figure(row_lengths), folder / "row_lengths.svg")
    if not tables and not row_lengths:
        sys.exit(f"{folder}: nothing to draw")
    if folder == HERE / "nvidia-h200":
        if compare:
            fill(HERE.parents[1] / "README.md", "speed", speed_table(compare, beat, assembly, solver))
        fill(HERE / "README.md", "hearts", hearts_table(products, assembly, solver, iterations))
        papers.renew()
    if not tables:
        return
    text = f"# Tables of {folder.name}\n\nMade by `docs/benchmarks/figures.py`.\n\n" + "\n".join(tables)
    (folder / "tables.md").write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
