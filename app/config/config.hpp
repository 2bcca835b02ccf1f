#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/config/backend_choice.hpp"
#include "app/config/cell_model_config.hpp"
#include "app/config/coordinates_config.hpp"
#include "app/config/diffusivity_config.hpp"
#include "app/config/fibers_config.hpp"
#include "app/config/initial_config.hpp"
#include "app/config/linear_solver_config.hpp"
#include "app/config/mesh_config.hpp"
#include "app/config/output_config.hpp"
#include "app/config/override.hpp"
#include "app/config/region_config.hpp"
#include "app/config/stimulus_config.hpp"
#include "app/config/time_config.hpp"
#include "assembly/options.hpp"
#include "fem/quadrature.hpp"
#include "solver/newton_config.hpp"

namespace cardiowarp {

// The YAML contract as values: physical units (mm, ms, mV, mm²/ms, mV/ms), paths resolved against the YAML file. Each
// section has a header of its own, NAME_config.hpp; who works on one section includes that. Defaults stand in these
// types and nowhere else. Every key of the YAML file has its member.

/// A whole YAML file.
struct Config {
  std::filesystem::path file;
  MeshConfig mesh;
  CellModelConfig cell_model;
  DiffusivityConfig diffusivity;
  FibersConfig fibers;
  std::optional<CoordinatesConfig> coordinates;
  std::vector<RegionConfig> regions;
  InitialConfig initial;
  std::vector<StimulusConfig> stimuli;
  std::vector<BoundaryConfig> boundary;
  TimeConfig time;
  std::optional<AccuracyConfig> accuracy;  ///< where given, `time.adaptive` is enabled and its numbers are found later
  NewtonConfig newton;
  bool newton_follows_step = false;  ///< `newton.tolerance: auto`: from that of the step instead
  LinearSolverConfig linear_solver;
  Quadrature quadrature = Quadrature::vertices;  ///< of linear tetrahedra, where none is given
  std::string quadrature_place = {};             ///< where one is
  AssemblyOptions assembly;  ///< `strategy` sets variant and renumbering too; `order` is through_csr
  BackendChoice backend = BackendChoice::automatic;
  OutputConfig output;
  std::vector<ProbeConfig> probes;
  std::optional<CheckpointConfig> checkpoint;  ///< absent: only where a run is ended from outside
  std::optional<PrepaceConfig> prepace = {};
};

/// Reads and checks a configuration: every key known, every value of the right kind, unit and range.
/// Throws InputError `file:line:column: full.key: expected ..., got '...'` with the nearest valid name.
Config load_config(const std::filesystem::path& file, const std::vector<Override>& overrides = {});

/// The configuration with every key and value, as YAML that `load_config` reads back to the same values.
std::string resolved_yaml(const Config& config);

}  // namespace cardiowarp
