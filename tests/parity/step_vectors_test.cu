// The loops of a step over nodes and probes on the device against the CPU, and twice on the device
// (tests/support/on_both.cuh).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "app/simulation/step_law.hpp"
#include "tests/support/on_both.cuh"

namespace cardiowarp {
namespace {

using StepKernels = GpuTest;

TEST_F(StepKernels, ExtrapolateIsTheCpus) {
  for (const Index n : all_sizes) {
    SCOPED_TRACE(n);
    const Values now = random_values(n, seed), before = random_values(n, seed + 1);
    for (const Real weight : {0.0, 1.0, 0.3}) {
      const OnBoth guess([&](auto& backend) {
        const Buffer<Real> in_now = uploaded(backend, now), in_before = uploaded(backend, before),
                           out = backend.template allocate<Real>(n);
        backend.for_each(n, Extrapolate{out.data(), in_now.data(), in_before.data(), weight});
        return downloaded(backend, out);
      });
      // A product with 0 or 1 is exact; else a difference, a product and a sum.
      expect_near(guess.gpu, guess.cpu, [&](std::size_t i) {
        return weight == 0.3 ? 3 * epsilon * (std::fabs(now[i]) + weight * (std::fabs(now[i]) + std::fabs(before[i])))
                             : 0;
      });
      if (weight == 0) expect_equal(guess.gpu, now);
    }
  }
}

/// The length of a step from two errors, and the root of one.
struct LengthOfStep {
  Real* length;
  const Real *error, *before;
  CARDIOWARP_HD void operator()(Index i) const {
    const StepLaw law{1e-3, 1e-5, 5, 3};
    StepPlan plan{.time_ms = before[i], .next_ms = before[i] + 0.7, .proposed_ms = 0.7};
    law.accept(plan, 1e-3 * std::fabs(before[i]));
    law.accept(plan, 1e-3 * std::fabs(error[i]));
    law.plan_to(plan, 1000 + error[i]);
    length[2 * i] = plan.next_ms;
    length[2 * i + 1] = inverse_root(std::fabs(error[i]), 3);
  }
};

TEST_F(StepKernels, TheLawOfStepsIsTheCpusBitForBit) {
  const Index n = million;
  const Values error = random_values(n, seed), before = random_values(n, seed + 1);
  const OnBoth lengths([&](auto& backend) {
    const Buffer<Real> in_error = uploaded(backend, error), in_before = uploaded(backend, before),
                       out = backend.template allocate<Real>(2 * static_cast<std::size_t>(n));
    backend.for_each(n, LengthOfStep{out.data(), in_error.data(), in_before.data()});
    return downloaded(backend, out);
  });
  expect_equal(lengths.gpu, lengths.cpu);
  EXPECT_NE(lengths.gpu[0], lengths.gpu[2]);
}

TEST_F(StepKernels, TheLoadIsTheCpus) {
  for (const Index n : all_sizes) {
    SCOPED_TRACE(n);
    const Values phi = random_values(n, seed), source = random_values(n, seed + 1);
    const OnBoth load([&](auto& backend) {
      const Buffer<Real> in_phi = uploaded(backend, phi), in_source = uploaded(backend, source),
                         out = backend.template allocate<Real>(n);
      backend.for_each(n, StepLoad{out.data(), in_phi.data(), in_source.data(), 1 / h});
      return downloaded(backend, out);
    });
    expect_near(load.gpu, load.cpu,
                [&](std::size_t i) { return 2 * epsilon * (std::fabs(phi[i]) / h + std::fabs(source[i])); });
    EXPECT_NE(load.gpu[n / 2], 0);
  }
}

TEST_F(StepKernels, TheUpdateAndItsLargestChangeAreTheCpusBitForBit) {
  for (const Index n : all_sizes)
    for (const bool leaves_range : {false, true}) {
      SCOPED_TRACE(n);
      const Values phi = random_between(0, 1, n, seed), update = random_between(-0.1, 0.1, n, seed + 1);
      Values lowest(n, -0.3);
      if (leaves_range) lowest[n / 2] = phi[n / 2] + update[n / 2];
      const OnBoth result([&](auto& backend) {
        const Buffer<Real> out = uploaded(backend, phi), in_update = uploaded(backend, update),
                           in_lowest = uploaded(backend, lowest), largest = backend.template allocate<Real>(1);
        const Buffer<CgReport> solve = backend.template allocate<CgReport>(1);
        backend.maximum(n, largest.data(), AddUpdate{out.data(), in_update.data(), in_lowest.data(), solve.data()});
        Values values = downloaded(backend, out);
        values.push_back(backend.read(static_cast<const Real*>(largest.data())));
        return values;
      });
      expect_equal(result.gpu, result.cpu);
      EXPECT_EQ(std::isnan(result.gpu.back()), leaves_range);
    }
}

TEST_F(StepKernels, TheSourceIsTheCpusBitForBit) {
  for (const Index n : all_sizes) {
    SCOPED_TRACE(n);
    std::vector<Index> nodes(n), some;
    std::iota(nodes.begin(), nodes.end(), 0);
    std::shuffle(nodes.begin(), nodes.end(), std::mt19937(seed));
    some.assign(nodes.begin(), nodes.begin() + (n + 2) / 3);
    const OnBoth source([&](auto& backend) {
      const Buffer<Real> value = uploaded(backend, random_values(n, seed));
      const Buffer<Index> in_nodes = uploaded(backend, nodes), in_some = uploaded(backend, some);
      const Buffer<Real> whole = uploaded(backend, Values(n, 1.0)), twice = uploaded(backend, Values(some.size(), 2.0));
      backend.for_each(n, SetZero{value.data()});
      backend.for_each(n, AddAtNodes{value.data(), in_nodes.data(), whole.data(), 0.1});
      backend.for_each(static_cast<Index>(some.size()), AddAtNodes{value.data(), in_some.data(), twice.data(), 0.1});
      return downloaded(backend, value);
    });
    expect_equal(source.gpu, source.cpu);
    EXPECT_EQ(std::count(source.gpu.begin(), source.gpu.end(), 0.1 + 0.2), (n + 2) / 3);
    EXPECT_EQ(std::count(source.gpu.begin(), source.gpu.end(), 0.1), n - (n + 2) / 3);
  }
}

TEST_F(StepKernels, TheInverseDiagonalIsTheCpusBitForBit) {
  for (const Index n : all_sizes) {
    SCOPED_TRACE(n);
    std::vector<Index> slot(n);
    std::iota(slot.begin(), slot.end(), n);  // values 0 .. n are no diagonal
    std::shuffle(slot.begin(), slot.end(), std::mt19937(seed));
    const Values value = random_between(0.5, 50, 2 * n, seed);
    const OnBoth inverse([&](auto& backend) {
      const Buffer<Index> in_slot = uploaded(backend, slot);
      const Buffer<Real> in_value = uploaded(backend, value), out = backend.template allocate<Real>(n);
      backend.for_each(n, InvertDiagonal{in_slot.data(), in_value.data(), out.data()});
      return downloaded(backend, out);
    });
    expect_equal(inverse.gpu, inverse.cpu);
    EXPECT_EQ(inverse.gpu[n / 2], 1 / value[slot[n / 2]]);
  }
}

TEST_F(StepKernels, TheMapsOfTheBeatAreTheCpus) {
  constexpr int steps = 6;
  constexpr Real step_ms = 0.7, activation_phi = AlievPanfilov::scaling.phi_from_mv(0);
  for (const Index n : all_sizes) {
    SCOPED_TRACE(n);
    std::vector<Values> phi;  // [steps + 1][n] below and above the level of activation in turn; now and then on it
    for (int step = 0; step <= steps; ++step) {
      phi.push_back(random_between(-0.1, step % 2 == 0 ? 0.7 : 1.2, n, seed + step));
      for (Index i = step; i < n; i += 17) phi.back()[i] = activation_phi;
    }
    const OnBoth all_maps([&](auto& backend) {
      const Buffer<Real> activation = backend.template allocate<Real>(n), apd90 = backend.template allocate<Real>(n),
                         peak = backend.template allocate<Real>(n);
      const BeatMaps maps{activation.data(), apd90.data(), peak.data(), activation_phi};
      Buffer<Real> before = uploaded(backend, phi[0]);
      backend.for_each(n, StartMaps{maps, before.data()});
      for (int step = 1; step <= steps; ++step) {
        Buffer<Real> now = uploaded(backend, phi[step]);
        backend.for_each(n, RecordMaps{maps, (step - 1) * step_ms, step * step_ms, before.data(), now.data()});
        before.swap(now);
      }
      Values values;
      for (const Buffer<Real>* map : {&activation, &apd90, &peak}) {
        const Values part = downloaded(backend, *map);
        values.insert(values.end(), part.begin(), part.end());
      }
      return values;
    });
    // A crossing is a quotient added to a time: no product stands before a sum, except where its level, 0.1 · peak, has
    // φ taken off. That shifts the level by at most ε · 0.1 · peak, and the time by that over the slope.
    expect_near(all_maps.gpu, all_maps.cpu, [&](std::size_t k) {
      if (k < std::size_t(n) || k >= 2 * std::size_t(n)) return 0.0;
      const std::size_t i = k - n;
      Real smallest_change = 2;
      for (int step = 1; step <= steps; ++step)
        smallest_change = std::min(smallest_change, std::fabs(phi[step][i] - phi[step - 1][i]));
      return epsilon * (step_ms * 0.1 * 1.2 / smallest_change + 4 * steps * step_ms);
    });
    const auto positive = [](Real value) { return value > 0; };
    if (n < 97) continue;
    const auto apd90 = all_maps.gpu.begin() + n;
    EXPECT_GT(std::count_if(all_maps.gpu.begin(), apd90, positive), n / 4);
    EXPECT_GT(std::count_if(apd90, apd90 + n, positive), n / 20);
  }
}

TEST_F(StepKernels, ThePotentialAtProbesIsTheCpus) {
  constexpr Index nodes = 1000;
  const Values phi = random_values(nodes, seed);
  std::mt19937 generator(seed);
  for (const Index n : all_sizes) {
    SCOPED_TRACE(n);
    std::vector<ProbePoint> probes(n);
    const Values weights = random_values(4 * std::size_t(n), seed + 1);
    for (Index i = 0; i < n; ++i)
      for (int k = 0; k < 4; ++k) {
        probes[i].nodes[k] = static_cast<Index>(generator() % nodes);
        probes[i].weights[k] = weights[4 * std::size_t(i) + k];
      }
    const OnBoth value([&](auto& backend) {
      const Buffer<ProbePoint> in_probes = uploaded(backend, probes);
      const Buffer<Real> in_phi = uploaded(backend, phi), out = backend.template allocate<Real>(n);
      backend.for_each(n, ProbePotential{in_probes.data(), in_phi.data(), out.data()});
      return downloaded(backend, out);
    });
    expect_near(value.gpu, value.cpu, [&](std::size_t i) {  // four products, four sums
      Real magnitude = 0;
      for (int k = 0; k < 4; ++k) magnitude += std::fabs(probes[i].weights[k] * phi[probes[i].nodes[k]]);
      return 8 * epsilon * magnitude;
    });
    EXPECT_NE(value.gpu[n / 2], 0);
  }
}

}  // namespace
}  // namespace cardiowarp
