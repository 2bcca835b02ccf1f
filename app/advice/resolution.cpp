#include "app/advice/resolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "app/advice/step_resolution.hpp"
#include "app/cells/lattice_speeds.hpp"
#include "app/config/config.hpp"
#include "app/simulation/conducting.hpp"
#include "app/simulation/problem.hpp"
#include "fem/cells/cell_model.hpp"
#include "fem/element_volume.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// An error of a front's speed that a mesh makes, in words: how large it is, and to which side.
struct MeshError {
  static constexpr Real largest_slowness = 0.6;  // beyond, fronts are next to standing still
  std::string size, side;

  MeshError(Quadrature quadrature, Real error) {
    constexpr Real canceling = 0.01;  // what is left where two errors cancel may have either sign
    if (quadrature == Quadrature::vertices_and_centroid && std::abs(error) < canceling) {
      size = "less than 1 %", side = " off";
      return;
    }
    size = error < 0 ? percent(-error, largest_slowness) : percent(error);
    side = error < 0 ? " too slow" : " too fast";
  }
};

/// The excitation threshold of the cubic whose front has this speed and thickness: α of Aliev–Panfilov, 0 to ½.
Real threshold_of(const Front& front) {
  const Real ratio = front.speed * std::sqrt(front.thickness_square);  // 1 − 2α
  return (1 - std::clamp<Real>(ratio, 0, 1)) / 2;
}

bool has_vertices(Quadrature quadrature) { return weights_of(quadrature).vertices > 0; }

/// Cubes of edge a cut into six tetrahedra have ℓ² = 10/6 a².
constexpr Real lattice_square = 0.6;

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

/// The errors along and across the fiber, which are the same where there is none, and the one that counts.
struct DirectionErrors {
  ElementError along, across, worst;
  bool has_fiber = false;
};

/// What judges the elements with one kind of cell.
struct Judge {
  Quadrature quadrature;
  Front front;
  std::optional<LatticeSpeeds> lattice;  ///< with cells at the vertices
  bool is_regular;                       ///< whether the elements are those of a lattice

  DirectionErrors operator()(const std::array<Vector3, 4>& corners, const Diffusivity& D) const {
    const Edges edges = edges_of(corners, D.fiber);
    const Real with_fiber = D.anisotropic * dot(D.fiber, D.fiber);
    if (with_fiber == 0) {
      const ElementError one = of(edges.all * shape(false), D.isotropic, edges.longest);
      return {one, one, one};
    }
    // One direction has a third of the mean square of an edge without direction; across there are two.
    DirectionErrors errors{of(3 * edges.along * shape(true), D.isotropic + with_fiber, edges.longest),
                           of(1.5 * (edges.all - edges.along), D.isotropic, edges.longest),
                           {},
                           true};
    if (knows_across())
      errors.worst = std::abs(errors.across.error) >= std::abs(errors.along.error) ? errors.across : errors.along;
    else
      errors.worst = errors.across = with_fiber > 0 ? errors.along : errors.across;
    return errors;
  }
  bool knows_across() const { return is_regular || quadrature != Quadrature::vertices; }

 private:
  struct Edges {
    Real all = 0, along = 0, longest = 0;  ///< mean squares, those of the parts along the fiber, the longest
  };
  static Edges edges_of(const std::array<Vector3, 4>& corners, const Vector3& fiber) {
    Edges edges;
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = a + 1; b < 4; ++b) {
        const Vector3 edge = corners[b] - corners[a];
        const Real part = dot(edge, fiber);
        edges.all += dot(edge, edge) / 6;
        edges.along += part * part / 6;
        edges.longest = std::max(edges.longest, norm(edge));
      }
    return edges;
  }
  /// On irregular elements fronts are slower or less slow than on a lattice with as long edges: measured in bars that
  /// Gmsh fills, docs/method/verification.md.
  Real shape(bool along_fibers) const {
    if (is_regular || quadrature != Quadrature::vertices) return 1;
    return along_fibers ? 1.15 : 0.78;
  }
  ElementError of(Real square, Real diffusivity, Real longest) const {
    const Real front_square = front.thickness_square * diffusivity, ratio = square / front_square;
    const LatticeSpeeds* speeds = lattice ? &*lattice : nullptr;
    return {speed_error_of_mesh(quadrature, speeds, ratio), longest, std::sqrt(front_square),
            front_may_stop(quadrature, front, speeds, ratio)};
  }
};

std::array<Vector3, 4> corners_of(const Mesh& mesh, std::int64_t element) {
  const Tetrahedron& nodes = mesh.tetrahedra[element];
  return {mesh.nodes[nodes[0]], mesh.nodes[nodes[1]], mesh.nodes[nodes[2]], mesh.nodes[nodes[3]]};
}

/// Whether the elements have a few shapes alone, as those of boxes that are cut in the same way: some elements of the
/// mesh have no more than `most_shapes` different edges and volumes.
bool is_lattice(const Mesh& mesh) {
  constexpr std::size_t most_shapes = 12, looked_at = 1000;
  std::set<std::array<std::int64_t, 6>> shapes;
  const std::size_t elements = mesh.tetrahedra.size(), stride = std::max<std::size_t>(elements / looked_at, 1);
  for (std::size_t element = 0; element < elements && shapes.size() <= most_shapes; element += stride) {
    const std::array<Vector3, 4> corners = corners_of(mesh, static_cast<std::int64_t>(element));
    std::array<Real, 6> lengths{};
    std::size_t edge = 0;
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = a + 1; b < 4; ++b) lengths[edge++] = norm(corners[b] - corners[a]);
    std::ranges::sort(lengths);
    std::array<std::int64_t, 6> shape{};
    for (edge = 0; edge < 6; ++edge) shape[edge] = std::llround(1e4 * lengths[edge] / lengths[5]);
    shapes.insert(shape);
  }
  return shapes.size() <= most_shapes;
}

/// The largest ℓ²/δ² of the elements with each kind of cell, δ being that of the thinner front.
std::vector<Real> coarsest_squares(const Problem& problem, const std::vector<Front>& fronts) {
  struct Largest {
    std::vector<Real> of_kind;
  };
  const Largest largest = joined_blocks<Largest>(
      static_cast<std::int64_t>(problem.mesh->tetrahedra.size()),
      [&](Largest& some, std::int64_t element) {
        const Diffusivity& D = problem.diffusivity[element];
        if (!conducts(D)) return;
        some.of_kind.resize(fronts.size(), 0);
        const std::array<Vector3, 4> corners = corners_of(*problem.mesh, element);
        Real square = 0;
        for (std::size_t a = 0; a < 4; ++a)
          for (std::size_t b = a + 1; b < 4; ++b) square += dot(corners[b] - corners[a], corners[b] - corners[a]) / 6;
        const std::size_t kind = problem.cell_model[element];
        const Real thin_mm = front_thickness_mm(fronts[kind], D).first;
        some.of_kind[kind] = std::max(some.of_kind[kind], 1.5 * square / (thin_mm * thin_mm));
      },
      [&](Largest& all, const Largest& some) {
        all.of_kind.resize(fronts.size(), 0);
        for (std::size_t kind = 0; kind < some.of_kind.size(); ++kind)
          all.of_kind[kind] = std::max(all.of_kind[kind], some.of_kind[kind]);
      });
  return largest.of_kind;
}

/// One for each kind of cell.
std::vector<Judge> judges_of(const Problem& problem) {
  const std::vector<Front> fronts = fronts_of(problem.cell_models);
  std::vector<LatticeSpeeds> lattices;
  if (has_vertices(problem.quadrature)) {
    std::vector<Real> coarsest = coarsest_squares(problem, fronts);
    for (Real& of : coarsest) of = std::sqrt(lattice_square * of);
    lattices = lattice_speeds(problem.cell_models, fronts, coarsest);
  }
  const bool is_regular = is_lattice(*problem.mesh);
  std::vector<Judge> judges;
  for (std::size_t kind = 0; kind < fronts.size(); ++kind) {
    judges.push_back({problem.quadrature, fronts[kind], {}, is_regular});
    if (!lattices.empty()) judges.back().lattice = lattices[kind];
  }
  return judges;
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
  return warning + fmt::format(": refine (edges of {:.2g} mm make {}) or give a larger diffusivity", found.good_edge_mm,
                               MeshError(problem.quadrature, found.good_error).size);
}

}  // namespace

Real speed_error_of_mesh(Quadrature quadrature, const LatticeSpeeds* lattice, Real square) {
  constexpr Real error_of_one = 0.01;
  if (quadrature == Quadrature::fourteen_points) return fastness_of_quadratic(square);
  // With both kinds of points each error counts with the share of its points.
  const QuadratureWeights weights = weights_of(quadrature);
  Real error = weights.centroid * error_of_one * square;
  if (weights.vertices > 0) error += weights.vertices * lattice->error(std::sqrt(lattice_square * square));
  return error;
}

bool front_may_stop(Quadrature quadrature, const Front& front, const LatticeSpeeds* lattice, Real square) {
  if (quadrature != Quadrature::vertices || !(front.speed > 0)) return false;
  const Real spacing = std::sqrt(lattice_square * square);
  if (spacing <= lattice->coarsest()) return lattice->stops(spacing);
  // Fronts of a cubic stopped on lattices from spacings of 0.6 to 1.2 δ/α on, and later on meshes of Gmsh.
  constexpr Real first_stop = 0.7;
  return lattice->stops(spacing) || threshold_of(front) * spacing >= first_stop;
}

FrontResolution front_resolution(const Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  const std::vector<Judge> judges = judges_of(problem);
  struct Sums {
    FrontResolution found;  ///< means times the volume
    Real volume = 0, coarse_volume = 0;
  };
  const auto add = [&](Sums& sums, std::int64_t element) {
    FrontResolution& found = sums.found;
    if (!conducts(problem.diffusivity[element])) return;
    const std::array<Vector3, 4> corners = corners_of(mesh, element);
    const DirectionErrors judged = judges[problem.cell_model[element]](corners, problem.diffusivity[element]);
    const ElementError& counts = judged.worst;
    const Real volume = element_volume(mesh, static_cast<std::size_t>(element));
    sums.volume += volume;
    found.has_fibers = found.has_fibers || judged.has_fiber;
    found.mean_error += volume * counts.error;
    found.mean_along += volume * judged.along.error;
    found.mean_across += volume * judged.across.error;
    found.stopping_elements += judged.along.stops || judged.across.stops;
    if (counts.error > FrontResolution::largest_fast || counts.error < -FrontResolution::largest_slow) {
      ++found.coarse_elements;
      sums.coarse_volume += volume;
    }
    if (std::abs(counts.error) > std::abs(found.worst_error)) {
      found.worst = static_cast<std::size_t>(element);
      found.worst_error = counts.error;
      found.worst_at = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
      found.worst_edge_mm = counts.longest_edge_mm;
      found.worst_front_mm = counts.front_mm;
    }
  };
  const auto join = [](Sums& all, const Sums& some) {
    const bool is_worse = std::abs(some.found.worst_error) > std::abs(all.found.worst_error);
    FrontResolution found = is_worse ? some.found : all.found;
    found.has_fibers = all.found.has_fibers || some.found.has_fibers;
    found.mean_error = all.found.mean_error + some.found.mean_error;
    found.mean_along = all.found.mean_along + some.found.mean_along;
    found.mean_across = all.found.mean_across + some.found.mean_across;
    found.stopping_elements = all.found.stopping_elements + some.found.stopping_elements;
    found.coarse_elements = all.found.coarse_elements + some.found.coarse_elements;
    all = {found, all.volume + some.volume, all.coarse_volume + some.coarse_volume};
  };
  const auto sums = joined_blocks<Sums>(static_cast<std::int64_t>(mesh.tetrahedra.size()), add, join);
  FrontResolution found = sums.found;
  found.quadrature = problem.quadrature;
  for (Real* mean : {&found.mean_error, &found.mean_along, &found.mean_across}) *mean /= sums.volume;
  found.coarse_share = sums.coarse_volume / sums.volume;
  const Judge& of_worst = judges[problem.cell_model[found.worst]];
  found.knows_across = of_worst.knows_across();
  Real good = 2;
  do {
    found.good_edge_mm = good * found.worst_front_mm;
    found.good_error =
        speed_error_of_mesh(problem.quadrature, of_worst.lattice ? &*of_worst.lattice : nullptr, good * good);
    good /= 2;
  } while (std::abs(found.good_error) > FrontResolution::largest_slow && good > 1e-3);
  return found;
}

std::vector<float> front_velocity_errors(const Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  const std::vector<Judge> judges = judges_of(problem);
  std::vector<float> errors(mesh.tetrahedra.size(), 0);
  parallel_for(static_cast<std::int64_t>(errors.size()), [&](std::int64_t element) {
    const Diffusivity& D = problem.diffusivity[element];
    if (!conducts(D)) return;
    const DirectionErrors judged = judges[problem.cell_model[element]](corners_of(mesh, element), D);
    errors[static_cast<std::size_t>(element)] = static_cast<float>(100 * judged.worst.error);
  });
  return errors;
}

std::string describe(const FrontResolution& resolution) {
  const auto in_words = [&](Real error) { return MeshError(resolution.quadrature, error); };
  const MeshError mean = in_words(resolution.mean_error), worst = in_words(resolution.worst_error),
                  along = in_words(resolution.mean_along), across = in_words(resolution.mean_across);
  std::string means = mean.size + mean.side;
  if (resolution.has_fibers && !resolution.knows_across)
    means += " along the fibers";
  else if (resolution.has_fibers && (along.size != across.size || along.side != across.side))
    means = fmt::format("{}{} along the fibers and {}{} across them", along.size, along.side, across.size,
                        across.side == along.side ? "" : across.side);
  return fmt::format(
      "{} on average, {}{} in the worst element{}", means, worst.size, worst.side == mean.side ? "" : worst.side,
      resolution.has_fibers && !resolution.knows_across ? " (across the fibers of irregular elements it is not known)"
                                                        : "");
}

std::string velocity_in_words(const Config& config, const FrontResolution& resolution) {
  constexpr Real worth_telling = 0.01;
  if (config.diffusivity.velocity || std::abs(resolution.mean_error) < worth_telling) return "";
  return fmt::format("expected of this mesh, quadrature and cells: fronts {}", describe(resolution));
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
