#pragma once
#include <filesystem>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

/// The numbers of a short configuration for who has a mesh and no configuration yet: a beat of cells of the default
/// model, whose front is 1.8 √D mm thick and travels at 0.55 √D mm/ms, from one place.
struct FirstConfiguration {
  Real diffusivity_mm2_per_ms = 0.1;  ///< D
  Vector3 center;                     ///< of the stimulus, mm
  Real radius_mm = 3;                 ///< of the stimulus
  Real end_ms = 300;
};

/// The configuration that suits a mesh: its stimulus is a sphere around the lowest node, in a heart the apex, larger
/// than three edges and than a front is thick; D is 1 mm²/ms in what is as large as a heart, else 0.1, and the time is
/// that of a wave through all of it and of an action potential. The mesh has a node.
FirstConfiguration first_configuration(const Mesh& mesh, Real mean_edge_mm);

/// Throws InputError: the file is a mesh and no configuration, with the lines of one for it.
[[noreturn]] void refuse_mesh(const std::filesystem::path& file, const FirstConfiguration& first);

}  // namespace cardiowarp
