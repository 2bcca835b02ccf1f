#pragma once
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/anatomy/run_anatomy.hpp"
#include "app/cells/steady_states.hpp"
#include "app/config/config.hpp"
#include "app/simulation/problem.hpp"
#include "app/start/step_tolerance.hpp"
#include "fem/components.hpp"
#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"

namespace cardiowarp {

// From the files that a configuration names to a problem that can be computed. `run` and `check` call load_case(),
// which reads the mesh, checks it, makes fibers by rule where they are asked for, builds the problem and logs what a
// user should know beforehand; `compare` and cardiowarp_petsc call the pieces that they need. Everything is in host
// memory, and nothing has been written yet. Whatever is wrong with the input is an InputError.

struct CheckedMesh {
  Mesh mesh;
  MeshReport report;
  RunAnatomy anatomy = {};  ///< what was made of it beside its fibers
};

/// Reads and checks the mesh; logs its counts and what was mended. Throws InputError.
CheckedMesh load_mesh(const MeshConfig& config);

/// Reads and checks the mesh, makes the fibers that the configuration wants by rule in place of the file's, and the
/// coordinates of the heart where they are asked for.
CheckedMesh load_mesh(const Config& config);

/// The problem on that mesh, its warnings logged; `checked` must outlive it. The diffusivities of the velocities that
/// are given are found and put into `config` (find_diffusivity.hpp). Where `config.accuracy` is given, the tolerance of
/// the steps and the longest step are found from it and put into `config`, too. Where the run does not begin with the
/// state that the problem has from `initial`, nothing is said of that. `tolerances` is where tolerances are kept that
/// were found before, `steady` the cache of steady states. Throws InputError.
Problem load_problem(Config& config, const CheckedMesh& checked, bool begins_with_initial = true,
                     const std::optional<ToleranceCache>& tolerances = {},
                     const std::optional<SteadyCache>& steady = {});

/// The problem that a configuration describes, read and checked.
struct Case {
  Config config;  ///< with the tolerance that its `accuracy` means
  std::shared_ptr<const CheckedMesh> checked;
  Problem problem;  ///< on that mesh
  Components components;
  std::future<void> device_is_awake;  ///< wake_device()

  const Mesh& mesh() const { return checked->mesh; }
};

/// Mesh, problem and connected components, with all that a user is warned of before a run. Throws InputError.
Case load_case(Config config, bool begins_with_initial = true, const std::optional<ToleranceCache>& tolerances = {},
               const std::optional<SteadyCache>& steady = {});

/// Checks what can be known of the output directory without writing: it can be made, and the mesh is none of the files
/// that a run replaces. Throws InputError.
void require_output_possible(const Config& config);

}  // namespace cardiowarp
