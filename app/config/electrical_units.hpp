#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "app/config/quantity.hpp"

namespace cardiowarp {

// Words for who gives currents and conductivities where the monodomain equation has rates of potential and
// diffusivities. Both are divided by the capacitance of membrane C_m and, where they are of tissue and not of membrane,
// by the surface of membrane in a volume χ. Keys that take neither say what a
// conversion with the usual numbers gives, and which section takes them as they are (conductivity_keys.hpp). Asked once
// a value or a key has been refused.

inline constexpr QuantityKind capacitance_per_area{{-2, 1, -1, 0, 1}, "capacitance", "uF/cm^2"};
inline constexpr QuantityKind conductivity_quantity{{-1, 0, -1, 0, 1}, "conductivity", "S/m"};
inline constexpr QuantityKind current_per_area{{-2, 0, 0, 0, 1}, "current per area", "uA/cm^2"};
inline constexpr QuantityKind current_per_volume{{-3, 0, 0, 0, 1}, "current per volume", "uA/cm^3"};
inline constexpr QuantityKind surface_per_volume{{-1, 0, 0}, "surface per volume", "/mm"};

/// parse_quantity(), and a surface of membrane in a volume as `140 /mm` or `140 1/mm`.
std::optional<Quantity> parse_electrical(std::string_view text);

/// `; a conductivity is converted by ...: diffusivity.isotropic: 0.121 mm^2/ms ...` for a value of a key that expects
/// `wanted`, a diffusivity or a rate of potential; for an electrical quantity that belongs to another key what
/// electrical_key() says; empty where it is no electrical quantity.
std::string electrical_conversion(const QuantityKind& wanted, std::string_view key, std::string_view text);

/// Such words for the value of an unknown key: they name the key that takes the electrical quantity.
std::string electrical_key(std::string_view text);

}  // namespace cardiowarp
