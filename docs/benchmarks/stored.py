"""What is stored of measurements, by folder."""

import collections

import measured
from products import Products

PHASES = ["element", "assembly", "linear_solve", "update"]


class Stored:
    """The files of two GPUs, of a CPU and of what is counted; no rows where a file is missing."""

    def __init__(self, gpu, second, cpu, counts):
        self.folders = {"gpu": gpu, "second": second, "cpu": cpu, "counts": counts}

    def rows(self, *names, of="gpu"):
        """Of the files of these names, one after the other."""
        paths = [self.folders[of] / f"{name}.csv" for name in names]
        return [row for path in paths if path.exists() for row in measured.read(path)[2]]

    def products(self, *names, of="gpu"):
        return Products(self.rows(*names, of=of))

    def seconds(self):
        """{nodes: {side: {phase: seconds of all steps}}}, of the four phases of a step, where the answers agree"""
        sizes = collections.defaultdict(lambda: collections.defaultdict(dict))
        for row in sorted(self.rows("compare"), key=lambda row: int(row["nodes"])):
            if row["agrees"] == "yes" and row["phase"] in PHASES:
                sizes[row["nodes"]][row["side"]][row["phase"]] = float(row["median_s"])
        return sizes


def of_phases(phases, *names):
    """Seconds; 0 where one was not measured."""
    return sum(phases[name] for name in names or phases) if {*names} <= phases.keys() else 0.0


def fastest(rows, column):
    """The row with the smallest number in the column, of the correct ones that have one; None where there is none."""
    return min((row for row in rows if row.get("correct", "yes") == "yes" and row.get(column)), default=None,
               key=lambda row: float(row[column]))


def by_nodes(rows, column="nodes"):
    """Pairs of a number of nodes and the rows that have it, from the smallest."""
    sizes = collections.defaultdict(list)
    for row in rows:
        if row[column]:
            sizes[int(row[column])].append(row)
    return sorted(sizes.items())
