// In place of what the fuzzers link and never call: where reading ends, and computing or writing with Gmsh begins.

#include <algorithm>

#include "app/anatomy/run_anatomy.hpp"
#include "app/cells/lattice_speeds.hpp"
#include "app/cells/steady_states.hpp"
#include "app/config/config.hpp"
#include "app/output/recorder.hpp"
#include "app/start/backend.hpp"
#include "app/start/find_diffusivity.hpp"
#include "app/start/step_tolerance.hpp"
#include "fem/cells/any_cell.hpp"
#include "fem/cells/cell_model.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/gmsh_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace cardiowarp {

StepTolerance find_step_tolerance(const Config& /*config*/, const TissueCells& /*cells*/,
                                  const std::optional<ToleranceCache>& /*cache*/) {
  fuzz::fail("a fuzzer has begun to compute a tolerance");
}

void begin_steady(const Config& /*config*/, const std::optional<SteadyCache>& /*cache*/, Problem& /*problem*/) {
  fuzz::fail("a fuzzer has begun to pace cells");
}

void find_diffusivities(Config& config, const Mesh& /*mesh*/) {
  const auto is_wanted = [](const RegionConfig& region) { return region.diffusivity && region.diffusivity->velocity; };
  if (config.diffusivity.velocity || std::ranges::any_of(config.regions, is_wanted))
    fuzz::fail("a fuzzer has begun to compute a diffusivity");
}

RunAnatomy make_anatomy(const Config& config, Mesh& /*mesh*/) {
  if (config.fibers.source == FiberSource::rule) fuzz::fail("a fuzzer has begun to compute fibers");
  const auto has_network = [](const StimulusConfig& stimulus) { return stimulus.network.has_value(); };
  if (std::ranges::any_of(config.stimuli, has_network)) throw InputError("a fuzzer makes no networks");
  return {};
}

void give_coordinates(const RunAnatomy& /*anatomy*/, Config& /*config*/) {}

/// Cables whose fronts are as fast as in a continuum.
LatticeSpeeds::LatticeSpeeds(const AnyCell& /*cell*/, const Front& /*front*/, Real coarsest)
    : samples_{{coarsest, 0}} {}
Real LatticeSpeeds::error(Real /*spacing*/) const { return 0; }
bool LatticeSpeeds::stops(Real /*spacing*/) const { return false; }

std::vector<LatticeSpeeds> lattice_speeds(const TissueCells& /*cells*/, const std::vector<Front>& fronts,
                                          const std::vector<Real>& coarsest) {
  std::vector<LatticeSpeeds> speeds;
  for (std::size_t kind = 0; kind < fronts.size(); ++kind) speeds.emplace_back(AnyCell(), fronts[kind], coarsest[kind]);
  return speeds;
}

std::future<void> wake_device(const Config& /*config*/) { fuzz::fail("a fuzzer has asked for a device"); }

void load_gmsh() { fuzz::fail("a fuzzer has begun to write a mesh"); }

Mesh read_with_gmsh(const std::filesystem::path& /*file*/) { fuzz::fail("a fuzzer has begun to read with Gmsh"); }

void write_gmsh_file(const Mesh& /*mesh*/, const std::filesystem::path& /*file*/) {
  fuzz::fail("a fuzzer has begun to write a mesh");
}

void require_results_replaceable(const std::filesystem::path& /*directory*/) {
  fuzz::fail("a fuzzer has asked for a folder of results");
}

}  // namespace cardiowarp
