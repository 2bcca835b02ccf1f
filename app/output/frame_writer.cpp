#include "app/output/frame_writer.hpp"

#include <string>
#include <utility>
#include <vector>

#include "app/output/ensight_frames.hpp"
#include "app/output/vtu_frames.hpp"
#include "app/simulation/problem.hpp"

namespace cardiowarp {

std::size_t frame_bytes(OutputFormat format, const FrameFields& fields, std::size_t nodes, std::size_t elements) {
  const bool in_single = format == OutputFormat::ensight;
  const std::size_t of_node = in_single ? sizeof(float) : sizeof(Real);
  const std::size_t of_element = in_single ? sizeof(Real) + sizeof(float) : sizeof(Real);
  return (fields.potential ? of_node * nodes : 0) + of_element * fields.states.size() * elements;
}

std::unique_ptr<FrameWriter> make_frame_writer(const Config& config, const Problem& problem, VtuGrid& grid) {
  const FrameFields fields = fields_in_frames(config);
  std::vector<std::size_t> states;
  for (const std::string& name : fields.states) states.push_back(state_number(states_of(problem.cell_models), name));
  if (config.output.format == OutputFormat::ensight)
    return make_ensight_frames(*problem.mesh, problem.diffusivity, fields, std::move(states));
  return make_vtu_frames(grid, fields, std::move(states));
}

}  // namespace cardiowarp
