#pragma once
#include <array>

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

/// The order for a flight: how long its steps are and when it ends.
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

/// The report of a flight to the host.
struct FlightReport {
  std::array<FlownStep, longest_flight> steps{};
  Real last_step = 0;                  ///< in τ, of the last that was accepted
  int number = 0;                      ///< of the steps that were tried
  FlownEnd last = FlownEnd::accepted;  ///< what became of the last one; those before it were accepted

  /// How many were accepted, which are the first.
  CARDIOWARP_HD int accepted() const { return last == FlownEnd::accepted ? number : number - 1; }
};

}  // namespace cardiowarp
