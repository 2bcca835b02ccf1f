#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/checkpoint/start_state.hpp"
#include "app/checkpoint/state_archive.hpp"

namespace cardiowarp {

struct Config;
struct Problem;

// The marks of a run by which another can go on from its checkpoint: the configuration, as text and so that the first
// difference can be named, the mesh and what the configuration has made of it, by checksums. It is kept in each
// checkpoint.

/// The run that a checkpoint belongs to.
struct RunIdentity {
  std::string configuration;  ///< resolved_yaml()
  std::int64_t nodes = 0, elements = 0;
  std::uint64_t mesh = 0;    ///< checksum of its nodes, elements and tags
  std::uint64_t tissue = 0;  ///< checksum of material, initial values and stimuli at nodes and elements
  std::string backend, version;
  std::vector<std::uint16_t> cell_model;  ///< [elements] parameter set of each; empty where all have the same
  std::optional<StartState> start;        ///< absent: the state of `initial`

  void exchange(StateArchive& archive);
};

/// All of it but the backend, which is known when the simulation has been made, and the start, whatever state the
/// tissue has then; one pass over mesh and tissue.
RunIdentity identity_of(const Config& config, const Problem& problem);

/// Throws InputError that names the first difference where a run of this configuration cannot go on from a checkpoint
/// of `before` at `time_ms`. Known before the mesh is read.
void require_same_configuration(const RunIdentity& before, const Config& config, Real time_ms);
/// Throws InputError, which begins with `option`, where the meshes are different ones.
void require_same_mesh(const RunIdentity& before, const RunIdentity& now, const char* option);
/// Throws InputError, which begins with `--resume`, where mesh or tissue are different ones.
void require_same_tissue(const RunIdentity& before, const RunIdentity& now);

}  // namespace cardiowarp
