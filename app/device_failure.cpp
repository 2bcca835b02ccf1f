#include "app/device_failure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <optional>
#include <string_view>

#include "app/checkpoints.hpp"
#include "app/march.hpp"
#include "app/output/recorder.hpp"
#include "app/process/exit_code.hpp"
#include "app/process/standard_streams.hpp"
#include "app/simulation/simulation.hpp"

namespace cardiowarp {
namespace {

std::string place_of(const RunInProgress& run) {
  if (run.simulation == nullptr) return run.phase;
  return fmt::format("after step {} (t = {:.6g} ms)", run.march->steps().accepted, run.simulation->time_ms());
}

std::string completed_frames(Recorder& recorder) {
  std::string failure;
  try {
    recorder.complete();
  } catch (const std::exception& error) {
    failure = fmt::format(" ({})", error.what());
  }
  const int frames = recorder.frames();
  return fmt::format("; {} frame{} complete{}", frames, frames == 1 ? " is" : "s are", failure);
}

std::string way_on(const Checkpoints& checkpoints) {
  const std::optional<Real> time_ms = checkpoints.saved_ms();
  if (!time_ms) return "; there is no checkpoint to go on from";
  return fmt::format("; the same command with --resume goes on from the checkpoint at t = {:.6g} ms", *time_ms);
}

}  // namespace

std::string keep_what_is_there(const std::string& reason, const RunInProgress& run) {
  std::string message = fmt::format("{}: {}", place_of(run), reason);
  if (run.recorder != nullptr) message += completed_frames(*run.recorder);
  if (run.checkpoints != nullptr) message += way_on(*run.checkpoints);
  return message;
}

void end_without_device(GivenUp why, double patience_seconds, const RunInProgress& run) {
  const bool is_asked = why == GivenUp::asked_to_stop;
  std::string message;
  std::string_view told =
      is_asked ? "interrupted, and memory ran out" : "the GPU has not answered (--gpu-timeout), and memory ran out";
  try {
    message = keep_what_is_there(
        is_asked ? std::string(wait_given_up)
                 : fmt::format("the GPU has not answered for {:.6g} s (--gpu-timeout)", patience_seconds),
        run);
    told = message;
  } catch (const std::exception&) {  // nobody above this thread's function would catch it
  }
  if (isatty(STDERR_FILENO) != 0) write_message("\r\033[K");  // in place of the progress line
  print_error(told);
  std::_Exit(end_report(static_cast<int>(is_asked ? ExitCode::interrupted : ExitCode::device_failure)));
}

}  // namespace cardiowarp
