#pragma once
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "app/simulation/problem.hpp"
#include "app/simulation/simulation.hpp"
#include "fem/scaling.hpp"
#include "kernels/backend/backend.hpp"
#include "kernels/backend/buffer.hpp"

namespace cardiowarp {

// The watch over potentials that no cell model describes, so that a run can warn of them however short they last. A
// BackendSimulation has a FarPotentials and shows it each state that a step ends with. Only a problem that may bring a
// potential that far (may_go_far()) is watched: that takes 16 bytes a node of backend memory and one pass over the
// potential a step. Any other costs nothing.

/// How far from 0 a potential may be, mV, before a run says so. A membrane breaks down at half a volt to one, and no
/// cell model was made for it, although each has an answer there: that of `bueno_orovio` leaves what is strongly
/// hyperpolarized where it is for hundreds of ms.
inline constexpr Real largest_potential_mv = 500;

/// Whether something in the problem can bring a potential beyond largest_potential_mv: its stimuli, a potential that it
/// begins with, or one that is prescribed.
bool may_go_far(const Problem& problem);

/// Keeps the potential of each node that was the farthest from 0, and when.
struct RecordFar {
  const Real* phi;
  Real *far_mv, *far_ms;  ///< [nodes] 0 where none was beyond largest_potential_mv
  Scaling scaling;
  Real now_ms;
  CARDIOWARP_HD void operator()(Index node) const {
    const Real now_mv = scaling.mv_from_phi(phi[node]), distance = std::fabs(now_mv);
    if (!(distance > largest_potential_mv) || distance <= std::fabs(far_mv[node])) return;
    far_mv[node] = now_mv;
    far_ms[node] = now_ms;
  }
};

/// The watch in the memory of backend B.
template <Backend B>
class FarPotentials {
 public:
  /// With φ [nodes] at t = 0, backend memory.
  FarPotentials(B& backend, const Problem& problem, const Real* phi) : scaling_(problem.scaling()) {
    if (!may_go_far(problem)) return;
    for (Buffer<Real>* vector : {&far_mv_, &far_ms_}) *vector = backend.template allocate<Real>(problem.phi.size());
    record(backend, phi, 0);
  }

  /// φ [nodes] after a step that ended by `now_ms`.
  void record(B& backend, const Real* phi, Real now_ms) {
    if (const auto nodes = static_cast<Index>(far_mv_.size()); nodes > 0)
      backend.for_each(nodes, RecordFar{phi, far_mv_.data(), far_ms_.data(), scaling_, now_ms});
  }

  /// The farthest so far; waits for the backend. `node_in_input` has the input's number of each node.
  std::optional<FarPotential> farthest(B& backend, const std::vector<Index>& node_in_input) {
    std::vector<Real> far_mv(far_mv_.size()), far_ms(far_ms_.size());
    if (far_mv.empty()) return std::nullopt;
    backend.download(static_cast<const Real*>(far_mv_.data()), std::span<Real>(far_mv));
    backend.download(static_cast<const Real*>(far_ms_.data()), std::span<Real>(far_ms));
    std::optional<FarPotential> farthest;
    for (std::size_t i = 0; i < far_mv.size(); ++i)
      if (std::fabs(far_mv[i]) > (farthest ? std::fabs(farthest->potential_mv) : 0))
        farthest = {far_mv[i], far_ms[i], node_in_input[i]};
    return farthest;
  }

 private:
  Scaling scaling_;
  Buffer<Real> far_mv_, far_ms_;
};

}  // namespace cardiowarp
