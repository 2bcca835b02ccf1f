"""The tables of ../method/verification.md."""

import itertools
import math
import pathlib
import sys

import slab

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "benchmarks"))
from pages import filled, rows_text as table


def fill(document, texts):
    """Replaces what stands between <!-- name --> and <!-- /name -->."""
    for name, text in texts.items():
        document = filled(document, name, text, "verification.md")
    return document


def orders(rows, x_name, error_name="l2_error"):
    """Observed order from each row to the next."""
    pairs = [(float(row[x_name]), float(row[error_name])) for row in rows]
    return [math.log(e1 / e2) / math.log(x1 / x2) for (x1, e1), (x2, e2) in itertools.pairwise(pairs)]


def summary(results, passed):
    two = "{:.2f}".format
    front = results["front_speed"]
    tested = [abs(float(row["error_percent"])) for row in front if row["edge_mm"] == "0.25"]
    steps = [row for row in front if row["edge_mm"] == "0.5"]
    cell = {row["source"]: row for row in results["one_cell"]}
    cell_error = {name: abs(float(cell["extrapolated"][name]) - float(cell["runge_kutta"][name]))
                  for name in ("peak_mv", "upstroke_ms", "apd50_ms", "apd90_ms")}
    errors = [[abs(float(row["activation_ms"]) - float(row["listed_ms"])) for row in results["slab"]
               if (row["edge_mm"], row["step_ms"]) == (edge, "0.1")] for edge in ("0.5", "0.25")]
    factor = max(fine / coarse for coarse, fine in zip(*errors))
    angles = ", ".join(sorted((row["fiber_angle_degrees"] for row in front if row["edge_mm"] == "0.25"), key=float))
    rows = [
        ("error in space, three meshes", "manufactured solution, linear in time",
         "order " + ", ".join(map(two, orders(results["space_order"], "edge_mm"))), "2 ± 0.15, then 2 ± 0.05",
         "ManufacturedSolution.ConvergesWithOrderTwoInSpace"),
        ("error in time, three steps", "manufactured solution, uniform in space",
         "order " + ", ".join(map(two, orders(results["time_order"], "step_ms"))), "1 ± 0.06",
         "ManufacturedSolution.ConvergesWithOrderOneInTime"),
        ("Newton residuals in a front, 4 ms step", "quadratic convergence",
         f"order {two(float(results['newton_order'][0]['order']))}", "above 1.7",
         "Newton.ConvergesQuadraticallyInAFront"),
        (f"front speed, fibers at {angles}°", "exact traveling wave",
         f"at most {max(tested):.2f} % off", "0.5 %", "FrontSpeed.IsWithinHalfAPercentOfTheExactOne"),
        ("front speed, h 0.5 mm, dt " + " → ".join(row["step_ms"] for row in steps) + " ms", "exact traveling wave",
         " → ".join(f"{float(row['error_percent']):.2f} %" for row in steps), "smaller by 1.5",
         "FrontSpeedError.FallsWithTheStep"),
        ("one cell, dt → 0", "Runge-Kutta at 1 µs",
         f"{cell_error['peak_mv']:.3f} mV, {cell_error['upstroke_ms']:.4f} ms (upstroke), "
         f"{max(cell_error['apd50_ms'], cell_error['apd90_ms']):.3f} ms (durations) off",
         "0.006 mV, 0.0006 ms, 0.006 ms", "OneCell.ApproachesTheReferenceTrajectoryWithOrderOne"),
        ("slab activation, h 0.5 → 0.25 mm, dt 0.1 ms", "listed times",
         f"errors at most {factor:.2f} of those before", "0.52",
         "Slab.ActivationTimesApproachTheExtrapolatedOnes"),
    ]
    return table(["checked", "against", "observed", "bound", "test"], with_passed_tests(rows, passed))


def second_order(results, passed):
    """A column for each scheme, a row for each test."""
    schemes = [row["scheme"] for row in results["second_order_limit"]]

    def cells(name, text):
        return [text([row for row in results[name] if row["scheme"] == scheme]) for scheme in schemes]

    def orders_of(column):
        def text(rows):
            return ", ".join(f"{order:.2f}" for order in orders(rows, "step_ms", column)) if rows else "–"
        return text

    def wave(rows):
        row = next(row for row in rows if float(row["tolerance"]) == 2e-3)
        return f"{float(row['activation_percent']):.2f} %, {float(row['apd90_ms']):.2f} ms"

    front = [f"{float(row['step_ms']):g}" for row in results["second_order_front"] if row["scheme"] == schemes[0]]
    rows = [
        ("order with a manufactured solution, uniform in space, three steps; `rkc2`: reaction in closed form",
         *cells("second_order_time", orders_of("error")), "2 ± 0.1",
         "OrderTwoWithASource.IsTwoOnAManufacturedSolution"),
        (f"order of activation by a front, steps of {', '.join(front)} ms",
         *cells("second_order_front", orders_of("activation_percent")), "2 ± 0.3; `rkc2` at first 0.6",
         "OrderTwo.IsTwoOnAFrontAndItsLimitIsThatOfBackwardEuler"),
        ("its limit, against that of backward Euler, extrapolated",
         *cells("second_order_limit", lambda rows: f"{float(rows[0]['activation_percent_from_backward_euler']):.4f} %"),
         "0.003 %", "OrderTwo.IsTwoOnAFrontAndItsLimitIsThatOfBackwardEuler"),
        ("error of one cell, tolerance 3e-8, inside its steps, against Runge-Kutta at 2 µs",
         *cells("second_order_one_cell", lambda rows: f"{float(rows[-1]['error_mv']):.5f} mV"), "0.0006 mV",
         "OrderTwo.OneCellFollowsRungeKuttaWithTheToleranceInsideStepsToo"),
        ("errors of a wave's activation and APD90, default tolerance", *cells("second_order_wave", wave),
         "0.1 %, 0.5 ms; `bdf2` 0.2 %, 1 ms", "OrderTwo.ActivationTimesApproachTheirLimitWithTheTolerance"),
    ]
    return table(["checked", *(f"`{scheme}`" for scheme in schemes), "bound", "test"], with_passed_tests(rows, passed))


def properties(passed):
    rows = [
        ("nodes and elements renumbered at random; half of the elements listed inverted; mesh and fibers moved and turned; "
         "fibers of half of the elements reversed", "1e-8 mV, 1e-10",
         ("Invariance.RenumberingNodesAndElementsChangesNothing", "Invariance.ListingHalfTheElementsInvertedChangesNothing",
          "Invariance.MovingAndTurningTheHeartWithItsFibresChangesNothing", "Invariance.TheSignOfAFibreChangesNothing")),
        ("the answer without fibers differs", "more than 1 mV", "Invariance.TheFibresMatter"),
        ("100 steps on 1, 2 and 4 threads, and twice on 1", "equal bit for bit",
         "Simulation.HundredStepsAreTheSameBitForBitInTwoRunsAndForAnyNumberOfThreads"),
        ("tangents of every cell model are the derivatives of its rates", "1e-7, 1e-5 for ∂g/∂φ, relative",
         "EveryCellModel.HasTangentsThatAreTheDerivativesOfItsRates"),
        ("the step of the states in closed form is Newton's iteration (paper 000 Table I)", "rounding of its terms",
         "EveryCellModel.HasAClosedFormThatIsNewtonsIteration"),
        ("ds/dφ is the derivative of the step of the states", "1e-6, relative",
         "EveryCellModel.HasStatesWhoseSlopeIsTheDerivativeOfTheirStep"),
        ("the matrix is the derivative of the residual", "1e-7", "Assembly.TangentIsTheDerivativeOfTheResidual"),
        ("diffusion of a constant is 0, the matrix is symmetric", "1e-14 and 1e-15 of its largest entry",
         "Assembly.DiffusionOfAConstantIsZeroAndTheMatrixIsSymmetric"),
        ("diffusion of a linear field is exact", "1e-12",
         "Assembly.IntegratesTheDiffusionOfALinearFieldExactly"),
        ("assembled by every strategy into every format = sum of element matrices", "rounding of its terms",
         "Assembly.EqualsTheSumOfElementMatricesAndResidualsForEveryStrategyAndFormat"),
    ]
    return table(["property", "bound", "test"], with_passed_tests(rows, passed))


def with_passed_tests(rows, passed):
    """Rows end in the name of their test, or a tuple of several; a row whose test has not just passed ends the script."""
    done = []
    for *cells, names in rows:
        tests = (names,) if isinstance(names, str) else names
        for test in tests:
            if not any(test in name for name in passed):
                raise SystemExit(f"tables.py: no test '{test}' has passed")
        done.append((*cells, ", ".join(f"`{test}`" for test in tests)))
    return done


def front_speed(rows):
    """Of the fine bars; what the step does to the coarse ones is in the summary."""
    fine = sorted((row for row in rows if row["edge_mm"] == "0.25"), key=lambda row: float(row["fiber_angle_degrees"]))
    return table(["fibers", *(f"{row['fiber_angle_degrees']}°" for row in fine)],
                 [["error [%]", *(f"{float(row['error_percent']):+.2f}" for row in fine)]])


def one_cell(rows):
    def name(row):
        return {"computed": f"computed, dt {row['step_ms']} ms", "extrapolated": "extrapolated to dt → 0",
                "runge_kutta": "Runge-Kutta, 1 µs (held against)",
                "runge_kutta_here": f"Runge-Kutta, {1000 * float(row['step_ms']):g} µs (`one_cell.py`)"}[row["source"]]

    names = ["peak_mv", "upstroke_ms", "apd50_ms", "apd90_ms"]
    cells = [(name(row), *(f"{float(row[key]):.3f}" for key in names)) for row in rows]
    return table(["", "peak [mV]", "φ = 0.5 upwards [ms]", "APD50 [ms]", "APD90 [ms]"], cells)


def slab_limits(rows):
    cells = []
    for place in slab.places(rows):
        order, limit = place.order_and_limit()
        cells.append(("({:g}, {:g}, {:g})".format(*place.place), f"{order:.2f}", f"{limit:.2f}",
                      f"{place.listed_ms:.2f}", f"{100 * (limit / place.listed_ms - 1):+.2f}"))
    return table(["point [mm]", "order", "h → 0", "listed", "difference [%]"], cells)


def all_tables(results, passed):
    return {
        "summary": summary(results, passed),
        "second_order": second_order(results, passed),
        "properties": properties(passed),
        "front_speed": front_speed(results["front_speed"]),
        "one_cell": one_cell(results["one_cell"]),
        "slab": slab_limits(results["slab"]),
    }
