#pragma once
#include <array>

#include "app/simulation/implicit_stage.hpp"
#include "app/simulation/step_law.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Several adaptive steps that a machine makes before the host looks: a flight. The host enqueues the loops of some
// steps as if each of them were accepted. What it does not know, the lengths of these steps and whether they are
// accepted, is found in backend memory, in a FlightState of half a kilobyte. After the step that ends the flight the
// loops of those that follow find that nothing is to be done. Then the host reads a FlightReport, once for all steps.
//
//   host     | take off | enqueue step 1, 2, 3, 4 ......... | look: 3 steps; the third reached a frame
//   machine             | step 1 | step 2 | step 3 | nothing |
//
// A flight ends with a step that is rejected or has no solution, that reaches the next stop of StepControl or the time
// at which somebody wants to see the state, or after as many steps as were enqueued. So the source is the same in all
// of its steps. It has no more steps than a fifth of a second is enough for (FlightLimit): as long as it lasts, nobody
// stops the run, and the watch over the GPU sees one wait. TimeStepper asks for flights, BackendSimulation makes them,
// and tells TimeStepper of their steps one by one. The steps, and all results, are those of steps that the host looks
// at one by one, bit for bit.

/// The steps that a flight may have: their report is to fit into one read().
inline constexpr int longest_flight = 8;

/// How many steps a flight may have to take at most about a fifth of a second, by the time that the last steps took.
class FlightLimit {
 public:
  void add(int steps, double seconds) {
    if (steps > 0) seconds_a_step_ = seconds / steps;
  }
  /// No more than `steps`; all of them before any step was made.
  int most_steps(int steps) const {
    constexpr double flight_seconds = 0.2;
    return steps * seconds_a_step_ <= flight_seconds ? steps : static_cast<int>(flight_seconds / seconds_a_step_);
  }

 private:
  double seconds_a_step_ = 0;
};

/// What a flight begins with.
struct Flight {
  StepLaw law;
  StepPlan plan;
  Real stop_ms;   ///< the next stop, to which no step goes on without the host
  Real look_ms;   ///< the flight ends with the first step that reaches this
  int steps = 0;  ///< at most; 0: as many as suit the machine
};

struct FlownStep {
  Real end_ms, error;  ///< in φ, where there is a solution
  int newton_iterations, linear_iterations;
};

enum class FlownEnd { accepted, rejected, no_solution };

/// What a flight tells the host.
struct FlightReport {
  std::array<FlownStep, longest_flight> steps{};
  Real last_step = 0;                  ///< in τ, of the last that was accepted
  int number = 0;                      ///< of the steps that were tried
  FlownEnd last = FlownEnd::accepted;  ///< what became of the last one; those before it were accepted

  /// How many were accepted, which are the first.
  CARDIOWARP_HD int accepted() const { return last == FlownEnd::accepted ? number : number - 1; }
};

/// When a step began and ended, and its length in τ.
struct StepTimes {
  Real begin_ms, end_ms, step;
};

/// The lengths of a step and of the one before it, in τ; 0 where there is none before.
struct StepLengths {
  Real step, previous;
};

/// A flight under way, in backend memory. It changes when it begins and at the end of a step (EndFlownStep), and what
/// the loops of one step read of it does not change between these.
struct FlightState : FlightReport {
  Flight flight;
  Real ms_per_tau;
  StepLengths now;  ///< of the step that is made
  StepTimes done;   ///< the last step that was accepted
  bool goes_on;     ///< else the step is not made
  bool accepts;     ///< the step that ended just now was accepted

  CARDIOWARP_HD void begin(const Flight& given, Real ms_in_tau, Real previous_step) {
    static_cast<FlightReport&>(*this) = {};
    flight = given;
    ms_per_tau = ms_in_tau;
    now = {given.plan.step_ms() / ms_per_tau, previous_step};
    goes_on = true;
    accepts = false;
  }

  /// After the last stage of a step and the estimate of its error.
  CARDIOWARP_HD void end_step(const StepOutcome& outcome) {
    accepts = false;
    if (!goes_on) return;
    const NewtonReport& report = outcome.newton.report;
    StepPlan& plan = flight.plan;
    steps[number++] = {plan.next_ms, outcome.error, report.iterations + outcome.stage_before.iterations,
                       report.linear_iterations + outcome.stage_before.linear_iterations};
    if (!report.converged()) {
      last = FlownEnd::no_solution;
    } else if (outcome.error > flight.law.largest_error(plan)) {
      last = FlownEnd::rejected;
    } else {
      accepts = true;
      done = {plan.time_ms, plan.next_ms, now.step};
      last_step = now.step;
    }
    goes_on = accepts && flight.stop_ms - plan.next_ms > same_time_ms && plan.next_ms < flight.look_ms;
    if (!goes_on) return;
    flight.law.accept(plan, outcome.error);
    plan.time_ms = plan.next_ms;
    flight.law.plan_to(plan, flight.stop_ms);
    now = {plan.step_ms() / ms_per_tau, now.step};
  }
};

struct BeginFlight {
  FlightState* state;
  Flight flight;
  Real ms_per_tau, previous_step;
  CARDIOWARP_HD void operator()(Index) const { state->begin(flight, ms_per_tau, previous_step); }
};

/// The decision at the end of a step, where it is one of a flight.
struct EndFlownStep {
  FlightState* flight;  ///< null where it is not
  const StepState* state;
  CARDIOWARP_HD void operator()() const {
    if (flight != nullptr) flight->end_step(*state);
  }
};

/// The step that loops are for: of a flight or of one that the host knows. A loop is the same code for both, so that it
/// rounds in the same way.
struct StepNow {
  StepLengths given;  ///< where there is no flight
  const FlightState* flight = nullptr;

  // Before the end of the step.
  CARDIOWARP_HD StepLengths operator()() const { return flight != nullptr ? flight->now : given; }
  CARDIOWARP_HD bool is_idle() const { return flight != nullptr && !flight->goes_on; }

  // After it.
  CARDIOWARP_HD Real length_done() const { return flight != nullptr ? flight->done.step : given.step; }
  CARDIOWARP_HD bool is_refused() const { return flight != nullptr && !flight->accepts; }
};

}  // namespace cardiowarp
