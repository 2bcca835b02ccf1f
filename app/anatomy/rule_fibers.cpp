#include "app/anatomy/rule_fibers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <utility>

#include "app/config/config_names.hpp"
#include "app/simulation/laplace.hpp"
#include "fem/anatomy/ldrb.hpp"
#include "fem/anatomy/neighboring_axes.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// A gradient this much below the largest of the mesh has no direction: it is what a solve leaves of 0.
constexpr Real least_slope = 1e-7;

/// The fields of a heart by element.
class ElementFields {
 public:
  ElementFields(const Mesh& mesh, const HeartFields& fields)
      : mesh_(mesh), fields_(fields), epi_(gradients(mesh, fields.epi)), to_base_(gradients(mesh, fields.to_base)) {
    if (fields.left.empty()) return;
    left_ = gradients(mesh, fields.left);
    right_ = gradients(mesh, fields.right);
  }

  WallFields operator()(std::size_t element) const {
    WallFields here;
    here.epi = middle(mesh_, element, fields_.epi);
    here.epi_gradient = epi_[element];
    here.to_base = to_base_[element];
    if (left_.empty()) return here;
    here.left = middle(mesh_, element, fields_.left);
    here.right = middle(mesh_, element, fields_.right);
    here.left_gradient = left_[element];
    here.right_gradient = right_[element];
    return here;
  }

  Real least() const {
    Real largest = 0;
    for (const Vector3& g : to_base_) largest = std::max(largest, dot(g, g));
    for (const Vector3& g : epi_) largest = std::max(largest, dot(g, g));
    return least_slope * std::sqrt(largest);
  }

 private:
  const Mesh& mesh_;
  const HeartFields& fields_;
  std::vector<Vector3> epi_, to_base_, left_, right_;
};

std::string angles_in_words(const WallAngles& angles) {
  constexpr Real degrees = 180 / std::numbers::pi;
  return fmt::format("{:.4g}° to {:.4g}°", angles.endocardium * degrees, angles.epicardium * degrees);
}

}  // namespace

RuleFibers rule_fibers(const Mesh& mesh, const FiberRuleConfig& rule, const std::string& place) {
  RuleFibers result;
  result.surfaces = surfaces_of_heart(mesh, {rule.surfaces, place});
  result.fields = solve_heart_fields(mesh, result.surfaces, place);
  const ElementFields fields(mesh, result.fields);
  const Real least = fields.least();
  const LdrbAngles angles = rule.angles();
  const HeartKind heart = result.surfaces.kind();
  std::vector<std::optional<Axes>> axes(mesh.tetrahedra.size());
  parallel_for(axes.size(), [&](std::size_t element) {
    axes[element] = ldrb_axes(fields(element), angles, rule.rule, heart, least);
  });
  for (std::size_t element = 0; element < axes.size(); ++element) {
    if (axes[element]) continue;
    if (result.filled++ == 0) result.first_filled = static_cast<Index>(element);
  }
  if (const auto none = fill_from_neighbors(mesh, axes))
    throw InputError(
        fmt::format("{}: rule, but the fields between the surfaces have no slope in {} of {} elements, the first {}, "
                    "and element {} "
                    "has no neighbor whose directions it could take",
                    place, result.filled, axes.size(), result.first_filled, *none));
  result.axes.reserve(axes.size());
  for (const std::optional<Axes>& of_element : axes) result.axes.push_back(*of_element);
  return result;
}

std::vector<std::string> in_words(const RuleFibers& fibers, const FiberRuleConfig& rule) {
  const LdrbAngles angles = rule.angles();
  const bool has_right = fibers.surfaces.kind() == HeartKind::two_ventricles;
  std::vector<std::string> lines{
      fmt::format("fibers: rule {}, from {} in the left ventricle{}", name_of(rule.rule, fiber_rule_names),
                  angles_in_words(angles.left),
                  has_right ? fmt::format(", {} in the right one", angles_in_words(angles.right)) : "")};
  for (std::string& line : in_words(fibers.surfaces)) lines.push_back(std::move(line));
  if (fibers.filled > 0)
    lines.push_back(fmt::format(
        "  {} of {} elements have the directions of their neighbors, as the fields have no slope in them; the first is "
        "element {}",
        fibers.filled, fibers.axes.size(), fibers.first_filled));
  return lines;
}

}  // namespace cardiowarp
