#include "app/output/ecg_leads.hpp"

#include <algorithm>
#include <utility>

#include "app/config/ecg_config.hpp"

namespace cardiowarp {
namespace {

std::vector<std::string> names_of(const EcgConfig& ecg) {
  std::vector<std::string> names;
  for (const ElectrodeConfig& electrode : ecg.electrodes) names.push_back(electrode.name);
  return names;
}

std::vector<BipolarLead> bipolar_of(const EcgConfig& ecg) {
  const EcgPoints points = points_of(ecg);
  std::vector<BipolarLead> leads;
  for (std::size_t k = 0; k < ecg.bipolar.size(); ++k) leads.push_back({ecg.bipolar[k].name, points.pairs[k]});
  return leads;
}

}  // namespace

EcgLeads::EcgLeads(const EcgConfig& ecg) : EcgLeads(names_of(ecg), bipolar_of(ecg)) {}

EcgLeads::EcgLeads(const std::vector<std::string>& electrodes, const std::vector<BipolarLead>& bipolar) {
  const auto place_of = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(electrodes.begin(), electrodes.end(), name) - electrodes.begin());
  };
  const std::size_t right = place_of("RA"), left = place_of("LA"), leg = place_of("LL");
  const bool has_limbs = std::max({right, left, leg}) < electrodes.size();
  std::vector<bool> is_lead(electrodes.size(), false);
  if (has_limbs) {
    add("I", {{left, 1}, {right, -1}});
    add("II", {{leg, 1}, {right, -1}});
    add("III", {{leg, 1}, {left, -1}});
    add("aVR", {{right, 1}, {left, -0.5}, {leg, -0.5}});
    add("aVL", {{left, 1}, {right, -0.5}, {leg, -0.5}});
    add("aVF", {{leg, 1}, {right, -0.5}, {left, -0.5}});
    constexpr Real third = Real(1) / 3;
    for (const char* name : {"V1", "V2", "V3", "V4", "V5", "V6"}) {
      const std::size_t chest = place_of(name);
      if (chest == electrodes.size()) continue;
      add(name, {{chest, 1}, {right, -third}, {left, -third}, {leg, -third}});
      is_lead[chest] = true;
    }
  }
  for (std::size_t e = 0; e < electrodes.size(); ++e)
    if (!is_lead[e]) add(electrodes[e], {{e, 1}});
  for (const auto& [name, points] : bipolar) add(name, {{points[0], 1}, {points[1], -1}});
}

std::vector<Real> EcgLeads::values(std::span<const Real> potentials) const {
  std::vector<Real> values;
  for (const std::vector<Part>& parts : parts_) {
    Real value = 0;
    for (const auto& [electrode, weight] : parts) value += weight * potentials[electrode];
    values.push_back(value);
  }
  return values;
}

std::vector<bool> EcgLeads::made_of(const std::vector<bool>& is_of) const {
  std::vector<bool> made;
  for (const std::vector<Part>& parts : parts_)
    made.push_back(std::any_of(parts.begin(), parts.end(), [&](const Part& part) { return is_of[part.electrode]; }));
  return made;
}

void EcgLeads::add(const std::string& name, std::vector<Part> parts) {
  names_.push_back(name);
  parts_.push_back(std::move(parts));
}

}  // namespace cardiowarp
