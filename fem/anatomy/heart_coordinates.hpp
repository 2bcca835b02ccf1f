#pragma once
#include <limits>
#include <optional>
#include <vector>

#include "fem/anatomy/ldrb.hpp"
#include "fem/vector3.hpp"

namespace cardiowarp {

// Coordinates of the ventricles after Bayer et al., Med Image Anal 45:83-93, 2018: how deep a place lies in the wall,
// how high between apex and base, in which direction from the long axis, and in which ventricle. They name the same
// place in hearts of different shapes. Here are the coordinates as values, and what is computed at a single place;
// app/anatomy/mesh_coordinates.hpp makes those of a whole mesh. A place takes 40 bytes of host memory.

/// The parts of the ventricles. The septum belongs to the left ventricle.
enum class HeartPart { left_wall, septum, right_wall };

/// Where a place is in the ventricles.
struct HeartPlace {
  Real transmural = 0;  ///< 0 on the endocardium of its ventricle, 1 on the epicardium and on the right of the septum
  Real apicobasal = 0;  ///< 0 at the apex, 1 at the base
  Real rotational = 0;  ///< in [−π, π] about the long axis, counterclockwise as seen from the base
  HeartPart part = HeartPart::left_wall;
  /// The distance from the endocardium of the nearer cavity, mm; infinity until it is asked for, and beyond what is.
  Real from_endocardium_mm = std::numeric_limits<Real>::infinity();
};

/// The coordinates of a mesh.
struct HeartCoordinates {
  std::vector<HeartPlace> nodes;     ///< [nodes]
  std::vector<HeartPlace> elements;  ///< [elements] in the middle of each
  HeartKind heart = HeartKind::left_ventricle;
};

/// The places whose coordinates lie in closed intervals; those that are not given may be anything.
struct HeartRange {
  struct Interval {
    Real low = 0, high = 0;
  };
  std::optional<Interval> transmural = {}, apicobasal = {};
  std::optional<Interval> rotational_deg = {};  ///< degrees; through the cut at ±180 where low is above high
  std::optional<HeartPart> part = {};           ///< left_wall means the left ventricle with the septum
  std::optional<Real> endocardium_mm = {};      ///< at most so far from the endocardium of either cavity

  bool is_everything() const { return !transmural && !apicobasal && !rotational_deg && !part && !endocardium_mm; }
};

/// Whether a place is in a range. Intervals reach 1e-6 beyond their ends, which is more than solves leave.
bool contains(const HeartRange& range, const HeartPlace& place);

/// The part in which a place lies whose fields are these (WallFields): the left wall where `right` is the smallest of
/// the three, the right wall where `left` is, the septum where `epi` is.
HeartPart part_at(Real left, Real right, Real epi);

/// How deep a place lies in the wall of its part: 1 − `left`, in the right wall 1 − `right`, kept in [0, 1].
Real transmural_at(HeartPart part, Real left, Real right);

/// The long axis of the left ventricle, and the direction from it in which the rotational coordinate is 0.
class LongAxis {
 public:
  /// The axis from the apex through `middle`; `zero` is a point in the direction of 0. mm. Absent where the axis has no
  /// direction or `zero` lies on it, to a millionth of the distance from apex to middle.
  static std::optional<LongAxis> through(Vector3 apex, Vector3 middle, Vector3 zero);

  /// The angle of a point about the axis, in [−π, π].
  Real angle(Vector3 point) const;

  Vector3 direction() const { return up_; }
  Vector3 zero() const { return zero_; }  ///< of length 1

 private:
  Vector3 apex_, up_, zero_, side_;
};

}  // namespace cardiowarp
