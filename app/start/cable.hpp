#pragma once
#include "app/config/config.hpp"
#include "app/simulation/problem.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

class AnyCell;
struct Mesh;

// A straight piece of tissue of one kind of cell, through which a front travels. What is known of it before a run is
// measured on it: the errors of steps (step_tolerance.hpp), the diffusivity of a velocity (find_diffusivity.hpp).

/// The configuration of a run with a cable in place of its tissue: cells of one kind, one diffusivity, no stimuli, no
/// results, and methods for small systems. Steps and quadrature are those of the run, on linear tetrahedra.
Config config_of_cable(const Config& run, const AnyCell& cell, Real diffusivity_mm2_per_ms);

/// The problem on a slab along x whose end at x = 0 is excited: the potential begins as the profile of a front of this
/// thickness that is on its way at `excited_mm`. `mesh` must outlive it.
Problem cable_problem(const Config& config, const Mesh& mesh, Real excited_mm, Real front_mm);

}  // namespace cardiowarp
