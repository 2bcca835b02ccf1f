#pragma once
#include <string>

#include "app/process/device_watch.hpp"
#include "kernels/backend/device_error.hpp"
#include "kernels/backend/stop_request.hpp"

namespace cardiowarp {

class Checkpoints;
class Recorder;
class Simulation;
struct March;

// These traces are left by a run whose GPU fails, or of which a step that lasts is given up after a signal. No
// checkpoint can be written of the state, which is lost with the device or in the midst of a step: the frames that the
// device had given are completed and listed, the checkpoints stay as they are, and the message says where the run was
// and what it can go on from.

/// The parts of a run. They are null until all of them exist, and again as soon as the first of them is destroyed.
/// Meanwhile `phase` says where the run is.
struct RunInProgress {
  const char* phase = "while the run was prepared";
  const Simulation* simulation = nullptr;
  const March* march = nullptr;
  Recorder* recorder = nullptr;
  const Checkpoints* checkpoints = nullptr;
};

/// Tells a thread that watches over the device of the parts of a run, for as long as this lives.
class ShownRun {
 public:
  ShownRun(RunInProgress& shown, const RunInProgress& run) : shown_(shown) { shown_ = run; }
  ~ShownRun() { shown_ = {.phase = "while the run was ended"}; }
  ShownRun(const ShownRun&) = delete;
  ShownRun& operator=(const ShownRun&) = delete;

 private:
  RunInProgress& shown_;
};

/// Completes the files of a run whose device has failed, and returns `reason` with where the run was and what stays of
/// it. A file that cannot be completed is told as well, not thrown.
std::string keep_what_is_there(const std::string& reason, const RunInProgress& run);

/// Returns work(). A DeviceError or StopRequest of it goes on with the words of keep_what_is_there() as its message.
template <class Work>
auto keeping_what_is_there(const RunInProgress& run, const Work& work) {
  try {
    return work();
  } catch (const DeviceError& error) {
    throw DeviceError(keep_what_is_there(error.what(), run));
  } catch (const StopRequest& request) {
    throw StopRequest(keep_what_is_there(request.what(), run));
  }
}

/// Ends the program in the midst of a wait for its GPU: with exit code 4 where that has not answered for
/// `patience_seconds`, with 130 where the program was asked to end. It leaves the files and the message of
/// keep_what_is_there(), and makes no call of CUDA, which would not return.
[[noreturn]] void end_without_device(GivenUp why, double patience_seconds, const RunInProgress& run);

}  // namespace cardiowarp
