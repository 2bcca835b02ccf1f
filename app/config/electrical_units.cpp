#include "app/config/electrical_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace cardiowarp {
namespace {

/// In A ms / (mV mm²), and in 1/mm.
constexpr Real usual_capacitance = 1e-8, usual_surface = 140;
constexpr std::string_view capacitance_words = "C_m = 1 uF/cm^2", surface_words = "chi = 140 /mm (1400 /cm)";

std::string of_conductivity(std::string_view key, Real conductivity) {
  return fmt::format(
      "; a conductivity sigma (of a monodomain: sigma_i sigma_e / (sigma_i + sigma_e)) is sigma / (chi C_m) here; with "
      "{} and {}: '{}: {:.4g} mm^2/ms'",
      surface_words, capacitance_words, key, conductivity / (usual_surface * usual_capacitance));
}

std::string of_current(std::string_view key, Real current, bool per_volume) {
  return fmt::format("; a current per {} I is {} here, positive where it depolarizes; with {}{}: '{}: {:.4g} mV/ms'{}",
                     per_volume ? "volume" : "area of membrane", per_volume ? "I / (chi C_m)" : "I / C_m",
                     per_volume ? std::string(surface_words) + " and " : "", capacitance_words, key,
                     current / (per_volume ? usual_surface * usual_capacitance : usual_capacitance),
                     !key.starts_with("stimuli") ? ""
                     : per_volume ? "; or give conductivity.surface_to_volume and conductivity.capacitance"
                                  : "; or give conductivity.capacitance");
}

}  // namespace

std::optional<Quantity> parse_electrical(std::string_view text) {
  if (const auto quantity = parse_quantity(text)) return quantity;
  const std::size_t slash = std::min(text.find('/'), text.size());
  std::string_view number = text.substr(0, slash);
  number = number.substr(0, number.find_last_not_of(' ') + 1);
  if (number.ends_with(" 1")) number.remove_suffix(2);
  const auto given = parse_quantity(number);
  const auto per = parse_quantity(fmt::format("1 {}", text.substr(std::min(slash + 1, text.size()))));
  if (!given || given->dimension || !per || per->dimension != length_quantity.dimension) return std::nullopt;
  return Quantity{given->value / per->value, surface_per_volume.dimension};
}

std::string electrical_conversion(const QuantityKind& wanted, std::string_view key, std::string_view text) {
  const auto given = parse_electrical(text);
  if (!given || !given->dimension || *given->dimension == wanted.dimension) return "";
  const Dimension dimension = *given->dimension;
  if (wanted.dimension == diffusivity_quantity.dimension && dimension == conductivity_quantity.dimension)
    return of_conductivity(key, given->value) + "; or the section conductivity takes it";
  if (wanted.dimension == diffusivity_quantity.dimension) return electrical_key(text);
  if (wanted.dimension != potential_rate_quantity.dimension) return "";
  const bool per_volume = dimension == current_per_volume.dimension;
  if (per_volume || dimension == current_per_area.dimension) return of_current(key, given->value, per_volume);
  if (std::string other = electrical_key(text); !other.empty() || dimension.current == 0) return other;
  return "; a current is given per area of membrane, 35 uA/cm^2, and converted, or per capacitance, 35 pA/pF, and "
         "taken";
}

std::string electrical_key(std::string_view text) {
  const auto given = parse_electrical(text);
  if (!given || !given->dimension) return "";
  const Dimension dimension = *given->dimension;
  if (dimension == conductivity_quantity.dimension)
    return of_conductivity("isotropic", given->value) +
           " in the section diffusivity; or the section conductivity takes it";
  if (dimension == current_per_area.dimension || dimension == current_per_volume.dimension)
    return electrical_conversion(potential_rate_quantity, "amplitude", text) + " of a stimulus";
  if (dimension == capacitance_per_area.dimension) return "; 'conductivity.capacitance' takes a capacitance C_m";
  if (dimension == surface_per_volume.dimension)
    return "; 'conductivity.surface_to_volume' takes a surface of membrane per volume chi";
  return "";
}

}  // namespace cardiowarp
