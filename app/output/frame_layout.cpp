#include "app/output/frame_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/config/config_names.hpp"
#include "fem/cells/models.hpp"

namespace cardiowarp {
namespace {

/// 15 digits: 3 steps of 0.1 ms are 0.3, not 0.30000000000000004.
std::string in_digits(Real time_ms) { return fmt::format("{:.15g}", time_ms); }

class VtuLayout final : public FrameLayout {
 public:
  std::string list_file() const override { return "potential.pvd"; }
  std::vector<std::string> files_of(std::size_t number) const override {
    return {fmt::format("frames/potential_{:06}.vtu", number)};
  }
  std::vector<std::string> common_files() const override { return {}; }
  std::string line_of(std::size_t number, Real time_ms) const override {
    return fmt::format("    <DataSet timestep=\"{}\" file=\"{}\"/>\n", in_digits(time_ms), files_of(number).front());
  }
  std::string list_of(std::size_t /*frames*/, const std::string& lines) const override {
    return "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n" + lines +
           "  </Collection>\n</VTKFile>\n";
  }
};

class EnsightLayout final : public FrameLayout {
 public:
  explicit EnsightLayout(FrameFields fields) : fields_(std::move(fields)) {}

  std::string list_file() const override { return "potential.case"; }
  std::vector<std::string> files_of(std::size_t number) const override {
    return files_numbered(fmt::format("{:06}", number));
  }
  std::vector<std::string> common_files() const override {
    return {"frames/mesh.geo", "frames/fiber.element", "frames/region.element"};
  }
  /// One time a line: readers have short buffers for a line.
  std::string line_of(std::size_t /*number*/, Real time_ms) const override { return in_digits(time_ms) + "\n"; }
  std::string list_of(std::size_t frames, const std::string& lines) const override {
    std::string text =
        "FORMAT\ntype: ensight gold\n\nGEOMETRY\nmodel: frames/mesh.geo\n\nVARIABLE\n"
        "vector per element: fiber frames/fiber.element\nscalar per element: region frames/region.element\n";
    const std::vector<std::string> files = files_numbered("******");  // a star for each digit
    std::size_t file = 0;
    if (fields_.potential) text += fmt::format("scalar per node: 1 potential {}\n", files[file++]);
    for (const std::string& state : fields_.states)
      text += fmt::format("scalar per element: 1 {} {}\n", state, files[file++]);
    text += fmt::format(
        "\nTIME\ntime set: 1\nnumber of steps: {}\nfilename start number: 0\nfilename increment: 1\ntime values:\n",
        frames);
    return text + lines;
  }

 private:
  std::vector<std::string> files_numbered(const std::string& number) const {
    std::vector<std::string> files;
    if (fields_.potential) files.push_back(fmt::format("frames/potential_{}.node", number));
    for (const std::string& state : fields_.states) files.push_back(fmt::format("frames/{}_{}.element", state, number));
    return files;
  }

  FrameFields fields_;
};

}  // namespace

FrameFields fields_in_frames(const Config& config) {
  if (config.output.states) return {config.output.potential, *config.output.states};
  FrameFields fields{config.output.potential, {}};
  for (const CellState& state : states_of(config.cell_model.cell)) fields.states.emplace_back(state.name);
  return fields;
}

std::unique_ptr<FrameLayout> frame_layout(OutputFormat format, FrameFields fields) {
  if (format == OutputFormat::ensight) return std::make_unique<EnsightLayout>(std::move(fields));
  return std::make_unique<VtuLayout>();
}

std::unique_ptr<FrameLayout> frame_layout(const Config& config) {
  return frame_layout(config.output.format, fields_in_frames(config));
}

std::vector<std::unique_ptr<FrameLayout>> all_frame_layouts() {
  FrameFields all;
  for (const std::string& model : cell_model_names())
    for (const CellState& state : states_of(cell_model_named(model)))
      if (std::ranges::find(all.states, state.name) == all.states.end()) all.states.emplace_back(state.name);
  std::vector<std::unique_ptr<FrameLayout>> layouts;
  for (const auto& [name, format] : output_format_names) layouts.push_back(frame_layout(format, all));
  return layouts;
}

}  // namespace cardiowarp
