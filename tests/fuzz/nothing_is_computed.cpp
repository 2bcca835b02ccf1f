// In place of what the fuzzers link and never call: where reading ends, and computing or writing with Gmsh begins.

#include <algorithm>

#include "app/anatomy/rule_fibers.hpp"
#include "app/cells/steady_states.hpp"
#include "app/config/config.hpp"
#include "app/output/recorder.hpp"
#include "app/start/backend.hpp"
#include "app/start/find_diffusivity.hpp"
#include "app/start/step_tolerance.hpp"
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

std::vector<std::string> give_rule_fibers(const FibersConfig& /*fibers*/, Mesh& /*mesh*/) {
  fuzz::fail("a fuzzer has begun to compute fibers");
}

std::future<void> wake_device(const Config& /*config*/) { fuzz::fail("a fuzzer has asked for a device"); }

void load_gmsh() { fuzz::fail("a fuzzer has begun to write a mesh"); }

void write_gmsh_file(const Mesh& /*mesh*/, const std::filesystem::path& /*file*/) {
  fuzz::fail("a fuzzer has begun to write a mesh");
}

void require_results_replaceable(const std::filesystem::path& /*directory*/) {
  fuzz::fail("a fuzzer has asked for a folder of results");
}

}  // namespace cardiowarp
