#include "fem/network.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace cardiowarp {

std::vector<Real> lengths_from(const Network& network, const std::vector<Index>& roots) {
  std::vector<std::vector<std::pair<Index, Real>>> beside(network.points.size());
  for (const auto& [a, b] : network.segments) {
    const Real length = norm(network.points[b] - network.points[a]);
    beside[a].emplace_back(b, length);
    beside[b].emplace_back(a, length);
  }
  std::vector<Real> way(network.points.size(), std::numeric_limits<Real>::infinity());
  using Reached = std::pair<Real, Index>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> front;
  for (const Index root : roots) {
    way[root] = 0;
    front.emplace(0, root);
  }
  while (!front.empty()) {
    const auto [length, point] = front.top();
    front.pop();
    if (length > way[point]) continue;
    for (const auto& [next, further] : beside[point]) {
      if (length + further >= way[next]) continue;
      way[next] = length + further;
      front.emplace(way[next], next);
    }
  }
  return way;
}

std::vector<Index> ends_of(const Network& network, const std::vector<Index>& roots) {
  std::vector<int> segments(network.points.size(), 0);
  for (const auto& [a, b] : network.segments) {
    ++segments[a];
    ++segments[b];
  }
  std::vector<Index> ends;
  for (std::size_t point = 0; point < segments.size(); ++point)
    if (segments[point] == 1 && std::ranges::find(roots, static_cast<Index>(point)) == roots.end())
      ends.push_back(static_cast<Index>(point));
  return ends;
}

Index nearest_point(const Network& network, Vector3 place) {
  const auto nearest =
      std::ranges::min_element(network.points, {}, [&](Vector3 point) { return dot(point - place, point - place); });
  return static_cast<Index>(nearest - network.points.begin());
}

}  // namespace cardiowarp
