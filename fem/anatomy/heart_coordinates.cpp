#include "fem/anatomy/heart_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cardiowarp {
namespace {

constexpr Real slack = 1e-6;

bool contains(const std::optional<HeartRange::Interval>& range, Real value) {
  return !range || (value >= range->low - slack && value <= range->high + slack);
}

}  // namespace

bool contains(const HeartRange& range, const HeartPlace& place) {
  if (!contains(range.transmural, place.transmural) || !contains(range.apicobasal, place.apicobasal)) return false;
  if (const auto& turn = range.rotational_deg) {
    const Real angle = place.rotational * 180 / std::numbers::pi;
    const bool is_above = angle >= turn->low - slack, is_below = angle <= turn->high + slack;
    if (turn->low <= turn->high ? !(is_above && is_below) : !(is_above || is_below)) return false;
  }
  if (range.endocardium_mm && place.from_endocardium_mm > *range.endocardium_mm + slack) return false;
  if (!range.part) return true;
  return *range.part == HeartPart::left_wall ? place.part != HeartPart::right_wall : place.part == *range.part;
}

HeartPart part_at(Real left, Real right, Real epi) {
  if (right <= left && right <= epi) return HeartPart::left_wall;
  return epi <= left ? HeartPart::septum : HeartPart::right_wall;
}

Real transmural_at(HeartPart part, Real left, Real right) {
  return std::clamp<Real>(1 - (part == HeartPart::right_wall ? right : left), 0, 1);
}

std::optional<LongAxis> LongAxis::through(Vector3 apex, Vector3 middle, Vector3 zero) {
  const Vector3 way = middle - apex;
  const Real length = norm(way);
  if (!(length > 0)) return std::nullopt;
  LongAxis axis;
  axis.apex_ = apex;
  axis.up_ = (1 / length) * way;
  const Vector3 to_zero = zero - apex;
  const Vector3 across = to_zero - dot(to_zero, axis.up_) * axis.up_;
  if (!(norm(across) > 1e-6 * length)) return std::nullopt;
  axis.zero_ = (1 / norm(across)) * across;
  axis.side_ = cross(axis.up_, axis.zero_);
  return axis;
}

Real LongAxis::angle(Vector3 point) const {
  const Vector3 way = point - apex_;
  return std::atan2(dot(way, side_), dot(way, zero_));
}

}  // namespace cardiowarp
