#pragma once
#include <stdexcept>

namespace cardiowarp {

// The wish that the program should end, which a signal brings (app/process/interrupt.hpp). A march ends after the step
// under way. One that takes longer than the patience below, as with a hundred thousand iterations in a linear solve, is
// given up: loops that may last so long throw a StopRequest, and the program ends with what it had before that step.

/// Seconds between the wish and the moment from which loops give up.
inline constexpr double stop_patience_seconds = 2;

/// Thrown by a loop that gives up; the message says what was given up.
class StopRequest : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Asks the program to end. May be called by a signal handler; what is asked first counts.
void ask_to_stop() noexcept;
bool is_asked_to_stop() noexcept;
/// Throws a StopRequest where the program was asked to end longer ago than stop_patience_seconds. Costs next to nothing
/// where it was not asked.
void heed_stop_request();

}  // namespace cardiowarp
