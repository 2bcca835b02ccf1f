#include "app/advice/pulses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "app/config/config.hpp"

namespace cardiowarp {

std::string describe_pulses(const StimulusConfig& stimulus) {
  return fmt::format("from {:.6g} ms, {} × {:.6g} ms{}", stimulus.start_ms, stimulus.count, stimulus.duration_ms,
                     stimulus.count > 1 ? fmt::format(" every {:.6g} ms", *stimulus.period_ms) : "");
}

std::vector<std::string> draw_pulses(const Config& config) {
  constexpr int columns = 64;
  constexpr std::size_t most_lines = 12;
  std::int64_t pulses = 0;
  std::vector<std::pair<std::string, std::string>> drawn;
  for (const StimulusConfig& stimulus : config.stimuli) {
    if (drawn.empty() || config.stimuli.size() <= most_lines)
      drawn.emplace_back(config.stimuli.size() <= most_lines ? stimulus.name : "all", std::string(columns, ' '));
    std::string& line = drawn.back().second;
    pulses += stimulus.count;
    for (int k = 0; k < stimulus.count; ++k) {
      const Real share = (stimulus.start_ms + k * stimulus.period_ms.value_or(0)) / config.time.end_ms;
      if (share >= 1) break;
      line[static_cast<std::size_t>(share * columns)] = '|';
      // On towards the next column, where this one has many.
      const Real in_column = config.time.end_ms / columns / stimulus.period_ms.value_or(config.time.end_ms);
      if (in_column > 2) k += static_cast<int>(std::min<Real>(in_column / 2, stimulus.count - 1 - k));
    }
  }
  if (pulses < 2) return {};
  std::size_t width = 0;
  for (const auto& [name, line] : drawn) width = std::max(width, name.size());
  std::vector<std::string> lines;
  for (const auto& [name, line] : drawn) {
    std::string& text = lines.emplace_back(fmt::format("  {:<{}}  {}", name, width, line));
    text.erase(text.find_last_not_of(' ') + 1);
  }
  const std::string end = fmt::format("{:.6g} ms", config.time.end_ms);
  lines.push_back(fmt::format("  {:<{}}  0{:.>{}}", "", width, end, columns - 1));
  return lines;
}

}  // namespace cardiowarp
