#pragma once
#include <concepts>
#include <memory>
#include <stdexcept>

#include "app/config/time_scheme.hpp"
#include "app/simulation/backward_euler.hpp"
#include "app/simulation/chebyshev.hpp"
#include "app/simulation/implicit_stage.hpp"
#include "app/simulation/integrator.hpp"
#include "app/simulation/second_order.hpp"
#include "app/simulation/simulation_plan.hpp"

namespace cardiowarp {

/// The integrator of a plan's time scheme. A StepMaker without its class here does not compile.
template <Backend B>
std::unique_ptr<Integrator<B>> make_integrator(B& backend, const StagePlan<B>& plan) {
  switch (traits_of(plan.problem().time.scheme).maker) {
    case StepMaker::backward_euler:
      return std::make_unique<BackwardEuler<B>>(backend, plan);
    case StepMaker::second_order:
      return std::make_unique<SecondOrder<B>>(backend, plan);
    case StepMaker::chebyshev:
      if constexpr (std::same_as<StagePlan<B>, SimulationPlan>) return std::make_unique<Chebyshev<B>>(backend, plan);
  }
  throw std::logic_error("a time scheme that solves no systems has no steps on PETSc");
}

}  // namespace cardiowarp
