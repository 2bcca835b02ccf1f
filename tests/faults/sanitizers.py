#!/usr/bin/env python3
"""compute-sanitizer over every path of the GPU backend: a table of tools, cases and errors as CSV.

usage: sanitizers.py PROGRAM [--tests FOLDER] [--only WORD]... [--tools TOOL,..] [--jobs N] [--csv FILE] [--list]

The cases are runs of a few steps on a tiny mesh, one for each path of the solver in each precision, preconditioner,
operator, format, assembly, time scheme, quadrature, cell model, with prescribed nodes, frames of EnSight and quadratic
tetrahedra, and with --tests (build/release/tests/parity) the tests of the kernels, those of products with at most 5000 rows.
PROGRAM is cardiowarp, or better cardiowarp_failing_gpu: the tools cannot look into graphs that repeat their nodes and
racecheck ends the program with a segmentation fault there; that program can let the host repeat instead. With cardiowarp itself,
and for the tests, they need a build with -DCARDIOWARP_GRAPH_LOOPS=OFF.

--only takes the cases whose name has one of the words. Columns: tool, case, errors (of the tool; racecheck's warnings
count), exit code of the program, seconds, command. `not run` stands for what ended without a summary of the tool. The
tool `none` runs the cases without one. Exit code 0 where no tool has found an error and every program has ended well.
"""
import argparse
import concurrent.futures
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

TOOLS = {
    "memcheck": [],
    "racecheck": ["--racecheck-report", "all"],
    "synccheck": [],
    "initcheck": [],
    "none": [],
}
SECONDS = 500  # of one case

CONFIGURATION = """mesh: {file: slab.msh}
diffusivity: {longitudinal: 0.2 mm^2/ms, transverse: 0.05 mm^2/ms}
fibers: {source: constant, direction: [1, 0, 0]}
stimuli:
  - where: {box: {min: [0, 0, 0], max: [0.6, 9, 9]}}
    duration: 1 ms
    amplitude: 60 mV/ms
time: {end: 0.6 ms, step: 0.2 ms}
output: {directory: out, interval: 0.2 ms}
probes:
  - {name: middle, point: [1, 0.5, 0.5]}
checkpoint: {interval: 0.4 ms, keep: 1}
"""

CENTROID = {"quadrature": "centroid"}
QUADRATIC = {"mesh.file": "quadratic.msh"}
PRESCRIBED = "[{where: {box: {min: [1.9, 0, 0], max: [9, 9, 9]}}, potential: -80 mV}]"
ELL_WARP = ("k1", "k2", "k1r", "k2r", "k1rs", "k2rs")
PRECISIONS = ("double", "mixed", "single")
# Of sums of elements' numbers; those whose bits may differ between runs need `assembly.repeatable: false`.
STRATEGIES = ("scalar_gather", "shared_nz", "shared_nz_general", "global_nz_general", "global_nz_prefetched_general",
              "global_nz_nodal_general", "global_nz_packed_general", "local_row", "local_row_general", "local_nz",
              "local_nz_general", "elem_color", "elem_color_general", "two_level_color", "two_level_color_general")
NOT_REPEATABLE = ("atomics", "atomics_general", "lazy_ell", "lazy_ell_general")
OF_QUADRATIC = ("entry_gather", "spmv_k1", "spmv_k2rs", *STRATEGIES[1:], *NOT_REPEATABLE)
OPERATORS = ("local", "local_full", "matrix_free", "split")


def repeatable(strategy):
    return {"assembly.repeatable": "false"} if strategy.startswith(("atomics", "lazy_ell")) else {}


def run_cases():
    """Settings of runs by the names of the cases."""
    cases = {"default": {}}
    for path in ("plain", "in_parts", "persistent", "on_chip"):
        for precision in PRECISIONS:
            cases[f"path_{path}_{precision}"] = {"linear_solver.path": path, "linear_solver.precision": precision}
    for kind in ("neumann", "least_squares", "chebyshev"):
        for path in ("plain", "in_parts", "persistent"):
            for precision in ("double", "single"):
                cases[f"polynomial_{kind}_{path}_{precision}"] = {
                    "linear_solver.path": path,
                    "linear_solver.preconditioner": f"{{polynomial: {kind}, degree: 2, precision: {precision}}}"}
    for path in ("plain", "in_parts", "persistent"):
        cases[f"polynomial_in_mixed_{path}"] = {
            "linear_solver.path": path, "linear_solver.precision": "mixed",
            "linear_solver.preconditioner": "{polynomial: chebyshev, degree: 3, precision: single}"}
    for preconditioner in ("ssor", "ssor_eisenstat"):
        for precision in ("double", "mixed"):
            cases[f"{preconditioner}_{precision}"] = {
                "linear_solver.path": "plain", "linear_solver.preconditioner": preconditioner,
                "linear_solver.precision": precision}
    for operator in OPERATORS:
        for precision in PRECISIONS:
            cases[f"operator_{operator}_{precision}"] = {
                **CENTROID, "linear_solver.path": "plain", "linear_solver.operator": operator,
                "linear_solver.precision": precision}
    cases["operator_split_vertices"] = {"linear_solver.path": "plain", "linear_solver.operator": "split"}
    for spmv in ("csr", "cusparse", *ELL_WARP):
        cases[f"format_{spmv}"] = {"linear_solver.path": "plain", "linear_solver.spmv": spmv,
                                   "linear_solver.threshold": "4"}
    for spmv, strategy in (("csr", "row_gather"), ("k2", "entry_gather"), ("k1rs", "slice_gather"),
                           ("k2rs", "slice_gather")):
        cases[f"assembly_{strategy}_{spmv}"] = {**CENTROID, "linear_solver.path": "plain", "linear_solver.spmv": spmv,
                                                "assembly.strategy": strategy}
    for strategy in (*STRATEGIES, *NOT_REPEATABLE):
        cases[f"assembly_{strategy}"] = {**CENTROID, "linear_solver.path": "plain", "assembly.strategy": strategy,
                                         **repeatable(strategy)}
    for variant in ELL_WARP:
        for order in ("direct", "csr"):
            cases[f"assembly_spmv_{variant}_{order}"] = {**CENTROID, "assembly.strategy": f"spmv_{variant}",
                                                         "assembly.order": order, "assembly.threshold": "4"}
    for scheme in ("backward_euler", "sdirk2", "trbdf2", "bdf2", "rkc2"):
        cases[f"scheme_{scheme}"] = {"time.scheme": scheme}
        if scheme != "rkc2":
            cases[f"scheme_{scheme}_adaptive"] = {"time.scheme": scheme, "time.adaptive.enabled": "true"}
    for quadrature in ("centroid", "vertices", "vertices_and_centroid"):
        for path in ("plain", "on_chip"):
            cases[f"quadrature_{quadrature}_{path}"] = {"quadrature": quadrature, "linear_solver.path": path}
    for model in ("aliev_panfilov", "mitchell_schaeffer", "bueno_orovio"):
        cases[f"model_{model}"] = {"cell_model.name": model, "quadrature": "vertices_and_centroid"}
    for path in ("plain", "on_chip"):
        cases[f"boundary_{path}"] = {"linear_solver.path": path, "boundary": PRESCRIBED}
    cases["boundary_centroid"] = {**CENTROID, "boundary": PRESCRIBED}
    cases["ensight"] = {"output.format": "ensight"}
    for path in ("plain", "in_parts", "persistent", "on_chip"):
        cases[f"quadratic_{path}"] = {**QUADRATIC, "linear_solver.path": path}
    for operator in OPERATORS:
        cases[f"quadratic_operator_{operator}"] = {**QUADRATIC, "linear_solver.path": "plain",
                                                   "linear_solver.operator": operator}
    for strategy in OF_QUADRATIC:
        cases[f"quadratic_{strategy}"] = {**QUADRATIC, "linear_solver.path": "plain", "assembly.strategy": strategy,
                                          **repeatable(strategy)}
    cases["quadratic_boundary"] = {**QUADRATIC, "boundary": PRESCRIBED}
    return cases


# Tests by their programs; what takes minutes by itself or provokes an error of CUDA is left out.
TEST_CASES = {
    "parity_cuda_backend": "-*AskingForMoreMemory*",
    "parity_ell_warp": "-*AMillionRows*:*IsRefusedBeforeTheLaunch*",
    "parity_spmv_formats": "-*AreRefused*:*IsRefused*:*AMillion*",
    "parity_cusparse": "-*IsRefused*:*InEveryRun*",
    "parity_simulation_kernels": "-*AMillionElements*",
    "parity_slice_gather": "-*OfALargeMesh*",
    "parity_solver_paths": "*StopAtTheForcingTerm*:*HaveNothingToDoForZero*:*SayWhyTheyFailed*",
    "parity_newton_repetition": "*",
    "parity_checkpoint": "*",
    "parity_operators": "*",
    "parity_quadratic": "*",
}


class Cases:
    def __init__(self, given, folder):
        self.given, self.folder = given, folder
        self.commands = {}  # words and the environment, by name
        program = os.path.abspath(given.program)
        for name, order in (("slab", "1"), ("quadratic", "2")):
            subprocess.run([program, "mesh", "slab", "--size", "2,1,1", "--edge", "0.5mm", "--order", order, "--output",
                            str(folder / f"{name}.msh")], check=True, capture_output=True)
        (folder / "slab.yaml").write_text(CONFIGURATION)
        for name, settings in run_cases().items():
            words = [program, "run", str(folder / "slab.yaml"), "--backend", "gpu", "--log-level", "warning"]
            for key, value in settings.items():
                words += ["--set", f"{key}={value}"]
            self.commands[name] = words
        if given.tests:
            for name, chosen in TEST_CASES.items():
                test = pathlib.Path(given.tests) / name
                if test.exists():
                    self.commands[name] = [str(test.absolute()), f"--gtest_filter={chosen}"]
        if given.only:
            self.commands = {name: words for name, words in self.commands.items()
                             if any(word in name for word in given.only)}

    def row(self, tool, name):
        """One line of the table."""
        words, output = list(self.commands[name]), self.folder / f"{tool}_{name}"
        if words[1] == "run":
            words += ["--output", str(output)]
        log = self.folder / f"{tool}_{name}.log"
        environment = dict(os.environ)
        environment["CARDIOWARP_GPU_GRAPHS"] = "refused"
        environment["CARDIOWARP_TEST_MOST_ROWS"] = "5000"
        prefix = [] if tool == "none" else ["compute-sanitizer", "--tool", tool, "--log-file", str(log), *TOOLS[tool]]
        began = time.monotonic()
        try:
            ended = subprocess.run([*prefix, *words], capture_output=True, text=True, env=environment, timeout=SECONDS)
            code, messages = str(ended.returncode), ended.stdout + ended.stderr
        except subprocess.TimeoutExpired:
            code, messages = "timeout", ""
        seconds = time.monotonic() - began
        found = log.read_text(errors="replace") if log.exists() else ""
        errors = "0" if tool == "none" else errors_in(found)
        if (errors, code) != ("0", "0"):
            print(f"== {tool} {name}: {errors} errors, exit code {code}\n{found[:1500]}\n{messages[-1500:]}",
                  file=sys.stderr, flush=True)
        shutil.rmtree(output, ignore_errors=True)
        return [tool, name, errors, code, f"{seconds:.1f}", " ".join(self.commands[name][1:]).replace(f"{self.folder}/", "")]


def errors_in(log):
    """What a tool has found by its own summary."""
    summary = re.search(r"ERROR SUMMARY: (\d+) error", log)
    if summary:
        return summary.group(1)
    summary = re.search(r"RACECHECK SUMMARY: (\d+) hazards? displayed", log)
    return summary.group(1) if summary else "not run"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--tests", metavar="FOLDER")
    parser.add_argument("--only", action="append", default=[], metavar="WORD")
    parser.add_argument("--tools", default="memcheck,racecheck,synccheck,initcheck")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--csv", metavar="FILE")
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    tools = given.tools.split(",")
    if unknown := [tool for tool in tools if tool not in TOOLS]:
        sys.exit(f"--tools: expected some of {', '.join(TOOLS)}, got {', '.join(unknown)}")
    if any(tool != "none" for tool in tools) and not given.list and not shutil.which("compute-sanitizer"):
        sys.exit("compute-sanitizer is not there: it comes with the CUDA toolkit")
    with tempfile.TemporaryDirectory(prefix="cardiowarp_sanitizers_") as folder, \
            concurrent.futures.ThreadPoolExecutor(given.jobs) as pool, \
            open(given.csv or os.devnull, "w", newline="") as table:
        cases = Cases(given, pathlib.Path(folder))
        if given.list:
            print("\n".join(cases.commands))
            return 0
        head = ["tool", "case", "errors", "exit_code", "seconds", "command"]
        table.write(subprocess.run([os.path.abspath(given.program), "info", "--csv-head"], check=True, capture_output=True,
                                   text=True).stdout)
        writers = [csv.writer(sys.stdout), csv.writer(table)]
        for writer in writers:
            writer.writerow(head)
        work = [(tool, name) for tool in tools for name in cases.commands]
        good = 0
        for row in pool.map(lambda one: cases.row(*one), work):
            for writer in writers:
                writer.writerow(row)
            for file in (sys.stdout, table):
                file.flush()
            good += row[2:4] == ["0", "0"]
    print(f"{len(work)} combinations of {len(tools)} tools: {good} without an error", file=sys.stderr)
    return 0 if good == len(work) else 1


if __name__ == "__main__":
    sys.exit(main())
