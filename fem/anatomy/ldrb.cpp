#include "fem/anatomy/ldrb.hpp"

#include <algorithm>
#include <cmath>

namespace cardiowarp {
namespace {

Real between(const WallAngles& angles, Real depth) {
  return angles.endocardium * (1 - depth) + angles.epicardium * depth;
}

WallAngles between(const WallAngles& a, const WallAngles& b, Real t) {
  return {(1 - t) * a.endocardium + t * b.endocardium, (1 - t) * a.epicardium + t * b.epicardium};
}

/// `axes` or the same with the first and the third column reversed, whichever is nearer to `other`. Fiber and sheet
/// have no sign, but the third column may lead outwards in one and inwards in the other.
Axes turned_to(const Axes& axes, const Axes& other) {
  constexpr Real rounding = 1e-6;  // in symmetric hearts both are as near as the other
  if (dot(axes.fiber, other.fiber) + dot(axes.sheet, other.sheet) > -rounding) return axes;
  return {Real(-1) * axes.fiber, axes.sheet_normal, Real(-1) * axes.sheet};
}

/// The directions at one place, with the rule that is asked for.
class RuleAt {
 public:
  RuleAt(const LdrbAngles& angles, FiberRule rule, Real least) : angles_(angles), rule_(rule), least_(least) {}

  std::optional<Axes> of_one_ventricle(const WallFields& fields) const {
    const Real depth = std::clamp<Real>(fields.epi, 0, 1);
    return turned(fields.to_base, fields.epi_gradient, between(angles_.left, depth),
                  between(angles_.left_sheet, depth));
  }

  std::optional<Axes> of_two_ventricles(const WallFields& fields) const {
    const Real both = fields.left + fields.right;
    const Real to_right = both < 1e-12 ? 0.5 : std::clamp<Real>(fields.right / both, 0, 1);
    const Real epi = std::clamp<Real>(fields.epi, 0, 1);
    // The angle of the inside, a + (a_w − a) s with a_w = a + (a_epi − a) s, is linear in the depth with s = √φ_epi.
    const Real depth = rule_ == FiberRule::ldrb ? std::sqrt(epi) : epi;
    const std::optional<Axes> inside = of_the_endocardia(fields, to_right);
    const std::optional<Axes> outside =
        turned(fields.to_base, fields.epi_gradient, between(between(angles_.left, angles_.right, to_right), depth),
               between(between(angles_.left_sheet, angles_.right_sheet, to_right), depth));
    return joined(inside, outside, depth);
  }

 private:
  std::optional<Axes> turned(Vector3 to_base, Vector3 transmural, Real alpha, Real beta) const {
    if (!(norm(transmural) > least_)) return std::nullopt;
    const std::optional<Axes> axes = wall_axes(to_base, transmural, least_);
    if (!axes) return std::nullopt;
    return rule_ == FiberRule::ldrb ? oriented(*axes, alpha, beta) : oriented_as_printed(*axes, alpha, beta);
  }

  /// Axes between two; where one is missing, the other ones.
  std::optional<Axes> joined(const std::optional<Axes>& from, const std::optional<Axes>& to, Real t) const {
    if (!from || !to) return from ? from : to;
    return rule_ == FiberRule::ldrb ? slerp(turned_to(*from, *to), *to, t) : bislerp(*from, *to, t);
  }

  /// β from the left endocardium to the right one. Across the septum it falls to 0 and comes back.
  Real sheet_angle(Real at_endocardium, Real to_right) const {
    const Real changing = at_endocardium * (1 - 2 * to_right);
    return rule_ == FiberRule::ldrb ? std::copysign(std::fabs(changing), at_endocardium) : changing;
  }

  /// The axes of the inside: from the left endocardium (to_right = 0) to the right one. In those of both the third
  /// column leads from left to right, which is outwards in the left free wall and inwards in the right one.
  std::optional<Axes> of_the_endocardia(const WallFields& fields, Real to_right) const {
    const Real turn = 1 - 2 * to_right;
    const auto left = turned(fields.to_base, Real(-1) * fields.left_gradient, angles_.left.endocardium * turn,
                             sheet_angle(angles_.left_sheet.endocardium, to_right));
    const auto right = turned(fields.to_base, fields.right_gradient, angles_.right.endocardium * turn,
                              sheet_angle(angles_.right_sheet.endocardium, to_right));
    return joined(left, right, to_right);
  }

  const LdrbAngles& angles_;
  FiberRule rule_;
  Real least_;
};

}  // namespace

std::optional<Axes> ldrb_axes(const WallFields& fields, const LdrbAngles& angles, FiberRule rule, HeartKind heart,
                              Real least) {
  const RuleAt here(angles, rule, least);
  return heart == HeartKind::left_ventricle ? here.of_one_ventricle(fields) : here.of_two_ventricles(fields);
}

}  // namespace cardiowarp
