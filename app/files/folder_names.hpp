#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace cardiowarp {

/// The names of all that is in a folder, in the order of the system. `error` has the reason where it cannot be read,
/// and the result what was read before. In place of std::filesystem::directory_iterator, which in the C++ library of
/// GCC ends the program where memory runs out. Throws std::bad_alloc.
std::vector<std::string> names_in(const std::filesystem::path& folder, std::error_code& error);

/// The digits that a name has where `first` has its only run of zeros, `000000` of `potential_000000.vtu`: at least as
/// many as there are zeros. Nothing where the names differ in another way.
std::optional<std::string_view> number_in_name(std::string_view name, std::string_view first);

}  // namespace cardiowarp
