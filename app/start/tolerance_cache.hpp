#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "app/start/step_tolerance.hpp"

namespace cardiowarp {

// Tolerances that were found from an accuracy and are kept for later runs, each in a small text file that is named by a
// checksum of all that it depends on and has that text in it: the cells, the time scheme, the accuracy, the solvers'
// tolerances, and the program, and a checksum of all. What is no such file, too long or damaged counts as none, with a
// warning, and one that cannot be written is no error. Whoever wants a tolerance found anew removes the folder.

/// cache_folder("accuracy"), for a program that was built from `commit`. None where there is no such folder, and for a
/// program whose commit does not tell what it does, as it was built with changes or from no commit.
std::optional<ToleranceCache> usual_tolerance_cache(const std::string& commit);

/// The tolerance kept for this text; nothing where none is known. Another file of that name is warned of.
std::optional<StepTolerance> read_tolerance(const ToleranceCache& cache, const std::string& text);

/// Keeps what was found for this text, where that is possible.
void keep_tolerance(const ToleranceCache& cache, const std::string& text, const StepTolerance& found);

}  // namespace cardiowarp
