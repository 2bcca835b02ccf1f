#include "app/simulation/implicit_stage.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include "fem/tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

namespace {

/// What an element adds at its corners to the volumes of the nodes and to the diagonal of the matrix of diffusion.
struct CornerScales {
  Real volume = 0;
  std::array<Real, 4> diffusion{};
};

}  // namespace

ResidualScales residual_scales(const Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  std::vector<Real> volume(mesh.nodes.size(), 0), diffusion(mesh.nodes.size(), 0);
  const auto of_element = [&](std::int64_t element) {
    const TetrahedronGeometry geometry = tetrahedron_geometry(mesh.nodes, mesh.tetrahedra[element]);
    CornerScales scales{geometry.volume / 4, {}};
    for (int i = 0; i < 4; ++i)
      scales.diffusion[i] =
          geometry.volume * dot(problem.diffusivity[element].times(geometry.gradient[i]), geometry.gradient[i]);
    return scales;
  };
  const auto add = [&](std::int64_t element, const CornerScales& scales) {
    const Tetrahedron& node = mesh.tetrahedra[element];
    for (int i = 0; i < 4; ++i) {
      volume[node[i]] += scales.volume;
      diffusion[node[i]] += scales.diffusion[i];
    }
  };
  take_in_order<CornerScales>(static_cast<std::int64_t>(mesh.tetrahedra.size()), of_element, add);
  const auto inverse = [](std::vector<Real> values) {
    for (Real& value : values) value = value > 0 ? 1 / value : 0;
    return values;
  };
  return {inverse(std::move(volume)), inverse(std::move(diffusion))};
}

}  // namespace cardiowarp
