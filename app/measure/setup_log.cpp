#include "app/measure/setup_log.hpp"

#include <sys/resource.h>

#include "app/process/log.hpp"
#include "kernels/backend/stop_request.hpp"

namespace cardiowarp {

void SetupLog::ended(std::string_view phase) {
  const double processors = processor_seconds();
  log_debug("setup: {} {:.4f} s, {:.4f} s of processors", phase, watch_.seconds(), processors - processors_);
  watch_ = {};
  processors_ = processor_seconds();
  try {
    heed_stop_request();
  } catch (const StopRequest&) {
    throw StopRequest("interrupted: the set-up took too long and was given up");
  }
}

double SetupLog::processor_seconds() {
  double seconds = 0;
  for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(whose, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return seconds;
}

}  // namespace cardiowarp
