#pragma once
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace cardiowarp {

/// The names of all that is in a folder, in the order of the system. `error` has the reason where it cannot be read,
/// and the result what was read before. In place of std::filesystem::directory_iterator, which in the C++ library of
/// GCC ends the program where memory runs out. Throws std::bad_alloc.
std::vector<std::string> names_in(const std::filesystem::path& folder, std::error_code& error);

}  // namespace cardiowarp
