// Elements that move bytes and compute nothing: they depend on all that the elements fetch, and store all that these
// do.

#include "app/bench/dummy_elements.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "fem/cells/aliev_panfilov.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

using Values = std::vector<Real>;

Values random_numbers(std::size_t n, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<Real> uniform(1, 2);
  Values values(n);
  for (Real& value : values) value = uniform(generator);
  return values;
}

struct Inputs {
  Mesh mesh = random_mesh({2, 1, 1}, 0.5, 7);
  std::size_t elements = mesh.tetrahedra.size();
  Values volume = random_numbers(elements, 1), phi = random_numbers(mesh.nodes.size(), 2),
         load = random_numbers(mesh.nodes.size(), 3), states = random_numbers(elements, 4);
  std::vector<Diffusivity> diffusivity = std::vector<Diffusivity>(elements, {1.5, 0.25, {0.5, 0.75, 0.125}});
  std::vector<std::uint16_t> cell_model = std::vector<std::uint16_t>(elements, 0);
};

/// What is stored of an element after one pass: numbers and states, NaN where nothing was.
using Outputs = std::vector<Values>;

Outputs moved_of_two_numbers(const Inputs& in) {
  Values now(in.elements, NAN);
  std::vector<TangentResidual> adds(in.elements, {NAN, NAN});
  CpuBackend backend;
  const Real step = 1;
  const ElementState state{in.phi.data(), in.load.data(), in.states.data(),
                           now.data(),    &step,          static_cast<Index>(in.elements)};
  backend.for_each(
      static_cast<Index>(in.elements),
      MoveReactionElements<AlievPanfilov>{in.mesh.tetrahedra.data(), in.volume.data(), state, adds.data()});
  Outputs outputs;
  for (std::size_t e = 0; e < in.elements; ++e) outputs.push_back({adds[e].tangent, adds[e].residual, now[e]});
  return outputs;
}

Outputs moved_of_general(const Inputs& in) {
  Values now(in.elements, NAN), number(general_numbers * (in.elements + 1), NAN);
  CpuBackend backend;
  const ElementArrays<CpuBackend, AlievPanfilov> elements(backend, in.mesh, in.diffusivity, {}, {AlievPanfilov{}},
                                                          in.cell_model);
  const Real step = 1;
  const ElementState state{in.phi.data(), in.load.data(), in.states.data(),
                           now.data(),    &step,          static_cast<Index>(in.elements)};
  const auto count = static_cast<Index>(in.elements);
  backend.for_each(count, MoveGeneralElements<AlievPanfilov>{elements.at(state), {count, number.data()}});
  Outputs outputs;
  for (std::size_t e = 0; e < in.elements; ++e) {
    outputs.push_back({now[e]});
    for (std::size_t k = 0; k < general_numbers; ++k) outputs[e].push_back(number[k * (in.elements + 1) + e]);
  }
  return outputs;
}

/// Element 1 stores other numbers after each of these changes.
void expect_dependence(const std::function<Outputs(const Inputs&)>& moved,
                       const std::vector<std::function<void(Inputs&)>>& changes) {
  const Inputs inputs;
  const Outputs before = moved(inputs);
  for (const Values& of_element : before)
    for (const Real value : of_element) ASSERT_FALSE(std::isnan(value));
  for (std::size_t k = 0; k < changes.size(); ++k) {
    Inputs changed = inputs;
    changes[k](changed);
    EXPECT_NE(moved(changed)[1], before[1]) << "change " << k;
  }
}

const auto corner = [](const Inputs& in, int i) { return in.mesh.tetrahedra[1][i]; };

TEST(DummyElements, OfTwoNumbersDependOnEverythingThatElementsFetch) {
  std::vector<std::function<void(Inputs&)>> changes{[](Inputs& in) { in.volume[1] += 1; },
                                                    [](Inputs& in) { in.states[1] += 1; }};
  for (int i = 0; i < 4; ++i) {
    changes.emplace_back([i](Inputs& in) { in.phi[corner(in, i)] += 1; });
    changes.emplace_back([i](Inputs& in) { in.load[corner(in, i)] += 1; });
  }
  expect_dependence(moved_of_two_numbers, changes);
}

TEST(DummyElements, OfGeneralNumbersDependOnEverythingThatElementsFetch) {
  std::vector<std::function<void(Inputs&)>> changes{
      [](Inputs& in) { in.states[1] += 1; },
      [](Inputs& in) { in.cell_model[1] += 1; },
      [](Inputs& in) { in.diffusivity[1].isotropic += 1; },
      [](Inputs& in) { in.diffusivity[1].anisotropic += 1; },
      [](Inputs& in) { in.diffusivity[1].fiber.x += 1; },
      [](Inputs& in) { in.diffusivity[1].fiber.y += 1; },
      [](Inputs& in) { in.diffusivity[1].fiber.z += 1; },
  };
  for (int i = 0; i < 4; ++i) {
    changes.emplace_back([i](Inputs& in) { in.phi[corner(in, i)] += 1; });
    changes.emplace_back([i](Inputs& in) { in.load[corner(in, i)] += 1; });
    changes.emplace_back([i](Inputs& in) { in.mesh.nodes[corner(in, i)].x += 1; });
    changes.emplace_back([i](Inputs& in) { in.mesh.nodes[corner(in, i)].y += 1; });
    changes.emplace_back([i](Inputs& in) { in.mesh.nodes[corner(in, i)].z += 1; });
  }
  expect_dependence(moved_of_general, changes);
}

}  // namespace
}  // namespace cardiowarp
