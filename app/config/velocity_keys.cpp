#include <fmt/format.h>

#include <algorithm>

#include "app/config/diffusivity_config.hpp"
#include "app/config/sections.hpp"
#include "app/config/yaml_text.hpp"

namespace cardiowarp {
namespace {

constexpr Range speeds{1e-3, 100, true, true};
constexpr const char* range_of_speeds = "0.001 to 100 m/s";

/// The diffusivity that was found is a comment: read back, it is found again.
std::string with_diffusivity(Real speed, const DiffusivityConfig& found, Real mm2_per_ms) {
  return yaml_number(speed) + (found.is_found ? fmt::format("  # {} mm^2/ms", yaml_number(mm2_per_ms)) : "");
}

}  // namespace

void visit_velocity(KeyVisitor& keys, DiffusivityConfig& diffusivity) {
  std::optional<Real> isotropic, longitudinal, transverse;
  const VelocityConfig given = diffusivity.velocity.value_or(VelocityConfig());
  const Real across = diffusivity.isotropic_mm2_per_ms, along = across + diffusivity.anisotropic_mm2_per_ms;
  const auto speed = [&](const char* name, const std::string& meaning, std::optional<Real>& value, bool is_written,
                         Real written, Real mm2_per_ms) {
    keys.special(
        {name, meaning, "none", range_of_speeds},
        {.kind = KeyKind::number, .quantity = speed_quantity, .range = speeds},
        [&](const YamlReader& in) { value = in.number_if_present(speed_quantity, speeds); },
        [&] { return is_written ? with_diffusivity(written, diffusivity, mm2_per_ms) : ""; });
  };
  const bool is_given = given.longitudinal_mm_per_ms > 0;
  speed("isotropic", "In all directions.", isotropic, is_given && given.is_isotropic(), given.transverse_mm_per_ms,
        across);
  speed("longitudinal", "Along the fiber, with `transverse`.", longitudinal, is_given && !given.is_isotropic(),
        given.longitudinal_mm_per_ms, along);
  speed("transverse", "Across the fiber, with `longitudinal`.", transverse, is_given && !given.is_isotropic(),
        given.transverse_mm_per_ms, across);
  const YamlReader* const in = keys.reading();
  if (!in) return;
  if (isotropic.has_value() == (longitudinal || transverse) || longitudinal.has_value() != transverse.has_value())
    in->fail("either isotropic or both longitudinal and transverse", isotropic ? "isotropic with another one"
                                                                     : longitudinal || transverse ? "one of the two"
                                                                                                  : "none");
  diffusivity = {
      .isotropic_mm2_per_ms = 1,
      .anisotropic_mm2_per_ms = 0,
      .place = in->label(),
      .velocity = VelocityConfig{isotropic ? *isotropic : *longitudinal, isotropic ? *isotropic : *transverse}};
}

}  // namespace cardiowarp
