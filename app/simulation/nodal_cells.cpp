#include "app/simulation/nodal_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "app/simulation/select_tissue.hpp"
#include "fem/cells/ionic_model.hpp"
#include "fem/element_volume.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

constexpr std::size_t most_levels = 4096, most_cells = 60'000;

/// [nodes] whether elements of the kind are around a node.
std::vector<char> nodes_of_kind(const Mesh& mesh, const std::vector<std::uint16_t>& kind_of_element,
                                std::uint16_t kind) {
  std::vector<char> is_there(mesh.nodes.size(), 0);
  for (std::size_t e = 0; e < kind_of_element.size(); ++e)
    if (kind_of_element[e] == kind)
      for (const Index node : mesh.tetrahedra[e]) is_there[node] = 1;
  return is_there;
}

/// [nodes] an array at the nodes of a kind, NaN elsewhere.
std::vector<Real> at_nodes(const Mesh& mesh, const MeshValues& of, const std::vector<std::uint16_t>& kind_of_element,
                           std::uint16_t kind) {
  const std::vector<char> is_there = nodes_of_kind(mesh, kind_of_element, kind);
  std::vector<Real> result(mesh.nodes.size(), NAN);
  if (of.of_points) {
    for (std::size_t node = 0; node < result.size(); ++node)
      if (is_there[node] != 0)
        result[node] = of.values[mesh.node_in_file.empty() ? node : static_cast<std::size_t>(mesh.node_in_file[node])];
    return result;
  }
  std::vector<Real> sum(mesh.nodes.size(), 0), weight(mesh.nodes.size(), 0);
  for (std::size_t e = 0; e < kind_of_element.size(); ++e) {
    if (kind_of_element[e] != kind) continue;
    const Real volume = element_volume(mesh, e);
    for (const Index node : mesh.tetrahedra[e]) {
      // The mean is exactly the elements' value where they all have the same.
      weight[node] += volume;
      sum[node] += (of.values[e] - sum[node]) * (volume / weight[node]);
    }
  }
  for (std::size_t node = 0; node < result.size(); ++node)
    if (is_there[node] != 0) result[node] = sum[node];
  return result;
}

/// What a parameter is where the array has `value`.
Real parameter_at(const IonicCell& kind, const VariedParameter& varied, Real value) {
  return varied.scales ? value * kind.parameters[varied.parameter] : value;
}

void require_range(const IonicCell& kind, const VariedParameter& varied, const MeshValues& of,
                   const std::vector<Real>& values, const std::vector<char>& is_there) {
  const ParameterDescription& parameter = kind.model->parameters()[varied.parameter];
  for (std::size_t node = 0; node < values.size(); ++node) {
    const Real at = parameter_at(kind, varied, values[node]);
    if (is_there[node] == 0 || (std::isfinite(at) && parameter.range.contains(at))) continue;
    throw InputError(
        fmt::format("{}: expected values of '{}' with which {} is in its range, {:g} to {:g}, got {:g}{} "
                    "at node {}",
                    varied.place, of.name, parameter.name, parameter.range.low, parameter.range.high, at,
                    varied.scales ? fmt::format(" (factor {:g})", values[node]) : "", node));
  }
}

/// Rounds values to at most so many.
class Levels {
 public:
  Levels(const std::vector<Real>& values, std::size_t most) {
    std::vector<Real> sorted;
    for (const Real value : values)
      if (!std::isnan(value)) sorted.push_back(value);
    std::ranges::sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    is_exact_ = sorted.size() <= most;
    least_ = sorted.empty() ? 0 : sorted.front();
    step_ = is_exact_ || most < 2 ? 0 : (sorted.back() - least_) / static_cast<Real>(most - 1);
  }

  bool is_exact() const { return is_exact_; }
  Real step() const { return step_; }

  Real operator()(Real value) const {
    return is_exact_ ? value : step_ == 0 ? least_ : least_ + std::round((value - least_) / step_) * step_;
  }

 private:
  bool is_exact_;
  Real least_, step_;
};

/// The parameters of a kind at each of its nodes, with their rounded values; nothing where there are more than `most`.
using Copies = std::map<std::vector<Real>, std::vector<Index>>;
std::optional<Copies> copies_of(const std::vector<std::vector<Real>>& arrays, const std::vector<char>& is_there,
                                std::size_t levels, std::size_t most) {
  std::vector<Levels> rounded;
  for (const std::vector<Real>& values : arrays) rounded.emplace_back(values, levels);
  Copies copies;
  std::vector<Real> key(arrays.size());
  for (std::size_t node = 0; node < is_there.size(); ++node) {
    if (is_there[node] == 0) continue;
    for (std::size_t k = 0; k < arrays.size(); ++k) key[k] = rounded[k](arrays[k][node]);
    copies[key].push_back(static_cast<Index>(node));
    if (copies.size() > most) return std::nullopt;
  }
  return copies;
}

}  // namespace

NodalCells nodal_cells(const Mesh& mesh, std::span<const IonicCell> kinds,
                       const std::vector<std::vector<VariedParameter>>& varied,
                       const std::vector<std::uint16_t>& kind_of_element) {
  NodalCells result{{kinds.begin(), kinds.end()}, std::vector<std::vector<std::uint16_t>>(kinds.size())};
  const auto with_arrays =
      static_cast<std::size_t>(std::ranges::count_if(varied, [](const auto& of) { return !of.empty(); }));
  if (kinds.size() + with_arrays > most_cells)
    throw InputError(
        fmt::format("{}: expected at most {} kinds of cells beside parameters from arrays, got {}",
                    std::ranges::find_if(varied, [](const auto& of) { return !of.empty(); })->front().place, most_cells,
                    kinds.size()));
  const std::size_t most = (most_cells - kinds.size()) / std::max<std::size_t>(1, with_arrays);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (varied[kind].empty()) continue;
    const auto number = static_cast<std::uint16_t>(kind);
    const std::vector<char> is_there = nodes_of_kind(mesh, kind_of_element, number);
    std::vector<std::vector<Real>> arrays;
    for (const VariedParameter& of : varied[kind]) {
      arrays.push_back(at_nodes(mesh, mesh.values[of.values], kind_of_element, number));
      require_range(kinds[kind], of, mesh.values[of.values], arrays.back(), is_there);
    }
    std::optional<Copies> copies;
    std::size_t levels = 2 * most_levels;
    while (!copies) copies = copies_of(arrays, is_there, levels /= 2, most);
    for (std::size_t k = 0; k < arrays.size(); ++k)
      if (const Levels rounded(arrays[k], levels); !rounded.is_exact())
        result.remarks.push_back(
            fmt::format("{}: the values of '{}' are rounded to {} equal steps of {:.3g}, as there are too many "
                        "different cells",
                        varied[kind][k].place, mesh.values[varied[kind][k].values].name, levels, rounded.step()));
    result.row[kind].assign(mesh.nodes.size(), number);
    for (const auto& [values, nodes] : *copies) {
      IonicCell copy = kinds[kind];
      for (std::size_t k = 0; k < values.size(); ++k)
        copy.parameters[varied[kind][k].parameter] = parameter_at(kinds[kind], varied[kind][k], values[k]);
      for (const Index node : nodes) result.row[kind][node] = static_cast<std::uint16_t>(result.cells.size());
      result.cells.push_back(std::move(copy));
    }
  }
  return result;
}

NodalCells selected_cells(const NodalCells& whole, const std::vector<Index>& nodes) {
  NodalCells result{whole.cells, {}};
  for (const std::vector<std::uint16_t>& row : whole.row)
    result.row.push_back(row.empty() ? row : selected(row, nodes));
  return result;
}

VertexPoints with_nodal_cells(VertexPoints points, const NodalCells& nodal) {
  for (Index node = 0; node + 1 < static_cast<Index>(points.begin.size()); ++node)
    for (Index point = points.begin[node]; point < points.begin[node + 1]; ++point)
      points.cell_model[point] = nodal.cell(points.cell_model[point], node);
  return points;
}

}  // namespace cardiowarp
