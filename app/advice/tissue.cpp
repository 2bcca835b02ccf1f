#include "app/advice/tissue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "app/config/config.hpp"
#include "app/config/coordinates_keys.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/selection.hpp"
#include "fem/cells/ionic_model.hpp"
#include "fem/element_volume.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

struct Share {
  std::int64_t elements = 0;
  Real volume_mm3 = 0;
};

/// Number of the region, isotropic and anisotropic diffusivity, and number of the cell model.
using Kind = std::tuple<std::size_t, Real, Real, int>;

struct KindOfWhere {
  std::string operator()(const Box&) const { return "box"; }
  std::string operator()(const Sphere&) const { return "sphere"; }
  std::string operator()(const Tag& tag) const { return "tag " + tag.name; }
  std::string operator()(const NodeFile&) const { return "nodes"; }
  std::string operator()(const Surface& surface) const { return "surface " + surface.name; }
  std::string operator()(const Everywhere&) const { return ""; }
};

std::string differences(const AnyCell& cell, const AnyCell& outside) {
  const bool is_other = name_of(cell) != name_of(outside);
  const AnyCell base = is_other ? cell_model_named(name_of(cell)) : outside;
  std::string text = is_other ? fmt::format(", cells of {}", name_of(cell)) : "";
  for (const ParameterDescription& of : parameters_of(cell))
    if (const Real value = parameter(cell, of.name); value != parameter(base, of.name))
      text += fmt::format(", {} {:.6g}", of.name, value);
  return text;
}

std::string diffusivity_text(Real isotropic, Real anisotropic, Real ms_per_tau, bool with_fibers) {
  if (isotropic == 0) return "0: it does not conduct";
  isotropic /= ms_per_tau;
  anisotropic /= ms_per_tau;
  if (anisotropic == 0 || !with_fibers) return fmt::format("{:.6g} mm²/ms in all directions", isotropic);
  return fmt::format("{:.6g} mm²/ms along and {:.6g} across the fiber", isotropic + anisotropic, isotropic);
}

std::string name_of_region(const Config& config, std::size_t region) {
  const Where& where = config.regions[region].where;
  const std::string kind = std::visit(KindOfWhere{}, where.region), within = heart_range_text(where.within);
  return fmt::format("regions[{}] ({}{}{})", region, kind, kind.empty() || within.empty() ? "" : ", ", within);
}

std::string without_elements(const std::string& name, const char* what_holds_them) {
  return fmt::format("{}: no elements, as {} hold them all", name, what_holds_them);
}

/// Whether a later region gives anew something that an earlier one gives.
bool replaces(const RegionConfig& later, const RegionConfig& earlier) {
  if (later.diffusivity && (earlier.diffusivity || earlier.velocity_factor != 1)) return true;
  const CellModelOverride &after = later.cell_model, &before = earlier.cell_model;
  if (after.empty() || before.empty()) return false;
  if (after.model || !after.set.empty()) return true;
  const auto is_given_before = [&](const auto& parameter) {
    return before.model || !before.set.empty() || before.parameters.contains(parameter.first) ||
           before.arrays.contains(parameter.first);
  };
  return std::ranges::any_of(after.parameters, is_given_before) || std::ranges::any_of(after.arrays, is_given_before);
}

}  // namespace

std::vector<std::string> describe_tissue(const Config& config, const Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  std::vector<std::size_t> region(mesh.tetrahedra.size(), 0);  // 0: none, else its number + 1
  for (std::size_t k = 0; k < config.regions.size(); ++k)
    for (const Index element : select_elements(mesh, config.regions[k].where)) region[element] = k + 1;

  std::map<Kind, Share> shares;
  for (std::size_t element = 0; element < region.size(); ++element) {
    const Diffusivity& D = problem.diffusivity[element];
    Share& share = shares[{region[element], D.isotropic, D.anisotropic, problem.cell_model[element]}];
    ++share.elements;
    share.volume_mm3 += element_volume(mesh, element);
  }

  std::vector<std::string> lines;
  const bool with_fibers = config.fibers.source != FiberSource::none;
  for (std::size_t k = 0; k <= config.regions.size(); ++k) {
    const std::string name = k > 0                    ? name_of_region(config, k - 1)
                             : config.regions.empty() ? "tissue"
                                                      : "outside the regions";
    const std::size_t before = lines.size();
    for (const auto& [kind, share] : shares) {
      const auto& [of_region, isotropic, anisotropic, model] = kind;
      if (of_region != k) continue;
      lines.push_back(fmt::format("{}: {} elements, {:.4g} cm³; diffusivity {}{}", name, share.elements,
                                  share.volume_mm3 / 1000,
                                  diffusivity_text(isotropic, anisotropic, problem.scaling().ms_per_tau, with_fibers),
                                  differences(problem.cell_models[model], config.cell_model.cell)));
    }
    if (lines.size() == before) lines.push_back(without_elements(name, k == 0 ? "the regions" : "later regions"));
  }
  return lines;
}

std::vector<std::string> covered_regions(const Config& config, const Mesh& mesh) {
  std::vector<std::string> lines;
  if (config.regions.size() < 2) return lines;
  std::vector<std::vector<Index>> elements;
  for (const RegionConfig& region : config.regions) elements.push_back(select_elements(mesh, region.where));
  for (std::size_t k = 0; k + 1 < elements.size(); ++k) {
    std::vector<bool> is_left(mesh.tetrahedra.size(), false);
    for (const Index element : elements[k]) is_left[element] = true;
    std::size_t covered = 0;
    std::vector<std::string> by;
    for (std::size_t later = k + 1; later < elements.size(); ++later) {
      if (!replaces(config.regions[later], config.regions[k])) continue;
      const std::size_t before = covered;
      for (const Index element : elements[later])
        if (is_left[element]) is_left[element] = false, ++covered;
      if (covered > before) by.push_back(name_of_region(config, later));
    }
    const std::string name = name_of_region(config, k);
    if (covered == 0) continue;
    if (covered == elements[k].size())
      lines.push_back(without_elements(name, "later regions") +
                      fmt::format(" ({}); of several regions the last counts: put it after them", fmt::join(by, ", ")));
    else
      lines.push_back(
          fmt::format("{}: {} of its {} elements are in {} too; of several regions the last counts, so it has no "
                      "effect there: put it after them if it should",
                      name, covered, elements[k].size(), fmt::join(by, ", ")));
  }
  return lines;
}

}  // namespace cardiowarp
