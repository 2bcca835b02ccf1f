#include "app/output/frame_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/config/config.hpp"
#include "fem/cells/any_cell.hpp"
#include "fem/cells/cell_model.hpp"

namespace cardiowarp {
std::string time_in_digits(Real time_ms) { return fmt::format("{:.15g}", time_ms); }

FrameFields fields_in_frames(const Config& config) {
  if (config.output.states) return {config.output.potential, *config.output.states, config.output.phi_e};
  FrameFields fields{config.output.potential, {}, config.output.phi_e};
  if (is_ionic(config.cell_model.cell)) return fields;
  for (const CellState& state : states_of(config.cell_model.cell)) fields.states.emplace_back(state.name);
  return fields;
}

std::unique_ptr<FrameLayout> frame_layout(const Config& config) {
  return frame_layout(config.output.format, fields_in_frames(config));
}

std::vector<std::unique_ptr<FrameLayout>> all_frame_layouts() {
  FrameFields all{.potential = true, .states = {}, .phi_e = true};
  for (const std::string& model : cell_model_names())
    for (const CellState& state : states_of(cell_model_named(model)))
      if (std::ranges::find(all.states, state.name) == all.states.end()) all.states.emplace_back(state.name);
  std::vector<std::unique_ptr<FrameLayout>> layouts;
  for (const OutputFormatTraits& traits : output_formats) layouts.push_back(frame_layout(traits.format, all));
  return layouts;
}

}  // namespace cardiowarp
