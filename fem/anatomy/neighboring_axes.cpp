#include "fem/anatomy/neighboring_axes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

using Elements = std::vector<std::size_t>;

using Matrix = std::array<Vector3, 3>;  ///< symmetric, by rows

Vector3 times(const Matrix& m, Vector3 v) { return {dot(m[0], v), dot(m[1], v), dot(m[2], v)}; }

/// Adds v ⊗ v.
void add_square(Matrix& m, Vector3 v) {
  m[0] = m[0] + v.x * v;
  m[1] = m[1] + v.y * v;
  m[2] = m[2] + v.z * v;
}

/// The direction in which Σ v ⊗ v is largest, which knows no sign and no order of the v; zero where they are. The
/// matrix is squared until nothing but that direction is left of it.
Vector3 main_direction(Matrix m) {
  constexpr int squarings = 40;
  for (int k = 0; k < squarings; ++k) {
    const Real size = m[0].x + m[1].y + m[2].z;
    if (!(size > 0)) return {};
    for (Vector3& row : m) row = (1 / size) * row;
    m = {times(m, m[0]), times(m, m[1]), times(m, m[2])};
  }
  const Vector3 longest = *std::ranges::max_element(m, {}, [](Vector3 row) { return dot(row, row); });
  const Real length = norm(longest);
  return length > 0 ? (1 / length) * longest : Vector3{};
}

/// The elements with axes around each of some elements without.
std::vector<Elements> neighbors_of(const Elements& open, const Mesh& mesh,
                                   const std::vector<std::optional<Axes>>& axes) {
  std::vector<Index> place_of_node(mesh.nodes.size(), -1);
  std::vector<Elements> around_node;
  for (const std::size_t element : open)
    for (const Index node : mesh.tetrahedra[element]) {
      if (place_of_node[node] >= 0) continue;
      place_of_node[node] = static_cast<Index>(around_node.size());
      around_node.emplace_back();
    }
  for (std::size_t element = 0; element < axes.size(); ++element) {
    if (!axes[element]) continue;
    for (const Index node : mesh.tetrahedra[element])
      if (place_of_node[node] >= 0) around_node[place_of_node[node]].push_back(element);
  }
  std::vector<Elements> neighbors;
  for (const std::size_t element : open) {
    Elements& own = neighbors.emplace_back();
    for (const Index node : mesh.tetrahedra[element]) {
      const Elements& beside = around_node[place_of_node[node]];
      own.insert(own.end(), beside.begin(), beside.end());
    }
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
  return neighbors;
}

}  // namespace

std::optional<Axes> mean_of(const std::vector<const Axes*>& some) {
  if (some.empty()) return std::nullopt;
  Matrix fibers{}, sheets{};
  for (const Axes* const each : some) add_square(fibers, each->fiber);
  const Vector3 fiber = main_direction(fibers);
  for (const Axes* const each : some) add_square(sheets, each->sheet - dot(each->sheet, fiber) * fiber);
  const std::optional<Axes> mean = wall_axes(fiber, main_direction(sheets), 0);  // its columns: −normal, fiber, sheet
  if (!mean) return std::nullopt;
  return Axes{mean->sheet_normal, Real(-1) * mean->fiber, mean->sheet};
}

std::optional<std::size_t> fill_from_neighbors(const Mesh& mesh, std::vector<std::optional<Axes>>& axes) {
  while (true) {
    Elements open;
    for (std::size_t element = 0; element < axes.size(); ++element)
      if (!axes[element]) open.push_back(element);
    if (open.empty()) return std::nullopt;
    const std::vector<Elements> neighbors = neighbors_of(open, mesh, axes);
    std::vector<std::pair<std::size_t, Axes>> found;
    for (std::size_t k = 0; k < open.size(); ++k) {
      std::vector<const Axes*> beside;
      for (const std::size_t other : neighbors[k]) beside.push_back(&*axes[other]);
      if (const std::optional<Axes> mean = mean_of(beside)) found.emplace_back(open[k], *mean);
    }
    if (found.empty()) return open.front();
    for (const auto& [element, mean] : found) axes[element] = mean;
  }
}

}  // namespace cardiowarp
