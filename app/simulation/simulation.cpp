#include "app/simulation/simulation.hpp"

#include <algorithm>

#include "app/simulation/ecg.hpp"

namespace cardiowarp {

std::span<float> SinglesHere::in(std::unique_ptr<SinglesUnderWay>& singles, std::size_t nodes) {
  auto* here = dynamic_cast<SinglesHere*>(singles.get());
  if (here == nullptr) {
    auto made = std::make_unique<SinglesHere>();
    here = made.get();
    singles = std::move(made);
  }
  here->numbers_.resize(nodes);
  return here->numbers_;
}

EcgSamples Simulation::take_ecg() { return {}; }

void Simulation::send_potential_mv(std::unique_ptr<SinglesUnderWay>& singles, std::size_t nodes) {
  std::vector<Real> potential(nodes);
  potential_mv(potential);
  std::ranges::transform(potential, SinglesHere::in(singles, nodes).begin(),
                         [](Real value) { return static_cast<float>(value); });
}

}  // namespace cardiowarp
