#pragma once
#include "app/simulation/flight.hpp"
#include "app/simulation/implicit_stage.hpp"
#include "app/simulation/step_law.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// A flight (flight.hpp) as the machine that makes it sees it. A FlightState of half a kilobyte in backend memory knows
// the step that is under way and decides at the end of each step whether the next one is made; the loops of a step read
// it through StepNow, which also stands for a step that the host knows. SecondOrder begins flights, and the loop bodies
// of second_order_loops.hpp and of the maps read them.

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
