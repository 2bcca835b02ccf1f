#pragma once
#include <string>
#include <string_view>

namespace cardiowarp {

// STL surfaces written as text, before VTK reads them: of a number that it cannot read VTK says neither the line nor
// what is the matter.

/// Throws InputError, `FILE:LINE: expected ..., got '...'`, for a coordinate that is no number. Says nothing of a
/// binary file, nor of anything else that VTK refuses itself.
void check_stl_text(const std::string& file, std::string_view text);

}  // namespace cardiowarp
