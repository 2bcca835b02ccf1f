#include "app/simulation/residual_scales.hpp"

#include <cstddef>

#include "fem/tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

ResidualScales quadratic_residual_scales(const Problem& problem, const QuadraticPlan& plan) {
  const std::size_t nodes = problem.mesh->nodes.size();
  std::vector<Real> mass(nodes, 0);
  for (Index element = 0; element < plan.elements(); ++element) {
    Real volume = 0;
    for (int q = 0; q < quadratic_points; ++q)
      volume += plan.points.volume[std::int64_t{quadratic_points} * element + q];
    for (int i = 0; i < quadratic_nodes; ++i) mass[plan.points.nodes[element][i]] += volume / (i < 4 ? 20 : 5);
  }
  const auto inverse = [](Real value) { return value > 0 ? 1 / value : 0; };
  ResidualScales scales;
  for (std::size_t node = 0; node < nodes; ++node) {
    scales.inverse_volume.push_back(inverse(mass[node]));
    scales.inverse_diffusion.push_back(inverse(plan.diffusion_diagonal[node]));
  }
  return scales;
}

ResidualScales residual_scales(const Problem& problem, const Incidence& incidence) {
  const Mesh& mesh = *problem.mesh;
  ResidualScales scales;
  for (std::vector<Real>* values : {&scales.inverse_volume, &scales.inverse_diffusion})
    resize_by_team(*values, mesh.nodes.size());
  const auto inverse = [](Real value) { return value > 0 ? 1 / value : 0; };
  parallel_for(mesh.nodes.size(), [&](std::size_t node) {
    Real volume = 0, diffusion = 0;
    for (const Index element : incidence.elements_of(static_cast<Index>(node))) {
      const Tetrahedron& corners = mesh.tetrahedra[element];
      const TetrahedronGeometry geometry = tetrahedron_geometry(mesh.nodes, corners);
      int i = 0;
      while (corners[i] != static_cast<Index>(node)) ++i;
      volume += geometry.volume / 4;
      diffusion +=
          geometry.volume * dot(problem.diffusivity[element].times(geometry.gradient[i]), geometry.gradient[i]);
    }
    scales.inverse_volume[node] = inverse(volume);
    scales.inverse_diffusion[node] = inverse(diffusion);
  });
  return scales;
}

}  // namespace cardiowarp
