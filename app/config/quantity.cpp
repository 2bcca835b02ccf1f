#include "app/config/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace cardiowarp {
namespace {

/// A unit as a power of ten of base units, so that converting rounds once.
struct Unit {
  Dimension dimension;
  int decimal_exponent = 0;
};

/// S is A/V and F is A s/V.
constexpr std::array<std::pair<std::string_view, Unit>, 25> base_units{
    {{"m", {{1, 0, 0}, 3}},           {"cm", {{1, 0, 0}, 1}},         {"mm", {{1, 0, 0}, 0}},
     {"um", {{1, 0, 0}, -3}},         {"s", {{0, 1, 0}, 3}},          {"ms", {{0, 1, 0}, 0}},
     {"us", {{0, 1, 0}, -3}},         {"V", {{0, 0, 1}, 3}},          {"mV", {{0, 0, 1}, 0}},
     {"%", {{0, 0, 0, 1}, 0}},        {"A", {{0, 0, 0, 0, 1}, 0}},    {"mA", {{0, 0, 0, 0, 1}, -3}},
     {"uA", {{0, 0, 0, 0, 1}, -6}},   {"nA", {{0, 0, 0, 0, 1}, -9}},  {"pA", {{0, 0, 0, 0, 1}, -12}},
     {"S", {{0, 0, -1, 0, 1}, -3}},   {"mS", {{0, 0, -1, 0, 1}, -6}}, {"uS", {{0, 0, -1, 0, 1}, -9}},
     {"nS", {{0, 0, -1, 0, 1}, -12}}, {"F", {{0, 1, -1, 0, 1}, 0}},   {"mF", {{0, 1, -1, 0, 1}, -3}},
     {"uF", {{0, 1, -1, 0, 1}, -6}},  {"nF", {{0, 1, -1, 0, 1}, -9}}, {"pF", {{0, 1, -1, 0, 1}, -12}},
     {"deg", {{0, 0, 0, 0, 0, 1}, 0}}}};

void skip_spaces(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size())); }

bool skip(std::string_view& text, char character) {
  const bool found = text.starts_with(character);
  if (found) text.remove_prefix(1);
  return found;
}

template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Nothing when there is no exponent where one has to be, or it is not in ±1 ... ±9.
std::optional<int> take_exponent(std::string_view& text) {
  const bool has_digit = !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (!skip(text, '^') && !has_digit) return 1;
  const auto exponent = take_number<int>(text);
  return exponent && *exponent != 0 && std::abs(*exponent) < 10 ? exponent : std::nullopt;
}

std::optional<Unit> parse_unit(std::string_view text) {
  Unit unit;
  int sign = 1;
  while (true) {
    const std::size_t letters = std::min(text.find_first_of("^*/ \t0123456789"), text.size());
    const std::string_view name = text.substr(0, letters);
    const auto base = std::find_if(base_units.begin(), base_units.end(), [&](auto& u) { return u.first == name; });
    text.remove_prefix(letters);
    const auto exponent = take_exponent(text);
    if (base == base_units.end() || !exponent) return std::nullopt;

    const auto& [dimension, decimal_exponent] = base->second;
    const int power = sign * *exponent;
    unit.dimension.length += power * dimension.length;
    unit.dimension.time += power * dimension.time;
    unit.dimension.potential += power * dimension.potential;
    unit.dimension.percent += power * dimension.percent;
    unit.dimension.current += power * dimension.current;
    unit.dimension.angle += power * dimension.angle;
    unit.decimal_exponent += power * decimal_exponent;

    skip_spaces(text);
    if (text.empty()) return unit;
    sign = skip(text, '/') ? -1 : 1;
    if (sign == 1) skip(text, '*');
    skip_spaces(text);
  }
}

}  // namespace

std::string ascii_unit(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> spellings{{{"\u00b0", "deg"},
                                                                                           {"\u00b5", "u"},
                                                                                           {"\u03bc", "u"},
                                                                                           {"\u207b\u00b9", "^-1"},
                                                                                           {"\u00b2", "^2"},
                                                                                           {"\u00b3", "^3"},
                                                                                           {"\u00b7", "*"}}};
  std::string ascii(text);
  for (const auto& [from, to] : spellings)
    for (std::size_t at = ascii.find(from); at != std::string::npos; at = ascii.find(from, at))
      ascii.replace(at, from.size(), to);
  return ascii;
}

std::optional<Quantity> parse_quantity(std::string_view given) {
  const std::string ascii = ascii_unit(given);
  std::string_view text = ascii;
  text = text.substr(0, text.find_last_not_of(" \t") + 1);
  skip_spaces(text);
  if (skip(text, '+') && text.starts_with('-')) return std::nullopt;
  const auto number = take_number<Real>(text);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  skip_spaces(text);
  if (text.empty()) return Quantity{*number, std::nullopt};

  const auto unit = parse_unit(text);
  if (!unit) return std::nullopt;
  const Real scale = std::pow(Real{10}, std::abs(unit->decimal_exponent));
  const Real value = unit->decimal_exponent < 0 ? *number / scale : *number * scale;
  if (!std::isfinite(value)) return std::nullopt;
  return Quantity{value, unit->dimension};
}

}  // namespace cardiowarp
