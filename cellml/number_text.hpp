#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace cardiowarp {

/// The text without white space around it.
std::string_view trimmed(std::string_view text);

/// The finite number that a text is, with white space around it and a plus sign allowed, in any locale.
std::optional<double> number_of(std::string_view text);

/// A number as it is printed in messages, with six digits.
std::string number_text(double value);

/// A number with all digits that tell it from others.
std::string exact_text(double value);

}  // namespace cardiowarp
