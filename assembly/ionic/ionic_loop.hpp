#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fem/cells/ionic_model.hpp"
#include "fem/cells/reaction_element.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

// The loop over the cells of ionic models, which are at the nodes (vertex_points.hpp). A cell of a large model does
// some thousand operations and moves some hundred bytes, so that it is evaluated in a launch of its own, and what it
// adds to its node is stored: 16 bytes. That also lets each model be compiled once for each backend, in a source of its
// own that CMake makes from ionic_loop.cpp.in or ionic_loop.cu.in, and lets models be mixed in a tissue.

/// Integration points at nodes, in backend memory.
struct IonicPoints {
  Index number;                     ///< of the points of one model
  const Index* point;               ///< [number] which these are among all; null: all of them
  const Index* node;                ///< [all points]
  const std::uint16_t* cell_model;  ///< [all points] index into the cells of the tissue
  const Real* volume;               ///< [all points] mm³
  TangentResidual* adds;            ///< [all points] out: what each adds to K_II and R_I
};

/// The loop of one model over its points, on one backend.
template <Backend B>
class IonicLoop {
 public:
  virtual ~IonicLoop() = default;
  /// The states at the end of the step, and what each point adds.
  virtual void evaluate(B& backend, const IonicPoints& points, const ElementState& state) const = 0;
};

/// The loop of a model. `cells` are all of the tissue, also those of other models; `scaling` is the tissue's.
template <Backend B>
std::unique_ptr<IonicLoop<B>> make_ionic_loop(B& backend, const IonicModel& model, std::span<const IonicCell> cells,
                                              const Scaling& scaling);

}  // namespace cardiowarp
