#include "cellml/nearest_word.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace cardiowarp {
namespace {

/// The fewest inserted, removed or replaced letters that make one word the other (Levenshtein).
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t before = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = before + (a[i] == b[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(const std::string& wrong, std::span<const std::string> valid) {
  if (wrong.size() > 100) return "";
  std::size_t least = wrong.size() / 3 + 1;
  std::string nearest;
  for (const std::string& word : valid) {
    if (word.size() > wrong.size() + least || word.size() + least < wrong.size()) continue;
    const std::size_t changes = distance(wrong, word);
    if (changes >= least) continue;
    least = changes;
    nearest = word;
  }
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

}  // namespace cardiowarp
