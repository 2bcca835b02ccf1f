// What elements add on the device against the CPU, and twice on the device (tests/support/on_both.cuh).

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/support/step_elements.cuh"

namespace cardiowarp {
namespace {

template <class Cell>
class StepElements : public GpuTest {};
TYPED_TEST_SUITE(StepElements, test::AllCellModels, test::NameOfCellModel);

TYPED_TEST(StepElements, TheTwoNumbersOfAnElementAreTheCpusAndNotANumberInTheSamePlaces) {
  using Cell = TypeParam;
  for (const Index n : all_sizes)
    for (const bool broken : {false, true}) {
      SCOPED_TRACE(n);
      const Mesh mesh = chain_mesh(n);
      ASSERT_EQ(mesh.tetrahedra.size(), std::size_t(n));
      const Problem problem = problem_on<Cell>(mesh);
      const State<Cell> state(mesh, broken);
      Values volume;
      for (const Tetrahedron& nodes : mesh.tetrahedra) volume.push_back(tetrahedron_geometry(mesh.nodes, nodes).volume);
      ASSERT_GT(*std::min_element(volume.begin(), volume.end()), 0.05);
      const OnBoth numbers([&](auto& backend) {
        const StateOn<std::remove_cvref_t<decltype(backend)>> on(backend, state);
        const auto nodes = uploaded(backend, mesh.tetrahedra);
        const auto cell_models = uploaded(backend, cells_of<Cell>(problem));
        const auto cell_model = uploaded(backend, problem.cell_model);
        const auto in_volume = uploaded(backend, volume);
        const auto adds = backend.template allocate<TangentResidual>(n);
        backend.for_each(n, ReactionElements<Cell>{nodes.data(), in_volume.data(), cell_models.data(),
                                                   cell_model.data(), on.view(), adds.data()});
        Values values, residual;
        for (const TangentResidual& of_element : downloaded(backend, adds)) {
          values.push_back(of_element.tangent);
          residual.push_back(of_element.residual);
        }
        for (const Values& more : {residual, downloaded(backend, on.states)})
          values.insert(values.end(), more.begin(), more.end());
        return values;
      });
      expect_near(numbers.gpu, numbers.cpu, [&](std::size_t k) {
        const Real e_volume = volume[k % n];
        return k < std::size_t(n)       ? 64 * epsilon * 64 * sharpness<Cell> * e_volume / 16
               : k < 2 * std::size_t(n) ? 64 * epsilon * 64 * sharpness<Cell> * e_volume / 4
                                        : states_bound<Cell>;
      });
      expect_some_nan(numbers.gpu, broken);
    }
}

TYPED_TEST(StepElements, TheTwentyNumbersOfAnElementAreTheCpusAndNotANumberInTheSamePlaces) {
  using Cell = TypeParam;
  for (const Index n : all_sizes)
    for (const bool broken : {false, true}) {
      SCOPED_TRACE(n);
      const Mesh mesh = chain_mesh(n);
      const Problem problem = problem_on<Cell>(mesh);
      const State<Cell> state(mesh, broken);
      std::vector<std::uint32_t> slot(16 * std::size_t(n));  // value by value, as the contributions are numbered
      std::iota(slot.begin(), slot.end(), 0u);
      const OnBoth numbers([&](auto& backend) {
        const StateOn<std::remove_cvref_t<decltype(backend)>> on(backend, state);
        const auto nodes = uploaded(backend, mesh.tetrahedra);
        const auto position = uploaded(backend, mesh.nodes);
        const auto diffusivity = uploaded(backend, problem.diffusivity);
        const auto cell_models = uploaded(backend, cells_of<Cell>(problem));
        const auto cell_model = uploaded(backend, problem.cell_model);
        const auto in_slot = uploaded(backend, slot);
        const Buffer<Real> entries = backend.template allocate<Real>(16 * std::size_t(n)),
                           rows = backend.template allocate<Real>(4 * std::size_t(n));
        backend.for_each(n, MonodomainElements<Cell>{nodes.data(), position.data(), diffusivity.data(),
                                                     cell_models.data(), cell_model.data(), on.view(), n,
                                                     in_slot.data(), in_slot.data(), entries.data(), rows.data()});
        Values values = downloaded(backend, entries);
        for (const Buffer<Real>* more : {&rows, &on.states}) {
          const Values part = downloaded(backend, *more);
          values.insert(values.end(), part.begin(), part.end());
        }
        return values;
      });
      std::vector<ElementBound> bound;
      for (Index e = 0; e < n; ++e) bound.push_back(element_bound(problem, e));
      expect_near(numbers.gpu, numbers.cpu, [&](std::size_t k) {
        const std::size_t of_entries = 16 * std::size_t(n), of_rows = 20 * std::size_t(n);
        return k < of_entries ? sharpness<Cell> * bound[k % n].entry
               : k < of_rows  ? sharpness<Cell> * bound[k % n].node
                              : states_bound<Cell>;
      });
      expect_some_nan(numbers.gpu, broken);
    }
}

}  // namespace
}  // namespace cardiowarp
