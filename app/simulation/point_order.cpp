#include "app/simulation/point_order.hpp"

#include <algorithm>
#include <numeric>

namespace cardiowarp {
namespace {

void add_vertex_points(const VertexPoints& points, const std::vector<Index>& node_in_input, std::vector<Index>& order) {
  const auto first = static_cast<Index>(order.size());
  std::vector<Index> begin(node_in_input.size() + 1, 0);  // of the points of each node of the input
  for (std::size_t node = 0; node < node_in_input.size(); ++node)
    begin[node_in_input[node] + 1] = points.begin[node + 1] - points.begin[node];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  order.resize(order.size() + points.cell_model.size());
  for (std::size_t node = 0; node < node_in_input.size(); ++node)
    for (Index point = points.begin[node]; point < points.begin[node + 1]; ++point) {
      Index place = begin[node_in_input[node]];
      for (Index other = points.begin[node]; other < points.begin[node + 1]; ++other)
        if (points.cell_model[other] < points.cell_model[point]) ++place;
      order[first + point] = first + place;
    }
}

/// The place of each element among those of the list, in ascending order: of all elements their own numbers.
std::vector<Index> places_of(const std::vector<Index>& elements) {
  std::vector<Index> place(elements.empty() ? 0 : *std::ranges::max_element(elements) + 1, 0);
  for (const Index element : elements) place[element] = 1;
  std::exclusive_scan(place.begin(), place.end(), place.begin(), Index{0});
  std::vector<Index> places;
  places.reserve(elements.size());
  for (const Index element : elements) places.push_back(place[element]);
  return places;
}

}  // namespace

std::vector<Index> points_in_input(const SimulationPlan& plan) {
  std::vector<Index> order;
  if (plan.quadratic) {
    order.reserve(plan.points());
    for (const Index element : places_of(plan.renumbered.element_in_input))
      for (int q = 0; q < quadratic_points; ++q) order.push_back(quadratic_points * element + q);
    return order;
  }
  if (weights_of(plan.problem().quadrature).centroid > 0) order = places_of(plan.renumbered.element_in_input);
  if (plan.vertices) add_vertex_points(plan.vertices->points, plan.renumbered.node_in_input, order);
  return order;
}

}  // namespace cardiowarp
