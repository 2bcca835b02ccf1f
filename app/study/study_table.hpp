#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/measure/table.hpp"
#include "app/study/study_runs.hpp"
#include "app/study/sweep_axes.hpp"

namespace cardiowarp {

/// `sweep.csv`: a line a run, with the values of its keys and, from its summary, how it ended, activation, medians of
/// the maps, captures of each stimulus, and the last beat of each probe. `results` are those of `runs.rows`; a run that
/// was not made has none.
Table sweep_table(const SweepTable& runs, const std::vector<std::string>& names,
                  const std::vector<std::optional<StudyResult>>& results);

/// The columns of sweep_table() that a terminal has room for: run, keys, status, activation and median APD90.
Table short_table(const Table& table, const SweepTable& runs);

/// `sweep.svg`: the last activation time and the median APD90 over the first key, a curve for each combination of the
/// other keys, or a mark for each run where more than seven combinations would be told apart. Empty where the values of
/// the first key are not numbers with the same unit, or all the same.
std::string sweep_figure(const SweepTable& runs, const std::vector<std::optional<StudyResult>>& results);

/// `diffusivity.isotropic = 0.5, time.step = 0.1 ms`
std::string in_words(const SweepTable& runs, std::size_t run);

}  // namespace cardiowarp
