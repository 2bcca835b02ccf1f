#include "app/advice/mesh_size.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "app/config/config_names.hpp"
#include "fem/coinciding_nodes.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

struct Size {
  Vector3 box_mm;
  Real volume_cm3;

  Real longest_mm() const { return std::max({box_mm.x, box_mm.y, box_mm.z}); }
  Size scaled(Real factor) const { return {factor * box_mm, factor * factor * factor * volume_cm3}; }
  std::string in_words() const {
    return fmt::format("{:.3g} × {:.3g} × {:.3g} mm with {:.3g} cm³ of tissue", box_mm.x, box_mm.y, box_mm.z,
                       volume_cm3);
  }
};

/// What is odd about a size; empty for a plausible one.
std::string oddity(const Size& size) {
  constexpr Real longest_mm = 300, most_cm3 = 2000, shortest_mm = 1;
  constexpr Real heart_cm3 = 0.5, small_heart_mm = 20, share_of_block = 0.75;
  if (size.longest_mm() > longest_mm || size.volume_cm3 > most_cm3) return "larger than any heart";
  if (size.longest_mm() < shortest_mm) return "smaller than any piece of tissue a wave travels through";
  const Real box_cm3 = size.box_mm.x * size.box_mm.y * size.box_mm.z / 1000;
  const bool block = size.volume_cm3 > share_of_block * box_cm3;
  if (!block && size.longest_mm() < small_heart_mm && size.volume_cm3 < heart_cm3)
    return "no larger than the heart of a mouse";
  return "";
}

/// A number of tetrahedra with few digits: "1.3 million".
std::string rounded(Real count) {
  if (count >= 1e12) return fmt::format("{:.2g}", count);
  if (count >= 1e6) return fmt::format("{:.0f} million", count / 1e6);
  return fmt::format("{:.0f}", count);
}

}  // namespace

std::string size_warning(const MeshReport& report, LengthUnit unit, std::string_view key) {
  const Size size{report.size_mm, report.volume_mm3 / 1000};
  const std::string odd = oddity(size);
  if (odd.empty()) return "";
  std::string offers;
  for (const auto& [name, other] : length_unit_names) {
    const Size made = size.scaled(millimetres_per(other) / millimetres_per(unit));
    if (other == unit || !oddity(made).empty()) continue;
    offers += fmt::format("{}{} {} makes it {}", offers.empty() ? "" : "; ", key, name, made.in_words());
  }
  return fmt::format("read in {}, the mesh is {}, {}: {}", name_of(unit, length_unit_names), size.in_words(), odd,
                     offers.empty() ? fmt::format("no other {} makes it a heart", key) : offers);
}

std::string parts_warning(const Mesh& mesh, const Components& components, const MeshReport& report) {
  if (components.all.size() < 2) return "";
  const Index coinciding = coinciding_nodes(mesh, components, report.shortest_edge_mm);
  if (coinciding == 0) return "";
  return fmt::format(
      "{} of {} nodes lie where another of the {} connected parts of the mesh has a node of its own, and nothing gets "
      "across: merge these nodes (`cardiowarp mesh convert --merge-nodes`)",
      coinciding, mesh.nodes.size(), components.all.size());
}

Real estimated_tetrahedra(Real volume_mm3, Real edge_mm) {
  constexpr Real tetrahedra_of_a_cubed_edge = 10;  // 10.2 to 11 of the default heart at 0.6 to 3 mm
  return tetrahedra_of_a_cubed_edge * volume_mm3 / (edge_mm * edge_mm * edge_mm);
}

Real bytes_of_tetrahedron(MeshMaker maker, int order, std::string_view suffix) {
  // The largest resident set of the process (/usr/bin/time -v) over the tetrahedra, on a machine of 2 cores.
  // cardiowarp mesh slab --size 20,7,3, --edge 0.07 mm (7.38 million): 298, 109 and 64 bytes for .msh, .vtu and .pts;
  // --order 2, --edge 0.1 mm (2.52 million): 699 for .msh, 279 for .vtu.
  // By Gmsh: mesh biventricle --edge 1 mm (1.27 million), 565, 522 and 519 beside the 103 MB that it takes at once.
  const Real of_file = suffix == ".msh" ? (order == 2 ? 700 : 300) : suffix == ".vtu" ? (order == 2 ? 280 : 110) : 65;
  return maker == MeshMaker::gmsh ? std::max<Real>(570, of_file) : of_file;
}

Real memory_bytes() { return static_cast<Real>(sysconf(_SC_PHYS_PAGES)) * static_cast<Real>(sysconf(_SC_PAGE_SIZE)); }

std::string judge_number_of_tetrahedra(std::string_view option, Real tetrahedra, Real edge_mm, Real bytes_each,
                                       Real memory) {
  constexpr Real many = 10e6, most_counted = std::numeric_limits<Index>::max();
  constexpr Real gigabyte = 1e9;
  const Real most = std::min(most_counted, memory / bytes_each);
  if (!(tetrahedra <= most)) {
    std::string fitting;
    if (edge_mm > 0 && std::isfinite(tetrahedra)) {
      // Two digits, rounded up so that it fits.
      const Real edge = edge_mm * std::cbrt(tetrahedra / most), unit = std::pow(10, std::floor(std::log10(edge)) - 1);
      fitting = fmt::format("; an edge of {:.6g} mm makes so many", std::ceil(edge / unit) * unit);
    }
    throw InputError(fmt::format(
        "{}: expected at most {} tetrahedra ({}), got about {}{}", option, rounded(most),
        most < most_counted
            ? fmt::format("the {:.3g} GB of this machine's memory at {:.0f} bytes each", memory / gigabyte, bytes_each)
            : "what an index counts",
        rounded(tetrahedra), fitting));
  }
  if (tetrahedra <= many) return "";
  return fmt::format("{}: about {} tetrahedra, which take about {:.2g} GB of memory while they are made", option,
                     rounded(tetrahedra), tetrahedra * bytes_each / gigabyte);
}

}  // namespace cardiowarp
