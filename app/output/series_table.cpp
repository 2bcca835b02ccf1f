#include "app/output/series_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/files/regular_file.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

/// The words between the commas of a line; a name in quotes has its quotes doubled.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] == '"') {
      if (quoted && k + 1 < line.size() && line[k + 1] == '"')
        words.back() += line[k++];
      else
        quoted = !quoted;
    } else if (line[k] == ',' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += line[k];
    }
  }
  return words;
}

Real number_of(const std::string& word) {
  Real value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

}  // namespace

SeriesTable series_table(std::string_view text) {
  SeriesTable table;
  bool has_names = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string> words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!has_names) {
      table.names.assign(words.begin() + 1, words.end());
      table.columns.resize(table.names.size());
      has_names = true;
    } else if (words.size() == table.names.size() + 1) {
      table.time_ms.push_back(number_of(words[0]));
      for (std::size_t k = 1; k < words.size(); ++k) table.columns[k - 1].push_back(number_of(words[k]));
    }
  }
  return table;
}

std::string text_of_series(const std::filesystem::path& file) {
  std::string text;
  try {
    const RegularFile found(file);
    found.read(found.bytes(), [&](std::string_view piece) { text += piece; });
  } catch (const InputError& reason) {
    throw InputError(fmt::format("cannot read '{}': {}", file.string(), reason.what()));
  }
  return text;
}

}  // namespace cardiowarp
