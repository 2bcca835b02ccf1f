#include "app/advice/pulses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "app/config/config.hpp"

namespace cardiowarp {

std::string describe_pulses(const StimulusConfig& stimulus) {
  return fmt::format("from {:.6g} ms, {} × {:.6g} ms{}", stimulus.start_ms, stimulus.count, stimulus.duration_ms,
                     stimulus.count > 1 ? fmt::format(" every {:.6g} ms", *stimulus.period_ms) : "");
}

std::vector<std::string> draw_pulses(const Config& config) {
  constexpr int columns = 64;
  std::size_t width = 0;
  std::int64_t pulses = 0;
  for (const StimulusConfig& stimulus : config.stimuli) {
    width = std::max(width, stimulus.name.size());
    pulses += stimulus.count;
  }
  if (pulses < 2) return {};
  std::vector<std::string> lines;
  for (const StimulusConfig& stimulus : config.stimuli) {
    std::string line(columns, ' ');
    for (int k = 0; k < stimulus.count; ++k) {
      const Real share = (stimulus.start_ms + k * stimulus.period_ms.value_or(0)) / config.time.end_ms;
      if (share >= 1) break;
      line[static_cast<std::size_t>(share * columns)] = '|';
    }
    std::string& drawn = lines.emplace_back(fmt::format("  {:<{}}  {}", stimulus.name, width, line));
    drawn.erase(drawn.find_last_not_of(' ') + 1);
  }
  const std::string end = fmt::format("{:.6g} ms", config.time.end_ms);
  lines.push_back(fmt::format("  {:<{}}  0{:.>{}}", "", width, end, columns - 1));
  return lines;
}

}  // namespace cardiowarp
