#pragma once
#include <optional>

#include "fem/vector3.hpp"

namespace cardiowarp {

// Local axes of the tissue and the turning of one set of axes into another, as rules of fibers need them (Bayer,
// Blake, Plank and Trayanova, Ann Biomed Eng 40:2243-2254, 2012). Axes are a value of 72 bytes: three unit vectors,
// the columns of a rotation. Before a rule has turned it the columns are the circumferential, the longitudinal and the
// transmural direction of a place; afterwards they are the fiber, the normal of the sheet and the sheet.

/// Three unit vectors at right angles, right-handed: fiber × sheet_normal = sheet.
struct Axes {
  Vector3 fiber, sheet_normal, sheet;
};

/// The axes with their second column along `longitudinal` and their third one along what `transmural` has at right
/// angles to that; the first one is the second times the third. Absent where `longitudinal` is not longer than `least`,
/// or the two are parallel to a millionth.
std::optional<Axes> wall_axes(Vector3 longitudinal, Vector3 transmural, Real least);

/// The axes turned by `alpha` in their own first two columns and then by `beta`, both in radians: columns · Rα · Rβ
/// with Rα = [cos α, −sin α, 0; sin α, cos α, 0; 0, 0, 1] and Rβ = [cos β, 0, sin β; 0, 1, 0; −sin β, 0, cos β].
Axes oriented(const Axes& axes, Real alpha, Real beta);

/// oriented() with Rβ as it is printed in the paper, about the fiber: [1, 0, 0; 0, cos β, sin β; 0, −sin β, cos β].
Axes oriented_as_printed(const Axes& axes, Real alpha, Real beta);

/// The rotation that lies between `from` (t = 0) and `to` (t = 1) on the shorter arc, with constant speed.
Axes slerp(const Axes& from, const Axes& to, Real t);

/// slerp() from `from` or from it with the signs of two of its columns changed, whichever of these four is nearest to
/// `to`.
Axes bislerp(const Axes& from, const Axes& to, Real t);

}  // namespace cardiowarp
