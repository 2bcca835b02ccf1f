#include "app/start/find_diffusivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config.hpp"
#include "app/process/log.hpp"
#include "app/simulation/error_estimate.hpp"
#include "app/simulation/selection.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/time_stepper.hpp"
#include "app/start/cable.hpp"
#include "fem/cells/any_cell.hpp"
#include "fem/cells/cell_model.hpp"
#include "fem/cells/front.hpp"
#include "fem/element_volume.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {
namespace {

/// Fronts whose thickness is so many edges travel as in a continuum, to 0.1 %.
constexpr Real edges_of_a_fine_front = 12;

/// Of the edges of a cube that is cut into six tetrahedra, over that of the cube, squared.
constexpr Real mean_square_of_unit_cubes = 10.0 / 6;

/// The edge of cubes, each cut into six tetrahedra, whose edges have the mean square of those of some elements.
Real edge_of_cubes(const Mesh& mesh, const std::vector<Index>& elements) {
  Real squares = 0, volume = 0;
  for (const Index number : elements) {
    const auto element = static_cast<std::size_t>(number);
    const auto& corners = mesh.tetrahedra[element];
    Real square = 0;
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = a + 1; b < 4; ++b) {
        const Vector3 edge = mesh.nodes[corners[b]] - mesh.nodes[corners[a]];
        square += dot(edge, edge) / 6;
      }
    const Real weight = element_volume(mesh, element);
    squares += weight * square;
    volume += weight;
  }
  return std::sqrt(squares / volume / mean_square_of_unit_cubes);
}

/// The elements of some tissue.
struct Elements {
  Real edge_mm;  ///< edge_of_cubes()
  bool are_quadratic;
};

/// A velocity of the fronts of a kind of cell, and what is known of it in a continuum.
struct Wanted {
  const Config& run;
  AnyCell cell;
  Real mm_per_ms;
  Real edge_mm;       ///< of the cable: that of the mesh, or where a front has many of them, a longer one
  Real continuum_d;   ///< mm²/ms
  Real front_mm;      ///< thickness of the front with that
  bool is_quadratic;  ///< whether the elements are
  std::string where;  ///< the key, for messages
};

/// The velocity of a front with the diffusivity D on the edges of the mesh, mm/ms; 0 where it does not arrive.
Real measured_speed(const Wanted& wanted, Real D) {
  // Lengths in edges: what a front needs to settle, what is measured, and the end, towards which a front accelerates.
  const Real edge = wanted.edge_mm, front_in_edges = wanted.front_mm / edge;
  const auto edges_of = [&](Real fronts, int at_least) {
    return std::max(static_cast<int>(std::ceil(fronts * front_in_edges)), at_least);
  };
  const int settles = edges_of(20, 16), gauge = edges_of(12, 16), end = edges_of(8, 6), edges = settles + gauge + end;
  Mesh mesh = slab_mesh({edges * edge, edge, edge}, edge, true);
  if (wanted.is_quadratic) mesh = quadratic_mesh(std::move(mesh));
  Config config = config_of_cable(wanted.run, wanted.cell, D);
  if (wanted.is_quadratic) config.quadrature = Quadrature::fourteen_points;
  config.time.end_ms = 3 * edges * edge / wanted.mm_per_ms;
  config.time.step_ms = std::min(config.time.step_ms, config.time.end_ms / 2);
  const Problem problem = cable_problem(config, mesh, 4 * std::max(wanted.front_mm, edge), wanted.front_mm);
  const auto simulation = make_cpu_simulation(problem);
  TimeStepper stepper(config.time, config.time.end_ms, {});
  const auto node_at = [&](Real x_mm) {
    std::size_t nearest = 0;
    for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
      if (norm(mesh.nodes[node] - Vector3{x_mm, 0, 0}) < norm(mesh.nodes[nearest] - Vector3{x_mm, 0, 0}))
        nearest = node;
    return nearest;
  };
  const std::size_t from = node_at(settles * edge), to = node_at((settles + gauge) * edge);
  while (!stepper.finished()) {
    if (stepper.advance(*simulation).failure) return 0;
    const std::vector<Real> activation_ms = beat_times(*simulation, mesh.nodes.size()).activation_ms;
    if (activation_ms[to] >= 0)
      return (mesh.nodes[to].x - mesh.nodes[from].x) / (activation_ms[to] - activation_ms[from]);
  }
  return 0;
}

std::string why_not_carried(const Wanted& wanted) {
  return fmt::format(
      "{}: expected a velocity that the mesh can carry, got {:.6g} m/s: with a diffusivity of {:.3g} mm^2/ms "
      "fronts are {:.2g} mm thick, and edges of {:.3g} mm are too long for them (`cardiowarp mesh refine`)",
      wanted.where, wanted.mm_per_ms, wanted.continuum_d, wanted.front_mm,
      wanted.edge_mm * std::sqrt(mean_square_of_unit_cubes));
}

/// D by the secant of the logarithms of D and of the velocity, from the law of a continuum; nothing where the edges are
/// too long for the velocity.
std::optional<Real> found_diffusivity(const Wanted& wanted) {
  constexpr int most_tries = 8;
  constexpr Real close = 2e-3, most_times_continuum = 4;
  Real D = wanted.continuum_d, power = 2, last_diffusivity = 0, last_speed = 0;
  for (int tried = 0; tried < most_tries; ++tried) {
    const Real speed = measured_speed(wanted, D);
    log_debug("{}: {:.6g} m/s with {:.6g} mm^2/ms", wanted.where, speed, D);
    if (std::fabs(speed / wanted.mm_per_ms - 1) < close) return D;
    if (speed > 0 && last_speed > 0 && speed != last_speed)
      power = std::clamp(std::log(D / last_diffusivity) / std::log(speed / last_speed), Real(0.5), Real(2.5));
    last_diffusivity = D;
    last_speed = speed;
    D *= speed > 0 ? std::pow(wanted.mm_per_ms / speed, power) : 1.5;
    if (D > most_times_continuum * wanted.continuum_d) break;
  }
  return std::nullopt;
}

Wanted wanted_of(const Config& run, const AnyCell& cell, Real mm_per_ms, const Elements& elements,
                 const std::string& where) {
  const Front front = front_of(cell);
  if (!(front.speed > 0))
    throw InputError(fmt::format("{}: expected cells through which fronts travel; give diffusivity instead", where));
  const Real ms_per_tau = scaling_of(cell).ms_per_tau, ratio = mm_per_ms / front.speed;
  const Real D = ms_per_tau * ratio * ratio, front_mm = std::sqrt(front.thickness_square * ms_per_tau * D);
  const Real edge_mm = std::max(elements.edge_mm, front_mm / edges_of_a_fine_front);
  return {run, cell, mm_per_ms, edge_mm, D, front_mm, elements.are_quadratic, where};
}

/// The key without the file and line: `regions[0].velocity`.
std::string key_of(const DiffusivityConfig& diffusivity) {
  const std::size_t end = diffusivity.place.rfind(": ");
  return end == std::string::npos ? diffusivity.place : diffusivity.place.substr(end + 2);
}

void find(const Config& config, const AnyCell& cell, const Elements& elements, DiffusivityConfig& diffusivity) {
  const VelocityConfig& velocity = *diffusivity.velocity;
  const auto found = [&](Real mm_per_ms) {
    const Wanted wanted = wanted_of(config, cell, mm_per_ms, elements, diffusivity.place);
    const std::optional<Real> D = found_diffusivity(wanted);
    if (!D) throw InputError(why_not_carried(wanted));
    return *D;
  };
  const Real across = found(velocity.transverse_mm_per_ms);
  const Real along = velocity.is_isotropic() ? across : found(velocity.longitudinal_mm_per_ms);
  diffusivity.isotropic_mm2_per_ms = across;
  diffusivity.anisotropic_mm2_per_ms = along - across;
  diffusivity.is_found = true;
  log_info(
      "{}: {} mm^2/ms on the edges of this mesh", key_of(diffusivity),
      velocity.is_isotropic()
          ? fmt::format("{:.6g} m/s means a diffusivity of {:.4g}", velocity.transverse_mm_per_ms, across)
          : fmt::format("{:.6g} and {:.6g} m/s along and across the fibers mean diffusivities of {:.4g} and {:.4g}",
                        velocity.longitudinal_mm_per_ms, velocity.transverse_mm_per_ms, along, across));
}

}  // namespace

void find_diffusivities(Config& config, const Mesh& mesh) {
  const auto of = [&](const std::vector<Index>& elements) {
    return Elements{edge_of_cubes(mesh, elements), mesh.is_quadratic()};
  };
  if (config.diffusivity.velocity) {
    std::vector<Index> all(mesh.tetrahedra.size());
    std::iota(all.begin(), all.end(), Index(0));
    find(config, config.cell_model.cell, of(all), config.diffusivity);
  }
  for (RegionConfig& region : config.regions)
    if (region.diffusivity && region.diffusivity->velocity)
      find(config, overridden(config.cell_model.cell, region.cell_model), of(select_elements(mesh, region.where)),
           *region.diffusivity);
}

TunedDiffusivity diffusivity_of_velocity(const Config& config, Real mm_per_ms, Real edge_mm, const std::string& where) {
  const Elements elements{edge_mm / std::sqrt(mean_square_of_unit_cubes), false};
  const Wanted wanted = wanted_of(config, config.cell_model.cell, mm_per_ms, elements, where);
  const std::optional<Real> D = found_diffusivity(wanted);
  return {D, D ? "" : why_not_carried(wanted), wanted.continuum_d, wanted.front_mm};
}

}  // namespace cardiowarp
