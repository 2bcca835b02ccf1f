#pragma once
#include <memory>
#include <span>
#include <vector>

#include "app/output/frame_writer.hpp"
#include "fem/diffusivity.hpp"

namespace cardiowarp {

class ExtracellularPotential;
struct Mesh;

/// The files of such frames, whose times potential.case lists.
std::unique_ptr<FrameLayout> make_ensight_layout(const FrameFields& fields);

/// Frames in EnSight Gold's binary format: the mesh, `fiber` and `region` are written once, with the first frame, and
/// each frame is a file a field in single precision, 4 bytes a node or element: no reader of this format takes doubles.
/// Nothing is compressed. `states` are the numbers in the cell model of those that `fields` names, `extracellular`
/// gives `phi_e`, where `fields` has it; mesh and tissue, [elements], of which the fibers are taken, outlive the
/// writer.
std::unique_ptr<FrameWriter> make_ensight_frames(const Mesh& mesh, std::span<const Diffusivity> tissue,
                                                 const FrameFields& fields, std::vector<std::size_t> states,
                                                 std::shared_ptr<ExtracellularPotential> extracellular = nullptr);

}  // namespace cardiowarp
