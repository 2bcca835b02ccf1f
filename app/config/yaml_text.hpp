#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Values as text of a YAML file that reads back to the same values.

/// The shortest text that is the same double; the dot before an exponent makes it a number for readers of YAML 1.1.
std::string yaml_number(Real value);
/// In double quotes.
std::string yaml_quoted(const std::string& text);
/// The absolute path in double quotes.
std::string yaml_path(const std::filesystem::path& path);
/// `[1, 2, 3]`
std::string yaml_vector(Vector3 v);
/// `{a: 1, c: 2}`
std::string yaml_map(const std::vector<std::pair<std::string_view, Real>>& entries);
/// `[a, c]`, the names that are on.
std::string yaml_switches(const std::vector<std::pair<std::string, bool>>& entries);

}  // namespace cardiowarp
