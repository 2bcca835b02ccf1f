#pragma once
#include <filesystem>
#include <vector>

#include "app/checkpoint/checkpoint_file.hpp"
#include "app/checkpoint/start_state.hpp"
#include "app/run_identity.hpp"

namespace cardiowarp {

enum class Quadrature;
struct Config;
struct Mesh;
struct Problem;

// A run that begins with the state of a checkpoint instead of `initial`. `run --from` and `check --from` read a
// SourceState before the mesh is read, fit it to the problem once that is built, and put it there; `run` with `prepace`
// has one made (app/prepace.hpp). Only the potential and the states of the cells are taken: the time of the new run
// begins at 0, and so do its maps, its pulses and what a time scheme remembers of earlier steps.

/// The state that a checkpoint has, in the order of the mesh, and the identity of the run that wrote it.
struct SourceState {
  StartOrigin origin;
  RunIdentity identity;
  std::vector<Real> phi;     ///< [nodes]
  std::vector<Real> states;  ///< [states × points of that run]
};

/// The state in the sections of a checkpoint, which `file` is named for. Throws InputError where they have none.
SourceState source_state(const std::filesystem::path& file, CheckpointSections sections);

/// The state of a checkpoint, or of the newest whole one in a folder of results. Throws InputError, which begins with
/// --from, where there is none, where its cell model is not that of `config`, or where a run of `config` would remove
/// it.
SourceState read_source_state(const std::filesystem::path& file_or_folder, const Config& config);

/// Warns where the configuration asks for another start, which --from replaces.
void warn_of_replaced_start(const Config& config);

/// The state for a problem of the identity `now`. Where the integration points are those of the source, it has the same
/// bits; else the cells of an element get the mean of those of the source there, which is told. Throws InputError where
/// the mesh is another one, or the potential is outside the range of the cells.
StartState fitted(SourceState source, const RunIdentity& now, const Problem& problem);

/// Lets the problem begin with the state.
void begin_with(const StartState& start, Problem& problem);

/// The cells' states at the elements, [states × elements], from those at the points of `quadrature`, [states × points
/// in the order of points_in_input()]: those of the centroid where there is one, else the mean of the corners.
/// `cell_model` [elements] are the parameter sets, or empty where all elements have the same.
std::vector<Real> states_of_elements(const std::vector<Real>& states, std::size_t number, const Mesh& mesh,
                                     Quadrature quadrature, const std::vector<std::uint16_t>& cell_model);

}  // namespace cardiowarp
