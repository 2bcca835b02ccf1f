#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/config/key_visitor.hpp"
#include "app/config/override.hpp"
#include "app/config/stimulus_config.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The section `stimuli`. An entry is a train of pulses, at equal distances in time. It may go on by a protocol: other
// periods one after another (dynamic and decremental pacing), extra pulses after the last one (S2, S3, ..), all of it
// again after a pause (bursts). Such an entry is read as several stimuli of one place, each of them a train, which a
// run drives, judges and counts one by one, and of which resolved.yaml has a list.

/// What an entry has beside a train of equal distances.
struct PulseProtocol {
  std::vector<Real> periods_ms = {};    ///< `count` pulses at each, after a first pulse
  std::vector<Real> intervals_ms = {};  ///< of the extra pulses, each to the pulse before it
  int repeats = 1;                      ///< how often all of it is made
  Real pause_ms = 0;                    ///< from the last pulse to the first one of the next time

  bool is_empty() const { return periods_ms.empty() && intervals_ms.empty() && repeats == 1; }
};

/// A stimulus that an entry means.
struct StimulusTrain {
  StimulusConfig stimulus;
  std::optional<std::size_t> interval = {};  ///< of an extra pulse that is made once: its number in `intervals`
};

/// The stimuli that an entry means, in the order of time. The first one keeps the name of `train`. Extra pulses are
/// called NAME_S2, NAME_S3, .., or S2, S3, .. after one with the name S1, trains of other periods NAME_350ms, and those
/// of later times NAME_2, ...
std::vector<StimulusTrain> trains_of(const StimulusConfig& train, const PulseProtocol& protocol);

/// The list `stimuli`. Pulses without a count end at `end_ms`.
void visit_stimuli(KeyVisitor& keys, std::vector<StimulusConfig>& stimuli, Real end_ms);

/// The entry of the file that means a stimulus of the configuration.
struct StimulusEntry {
  std::size_t number = 0;                    ///< in the list `stimuli`
  bool is_alone = true;                      ///< whether the entry means no other stimulus
  std::optional<std::size_t> interval = {};  ///< as of StimulusTrain
};

/// The entries of all stimuli of a file that has been read with these overrides, with pulses until `end_ms`.
std::vector<StimulusEntry> entries_of_stimuli(const std::filesystem::path& file, const std::vector<Override>& overrides,
                                              Real end_ms);

}  // namespace cardiowarp
