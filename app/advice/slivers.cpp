#include "app/advice/slivers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "fem/mesh.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

constexpr Real flat = 1e-3;

struct ElementHeight {
  Real height, longest_edge;

  ElementHeight(const Mesh& mesh, const Tetrahedron& t) {
    const Vector3 a = mesh.nodes[t[0]], b = mesh.nodes[t[1]], c = mesh.nodes[t[2]], d = mesh.nodes[t[3]];
    longest_edge = std::max({norm(b - a), norm(c - a), norm(d - a), norm(c - b), norm(d - b), norm(d - c)});
    const Vector3 abc = cross(b - a, c - a);
    const Real largest_face =
        std::max({norm(abc), norm(cross(b - a, d - a)), norm(cross(c - a, d - a)), norm(cross(c - b, d - b))});
    height = std::abs(dot(abc, d - a)) / largest_face;
  }
  Real ratio() const { return height / longest_edge; }
};

struct Flattest {
  std::int64_t count = 0, element = -1;
  Real ratio = std::numeric_limits<Real>::infinity();

  void join(const Flattest& other) {
    count += other.count;
    if (other.ratio < ratio) ratio = other.ratio, element = other.element;
  }
};

}  // namespace

std::string sliver_warning(const Mesh& mesh) {
  const auto found = joined_blocks<Flattest>(
      static_cast<std::int64_t>(mesh.tetrahedra.size()),
      [&](Flattest& all, std::int64_t element) {
        const Real ratio = ElementHeight(mesh, mesh.tetrahedra[element]).ratio();
        if (ratio < flat) all.join({1, element, ratio});
      },
      [](Flattest& all, const Flattest& some) { all.join(some); });
  if (found.count == 0) return "";
  const Tetrahedron& t = mesh.tetrahedra[found.element];
  const ElementHeight shape(mesh, t);
  const Vector3 centre = 0.25 * ((mesh.nodes[t[0]] + mesh.nodes[t[1]]) + (mesh.nodes[t[2]] + mesh.nodes[t[3]]));
  const auto in_file = [&](Index node) { return mesh.node_in_file.empty() ? node : mesh.node_in_file[node]; };
  return fmt::format(
      "{} sliver{}: element {} (nodes {}, {}, {}, {}) at ({:.6g}, {:.6g}, {:.6g}) mm has a height of {:.3g} mm{} and a "
      "longest edge of {:.3g} mm: it ties its nodes together like a short circuit, and "
      "linear systems take more iterations or do not converge; remesh there",
      found.count, found.count == 1 ? "" : "s", found.element, in_file(t[0]), in_file(t[1]), in_file(t[2]),
      in_file(t[3]), centre.x, centre.y, centre.z, shape.height,
      found.count == 1 ? "" : ", the least relative to its size,", shape.longest_edge);
}

}  // namespace cardiowarp
