#pragma once
#include <memory>
#include <span>
#include <vector>

#include "app/simulation/simulation.hpp"
#include "fem/scaling.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

// How the potential leaves backend memory for frames in single precision: one loop puts it into the input's order,
// makes it mV and rounds it, and 4 bytes a node go to the host. A BackendSimulation has an Outbox where a run has such
// frames. It takes 8 bytes of backend memory a node. The numbers travel with a Courier, which on a GPU
// (courier_cuda.cuh) has a stream of its own, so that neither the next step nor the host waits for them.

/// single[input[node]] = the potential of the node in mV
struct RoundPotential {
  const Real* phi;
  const Index* input;
  Scaling scaling;
  float* single;
  CARDIOWARP_HD void operator()(Index node) const {
    single[input[node]] = static_cast<float>(scaling.mv_from_phi(phi[node]));
  }
};

/// Brings numbers to the host that a loop makes; this one waits for them.
template <Backend B>
class Courier {
 public:
  /// body(i) for i in [0, n) writes body.single, [n] backend memory that nothing else uses.
  void send(B& backend, Index n, const RoundPotential& body, std::unique_ptr<SinglesUnderWay>& singles) {
    backend.for_each(n, body);
    backend.download(static_cast<const float*>(body.single), SinglesHere::in(singles, static_cast<std::size_t>(n)));
  }
};

template <Backend B>
class Outbox {
 public:
  /// `node_in_input`: the number in the input of each node.
  Outbox(B& backend, const std::vector<Index>& node_in_input)
      : input_(backend.template allocate<Index>(node_in_input.size())),
        single_(backend.template allocate<float>(node_in_input.size())) {
    backend.upload(std::span<const Index>(node_in_input), input_.data());
  }

  void send_potential(B& backend, const Real* phi, const Scaling& scaling, std::unique_ptr<SinglesUnderWay>& singles) {
    courier_.send(backend, static_cast<Index>(input_.size()), {phi, input_.data(), scaling, single_.data()}, singles);
  }

 private:
  Buffer<Index> input_;
  Buffer<float> single_;
  Courier<B> courier_;  // last: it is destroyed first and waits for what it brings
};

}  // namespace cardiowarp
