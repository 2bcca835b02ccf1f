#include "fem/nearest_name.hpp"

#include <algorithm>
#include <vector>

#include "fem/small_letters.hpp"

namespace cardiowarp {
namespace {

/// Longer words are not compared, which takes a time that grows with the product of two lengths: nobody mistypes one.
constexpr std::size_t longest_name = 200;

/// Optimal string alignment distance: edits and swaps of neighbors, each costs 1.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, current);
  }
  return last[b.size()];
}

/// The only valid name that begins with `wanted`, which has three letters or more; empty where none or several do.
std::string only_name_that_begins(std::string_view wanted, std::span<const std::string> valid) {
  const auto begins = [&](const std::string& name) { return in_small_letters(name).starts_with(wanted); };
  const auto first = std::find_if(valid.begin(), valid.end(), begins);
  if (wanted.size() < 3 || first == valid.end() || std::any_of(first + 1, valid.end(), begins)) return "";
  return *first;
}

}  // namespace

std::string nearest_name(std::string_view wrong, std::span<const std::string> valid) {
  const std::string wanted = in_small_letters(wrong);
  std::string nearest;
  std::size_t least_distance = 0;
  if (wanted.size() > longest_name) return "";
  for (const std::string& name : valid) {
    if (name.size() > longest_name) continue;
    const std::size_t distance = edit_distance(wanted, in_small_letters(name));
    const std::size_t tolerated = std::max<std::size_t>(1, std::max(wanted.size(), name.size()) / 3);
    const bool near = distance <= tolerated && distance < std::max(wanted.size(), name.size());
    if (near && (nearest.empty() || distance < least_distance)) {
      nearest = name;
      least_distance = distance;
    }
  }
  return nearest.empty() ? only_name_that_begins(wanted, valid) : nearest;
}

std::string suggestion(std::string_view wrong, std::span<const std::string> valid) {
  const std::string nearest = nearest_name(wrong, valid);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

}  // namespace cardiowarp
