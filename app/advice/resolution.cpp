#include "app/advice/resolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fem/tetrahedron.hpp"

namespace cardiowarp {
namespace {

constexpr Real infinity = std::numeric_limits<Real>::infinity();
constexpr Real bearable_step_error = 0.05, good_step_error = 0.01;

/// κ at a step of one τ, in `speed_error_of_step`.
Real kappa_per_tau(const Front& front) {
  const Real speed = std::max<Real>(front.speed, 0);
  return speed * speed / 2;
}

/// The step (in τ) that `time.adaptive` takes while a front travels, as far as its tolerance decides: a fixed multiple
/// of √tolerance times the time in which the front moves on by its thickness, fitted to the table of
/// docs/time_stepping.md.
Real adaptive_step(const Front& front, Real tolerance) {
  constexpr Real fitted = 2.75;
  return front.speed > 0 ? fitted * std::sqrt(tolerance * front.thickness_square) / front.speed : infinity;
}

/// The tolerance with which it takes that step.
Real tolerance_of_step(const Front& front, Real step) {
  const Real ratio = step / adaptive_step(front, 1);
  return ratio * ratio;
}

/// What is larger than the formulas hold for is not given in digits.
std::string percent(Real error) {
  constexpr Real largest_known = 0.3;
  return error > largest_known ? "more than 30 %" : fmt::format("about {:.2g} %", 100 * error);
}

struct ElementError {
  Real error, longest_edge_mm, front_mm;
};

ElementError judge(const std::array<Vector3, 4>& corners, const Diffusivity& D, const Front& front) {
  Real all = 0, along = 0, longest = 0;  // mean squares of the edges, and of their parts along the fibre
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b) {
      const Vector3 edge = corners[b] - corners[a];
      const Real part = dot(edge, D.fiber);
      all += dot(edge, edge) / 6;
      along += part * part / 6;
      longest = std::max(longest, norm(edge));
    }
  constexpr Real error_of_one = 0.01;
  const auto of = [&](Real square, Real diffusivity) {
    const Real front_square = front.thickness_square * diffusivity;
    return ElementError{error_of_one * square / front_square, longest, std::sqrt(front_square)};
  };
  const Real with_fiber = D.anisotropic * dot(D.fiber, D.fiber);
  if (with_fiber == 0) return of(all, D.isotropic);
  // One direction has a third of the mean square of an edge without direction; across there are two.
  const ElementError across = of(1.5 * (all - along), D.isotropic),
                     lengthwise = of(3 * along, D.isotropic + with_fiber);
  return across.error >= lengthwise.error ? across : lengthwise;
}

std::string step_warning(const TimeConfig& time, const Problem& problem) {
  if (time.interpolates()) return "";
  struct Limit {
    std::string key;  ///< with its value
    std::string good;
    Real error = 0;
  } worst;
  const Scaling scaling = problem.scaling();
  const Real ms_per_tau = scaling.ms_per_tau;
  const Real steepest = std::visit(
      [](const auto& cells) {
        Real largest = 0;
        for (const auto& cell : cells) largest = std::max(largest, cell.steepest_reaction());
        return largest;
      },
      problem.cell_models);
  for (const Front& front : fronts_of(problem.cell_models)) {
    const Real good_ms = ms_per_tau * step_of_speed_error(front, good_step_error);
    const auto consider = [&](Real step_ms, const std::string& key, const std::string& good) {
      if (const Real error = speed_error_of_step(front, scaling.tau_from_ms(step_ms)); error > worst.error)
        worst = {key, good, error};
    };
    if (!time.adaptive.enabled) {
      consider(time.step_ms, fmt::format("time.step of {:.6g} ms", time.step_ms), fmt::format("{:.2g} ms", good_ms));
      continue;
    }
    const Real by_tolerance =
        std::max(ms_per_tau * adaptive_step(front, time.adaptive.tolerance), time.adaptive.min_step_ms);
    if (by_tolerance <= time.adaptive.max_step_ms)
      consider(by_tolerance, fmt::format("time.adaptive.tolerance of {:.3g}", time.adaptive.tolerance),
               fmt::format("{:.1g}", tolerance_of_step(front, scaling.tau_from_ms(good_ms))));
    else
      consider(time.adaptive.max_step_ms, fmt::format("time.adaptive.max_step of {:.6g} ms", time.adaptive.max_step_ms),
               fmt::format("{:.2g} ms", good_ms));
  }
  if (worst.error <= bearable_step_error) return "";
  std::string warning =
      fmt::format("{} makes the front {} too fast; {} about 1 %", worst.key, percent(worst.error), worst.good);
  // The tangent stays positive definite while 1/h > max df/dφ.
  if (!time.adaptive.enabled && scaling.tau_from_ms(time.step_ms) * steepest >= 1)
    warning += fmt::format(", and from {:.3g} ms on a step may have no solution", ms_per_tau / steepest);
  return warning;
}

std::string mesh_warning(const Problem& problem) {
  const FrontResolution found = front_resolution(problem);
  if (found.coarse_elements == 0) return "";
  const auto elements = problem.mesh->tetrahedra.size();
  return fmt::format(
      "the mesh is coarse for the front: {} of {} elements, {:.3g} % of the volume, make it more than {:.0f} % too "
      "fast; the worst, element {} at ({:.4g}, {:.4g}, {:.4g}) mm with edges up to {:.3g} mm where the front is {:.3g} "
      "mm thick, {}. Activation comes too early there: refine (edges of {:.2g} mm make about 4 %) or give a larger "
      "diffusivity",
      found.coarse_elements, elements, 100 * found.coarse_share, 100 * FrontResolution::coarse_error, found.worst,
      found.worst_at.x, found.worst_at.y, found.worst_at.z, found.worst_edge_mm, found.worst_front_mm,
      percent(found.worst_error), 2 * found.worst_front_mm);
}

}  // namespace

Real speed_error_of_step(const Front& front, Real step) {
  // (φ − φ_n)/h = φ' − h/2 φ'' + ..., and φ'' = v² ∂²φ/∂x² in a front of speed v: it travels as with D̃ + h v²/2.
  // From v² = C² D̃ follows v / v_0 = 1 / √(1 − κ), κ = h C² / 2.
  const Real kappa = step * kappa_per_tau(front);
  return kappa < 1 ? 1 / std::sqrt(1 - kappa) - 1 : infinity;
}

Real step_of_speed_error(const Front& front, Real error) {
  const Real speed = 1 + error;
  return (1 - 1 / (speed * speed)) / kappa_per_tau(front);
}

FrontResolution front_resolution(const Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  const std::vector<Front> fronts = fronts_of(problem.cell_models);
  FrontResolution found;
  Real volume = 0, coarse_volume = 0;
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const Tetrahedron& nodes = mesh.tetrahedra[element];
    const std::array<Vector3, 4> corners{mesh.nodes[nodes[0]], mesh.nodes[nodes[1]], mesh.nodes[nodes[2]],
                                         mesh.nodes[nodes[3]]};
    const ElementError judged = judge(corners, problem.diffusivity[element], fronts[problem.cell_model[element]]);
    const Real element_volume = tetrahedron_geometry(mesh.nodes, nodes).volume;
    volume += element_volume;
    found.mean_error += element_volume * judged.error;
    if (judged.error > FrontResolution::coarse_error) {
      ++found.coarse_elements;
      coarse_volume += element_volume;
    }
    if (judged.error > found.worst_error) {
      found.worst = element;
      found.worst_error = judged.error;
      found.worst_at = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
      found.worst_edge_mm = judged.longest_edge_mm;
      found.worst_front_mm = judged.front_mm;
    }
  }
  found.mean_error /= volume;
  found.coarse_share = coarse_volume / volume;
  return found;
}

std::string describe(const FrontResolution& resolution) {
  return fmt::format("{} too fast on average, {} in the worst element", percent(resolution.mean_error),
                     percent(resolution.worst_error));
}

std::vector<std::string> resolution_warnings(const Config& config, const Problem& problem) {
  std::vector<std::string> warnings;
  for (std::string warning : {step_warning(config.time, problem), mesh_warning(problem)})
    if (!warning.empty()) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace cardiowarp
