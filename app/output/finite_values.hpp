#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string_view>

namespace cardiowarp {

/// Throws std::logic_error that names an output and its first value that is not finite: it is our mistake and is never
/// written.
template <class Value>
void require_finite(std::string_view name, std::span<const Value> values) {
  const auto bad = std::ranges::find_if_not(values, [](Value value) { return std::isfinite(value); });
  if (bad != values.end())
    throw std::logic_error(fmt::format("output of {}: value {} is {}", name, bad - values.begin(), *bad));
}

}  // namespace cardiowarp
