#include "app/simulation/implicit_stage.hpp"

#include "fem/tetrahedron.hpp"

namespace cardiowarp {

ResidualScales residual_scales(const Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  std::vector<Real> volume(mesh.nodes.size(), 0), diffusion(mesh.nodes.size(), 0);
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const Tetrahedron& node = mesh.tetrahedra[element];
    const TetrahedronGeometry geometry = tetrahedron_geometry(mesh.nodes, node);
    for (int i = 0; i < 4; ++i) {
      volume[node[i]] += geometry.volume / 4;
      diffusion[node[i]] +=
          geometry.volume * dot(problem.diffusivity[element].times(geometry.gradient[i]), geometry.gradient[i]);
    }
  }
  const auto inverse = [](std::vector<Real> values) {
    for (Real& value : values) value = value > 0 ? 1 / value : 0;
    return values;
  };
  return {inverse(std::move(volume)), inverse(std::move(diffusion))};
}

}  // namespace cardiowarp
