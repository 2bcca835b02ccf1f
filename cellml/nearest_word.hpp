#pragma once
#include <span>
#include <string>

namespace cardiowarp {

/// `; did you mean 'word'?` of the word of `valid` with the fewest letters changed, for the end of a message; empty
/// where none has two thirds of its letters in common with `wrong`.
std::string did_you_mean(const std::string& wrong, std::span<const std::string> valid);

}  // namespace cardiowarp
