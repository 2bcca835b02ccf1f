#pragma once
#include <span>
#include <string>
#include <string_view>

namespace cardiowarp {

/// The name of `valid` that `wrong` was most likely meant to be: the fewest inserted, removed, replaced or swapped
/// letters, capitals aside, and at most a third of the letters. The first of equally near ones. When none is near,
/// the only one that begins with `wrong`, of three letters or more; else empty.
std::string nearest_name(std::string_view wrong, std::span<const std::string> valid);

/// `; did you mean 'name'?` of the nearest name, for the end of a message; empty when none is near.
std::string suggestion(std::string_view wrong, std::span<const std::string> valid);

}  // namespace cardiowarp
