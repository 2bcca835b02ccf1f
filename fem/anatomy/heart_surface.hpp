#pragma once
#include <array>
#include <cstddef>

namespace cardiowarp {

/// The surfaces of a heart by which rules of anatomy go: the endocardia of the left and of the right ventricle, the
/// epicardium, the base, and the apex, which is a small piece of the epicardium. They are also the order in which nodes
/// that lie in several of them are shared out.
enum class HeartSurface { endo_lv, endo_rv, epi, base, apex };

inline constexpr std::array<HeartSurface, 5> heart_surfaces{HeartSurface::endo_lv, HeartSurface::endo_rv,
                                                            HeartSurface::epi, HeartSurface::base, HeartSurface::apex};

/// Something of each surface of a heart.
template <class T>
class OfSurface {
 public:
  T& operator[](HeartSurface surface) { return all_[static_cast<std::size_t>(surface)]; }
  const T& operator[](HeartSurface surface) const { return all_[static_cast<std::size_t>(surface)]; }

 private:
  std::array<T, heart_surfaces.size()> all_{};
};

/// The name of a surface in files and messages, as in the meshes of `cardiowarp mesh biventricle`.
constexpr const char* name_of(HeartSurface surface) {
  constexpr std::array<const char*, heart_surfaces.size()> names{"endo_lv", "endo_rv", "epi", "base", "apex"};
  return names[static_cast<std::size_t>(surface)];
}

}  // namespace cardiowarp
