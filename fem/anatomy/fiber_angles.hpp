#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Angles at the inside and the outside of a wall, in radians.
struct WallAngles {
  Real endocardium = 0, epicardium = 0;
};

/// The angles of a rule. A fiber angle is measured from the circumferential direction towards the base, as one sees it
/// from outside the heart; it is positive where the fiber rises to the right. A sheet angle turns the fiber's axes out
/// of the tangent plane of the wall.
struct LdrbAngles {
  WallAngles left, right;              ///< α of the fiber, of each ventricle
  WallAngles left_sheet, right_sheet;  ///< β
};

/// The two readings of the rule. Five errors of the printed one and its first programs are mended in `ldrb`: β turns
/// about the second column instead of about the fiber, which it never touched; axes are joined with the choice between
/// two signs of the transmural direction instead of among four, which lets fibers jump inside a free wall; of two
/// ventricles √φ_epi is the transmural coordinate, as the rule applies it twice; β keeps its sign in the right
/// ventricle; and an angle of 0 is an angle.
enum class FiberRule {
  ldrb,  ///< mended, the default
  bayer  ///< as printed in 2012
};

}  // namespace cardiowarp
