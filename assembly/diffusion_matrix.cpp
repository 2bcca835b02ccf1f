#include "assembly/diffusion_matrix.hpp"

#include <algorithm>
#include <cstdint>

#include "fem/mesh.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

namespace {

/// put(row, values) for each row, with the values of its entries.
template <class Put>
void for_each_row(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity, const Sparsity& sparsity,
                  const Put& put) {
  const auto sum_row = [&](Index row, Real* row_value) {
    for (Index k = sparsity.incidence.begin[row]; k < sparsity.incidence.begin[row + 1]; ++k) {
      const Index element = sparsity.incidence.element[k];
      const Tetrahedron& node = mesh.tetrahedra[element];
      const TetrahedronGeometry geometry = tetrahedron_geometry(mesh.nodes, node);
      const auto own = std::find(node.begin(), node.end(), row) - node.begin();
      const Vector3 flux = geometry.volume * diffusivity[element].times(geometry.gradient[own]);
      for (int j = 0; j < 4; ++j) row_value[sparsity.incident_slots[k][j]] += dot(flux, geometry.gradient[j]);
    }
  };
  parallel_ranges(sparsity.rows(), 16, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Real> row_value;
    for (Index row = static_cast<Index>(begin); row < static_cast<Index>(end); ++row) {
      row_value.assign(sparsity.row_begin[row + 1] - sparsity.row_begin[row], 0);
      sum_row(row, row_value.data());
      put(row, row_value);
    }
  });
}

}  // namespace

std::vector<Real> diffusion_matrix(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                   const Sparsity& sparsity) {
  std::vector<Real> value;
  resize_by_team(value, sparsity.entries());
  for_each_row(mesh, diffusivity, sparsity, [&](Index row, const std::vector<Real>& row_value) {
    std::copy(row_value.begin(), row_value.end(), value.begin() + sparsity.row_begin[row]);
  });
  return value;
}

std::vector<Real> diffusion_matrix(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                   const Sparsity& sparsity, const MatrixLayout& layout) {
  std::vector<Real> value;
  resize_by_team(value, layout.slots);
  for_each_row(mesh, diffusivity, sparsity, [&](Index row, const std::vector<Real>& row_value) {
    const std::int64_t* const slot = layout.slot_of_entry.data() + sparsity.row_begin[row];
    for (std::size_t k = 0; k < row_value.size(); ++k) value[slot[k]] = row_value[k];
  });
  return value;
}

std::vector<Real> element_volumes(const Mesh& mesh) {
  std::vector<Real> volume;
  resize_by_team(volume, mesh.tetrahedra.size());
  parallel_for(volume.size(), [&](std::size_t element) {
    volume[element] = tetrahedron_geometry(mesh.nodes, mesh.tetrahedra[element]).volume;
  });
  return volume;
}

}  // namespace cardiowarp
