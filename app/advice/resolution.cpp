#include "app/advice/resolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/config/config.hpp"
#include "app/simulation/conducting.hpp"
#include "app/simulation/problem.hpp"
#include "fem/element_volume.hpp"
#include "kernels/backend/thread_team.hpp"

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
/// docs/method/time_stepping.md.
Real adaptive_step(const Front& front, Real tolerance) {
  constexpr Real fitted = 2.75;
  return front.speed > 0 ? fitted * std::sqrt(tolerance * front.thickness_square) / front.speed : infinity;
}

/// The tolerance with which it takes that step.
Real tolerance_of_step(const Front& front, Real step) {
  const Real ratio = step / adaptive_step(front, 1);
  return ratio * ratio;
}

/// The errors that a scheme of order 2 makes in the speed of a front, by its steps and by its tolerance.
struct OrderTwo : FrontErrors {
  static constexpr Real usual_tolerance = 1e-3, bearable = 0.02, good = 0.01, largest_known = 0.1;

  Real error_of_step(const Front& front, Real step) const {
    const Real kappa = step * kappa_per_tau(front);
    return of_step * kappa * kappa;
  }
  Real step_of_error(const Front& front, Real error) const { return std::sqrt(error / of_step) / kappa_per_tau(front); }
  Real error_of_tolerance(Real tolerance) const {
    return of_tolerance * std::cbrt(square(tolerance / usual_tolerance));
  }
  Real tolerance_of_error(Real error) const { return usual_tolerance * std::pow(error / of_tolerance, Real(1.5)); }

 private:
  static Real square(Real value) { return value * value; }
};

OrderTwo order_two(TimeScheme scheme) { return {traits_of(scheme).front_errors}; }

/// What is larger than the formulas hold for is not given in digits.
std::string percent(Real error, Real largest_known = 0.3) {
  return error > largest_known ? fmt::format("more than {:.0f} %", 100 * largest_known)
                               : fmt::format("about {:.2g} %", 100 * error);
}

/// An error of a front's speed that a mesh makes, in words: how large it is, and to which side.
struct MeshError {
  std::string size, side;

  MeshError(Quadrature quadrature, Real error) {
    constexpr Real canceling = 0.01;  // what is left where two errors cancel may have either sign
    if (quadrature == Quadrature::vertices_and_centroid && std::abs(error) < canceling) {
      size = "less than 1 %", side = " off";
      return;
    }
    size = error < 0 ? percent(-error, FrontResolution::largest_slow) : percent(error);
    side = error < 0 ? " too slow" : " too fast";
  }
};

/// The excitation threshold of the cubic whose front has this speed and thickness: α of Aliev–Panfilov, 0 to ½.
Real threshold_of(const Front& front) {
  const Real ratio = front.speed * std::sqrt(front.thickness_square);  // 1 − 2α
  return (1 - std::clamp<Real>(ratio, 0, 1)) / 2;
}

Real slowness_at_vertices(const Front& front, Real square) {
  // On a lattice of spacing a, with a lumped mass, diffusion is D (∂² + a²/12 ∂⁴ + ...). Perturbing the front of a
  // cubic by the second term gives −(3 − 2r²)/120 · a²/δ² with r = 1 − 2α; cubes of edge a cut into six tetrahedra
  // have ℓ² = 10/6 a². What follows in ℓ⁴ was fitted to measured fronts with r of 0.4 to 0.98.
  const Real r = 1 - 2 * threshold_of(front);
  const Real first = (3 - 2 * r * r) / 200 * square, second = (0.12 * r - 0.084) * square;
  return second > first - 1 ? first / (1 + second) : 1;
}

/// By how much quadratic tetrahedra make a front too fast, `square` being the mean square of their edges in squares of
/// δ: measured in a cable cut regularly, with edges of 1.2 and 2.4 δ.
Real fastness_of_quadratic(Real square) {
  constexpr Real error_of_one = 2.4e-5;
  return error_of_one * square * square;
}

struct ElementError {
  Real error, longest_edge_mm, front_mm;
  bool stops;
};

ElementError judge(const std::array<Vector3, 4>& corners, const Diffusivity& D, const Front& front,
                   Quadrature quadrature) {
  Real all = 0, along = 0, longest = 0;  // mean squares of the edges, and of their parts along the fiber
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b) {
      const Vector3 edge = corners[b] - corners[a];
      const Real part = dot(edge, D.fiber);
      all += dot(edge, edge) / 6;
      along += part * part / 6;
      longest = std::max(longest, norm(edge));
    }
  const auto of = [&](Real square, Real diffusivity) {
    const Real front_square = front.thickness_square * diffusivity, ratio = square / front_square;
    return ElementError{speed_error_of_mesh(quadrature, front, ratio), longest, std::sqrt(front_square),
                        front_may_stop(quadrature, front, ratio)};
  };
  const Real with_fiber = D.anisotropic * dot(D.fiber, D.fiber);
  if (with_fiber == 0) return of(all, D.isotropic);
  // One direction has a third of the mean square of an edge without direction; across there are two.
  const ElementError across = of(1.5 * (all - along), D.isotropic),
                     lengthwise = of(3 * along, D.isotropic + with_fiber);
  return std::abs(across.error) >= std::abs(lengthwise.error) ? across : lengthwise;
}

std::string order_two_warning(const TimeConfig& time, const Problem& problem) {
  const OrderTwo scheme = order_two(time.scheme);
  const Scaling scaling = problem.scaling();
  const AdaptiveConfig& adaptive = time.adaptive;
  Real worst = 0, good_ms = 0;
  const Real longest_ms = adaptive.enabled ? adaptive.max_step_ms : time.step_ms;
  for (const Front& front : fronts_of(problem.cell_models))
    if (const Real error = scheme.error_of_step(front, scaling.tau_from_ms(longest_ms)); error > worst) {
      worst = error;
      good_ms = scaling.ms_per_tau * scheme.step_of_error(front, OrderTwo::good);
    }
  const Real by_tolerance = scheme.error_of_tolerance(adaptive.tolerance);
  if (adaptive.enabled && by_tolerance < worst)
    return by_tolerance <= OrderTwo::bearable
               ? ""
               : fmt::format("time.adaptive.tolerance of {:.3g} puts activation times {} off; {:.1g} about 1 %",
                             adaptive.tolerance, percent(by_tolerance, OrderTwo::largest_known),
                             scheme.tolerance_of_error(OrderTwo::good));
  if (worst <= OrderTwo::bearable) return "";
  return fmt::format("{} of {:.6g} ms makes the front {} too {}; {:.2g} ms about 1 %",
                     adaptive.enabled ? "time.adaptive.max_step" : "time.step", longest_ms,
                     percent(worst, OrderTwo::largest_known), scheme.fast ? "fast" : "slow", good_ms);
}

std::string step_warning(const TimeConfig& time, const Problem& problem) {
  if (time.interpolates()) return order_two_warning(time, problem);
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

/// The warning of a mesh that makes larger errors than the steps may; empty where it does not.
std::string accuracy_warning(const AccuracyConfig& asked, const FrontResolution& found) {
  if (!asked.activation_percent || 100 * std::abs(found.mean_error) <= *asked.activation_percent) return "";
  return fmt::format("accuracy.activation is what the steps in time keep: beside that, the mesh makes the front {}",
                     describe(found));
}

std::string mesh_warning(const Problem& problem, const FrontResolution& found) {
  if (found.coarse_elements == 0) return "";
  const auto elements = problem.mesh->tetrahedra.size();
  const bool slow = found.worst_error < 0;
  const auto error_of = [&](Real edge_over_front) {
    const Front front = fronts_of(problem.cell_models)[problem.cell_model[found.worst]];
    return speed_error_of_mesh(problem.quadrature, front, edge_over_front * edge_over_front);
  };
  Real good = 2;
  while (std::abs(error_of(good)) > FrontResolution::largest_slow) good /= 2;
  std::string warning = fmt::format(
      "the mesh is coarse for the front: {} of {} elements, {:.3g} % of the volume, make it more than {:.0f} % {}; the "
      "worst, element {} at ({:.4g}, {:.4g}, {:.4g}) mm with edges up to {:.3g} mm where the front is {:.3g} mm thick",
      found.coarse_elements, elements, 100 * found.coarse_share,
      100 * (slow ? FrontResolution::largest_slow : FrontResolution::largest_fast), slow ? "too slow" : "too fast",
      found.worst, found.worst_at.x, found.worst_at.y, found.worst_at.z, found.worst_edge_mm, found.worst_front_mm);
  if (!slow) warning += ", " + percent(found.worst_error);
  warning += slow ? ". Activation comes too late there" : ". Activation comes too early there";
  if (found.stopping_elements > 0)
    warning += fmt::format(", and in {} of them a front may stop", found.stopping_elements);
  return warning + fmt::format(": refine (edges of {:.2g} mm make {}) or give a larger diffusivity",
                               good * found.worst_front_mm, MeshError(problem.quadrature, error_of(good)).size);
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

Real speed_error_of_mesh(Quadrature quadrature, const Front& front, Real square) {
  constexpr Real error_of_one = 0.01;
  if (quadrature == Quadrature::fourteen_points) return fastness_of_quadratic(square);
  // With both kinds of points each error counts with the share of its points.
  const QuadratureWeights weights = weights_of(quadrature);
  Real error = weights.centroid * error_of_one * square;
  if (weights.vertices > 0) error -= weights.vertices * slowness_at_vertices(front, square);
  return error;
}

bool front_may_stop(Quadrature quadrature, const Front& front, Real square) {
  // Fronts stopped on lattices from spacings of 0.6 to 1.2 δ/α on, and later on meshes of Gmsh.
  constexpr Real first_stop = 0.7, lattice_square = 0.6;  // a² of the lattice over ℓ²
  const Real times_threshold = threshold_of(front) * std::sqrt(lattice_square * square);
  return quadrature == Quadrature::vertices && front.speed > 0 && times_threshold >= first_stop;
}

FrontResolution front_resolution(const Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  const std::vector<Front> fronts = fronts_of(problem.cell_models);
  struct Sums {
    FrontResolution found;  ///< mean_error times the volume
    Real volume = 0, coarse_volume = 0;
  };
  const auto add = [&](Sums& sums, std::int64_t element) {
    FrontResolution& found = sums.found;
    if (!conducts(problem.diffusivity[element])) return;
    const Tetrahedron& nodes = mesh.tetrahedra[element];
    const std::array<Vector3, 4> corners{mesh.nodes[nodes[0]], mesh.nodes[nodes[1]], mesh.nodes[nodes[2]],
                                         mesh.nodes[nodes[3]]};
    const ElementError judged =
        judge(corners, problem.diffusivity[element], fronts[problem.cell_model[element]], problem.quadrature);
    const Real volume = element_volume(mesh, static_cast<std::size_t>(element));
    sums.volume += volume;
    found.mean_error += volume * judged.error;
    found.stopping_elements += judged.stops;
    if (judged.error > FrontResolution::largest_fast || judged.error < -FrontResolution::largest_slow) {
      ++found.coarse_elements;
      sums.coarse_volume += volume;
    }
    if (std::abs(judged.error) > std::abs(found.worst_error)) {
      found.worst = element;
      found.worst_error = judged.error;
      found.worst_at = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
      found.worst_edge_mm = judged.longest_edge_mm;
      found.worst_front_mm = judged.front_mm;
    }
  };
  const auto join = [](Sums& all, const Sums& some) {
    const bool is_worse = std::abs(some.found.worst_error) > std::abs(all.found.worst_error);
    FrontResolution found = is_worse ? some.found : all.found;
    found.mean_error = all.found.mean_error + some.found.mean_error;
    found.stopping_elements = all.found.stopping_elements + some.found.stopping_elements;
    found.coarse_elements = all.found.coarse_elements + some.found.coarse_elements;
    all = {found, all.volume + some.volume, all.coarse_volume + some.coarse_volume};
  };
  const auto sums = joined_blocks<Sums>(static_cast<std::int64_t>(mesh.tetrahedra.size()), add, join);
  FrontResolution found = sums.found;
  found.quadrature = problem.quadrature;
  found.mean_error /= sums.volume;
  found.coarse_share = sums.coarse_volume / sums.volume;
  return found;
}

std::string describe(const FrontResolution& resolution) {
  const MeshError mean(resolution.quadrature, resolution.mean_error),
      worst(resolution.quadrature, resolution.worst_error);
  return fmt::format("{}{} on average, {}{} in the worst element", mean.size, mean.side, worst.size,
                     worst.side == mean.side ? "" : worst.side);
}

std::vector<std::string> resolution_warnings(const Config& config, const Problem& problem) {
  std::vector<std::string> warnings;
  FrontResolution found = front_resolution(problem);
  // The diffusivity of a velocity makes up for elements that are slow; where fronts stop it does not.
  if (config.diffusivity.velocity && found.stopping_elements == 0) found.coarse_elements = 0;
  // Steps that were found from an accuracy do what was asked for.
  for (std::string warning :
       {config.accuracy ? accuracy_warning(*config.accuracy, found) : step_warning(config.time, problem),
        mesh_warning(problem, found)})
    if (!warning.empty()) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace cardiowarp
