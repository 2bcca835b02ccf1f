#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Numbers with physical units, as a user writes them. The reader of the YAML file and `cardiowarp mesh` parse such a
// text and compare its dimension with the one that the key or the option expects. The value comes out in mm, ms and mV,
// the units of the whole configuration. A text that is no quantity gives nothing, and the caller says what was
// expected.

/// Exponents of the base units mm, ms and mV, of %, which has a dimension of its own so that a number with it is taken
/// only where a percentage is meant, of A, which no key has, but `pA/pF` is a rate of potential, and of deg.
struct Dimension {
  int length = 0, time = 0, potential = 0, percent = 0, current = 0, angle = 0;

  friend bool operator==(const Dimension&, const Dimension&) = default;
};

struct Quantity {
  Real value = 0;                      ///< in mm, ms, mV, A, deg and their products
  std::optional<Dimension> dimension;  ///< absent for a bare number
};

/// Reads `0.1 ms`, `1 mm^2/ms`, `35.7 mV/ms`, `0.2 m/s` or a bare number. Units are m, cm, mm, um, s, ms, us, V, mV,
/// %, deg, A, S and F with prefixes, with products (`*` or a space), quotients (each `/` divides by the one unit after
/// it) and powers (`mm2`, `mm^2`, `mm²`, `ms^-1`). Nothing for other text, and for inf, nan and values beyond the range
/// of a double.
std::optional<Quantity> parse_quantity(std::string_view text);

/// A unit with both micro signs of Unicode, superscripts and the middle dot written in ASCII: `um` for `µm`.
std::string ascii_unit(std::string_view text);

/// The kind of quantity that a key takes: its dimension, and the words for it in messages.
struct QuantityKind {
  Dimension dimension;
  std::string_view noun, units;
};

inline constexpr QuantityKind plain_number{{0, 0, 0}, "number", "without unit"};
inline constexpr QuantityKind number_or_auto{{0, 0, 0}, "number", "without unit, or auto"};
inline constexpr QuantityKind percentage{{0, 0, 0, 1}, "percentage", "%"};
inline constexpr QuantityKind angle_quantity{{0, 0, 0, 0, 0, 1}, "number of degrees", "deg"};
inline constexpr QuantityKind length_quantity{{1, 0, 0}, "length", "mm, cm, m, um"};
inline constexpr QuantityKind time_quantity{{0, 1, 0}, "time", "ms, s, us"};
inline constexpr QuantityKind speed_quantity{{1, -1, 0}, "velocity", "m/s, mm/ms, cm/s"};
inline constexpr QuantityKind potential_quantity{{0, 0, 1}, "potential", "mV, V"};
inline constexpr QuantityKind diffusivity_quantity{{2, -1, 0}, "diffusivity", "mm^2/ms, cm^2/s, m^2/s"};
inline constexpr QuantityKind potential_rate_quantity{{0, -1, 1}, "rate of potential", "mV/ms, V/s"};

}  // namespace cardiowarp
