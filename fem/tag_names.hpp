#pragma once
#include <algorithm>
#include <map>
#include <string>

namespace cardiowarp {

/// The name of a tag among the groups of a mesh (Mesh::volume_names or surface_names), the first in the order of names
/// where it has several; null where it has none.
inline const std::string* name_of_tag(const std::map<std::string, int>& names, int tag) {
  const auto named = std::ranges::find_if(names, [&](const auto& name) { return name.second == tag; });
  return named == names.end() ? nullptr : &named->first;
}

}  // namespace cardiowarp
