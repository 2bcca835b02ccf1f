#include "app/config/electrode_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "app/config/quantity.hpp"
#include "fem/input_error.hpp"
#include "meshes/file_kind.hpp"

namespace cardiowarp {
namespace {

/// Words for messages: where the file was asked for, the file, and a place in it.
struct Source {
  std::string place, file;

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: '{}': {}", place, file, what));
  }
};

std::string text_of(const std::filesystem::path& file, const Source& source) {
  if (const std::string reason = why_no_regular_file(file); !reason.empty()) source.fail(reason);
  constexpr std::size_t most = 1'000'000;
  std::ifstream in(file, std::ios::binary);
  std::string text(most + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (!in.eof() && in.fail())) source.fail("cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > most) source.fail(fmt::format("expected at most {} bytes", most));
  return text;
}

/// Names become columns of a CSV file.
std::string checked_name(const std::string& name, const Source& source) {
  const bool has_control = std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == 127; });
  if (name.empty() || has_control || name.find_first_of(",;\"'") != name.npos || name.front() == ' ' ||
      name.back() == ' ' || name == "time_ms")
    source.fail(
        fmt::format("expected names without commas, semicolons, quotes and control characters, got '{}'", name));
  return name;
}

std::vector<ElectrodeConfig> of_json(const std::string& text, const Source& source) {
  const char* const expected = "expected {\"V1\": [x, y, z], ..}, coordinates in mm";
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) source.fail(expected);
  std::vector<ElectrodeConfig> electrodes;
  for (const auto& [name, point] : json.items()) {
    const bool is_point =
        point.is_array() && point.size() == 3 &&
        std::all_of(point.begin(), point.end(), [](const auto& number) { return number.is_number(); });
    if (!is_point) source.fail(fmt::format("{}, got {} for '{}'", expected, point.dump(), name));
    electrodes.push_back({checked_name(name, source),
                          {point[0].template get<Real>(), point[1].template get<Real>(), point[2].template get<Real>()},
                          source.place});
  }
  return electrodes;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin));
}

/// The words between the commas of a line.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    words.push_back(trimmed(std::string_view(line).substr(begin, end - begin)));
    begin = end + 1;
  }
  return words;
}

std::optional<Vector3> point_of(const std::vector<std::string>& words) {
  if (words.size() != 4) return std::nullopt;
  Real value[3];
  for (int k = 0; k < 3; ++k) {
    const std::optional<Quantity> number = parse_quantity(words[1 + static_cast<std::size_t>(k)]);
    if (!number || (number->dimension && *number->dimension != length_quantity.dimension)) return std::nullopt;
    value[k] = number->value;
  }
  return Vector3{value[0], value[1], value[2]};
}

std::vector<ElectrodeConfig> of_csv(const std::string& text, const Source& source) {
  std::vector<ElectrodeConfig> electrodes;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = trimmed(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> words = words_of(line);
    const std::optional<Vector3> point = point_of(words);
    if (point) {
      electrodes.push_back({checked_name(words[0], source), *point, source.place});
    } else if (!(electrodes.empty() && words == std::vector<std::string>{"name", "x", "y", "z"})) {
      source.fail(
          fmt::format("line {}: expected name,x,y,z with coordinates in mm, got '{}'", number, line.substr(0, 60)));
    }
  }
  return electrodes;
}

}  // namespace

std::vector<ElectrodeConfig> read_electrodes(const std::filesystem::path& file, const std::string& place) {
  const Source source{place, file.string()};
  const std::string text = text_of(file, source);
  const bool is_json = file.extension() == ".json";
  std::vector<ElectrodeConfig> electrodes = is_json ? of_json(text, source) : of_csv(text, source);
  if (electrodes.empty()) source.fail("expected at least one electrode");
  for (const ElectrodeConfig& electrode : electrodes)
    if (!std::isfinite(electrode.point.x + electrode.point.y + electrode.point.z))
      source.fail(fmt::format("expected finite coordinates of '{}'", electrode.name));
  return electrodes;
}

}  // namespace cardiowarp
