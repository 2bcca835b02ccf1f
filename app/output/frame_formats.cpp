#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config.hpp"
#include "app/output/ensight_frames.hpp"
#include "app/output/extracellular_field.hpp"
#include "app/output/frame_layout.hpp"
#include "app/output/frame_writer.hpp"
#include "app/output/vtu_frames.hpp"
#include "app/simulation/extracellular.hpp"
#include "app/simulation/problem.hpp"
#include "fem/cells/cell_model.hpp"

namespace cardiowarp {
namespace {

/// What the frames of a run are made of.
struct FrameSource {
  const Problem& problem;
  VtuGrid& grid;
  const FrameFields& fields;
  std::vector<std::size_t> states;  ///< the numbers in the cell model of those that `fields` names
  bool in_single;                   ///< the values of the frames
  std::shared_ptr<ExtracellularPotential> extracellular;  ///< null without `phi_e`
};

/// The code of a format.
struct FrameFormat {
  OutputFormat format;
  std::unique_ptr<FrameLayout> (*layout)(const FrameFields& fields);
  std::unique_ptr<FrameWriter> (*writer)(const FrameSource& source);
};

/// One for each of output_formats (app/config/output_format.hpp), in their order. A format without its code, or without
/// one of the two pieces of it, does not compile.
constexpr std::array<FrameFormat, output_formats.size()> frame_formats{{
    {OutputFormat::vtu, make_vtu_layout,
     [](const FrameSource& of) {
       return make_vtu_frames(of.grid, of.fields, of.states, of.in_single, of.extracellular);
     }},
    {OutputFormat::ensight, make_ensight_layout,
     [](const FrameSource& of) {
       return make_ensight_frames(*of.problem.mesh, of.problem.diffusivity, of.fields, of.states, of.extracellular);
     }},
}};

consteval bool formats_are_complete() {
  for (std::size_t i = 0; i < frame_formats.size(); ++i) {
    const FrameFormat& format = frame_formats[i];
    if (format.format != output_formats[i].format || format.layout == nullptr || format.writer == nullptr) return false;
  }
  return true;
}
static_assert(formats_are_complete());

const FrameFormat& code_of(OutputFormat format) { return frame_formats[static_cast<std::size_t>(format)]; }

}  // namespace

std::unique_ptr<FrameLayout> frame_layout(OutputFormat format, const FrameFields& fields) {
  return code_of(format).layout(fields);
}

std::size_t frame_bytes(const OutputConfig& output, const FrameFields& fields, std::size_t nodes,
                        std::size_t elements) {
  const std::size_t value = output.in_single() ? sizeof(float) : sizeof(Real);
  const std::size_t blocks = output.format == OutputFormat::vtu ? value : 0;
  const std::size_t of_node = value + blocks;
  const std::size_t of_element = (output.in_single() ? sizeof(Real) + sizeof(float) : sizeof(Real)) + blocks;
  const std::size_t of_solve = fields.phi_e ? of_node + value + ExtracellularField::bytes_of_solve : 0;
  return ((fields.potential ? of_node : 0) + of_solve) * nodes + of_element * fields.states.size() * elements;
}

std::unique_ptr<FrameWriter> make_frame_writer(const Config& config, const Problem& problem, VtuGrid& grid) {
  const FrameFields fields = fields_in_frames(config);
  std::vector<std::size_t> states;
  for (const std::string& name : fields.states) states.push_back(state_number(states_of(problem.cell_models), name));
  std::shared_ptr<ExtracellularPotential> extracellular;
  if (fields.phi_e)
    extracellular = std::make_shared<ExtracellularPotential>(*problem.mesh,
                                                             bidomain_tissue(config, problem, config.output.bidomain));
  return code_of(config.output.format)
      .writer({problem, grid, fields, std::move(states), config.output.in_single(), std::move(extracellular)});
}

}  // namespace cardiowarp
