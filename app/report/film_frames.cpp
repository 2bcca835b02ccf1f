#include "app/report/film_frames.hpp"

#include <fmt/format.h>

#include <cstring>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "app/files/regular_file.hpp"
#include "fem/input_error.hpp"
#include "meshes/vtu_array.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

[[noreturn]] void refuse(const fs::path& frame, std::size_t nodes, const std::string& got) {
  throw InputError(
      fmt::format("{}: expected the potential at {} nodes, as maps.vtu has, got {}", frame.string(), nodes, got));
}

/// The frames of `potential.case`, which has a time a line behind `time values:`.
std::vector<ListedFrame> ensight_frames(const fs::path& list) {
  std::istringstream text(content_or_nothing(list));
  std::vector<ListedFrame> frames;
  bool has_potential = false, has_begun = false;
  for (std::string line; std::getline(text, line);) {
    has_potential = has_potential || line.starts_with("scalar per node: 1 potential ");
    if (has_begun && !line.empty())
      frames.push_back({std::strtod(line.c_str(), nullptr),
                        list.parent_path() / fmt::format("frames/potential_{:06}.node", frames.size())});
    has_begun = has_begun || line == "time values:";
  }
  return has_potential ? frames : std::vector<ListedFrame>();
}

/// EnSight's C binary: three words of 80 bytes and the number of the part, then the values in single precision.
std::vector<Real> ensight_values(const fs::path& frame, std::size_t nodes) {
  constexpr std::size_t head = 3 * 80 + 4;
  const std::string bytes = content_or_nothing(frame);
  if (bytes.size() != head + 4 * nodes) refuse(frame, nodes, fmt::format("{} bytes", bytes.size()));
  std::vector<Real> values(nodes);
  for (std::size_t node = 0; node < nodes; ++node) {
    float value = 0;
    std::memcpy(&value, bytes.data() + head + 4 * node, sizeof(value));
    values[node] = value;
  }
  return values;
}

}  // namespace

std::vector<ListedFrame> film_frames(const fs::path& folder) {
  if (is_there(folder / "potential.case")) return ensight_frames(folder / "potential.case");
  if (!is_there(folder / "potential.pvd")) return {};
  std::vector<ListedFrame> frames = frames_listed_in(folder / "potential.pvd");
  // A frame that is not there is named later.
  const fs::path& first = frames.front().file;
  if (is_there(first) && content_or_nothing(first).find("Name=\"potential\"") == std::string::npos) return {};
  return frames;
}

std::vector<Real> potential_in(const fs::path& frame, std::size_t nodes) {
  if (frame.extension() == ".node") return ensight_values(frame, nodes);
  VtuValues potential = read_vtu_array(frame, "potential");
  if (potential.of_cells || potential.values.size() != nodes)
    refuse(frame, nodes, fmt::format("{}", potential.values.size()));
  return std::move(potential.values);
}

}  // namespace cardiowarp
