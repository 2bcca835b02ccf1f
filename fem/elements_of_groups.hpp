#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cardiowarp {

struct Mesh;

/// The choice that `--keep` and `--drop` of `cardiowarp mesh convert` make: 1 for each element that is in one of the
/// groups to be kept, all where that is empty, and in none of those to be dropped. Groups are names, tags or ranges of
/// tags, parted by commas: `lv,30-33`. Throws InputError for a group without elements, with the nearest name, and where
/// nothing is left.
std::vector<std::uint8_t> elements_of_groups(const Mesh& mesh, const std::string& keep, const std::string& drop);

/// 1 for each element in one of such groups. Throws InputError in the name of `option`.
std::vector<std::uint8_t> elements_in(const Mesh& mesh, const char* option, const std::string& groups);

}  // namespace cardiowarp
