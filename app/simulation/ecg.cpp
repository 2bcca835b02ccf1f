#include "app/simulation/ecg.hpp"

#include <fmt/format.h>

#include <numbers>
#include <optional>
#include <set>
#include <string>

#include "app/config/config.hpp"
#include "fem/input_error.hpp"
#include "fem/lead_field.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

/// An electrode of the twelve leads lies on the body.
bool is_on_the_body(const ElectrodeConfig& electrode) {
  static const std::set<std::string> names{"RA", "LA", "LL", "V1", "V2", "V3", "V4", "V5", "V6"};
  return names.contains(electrode.name);
}

void require_outside(const ElectrodeConfig& electrode, const Mesh& mesh, const std::vector<Real>& longest_mm) {
  const std::optional<TooNear> near = too_near(mesh, longest_mm, electrode.point);
  if (!near) return;
  const Vector3 p = electrode.point, q = mesh.nodes[near->node];
  throw InputError(fmt::format(
      "{}: electrode '{}': expected a point that is farther from every node than the tissue's edges there are long, "
      "got "
      "[{}, {}, {}], {:.3g} mm from node {} at [{:.6g}, {:.6g}, {:.6g}] with edges of {:.3g} mm; an electrode in the "
      "tissue has a name that no lead of an ECG has",
      electrode.place, electrode.name, p.x, p.y, p.z, near->distance_mm, near->node, q.x, q.y, q.z, near->least_mm));
}

}  // namespace

Ecg ecg_of(const Config& config, const Mesh& mesh, Real ms_per_tau) {
  if (!config.output.ecg) return {};
  const EcgConfig& given = *config.output.ecg;
  const bool has_fibers = config.fibers.source != FiberSource::none;
  const Real along =
      config.diffusivity.isotropic_mm2_per_ms + (has_fibers ? config.diffusivity.anisotropic_mm2_per_ms : 0);
  const std::vector<Real> longest_mm = longest_edges(mesh);
  const Real longest_step = config.time.adaptive.enabled ? config.time.adaptive.max_step_ms : config.time.step_ms;
  Ecg ecg{
      .electrodes = {},
      .times = {given.interval_ms},
      .scale = given.intracellular_s_per_m / (4 * std::numbers::pi_v<Real> * given.bath_s_per_m * along * ms_per_tau),
      .most_a_step = static_cast<int>(std::ceil(longest_step / given.interval_ms)) + 1};
  for (const ElectrodeConfig& electrode : points_of(given).points) {
    if (is_on_the_body(electrode)) require_outside(electrode, mesh, longest_mm);
    ecg.electrodes.push_back(electrode.point);
  }
  return ecg;
}

}  // namespace cardiowarp
