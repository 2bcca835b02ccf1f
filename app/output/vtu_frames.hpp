#pragma once
#include <memory>
#include <vector>

#include "app/output/frame_writer.hpp"
#include "app/output/vtu_grid.hpp"

namespace cardiowarp {

class ExtracellularPotential;

/// The files of such frames, which potential.pvd lists.
std::unique_ptr<FrameLayout> make_vtu_layout(const FrameFields& fields);

/// Frames in VTK's XML format: each is a .vtu with the whole mesh, so that it can be opened without the others, and has
/// its values in double precision or `in_single`: point arrays `potential` and `phi_e` [mV] and a cell array for each
/// state. `states` are the numbers in the cell model of those that `fields` names, `extracellular` gives `phi_e`, where
/// `fields` has it; `grid` outlives the writer.
std::unique_ptr<FrameWriter> make_vtu_frames(VtuGrid& grid, const FrameFields& fields, std::vector<std::size_t> states,
                                             bool in_single = false,
                                             std::shared_ptr<ExtracellularPotential> extracellular = nullptr);

}  // namespace cardiowarp
