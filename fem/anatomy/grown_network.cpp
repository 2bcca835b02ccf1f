#include "fem/anatomy/grown_network.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

/// Of length 1, or nothing where a vector has no direction.
std::optional<Vector3> unit(Vector3 v) {
  const Real length = norm(v);
  if (!(length > 0)) return std::nullopt;
  return (1 / length) * v;
}

/// Numbers by chance that are the same on every machine.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}

  /// Normal with mean 0 and variance 1, nearly: the sum of twelve even ones.
  Real normal() {
    Real sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<Real>(engine_() >> 11) * 0x1p-53;
    return sum;
  }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }

 private:
  std::mt19937_64 engine_;
};

/// An end that branches: its point and the branch that it is the end of.
struct End {
  Index point = 0;
  std::size_t branch = 0;
  Vector3 direction;
};

class Growth {
 public:
  Growth(const NearFaces& surface, const GrowthRule& rule) : surface_(surface), rule_(rule), chance_(rule.seed) {}

  Network grow(Vector3 start, Vector3 towards) {
    const PointOnFace first = surface_.nearest_of_all(start);
    add_point(first, 0);
    std::vector<End> ends;
    if (const auto direction = along_surface(towards - first.point, 0))
      if (const auto end = grow_branch({0, 0, *direction}, 0, 0, rule_.trunk_mm)) ends.push_back(*end);
    for (int generation = 0; generation < rule_.generations && !ends.empty(); ++generation)
      ends = next(std::move(ends));
    return std::move(network_);
  }

 private:
  /// The ends of the branches that grow at some ends, in an order by chance.
  std::vector<End> next(std::vector<End> ends) {
    for (std::size_t k = ends.size(); k > 1; --k) std::swap(ends[k - 1], ends[chance_.below(k)]);
    std::vector<End> grown;
    for (const End& end : ends) {
      const std::size_t left = std::exchange(branches_, branches_ + 2);
      for (const auto& [branch, sign] : {std::pair{left, Real(1)}, std::pair{left + 1, Real(-1)}}) {
        const Real length = rule_.branch_mm * std::max(Real(0.2), 1 + Real(0.1) * chance_.normal());
        const auto direction = turned(end, sign);
        if (!direction) continue;
        if (const auto next_end = grow_branch({end.point, branch, *direction}, end.branch, left, length))
          grown.push_back(*next_end);
      }
    }
    return grown;
  }

  /// Grows a branch from a point; nothing where it has met another one or the rim. Points of its mother and of the two
  /// branches from `left` on do not count as others.
  std::optional<End> grow_branch(End at, std::size_t mother, std::size_t left, Real length_mm) {
    const auto segments =
        std::max<int>(1, static_cast<int>(std::lround(std::min<Real>(length_mm / rule_.segment_mm, 1e6))));
    for (int segment = 0; segment < segments; ++segment) {
      const Vector3 from = network_.points[at.point];
      Vector3 wanted = at.direction;
      if (const auto away = unit(from - nearest_other(from, mother, left).point))
        wanted = wanted + rule_.repulsion * *away;
      const auto direction = along_surface(wanted, face_[at.point]);
      if (!direction) return std::nullopt;
      const auto found = surface_.nearest(from + rule_.segment_mm * *direction);
      // Beyond the rim the surface is far from a step that goes on straight.
      if (!found || found->distance_mm > rule_.segment_mm / 2) return std::nullopt;
      if (nearest_other(found->point, mother, left).distance_mm < rule_.branch_mm / 5) return std::nullopt;
      add_point(*found, at.branch);
      const auto here = static_cast<Index>(network_.points.size() - 1);
      network_.segments.push_back({at.point, here});
      at = {here, at.branch, *direction};
    }
    return at;
  }

  struct Other {
    Vector3 point;
    Real distance_mm = std::numeric_limits<Real>::infinity();
  };

  /// The nearest point of another branch; where there is none, the place itself, far away.
  Other nearest_other(Vector3 place, std::size_t mother, std::size_t left) const {
    Other nearest{place};
    for (std::size_t point = 0; point < network_.points.size(); ++point) {
      const std::size_t branch = branch_[point];
      if (branch == mother || branch == left || branch == left + 1) continue;
      const Real distance = norm(network_.points[point] - place);
      if (distance < nearest.distance_mm) nearest = {network_.points[point], distance};
    }
    return nearest;
  }

  std::optional<Vector3> along_surface(Vector3 direction, std::size_t face) const {
    const Vector3 normal = surface_.normal(face);
    return unit(direction - dot(direction, normal) * normal);
  }

  std::optional<Vector3> turned(const End& end, Real sign) const {
    // As angles are rounded, so that libraries that differ in the last bit give one network.
    const auto rounded = [](Real value) { return std::round(value * 1e12) / 1e12; };
    const Real cosine = rounded(std::cos(rule_.angle)), sine = rounded(std::sin(rule_.angle));
    const std::size_t face = face_[end.point];
    const auto ahead = along_surface(end.direction, face);
    if (!ahead) return std::nullopt;
    return unit(cosine * *ahead + (sign * sine) * cross(surface_.normal(face), *ahead));
  }

  void add_point(const PointOnFace& at, std::size_t branch) {
    constexpr std::size_t most_points = 50'000;  // some seconds
    if (network_.points.size() == most_points)
      throw InputError("expected at most 50000 points: longer branches or segments, or fewer generations?");
    network_.points.push_back(at.point);
    face_.push_back(at.face);
    branch_.push_back(branch);
  }

  const NearFaces& surface_;
  GrowthRule rule_;
  Chance chance_;
  Network network_;
  std::vector<std::size_t> face_, branch_;  // [points]
  std::size_t branches_ = 1;
};

}  // namespace

Network grown_network(const NearFaces& surface, Vector3 start, Vector3 towards, const GrowthRule& rule) {
  return Growth(surface, rule).grow(start, towards);
}

}  // namespace cardiowarp
