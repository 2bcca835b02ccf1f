#include "fem/anatomy/found_surfaces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "fem/anatomy/boundary_faces.hpp"
#include "fem/extent.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

constexpr Real cosine_of_patch = 0.985;       // 10 degrees from the first face of a patch
constexpr Real cosine_of_base = 0.866;        // 30 degrees from the plane of the base
constexpr Real flatness = 0.015;              // of the diagonal of the box around the heart
constexpr Real least_share_of_patch = 0.005;  // of the whole surface
constexpr Real least_share_of_sheet = 0.02;
constexpr std::size_t most_candidates = 12;

struct Plane {
  Vector3 point, normal;
  Real area = 0;
};

/// A connected piece of the surface without the base.
struct Sheet {
  std::vector<Index> faces;
  Real area = 0;
  Real volume = 0;  ///< mm³ between it and the plane of the base; below 0 where its normals lead inwards

  Real roundness() const { return std::fabs(volume) / std::pow(area, 1.5); }
};

class Surface {
 public:
  Surface(const Mesh& mesh, const std::vector<Triangle>& faces)
      : neighbors_(neighbors_of_faces(faces)), tolerance_mm_(flatness * diagonal(mesh)) {
    for (const Triangle& face : faces) {
      faces_.push_back(face_geometry(mesh, face));
      area_ += faces_.back().area;
    }
  }

  std::size_t size() const { return faces_.size(); }
  Real area() const { return area_; }
  Real area_of(Index face) const { return faces_[face].area; }

  /// Planes of flat pieces, the largest first.
  std::vector<Plane> flat_pieces() const {
    std::vector<Plane> planes;
    std::vector<char> is_taken(size(), 0);
    for (std::size_t seed = 0; seed < size(); ++seed) {
      if (is_taken[seed] != 0) continue;
      const FaceGeometry& first = faces_[seed];
      const auto belongs = [&](Index face) {
        return dot(faces_[face].normal, first.normal) > cosine_of_patch &&
               std::fabs(dot(faces_[face].center - first.center, first.normal)) < tolerance_mm_;
      };
      const Plane plane = plane_of(connected(static_cast<Index>(seed), is_taken, belongs));
      if (plane.area > least_share_of_patch * area_) planes.push_back(plane);
    }
    std::ranges::stable_sort(planes, std::ranges::greater(), &Plane::area);
    if (planes.size() > most_candidates) planes.resize(most_candidates);
    return planes;
  }

  /// [faces] whether a face lies in the plane.
  std::vector<char> faces_in(const Plane& plane) const {
    std::vector<char> is_in(size(), 0);
    for (std::size_t face = 0; face < size(); ++face)
      is_in[face] = dot(faces_[face].normal, plane.normal) > cosine_of_base &&
                            std::fabs(dot(faces_[face].center - plane.point, plane.normal)) < tolerance_mm_
                        ? 1
                        : 0;
    return is_in;
  }

  /// The connected pieces of all faces that are not in the base, those of any size worth the name.
  std::vector<Sheet> sheets(const Plane& base, std::vector<char> is_taken) const {
    std::vector<Sheet> found;
    for (std::size_t seed = 0; seed < size(); ++seed) {
      if (is_taken[seed] != 0) continue;
      Sheet sheet;
      sheet.faces = connected(static_cast<Index>(seed), is_taken, [](Index) { return true; });
      for (const Index face : sheet.faces) {
        const FaceGeometry& own = faces_[face];
        sheet.area += own.area;
        sheet.volume += own.area * dot(own.center - base.point, own.normal) / 3;
      }
      if (sheet.area > least_share_of_sheet * area_) found.push_back(std::move(sheet));
    }
    return found;
  }

 private:
  static Real diagonal(const Mesh& mesh) {
    const Extent box = extent_of(mesh.nodes);
    return norm(box.max - box.min);
  }

  /// The face and those that a chain of faces of the same kind leads to; marks them as taken.
  template <class Belongs>
  std::vector<Index> connected(Index seed, std::vector<char>& is_taken, const Belongs& belongs) const {
    std::vector<Index> piece{seed};
    is_taken[seed] = 1;
    for (std::size_t next = 0; next < piece.size(); ++next)
      for (const Index beside : neighbors_[piece[next]]) {
        if (beside < 0 || is_taken[beside] != 0 || !belongs(beside)) continue;
        is_taken[beside] = 1;
        piece.push_back(beside);
      }
    return piece;
  }

  Plane plane_of(const std::vector<Index>& piece) const {
    Plane plane;
    for (const Index face : piece) {
      const FaceGeometry& own = faces_[face];
      plane.area += own.area;
      plane.point = plane.point + own.area * own.center;
      plane.normal = plane.normal + own.area * own.normal;
    }
    plane.point = (1 / plane.area) * plane.point;
    plane.normal = (1 / norm(plane.normal)) * plane.normal;
    return plane;
  }

  std::vector<FaceGeometry> faces_;
  std::vector<Triangle> neighbors_;
  Real tolerance_mm_, area_ = 0;
};

/// The surfaces with this plane as base; absent where the sheets are not those of a heart.
std::optional<FoundSurfaces> surfaces_with(const Plane& base, const Surface& surface) {
  const std::vector<char> is_base = surface.faces_in(base);
  const std::vector<Sheet> sheets = surface.sheets(base, is_base);
  std::vector<const Sheet*> outside, cavities;
  for (const Sheet& sheet : sheets) (sheet.volume > 0 ? outside : cavities).push_back(&sheet);
  if (outside.size() != 1 || cavities.empty() || cavities.size() > 2) return std::nullopt;
  std::ranges::stable_sort(cavities, [](const Sheet* a, const Sheet* b) { return a->roundness() > b->roundness(); });

  FoundSurfaces found;
  found.of_face.assign(surface.size(), HeartSurface::base);
  const auto mark = [&](const Sheet& sheet, HeartSurface as) {
    for (const Index face : sheet.faces) found.of_face[face] = as;
  };
  mark(*outside[0], HeartSurface::epi);
  mark(*cavities[0], HeartSurface::endo_lv);
  if (cavities.size() == 2) mark(*cavities[1], HeartSurface::endo_rv);
  for (std::size_t face = 0; face < surface.size(); ++face)
    found.area_mm2[found.of_face[face]] += surface.area_of(static_cast<Index>(face));
  return found;
}

}  // namespace

FoundSurfaces find_surfaces(const Mesh& mesh, const std::vector<Triangle>& faces) {
  const Surface surface(mesh, faces);
  const std::vector<Plane> candidates = surface.flat_pieces();
  for (const Plane& base : candidates)
    if (std::optional<FoundSurfaces> found = surfaces_with(base, surface)) return *std::move(found);
  FoundSurfaces none;
  none.problem = fmt::format(
      "of {} flat pieces of its surface none separates an outside from one or two cavities, as the base of a heart "
      "does",
      candidates.size());
  return none;
}

}  // namespace cardiowarp
