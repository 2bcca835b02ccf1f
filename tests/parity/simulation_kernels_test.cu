// Every loop body of a step on the device against the CPU, and twice on the device: the second time must give the same
// bits. A device rounds a product and the addition behind it once, a CPU may round twice. So what has no product in
// front of an addition must be the CPU's bit for bit; elsewhere the bound is (rounded operations) · ε · (the expression
// with every term made positive), since either machine is off by at most half of that.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "app/simulation/backend_simulation.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "app/simulation/step_kernels.cuh"
#include "fem/tetrahedron.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/random_csr.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

using StepKernels = GpuTest;

constexpr unsigned seed = 31;
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();
constexpr Real h = 1.0 / 16;  // τ; products with 1 / h are exact
constexpr Index million = 1'000'000;
const std::vector<Index> small_sizes{1, 31, 32, 33, 97}, all_sizes{1, 31, 32, 33, 97, million};

using Values = std::vector<Real>;

Values random_between(Real low, Real high, std::size_t n, unsigned seed_of_values) {
  Values values = random_values(n, seed_of_values);
  for (Real& value : values) value = low + (high - low) * (value + 1) / 2;
  return values;
}

template <Backend B, class T>
std::vector<T> downloaded(B& backend, const T* memory, std::size_t n) {
  std::vector<T> host(n);
  backend.download(memory, std::span<T>(host));
  return host;
}

template <Backend B, class T>
std::vector<T> downloaded(B& backend, const Buffer<T>& buffer) {
  return downloaded(backend, static_cast<const T*>(buffer.data()), buffer.size());
}

bool same_bits(const Values& a, const Values& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

/// |values − expected| <= bound(i), and NaN in the same places.
template <class Bound>
void expect_near(const Values& values, const Values& expected, const Bound& bound) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(expected[i]))
      ASSERT_TRUE(std::isnan(values[i])) << "at " << i << ": " << values[i];
    else
      ASSERT_LE(std::fabs(values[i] - expected[i]), bound(i)) << "at " << i << ": " << values[i] << ", " << expected[i];
  }
}

void expect_equal(const Values& values, const Values& expected) {
  expect_near(values, expected, [](std::size_t) { return 0; });
}

/// The device's result of `compute(backend)`, which must be the same bits twice, and the CPU's: a Values each.
struct OnBoth {
  template <class Compute>
  explicit OnBoth(const Compute& compute) {
    CudaBackend device;
    CpuBackend host;
    gpu = compute(device);
    cpu = compute(host);
    EXPECT_TRUE(same_bits(gpu, compute(device))) << "two runs on the device differ";
    EXPECT_FALSE(gpu.empty());
  }
  Values gpu, cpu;
};

// Vectors

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
      backend.for_each(n, SetZero{value.data()});
      backend.for_each(n, AddAtNodes{value.data(), in_nodes.data(), 0.1});
      backend.for_each(static_cast<Index>(some.size()), AddAtNodes{value.data(), in_some.data(), 0.2});
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
  constexpr Real step_ms = 0.7;
  for (const Index n : all_sizes) {
    SCOPED_TRACE(n);
    std::vector<Values> phi;  // [steps + 1][n] below and above the level of activation in turn; now and then on it
    for (int step = 0; step <= steps; ++step) {
      phi.push_back(random_between(-0.1, step % 2 == 0 ? 0.7 : 1.2, n, seed + step));
      for (Index i = step; i < n; i += 17) phi.back()[i] = BeatMaps::activation_phi;
    }
    const OnBoth all_maps([&](auto& backend) {
      const Buffer<Real> activation = backend.template allocate<Real>(n), apd90 = backend.template allocate<Real>(n),
                         peak = backend.template allocate<Real>(n);
      const BeatMaps maps{activation.data(), apd90.data(), peak.data()};
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

// Products

/// A random matrix in compressed rows and, in their own numbering, as K1rs; with a vector.
struct Product {
  explicit Product(Index n)
      : csr(awkward_row_lengths(n, seed), seed + 1),
        absolute(csr),
        layout(ell_warp_layout(csr.length, csr.column,
                               {EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 1, 1024})),
        x(random_values(n, seed + 2)),
        absolute_x(x),
        longest(*std::max_element(csr.length.begin(), csr.length.end())) {
    for (Values* values : {&absolute.value, &absolute_x})
      for (Real& value : *values) value = std::fabs(value);
  }
  RandomCsr csr, absolute;
  EllWarpLayout layout;
  Values x, absolute_x;
  Index longest;
};

/// Calls `visit(view)` with the matrix in backend memory.
struct AsCsr {
  template <Backend B, class Visit>
  static void visit(B& backend, const Product&, const RandomCsr& csr, const Visit& visit) {
    const Buffer<Index> row_begin = uploaded(backend, csr.row_begin), column = uploaded(backend, csr.column);
    const Buffer<Real> value = uploaded(backend, csr.value);
    visit(CsrView{static_cast<Index>(csr.length.size()), row_begin.data(), column.data(), value.data()});
  }
};
struct AsK1rs {
  template <Backend B, class Visit>
  static void visit(B& backend, const Product& product, const RandomCsr& csr, const Visit& visit) {
    EllWarpMatrix A(backend, product.layout);
    Values stored(product.layout.shape.stored_entries());
    for (std::size_t entry = 0; entry < csr.value.size(); ++entry)
      stored[product.layout.slot_of_entry[entry]] = csr.value[entry];
    backend.upload(std::span<const Real>(stored), A.value());
    visit(A.view());
  }
};

template <class Format, Backend B>
Values multiply(B& backend, const Product& product, const RandomCsr& csr, const Values& x) {
  const Buffer<Real> in = uploaded(backend, x), out = backend.template allocate<Real>(x.size());
  Format::visit(backend, product, csr, [&](const auto& A) {
    backend.for_each(A.rows, RowsTimesVector<std::decay_t<decltype(A)>>{A, in.data(), out.data()});
    backend.synchronize();
  });
  return downloaded(backend, out);
}

/// A x and, behind it, x·A x.
template <class Format, Backend B>
Values multiply_dot(B& backend, const Product& product) {
  const Buffer<Real> in = uploaded(backend, product.x), out = backend.template allocate<Real>(product.x.size()),
                     dot = backend.template allocate<Real>(1);
  Format::visit(backend, product, product.csr, [&](const auto& A) {
    backend.template sum<1>(A.rows, dot.data(),
                            RowsTimesVectorDot<std::decay_t<decltype(A)>>{A, in.data(), out.data()});
    backend.synchronize();
  });
  Values values = downloaded(backend, out);
  values.push_back(backend.read(static_cast<const Real*>(dot.data())));
  return values;
}

/// Additions one after the other in a sum of n terms on the CPU, products before them counted as one; a GPU has fewer.
Real additions(Index n) { return 1 + 256 + n / 1024; }

template <class Format>
void expect_products_of_the_cpu(const Product& product) {
  const Index n = static_cast<Index>(product.x.size());
  CpuBackend cpu;
  const Values magnitude = multiply<Format>(cpu, product, product.absolute, product.absolute_x);
  const Real row_bound = 2 * product.longest * epsilon;  // a product and a sum an entry
  const auto bound = [&](std::size_t i) { return row_bound * magnitude[i]; };

  const OnBoth plain([&](auto& backend) { return multiply<Format>(backend, product, product.csr, product.x); });
  expect_near(plain.gpu, plain.cpu, bound);
  EXPECT_GT(*std::max_element(plain.gpu.begin(), plain.gpu.end()), n == 1 ? -1 : 0.1);

  OnBoth with_dot([&](auto& backend) { return multiply_dot<Format>(backend, product); });
  const Real total = std::inner_product(magnitude.begin(), magnitude.end(), product.absolute_x.begin(), Real(0));
  EXPECT_NEAR(with_dot.gpu.back(), with_dot.cpu.back(), (epsilon * additions(n) + row_bound) * total);
  with_dot.gpu.pop_back();
  with_dot.cpu.pop_back();
  expect_near(with_dot.gpu, with_dot.cpu, bound);
}

TEST_F(StepKernels, ProductsOfCompressedRowsAndK1rsAndTheirDotsAreTheCpus) {
  for (const Index n : all_sizes) {
    SCOPED_TRACE(n);
    const Product product(n);
    expect_products_of_the_cpu<AsCsr>(product);
    expect_products_of_the_cpu<AsK1rs>(product);
  }
}

TEST_F(StepKernels, TheDotOfTwoVectorsIsTheCpus) {
  for (const Index n : all_sizes) {
    SCOPED_TRACE(n);
    const Values p = random_values(n, seed), q = random_values(n, seed + 1);
    const OnBoth dot([&](auto& backend) {
      const Buffer<Real> in_p = uploaded(backend, p), in_q = uploaded(backend, q),
                         out = backend.template allocate<Real>(1);
      backend.template sum<1>(n, out.data(), Dot{in_p.data(), in_q.data()});
      return downloaded(backend, out);
    });
    Real total = 0;
    for (Index i = 0; i < n; ++i) total += std::fabs(p[i] * q[i]);
    EXPECT_NEAR(dot.gpu[0], dot.cpu[0], epsilon * additions(n) * total);
    EXPECT_NE(dot.gpu[0], 0);
  }
}

// Elements

/// n tetrahedra, each of four nodes in a row along a helix (Boerdijk and Coxeter's) whose nodes are moved at random by
/// up to a tenth of an edge; nodes and elements in random order.
Mesh chain_mesh(Index n) {
  const Real angle = std::acos(-2.0 / 3), radius = 0.3 * std::sqrt(3.0), rise = std::sqrt(0.1);
  const Values shift = random_between(-0.05, 0.05, 3 * (std::size_t(n) + 3), seed);
  Mesh mesh;
  for (Index i = 0; i < n + 3; ++i)
    mesh.nodes.push_back({radius * std::cos(i * angle) + shift[3 * std::size_t(i)],
                          radius * std::sin(i * angle) + shift[3 * std::size_t(i) + 1],
                          rise * i + shift[3 * std::size_t(i) + 2]});
  for (Index e = 0; e < n; ++e) {
    Tetrahedron nodes{e, e + 1, e + 2, e + 3};
    if (tetrahedron_geometry(mesh.nodes, nodes).volume < 0) std::swap(nodes[2], nodes[3]);
    mesh.tetrahedra.push_back(nodes);
  }
  mesh.element_tags.assign(n, 0);
  return renumbered(mesh, seed).mesh;
}

/// n tetrahedra around one edge, whose two nodes have rows of n + 2 entries.
Mesh wheel_mesh(Index n) {
  Mesh mesh;
  mesh.nodes = {{0, 0, 0}, {0, 0, 1}};
  for (Index i = 0; i < n; ++i) {
    const Real angle = 2 * std::acos(-1.0) * i / n;
    mesh.nodes.push_back({std::cos(angle), std::sin(angle), 0.5});
    mesh.tetrahedra.push_back({0, 1, 2 + i, 2 + (i + 1) % n});
  }
  mesh.element_tags.assign(n, 0);
  return renumbered(mesh, seed).mesh;
}

/// Two cell models and a random diffusivity for each element.
Problem problem_on(const Mesh& mesh) {
  const std::size_t n = mesh.tetrahedra.size();
  Problem problem = resting_problem(mesh, 1, 1);
  problem.cell_models.push_back({.alpha = 0.1, .gamma = 0.004, .c = 6});
  const Values isotropic = random_between(0.5, 1, n, seed), anisotropic = random_between(0, 1, n, seed + 1),
               direction = random_values(3 * n, seed + 2);
  for (std::size_t e = 0; e < n; ++e) {
    const Vector3 fiber{direction[3 * e], direction[3 * e + 1], 1.5 + direction[3 * e + 2]};
    problem.cell_model[e] = static_cast<std::uint16_t>(e % 2);
    problem.diffusivity[e] = {isotropic[e], anisotropic[e], (1 / norm(fiber)) * fiber};
  }
  return problem;
}

struct State {
  /// With `broken`, at some nodes the cell models have no value (μ2 = 0.3).
  State(const Mesh& mesh, bool broken)
      : phi(random_between(-0.1, 1.1, mesh.nodes.size(), seed + 3)),
        load(random_between(-0.1 / h - 1, 1.1 / h + 5, mesh.nodes.size(), seed + 4)),
        recovery_old(random_between(0, 2, mesh.tetrahedra.size(), seed + 6)) {
    const Real no_value[] = {-0.3, -0.31, std::nan("")};
    for (std::size_t i = 3; broken && i < phi.size(); i += 31) phi[i] = no_value[i / 31 % 3];
  }
  Values phi, load, recovery_old;
};

template <Backend B>
struct StateOn {
  StateOn(B& backend, const State& state)
      : phi(uploaded(backend, state.phi)),
        load(uploaded(backend, state.load)),
        recovery_old(uploaded(backend, state.recovery_old)),
        recovery(backend.template allocate<Real>(state.recovery_old.size())),
        step(uploaded(backend, Values{h})) {}
  ElementState view() const { return {phi.data(), load.data(), recovery_old.data(), recovery.data(), step.data()}; }
  Buffer<Real> phi, load, recovery_old, recovery, step;
};

/// How far two machines may be apart in what one element adds to an entry of K and of R, and in its recovery.
///
/// In a State |φ| <= 1.1, |r| < 2.5, c <= 8, h = 1/16: with every term made positive, the brackets of tangent and
/// residual stay below 64 (1/h = 16; ∂f/∂φ below 32; dr/dφ below 5; φ/h at most 18; f below 14; load at most 23) and r
/// below 4, each after fewer than 64 operations. The equation of r has B > 0.9: nothing cancels.
///
/// A gradient is a cross product over 6 V: at most g = 2 |b| |c| / 6V, three times that for G_0, and 6 V has a relative
/// error of 12 κ half ulps with κ = 2 |a| |b| |c| / 6V. V D G·G has V and two gradients in it, fewer than 64 κ in all.
struct ElementBound {
  Real entry = 0, node = 0;  ///< absolute
  Real entry_magnitude = 0, node_magnitude = 0, shape = 0;
};
constexpr Real recovery_bound = 64 * epsilon * 4;

ElementBound element_bound(const Problem& problem, Index e) {
  const Tetrahedron& node = problem.mesh->tetrahedra[e];
  const auto edge = [&](int k) { return norm(problem.mesh->nodes[node[k]] - problem.mesh->nodes[node[0]]); };
  const Real a = edge(1), b = edge(2), c = edge(3), volume = tetrahedron_geometry(problem.mesh->nodes, node).volume;
  const Real gradient = 3 * 2 * std::max({a * b, b * c, c * a}) / (6 * volume);
  const Real diffusion =
      volume * (problem.diffusivity[e].isotropic + problem.diffusivity[e].anisotropic) * gradient * gradient;
  ElementBound bound;
  bound.shape = 2 * a * b * c / (6 * volume);
  bound.entry_magnitude = volume / 16 * 64 + diffusion;
  bound.node_magnitude = volume / 4 * 64 + 4 * 1.1 * diffusion;
  bound.entry = 64 * bound.shape * epsilon * bound.entry_magnitude;
  bound.node = 64 * bound.shape * epsilon * bound.node_magnitude;
  return bound;
}

void expect_some_nan(const Values& values, bool broken) {
  const auto nan = std::count_if(values.begin(), values.end(), [](Real value) { return std::isnan(value); });
  EXPECT_EQ(nan > 0, broken);
  if (values.size() >= 31 * 4) EXPECT_LT(nan, static_cast<std::ptrdiff_t>(values.size() / 2));
}

TEST_F(StepKernels, TheTwoNumbersOfAnElementAreTheCpusAndNotANumberInTheSamePlaces) {
  for (const Index n : all_sizes)
    for (const bool broken : {false, true}) {
      SCOPED_TRACE(n);
      const Mesh mesh = chain_mesh(n);
      ASSERT_EQ(mesh.tetrahedra.size(), std::size_t(n));
      const Problem problem = problem_on(mesh);
      const State state(mesh, broken);
      Values volume;
      for (const Tetrahedron& nodes : mesh.tetrahedra) volume.push_back(tetrahedron_geometry(mesh.nodes, nodes).volume);
      ASSERT_GT(*std::min_element(volume.begin(), volume.end()), 0.05);
      const OnBoth numbers([&](auto& backend) {
        const StateOn on(backend, state);
        const auto nodes = uploaded(backend, mesh.tetrahedra);
        const auto cell_models = uploaded(backend, problem.cell_models);
        const auto cell_model = uploaded(backend, problem.cell_model);
        const auto in_volume = uploaded(backend, volume);
        const auto adds = backend.template allocate<TangentResidual>(n);
        backend.for_each(n, ReactionElements<AlievPanfilov>{nodes.data(), in_volume.data(), cell_models.data(),
                                                            cell_model.data(), on.view(), adds.data()});
        Values values, residual;
        for (const TangentResidual& of_element : downloaded(backend, adds)) {
          values.push_back(of_element.tangent);
          residual.push_back(of_element.residual);
        }
        for (const Values& more : {residual, downloaded(backend, on.recovery)})
          values.insert(values.end(), more.begin(), more.end());
        return values;
      });
      expect_near(numbers.gpu, numbers.cpu, [&](std::size_t k) {
        const Real e_volume = volume[k % n];
        return k < std::size_t(n)       ? 64 * epsilon * 64 * e_volume / 16
               : k < 2 * std::size_t(n) ? 64 * epsilon * 64 * e_volume / 4
                                        : recovery_bound;
      });
      expect_some_nan(numbers.gpu, broken);
    }
}

TEST_F(StepKernels, TheTwentyNumbersOfAnElementAreTheCpusAndNotANumberInTheSamePlaces) {
  for (const Index n : all_sizes)
    for (const bool broken : {false, true}) {
      SCOPED_TRACE(n);
      const Mesh mesh = chain_mesh(n);
      const Problem problem = problem_on(mesh);
      const State state(mesh, broken);
      std::vector<std::uint32_t> slot(16 * std::size_t(n));  // value by value, as the contributions are numbered
      std::iota(slot.begin(), slot.end(), 0u);
      const OnBoth numbers([&](auto& backend) {
        const StateOn on(backend, state);
        const auto nodes = uploaded(backend, mesh.tetrahedra);
        const auto position = uploaded(backend, mesh.nodes);
        const auto diffusivity = uploaded(backend, problem.diffusivity);
        const auto cell_models = uploaded(backend, problem.cell_models);
        const auto cell_model = uploaded(backend, problem.cell_model);
        const auto in_slot = uploaded(backend, slot);
        const Buffer<Real> entries = backend.template allocate<Real>(16 * std::size_t(n)),
                           rows = backend.template allocate<Real>(4 * std::size_t(n));
        backend.for_each(
            n, MonodomainElements<AlievPanfilov>{nodes.data(), position.data(), diffusivity.data(), cell_models.data(),
                                                 cell_model.data(), on.view(), n, in_slot.data(), in_slot.data(),
                                                 entries.data(), rows.data()});
        Values values = downloaded(backend, entries);
        for (const Buffer<Real>* more : {&rows, &on.recovery}) {
          const Values part = downloaded(backend, *more);
          values.insert(values.end(), part.begin(), part.end());
        }
        return values;
      });
      std::vector<ElementBound> bound;
      for (Index e = 0; e < n; ++e) bound.push_back(element_bound(problem, e));
      expect_near(numbers.gpu, numbers.cpu, [&](std::size_t k) {
        const std::size_t of_entries = 16 * std::size_t(n), of_rows = 20 * std::size_t(n);
        return k < of_entries ? bound[k % n].entry : k < of_rows ? bound[k % n].node : recovery_bound;
      });
      expect_some_nan(numbers.gpu, broken);
    }
}

// Assembly

/// A cell model without a product before a sum, so that two machines agree on its elements bit for bit.
struct PlainModel {
  struct Rates {
    Real f, df_dphi, df_dr, g, dg_dphi, dg_dr;
  };
  CARDIOWARP_HD bool admissible(Real) const { return true; }
  CARDIOWARP_HD Rates rates(Real phi, Real) const { return {phi, phi, 0, 0, 0, 0}; }
};

const MatrixOptions as_csr{.format = MatrixFormat::csr},
    as_k1rs{MatrixFormat::ell_warp, {EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 2, 64}, 0},
    as_k2{MatrixFormat::ell_warp, {EllWarpVariant::k2, EllWarpRenumbering::none, 2, 64}, 0};

/// K [slots], −R and 1 / K_II [nodes], one behind the other.
template <Backend B>
Values assembled(B& backend, const SimulationPlan& plan, Assembly<B>& assembly, const ElementState& state,
                 const Real* phi) {
  const std::size_t nodes = plan.problem().mesh->nodes.size();
  const auto K = make_global_matrix(backend, plan.sparsity, plan.matrix);
  const Buffer<Real> negative_residual = uploaded(backend, Values(nodes, NAN)),
                     inverse_diagonal = uploaded(backend, Values(nodes, NAN));
  assembly.evaluate_elements(backend, state);
  assembly.assemble(backend, *K, phi, negative_residual.data(), inverse_diagonal.data());
  Values values = downloaded(backend, K->value(), plan.matrix.slots);
  for (const Buffer<Real>* more : {&negative_residual, &inverse_diagonal}) {
    const Values part = downloaded(backend, *more);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

TEST_F(StepKernels, TheScalarGatherIsTheCpusBitForBitWhereTheElementsAre) {
  std::vector<Mesh> meshes{wheel_mesh(300)};
  for (const Index n : all_sizes) meshes.push_back(chain_mesh(n));
  for (const Mesh& mesh : meshes)
    for (const MatrixOptions& matrix : {as_csr, as_k1rs}) {
      SCOPED_TRACE(std::to_string(mesh.tetrahedra.size()) + " elements, " + format_name(matrix));
      Problem problem = problem_on(mesh);
      problem.matrix = matrix;
      const SimulationPlan plan = plan_simulation(problem, gpu_device());
      const ScalarGatherPlan gather =
          scalar_gather_plan(*plan.problem().mesh, plan.problem().diffusivity, plan.sparsity, plan.matrix);
      const State state(mesh, false);
      const OnBoth system([&]<Backend B>(B& backend) {
        const StateOn<B> on(backend, state);
        ScalarGather<B, PlainModel> assembly(backend, gather, plan.problem().mesh->tetrahedra,
                                             {PlainModel{}, PlainModel{}}, plan.problem().cell_model);
        // At φ = 0 the products of the diffusion part are exact.
        const Buffer<Real> zero = backend.template allocate<Real>(mesh.nodes.size());
        return assembled<B>(backend, plan, assembly, on.view(), zero.data());
      });
      expect_equal(system.gpu, system.cpu);
      expect_some_nan(system.gpu, false);
      EXPECT_NE(system.gpu[plan.matrix.slot_of_entry[0]], 0);
      EXPECT_NE(system.gpu[plan.matrix.slots], 0);
    }
}

/// Every variant, straight and through CSR; for many elements one of each kernel.
std::vector<AssemblyOptions> assemblies_for(Index elements) {
  if (elements < million) return all_assemblies(all_variants(2, 64));
  return {{},
          {AssemblyStrategy::spmv, {EllWarpVariant::k1, EllWarpRenumbering::none, 2, 1024}, 0, false},
          {AssemblyStrategy::spmv, {EllWarpVariant::k2, EllWarpRenumbering::rows, 2, 1024}, 0, true}};
}

std::string name_of(const AssemblyOptions& assembly, const MatrixOptions& matrix, const Mesh& mesh) {
  return std::to_string(mesh.tetrahedra.size()) + " elements, " + strategy_name(assembly) +
         (assembly.through_csr ? " through CSR, " : ", ") + format_name(matrix);
}

TEST_F(StepKernels, SumsOfContributionsAreTheCpusBitForBit) {
  std::vector<Mesh> meshes{wheel_mesh(300)};
  for (const Index n : all_sizes) meshes.push_back(chain_mesh(n));
  for (const Mesh& mesh : meshes) {
    const Index elements = static_cast<Index>(mesh.tetrahedra.size());
    for (const AssemblyOptions& assembly : assemblies_for(elements)) {
      if (assembly.strategy != AssemblyStrategy::spmv) continue;
      SCOPED_TRACE(name_of(assembly, as_csr, mesh));
      Problem problem = problem_on(mesh);
      problem.matrix = as_csr;
      problem.assembly = assembly;
      const SimulationPlan plan = plan_simulation(problem, gpu_device());
      const auto& spmv = std::get<SpmvAssemblyPlan>(plan.assembly);
      const Values contribution = random_values(16 * std::size_t(elements), seed);
      const auto sums = [&](const SummationPlan& summation, std::size_t rows) {
        Values stored(summation.layout.shape.stored_entries());
        for (std::size_t k = 0; k < summation.slots.size(); ++k) stored[summation.slots[k]] = contribution[k];
        return OnBoth([&]<Backend B>(B& backend) {
          Summation<B> sum(backend, summation, assembly.block_size);
          backend.upload(std::span<const Real>(stored), sum.contributions());
          const Buffer<Real> out = uploaded(backend, Values(rows, NAN));
          sum.sum(backend, out.data());
          return downloaded(backend, out);
        });
      };
      for (const OnBoth& both : {sums(spmv.entries, plan.sparsity.entries()), sums(spmv.nodes, plan.sparsity.rows())}) {
        expect_equal(both.gpu, both.cpu);
        expect_some_nan(both.gpu, false);
        EXPECT_NE(both.gpu[0], 0);
      }
    }
  }
}

void expect_system_of_the_cpu(const Mesh& mesh, const AssemblyOptions& assembly, const MatrixOptions& matrix,
                              bool broken) {
  SCOPED_TRACE(name_of(assembly, matrix, mesh) + (broken ? ", broken" : ""));
  Problem problem = problem_on(mesh);
  problem.matrix = matrix;
  problem.assembly = assembly;
  const SimulationPlan plan = plan_simulation(problem, gpu_device());
  const State state(mesh, broken);
  const OnBoth system([&]<Backend B>(B& backend) {
    const StateOn<B> on(backend, state);
    const auto assembly_on = make_assembly(backend, plan);
    return assembled<B>(backend, plan, *assembly_on, on.view(), on.phi.data());
  });

  ElementBound worst;
  for (Index e = 0; e < static_cast<Index>(mesh.tetrahedra.size()); ++e) {
    const ElementBound bound = element_bound(plan.problem(), e);
    worst.shape = std::max(worst.shape, bound.shape);
    worst.entry_magnitude = std::max(worst.entry_magnitude, bound.entry_magnitude);
    worst.node_magnitude = std::max(worst.node_magnitude, bound.node_magnitude);
  }
  // The elements at a node add up one after the other; its row has at most three entries for each and the diagonal.
  const std::vector<Index> around = row_lengths(plan.sparsity.incidence_begin);
  const Real most = *std::max_element(around.begin(), around.end());
  const Real operations = most * (64 * worst.shape + 4 * most + 1);
  const Real entry_bound = operations * epsilon * worst.entry_magnitude,
             node_bound = operations * epsilon * worst.node_magnitude;
  const std::size_t slots = plan.matrix.slots, rows = mesh.nodes.size();
  expect_near(system.gpu, system.cpu, [&](std::size_t k) {
    if (k < slots) return entry_bound;
    if (k < slots + rows) return node_bound;
    const Real inverse = system.cpu[k];  // 1 / (K_II + δ) is off by δ / K_II², to first order
    return 2 * entry_bound * inverse * inverse + epsilon * std::fabs(inverse);
  });
  expect_some_nan(system.gpu, broken);
}

TEST_F(StepKernels, TheSystemOfEveryStrategyAndFormatIsTheCpusAndNotANumberInTheSamePlaces) {
  std::vector<Mesh> meshes{wheel_mesh(300)};
  for (const Index n : small_sizes) meshes.push_back(chain_mesh(n));
  for (const Mesh& mesh : meshes)
    for (const AssemblyOptions& assembly : assemblies_for(static_cast<Index>(mesh.tetrahedra.size())))
      for (const MatrixOptions& matrix : {as_csr, as_k1rs, as_k2}) {
        expect_system_of_the_cpu(mesh, assembly, matrix, false);
        expect_system_of_the_cpu(mesh, assembly, matrix, true);
      }
}

TEST_F(StepKernels, TheSystemOfAMillionElementsIsTheCpus) {
  const Mesh mesh = chain_mesh(million);
  for (const AssemblyOptions& assembly : assemblies_for(million))
    expect_system_of_the_cpu(mesh, assembly, assembly.through_csr ? as_k2 : as_k1rs, false);
}

}  // namespace
}  // namespace cardiowarp
