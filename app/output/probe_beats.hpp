#pragma once
#include <string>
#include <vector>

#include "app/output/series_table.hpp"
#include "app/simulation/beats.hpp"
#include "fem/scaling.hpp"

namespace cardiowarp {

// The beats of the probes of a run, from the rows of its `probes.csv`, by the rules of BeatLog. Between two rows the
// potential is a cubic whose slopes at the rows are those of the parabola through three of them.

/// All beats of all columns, with all that a BeatLog knows of them; a beat begins where the potential rises through
/// `activation_mv`.
BeatRecords beats_of_series(const SeriesTable& potential_mv, const Scaling& scaling, Real activation_mv = 0);

/// `probe_beats.csv`: a line for each beat of each probe; what is not known is empty.
std::string probe_table(const std::vector<std::string>& names, const BeatRecords& records);

}  // namespace cardiowarp
