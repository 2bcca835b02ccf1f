#pragma once
#include <string>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The first difference between two resolved configurations that keeps a run by the second from going on where one by
/// the first was at `time_ms`, as `stimuli[0].amplitude: 40 in the checkpoint, 50 now`; empty where there is none. The
/// end of the run, `checkpoint`, `backend`, the output directory and the names of files may differ, and the `count` of
/// a stimulus by pulses that have not begun.
std::string configuration_difference(const std::string& before, const std::string& now, Real time_ms);

/// The first difference in where the regions are and which cell models they have, in the words of
/// configuration_difference(); empty where there is none.
std::string difference_of_models(const std::string& before, const std::string& now);

/// The first keys in which two resolved configurations differ that give other results, as `time.end was 30, is 50`, and
/// how many more; empty where there are none.
std::string differences_of_results(const std::string& before, const std::string& now);

}  // namespace cardiowarp
