#include "app/study/sweep_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <string_view>

#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

constexpr std::size_t most_runs = 100'000;

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

/// The pieces between commas that stand outside brackets and quotes.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> pieces(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      pieces.emplace_back();
      continue;
    }
    pieces.back() += c;
  }
  for (std::string& piece : pieces) piece = trimmed(piece);
  return pieces;
}

void require_keys_once(const std::vector<std::string>& keys, const std::string& begin) {
  std::set<std::string> known;
  for (const std::string& key : keys) {
    if (key.empty()) throw InputError(fmt::format("{}: expected a key, got ''", begin));
    if (!known.insert(key).second)
      throw InputError(fmt::format("{}: expected each key once, got '{}' twice", begin, key));
  }
}

struct RandomRange {
  double least, most;
  std::string unit;
};

RandomRange range_of(const SweepAxis& axis) {
  const auto fail = [&](const std::string& got) -> RandomRange {
    throw InputError(fmt::format("--over {}: expected a range such as 0.5..2 or '1 ms..3 ms' with --random, got '{}'",
                                 axis.key_path, got));
  };
  const std::string text = axis.values.front();
  const std::size_t dots = text.find("..");
  if (axis.values.size() != 1 || dots == std::string::npos) return fail(axis.values.size() == 1 ? text : "a list");
  const auto least = number_with_unit(trimmed(text.substr(0, dots))),
             most = number_with_unit(trimmed(text.substr(dots + 2)));
  if (!least || !most || !(least->number < most->number)) return fail(text);
  if (!least->unit.empty() && least->unit != most->unit) return fail(text);
  return {least->number, most->number, most->unit};
}

/// The texts of a line of a CSV file; nothing where a quotation mark stays open.
std::optional<std::vector<std::string>> texts_of_line(const std::string& line) {
  std::vector<std::string> texts(1);
  bool is_quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] == '"') {
      if (is_quoted && k + 1 < line.size() && line[k + 1] == '"')
        texts.back() += line[k++];
      else
        is_quoted = !is_quoted;
    } else if (line[k] == ',' && !is_quoted) {
      texts.emplace_back();
    } else {
      texts.back() += line[k];
    }
  }
  if (is_quoted) return std::nullopt;
  for (std::string& text : texts) text = trimmed(text);
  return texts;
}

}  // namespace

std::optional<NumberWithUnit> number_with_unit(const std::string& text) {
  NumberWithUnit value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value.number);
  if (error != std::errc{}) return std::nullopt;
  value.unit = trimmed(std::string_view(end, static_cast<std::size_t>(text.data() + text.size() - end)));
  return value;
}

SweepAxis parse_axis(const std::string& words) {
  const std::size_t equals = words.find('=');
  SweepAxis axis{trimmed(words.substr(0, equals)), {}};
  if (equals != std::string::npos) axis.values = split(words.substr(equals + 1));
  if (axis.key_path.empty() || axis.values.empty() || std::ranges::find(axis.values, "") != axis.values.end())
    throw InputError(fmt::format("--over: expected KEY.PATH=VALUE,VALUE.., got '{}'", words));
  return axis;
}

SweepTable grid_of(const std::vector<SweepAxis>& axes) {
  SweepTable table;
  std::size_t runs = 1;
  for (const SweepAxis& axis : axes) {
    table.keys.push_back(axis.key_path);
    runs = std::min(runs * axis.values.size(), most_runs + 1);
  }
  require_keys_once(table.keys, "--over");
  if (runs > most_runs) throw InputError(fmt::format("--over: expected at most {} runs in all, got more", most_runs));
  for (std::size_t run = 0; run < runs; ++run) {
    std::vector<std::string> row(axes.size());
    std::size_t rest = run;
    for (std::size_t axis = axes.size(); axis-- > 0; rest /= axes[axis].values.size())
      row[axis] = axes[axis].values[rest % axes[axis].values.size()];
    table.rows.push_back(std::move(row));
  }
  return table;
}

SweepTable random_of(const std::vector<SweepAxis>& axes, int runs, std::uint64_t seed) {
  SweepTable table;
  std::vector<RandomRange> ranges;
  for (const SweepAxis& axis : axes) {
    table.keys.push_back(axis.key_path);
    ranges.push_back(range_of(axis));
  }
  require_keys_once(table.keys, "--over");
  std::mt19937_64 bits(seed);
  for (int run = 0; run < runs; ++run) {
    std::vector<std::string> row;
    for (const RandomRange& range : ranges) {
      const double share =
          static_cast<double>(bits() >> 11) * 0x1p-53;  // the library's distributions differ by library
      const double value = range.least + share * (range.most - range.least);
      row.push_back(range.unit.empty() ? fmt::format("{}", value) : fmt::format("{} {}", value, range.unit));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

SweepTable table_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream || std::filesystem::is_directory(file))
    throw InputError(fmt::format("--table: cannot read '{}'", file.string()));
  SweepTable table;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    if (++number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // a byte order mark
    if (trimmed(line).empty() || line.front() == '#') continue;
    const auto texts = texts_of_line(line);
    if (!texts) throw InputError(fmt::format("{}:{}: expected a closing quotation mark", file.string(), number));
    if (table.keys.empty()) {
      table.keys = *texts;
      require_keys_once(table.keys, fmt::format("{}:{}", file.string(), number));
    } else if (texts->size() != table.keys.size()) {
      throw InputError(fmt::format("{}:{}: expected {} values, as the first line has keys, got {}", file.string(),
                                   number, table.keys.size(), texts->size()));
    } else if (table.rows.size() == most_runs) {
      throw InputError(fmt::format("{}:{}: expected at most {} runs", file.string(), number, most_runs));
    } else {
      table.rows.push_back(*texts);
    }
  }
  if (table.rows.empty())
    throw InputError(fmt::format("{}: expected a line with keys and lines with values", file.string()));
  return table;
}

}  // namespace cardiowarp
