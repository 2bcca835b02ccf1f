#include "app/process/wall_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

/// The seconds of the unit; 0 where there is none of that name.
double seconds_of(std::string_view unit) {
  static constexpr std::array<std::pair<std::string_view, double>, 5> units{
      {{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}}};
  for (const auto& [name, seconds] : units)
    if (unit == name) return seconds;
  return 0;
}

std::string_view without_spaces_before(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

}  // namespace

double wall_clock_seconds(const std::string& option, const std::string& duration) {
  double seconds = 0;
  std::string_view left = without_spaces_before(duration);
  const auto fail = [&] {
    throw InputError(
        fmt::format("{}: expected a positive duration with its unit (ms, s, min, h, d), as 90 min or "
                    "1h 30min, got '{}'",
                    option, duration));
  };
  do {
    double number = 0;
    const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), number);
    if (error != std::errc() || !(number >= 0)) fail();
    left = without_spaces_before(left.substr(static_cast<std::size_t>(end - left.data())));
    const std::size_t length = std::min(left.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), left.size());
    const double unit = seconds_of(left.substr(0, length));
    if (unit == 0) fail();
    seconds += number * unit;
    left = without_spaces_before(left.substr(length));
  } while (!left.empty());
  if (!(seconds > 0) || !std::isfinite(seconds)) fail();
  return seconds;
}

}  // namespace cardiowarp
