// The assembly strategies of papers 003 and 004 on the CPU, against the scalar gather, and what they refuse.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "app/simulation/choose_assembly.hpp"
#include "app/simulation/paper_assemblies.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/libraries/metis_parts.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/assembly_case.hpp"
#include "tests/support/input_error_of.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 43;
const EllWarpOptions k1rs{EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 3, 64};

/// Two meshes as one, without a common node.
Mesh beside(Mesh a, const Mesh& b) {
  const auto nodes = static_cast<Index>(a.nodes.size());
  for (const Vector3& node : b.nodes) a.nodes.push_back(node + Vector3{100, 0, 0});
  for (Tetrahedron corners : b.tetrahedra) {
    for (Index& corner : corners) corner += nodes;
    a.tetrahedra.push_back(corners);
  }
  a.element_tags.assign(a.tetrahedra.size(), 0);
  a.fibers.clear();
  return a;
}

std::vector<AssemblyStrategy> strategies() {
  std::vector<AssemblyStrategy> all;
  for (const auto& [name, strategy] : assembly_strategies)
    if (is_of_the_papers(strategy)) all.push_back(strategy);
  return all;
}

void expect_near(const std::vector<Real>& values, const std::vector<Real>& expected, const char* what) {
  ASSERT_EQ(values.size(), expected.size());
  Real largest = 0;
  for (const Real value : expected) largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_NEAR(values[i], expected[i], 1e-12 * largest) << what << ", at " << i;
}

TEST(StrategiesOfThePapers, AreTheScalarGatherOnMeshesOfAllKinds) {
  const Mesh box = random_mesh({3, 2, 2}, 0.5, seed);
  for (const Mesh& mesh :
       {part_of_a_box(1, seed), wheel_mesh(60, seed), renumbered(box, seed).mesh, beside(box, wheel_mesh(45, seed))}) {
    const AssemblyCase assembly(mesh, k1rs, seed);
    const std::vector<AlievPanfilov>& cells = cells_of(assembly.plan.problem());
    CpuBackend backend;
    const AssembledSystem expected = assembly.assembled<ScalarGather>(backend, assembly.scalar_gather(), cells);
    for (const AssemblyStrategy strategy : strategies()) {
      SCOPED_TRACE(strategy_name({.strategy = strategy}) + ", " + std::to_string(mesh.tetrahedra.size()) + " elements");
      Problem problem = assembly.plan.problem();
      problem.assembly.strategy = strategy;
      const PaperAssemblyPlan plan =
          plan_paper_assembly(problem, 1, assembly.plan.sparsity, assembly.plan.matrix, nvidia_h200());
      const auto made = make_paper_assembly(backend, plan, problem, assembly.plan.sparsity, cells);
      const AssembledSystem system = assembly.assembled(backend, *made);
      expect_near(system.value, expected.value, "K");
      expect_near(system.negative_residual, expected.negative_residual, "−R");
      expect_near(system.inverse_diagonal, expected.inverse_diagonal, "1 / K_II");
      if (repeats_bits(strategy)) {
        EXPECT_TRUE(same_bits(system, assembly.assembled(backend, *made))) << "two runs differ";
      }
    }
  }
}

TEST(StrategiesOfThePapers, StoreTheStatesOfEveryElementOnce) {
  const AssemblyCase assembly(random_mesh({3, 2, 2}, 0.5, seed), k1rs, seed);
  const SimulationPlan& plan = assembly.plan;
  const SharedNzPlan two =
      shared_nz_plan(*plan.problem().mesh, plan.problem().diffusivity, plan.sparsity, plan.matrix, nvidia_h200(), {20});
  const SharedNzGeneralPlan general =
      shared_nz_general_plan(*plan.problem().mesh, plan.sparsity, plan.matrix, nvidia_h200(), {20});
  ASSERT_GT(two.parts(), 5);
  ASSERT_GT(two.evaluations(), 1.1);
  ASSERT_EQ(two.evaluations(), general.evaluations());
  for (const std::vector<std::uint32_t>& elements : {two.element, general.element}) {
    std::vector<int> stored(plan.problem().mesh->tetrahedra.size(), 0);
    for (const std::uint32_t element : elements)
      if (!(element & 0x80000000u)) ++stored[element];
    EXPECT_EQ(stored, std::vector<int>(stored.size(), 1));
  }
}

TEST(StrategiesOfThePapers, KeepWithinTheSharedMemoryOfTheDevice) {
  const AssemblyCase assembly(wheel_mesh(200, seed), k1rs, seed);
  const SimulationPlan& plan = assembly.plan;
  const Mesh& mesh = *plan.problem().mesh;
  Device device = nvidia_h200();
  device.shared_bytes = (26 << 10) + 2048;  // a node has 200 elements: 3.2 KB of two numbers, 22.4 KB of 14
  EXPECT_LE(shared_nz_plan(mesh, plan.problem().diffusivity, plan.sparsity, plan.matrix, device).shared_bytes,
            std::size_t{26} << 10);
  EXPECT_EQ(test::input_error_of([&] { shared_nz_general_plan(mesh, plan.sparsity, plan.matrix, device); }),
            "assembly.strategy: shared_nz_general keeps the numbers of elements in shared memory: one node needs 30 "
            "KiB, there "
            "are 26 KiB (auto takes the gather that suits)");
  device.shared_bytes = (8 << 10) + 2048;
  EXPECT_NO_THROW(
      shared_nz_plan(mesh, plan.problem().diffusivity, plan.sparsity, plan.matrix, device, {.threads = 32}));
  device.shared_bytes = (4 << 10) + 2048;
  EXPECT_NE(test::input_error_of([&] {
              shared_nz_plan(mesh, plan.problem().diffusivity, plan.sparsity, plan.matrix, device, {.threads = 32});
            }).find("shared_nz keeps the numbers of elements in shared memory: one node needs"),
            std::string::npos);
}

TEST(StrategiesOfThePapers, CutByMetisWhereTheBuildHasIt) {
  const AssemblyCase assembly(random_mesh({3, 2, 2}, 0.5, seed), k1rs, seed);
  const SimulationPlan& plan = assembly.plan;
  const auto cut = [&](const GeneralPartsShape& shape) {
    return shared_nz_general_plan(*plan.problem().mesh, plan.sparsity, plan.matrix, nvidia_h200(), shape);
  };
  if (!has_metis()) {
    EXPECT_EQ(test::input_error_of([&] { cut({.metis = true}); }),
              "assembly.strategy: shared_nz_general by METIS: this build has no METIS");
    return;
  }
  const SharedNzGeneralPlan by_metis = cut({.nodes = 40, .metis = true});
  CpuBackend backend;
  const std::vector<AlievPanfilov>& cells = cells_of(plan.problem());
  SharedNzGeneral<CpuBackend, AlievPanfilov> general(backend, by_metis, *plan.problem().mesh,
                                                     plan.problem().diffusivity, cells, plan.problem().cell_model);
  expect_near(assembly.assembled(backend, general).value,
              assembly.assembled<ScalarGather>(backend, assembly.scalar_gather(), cells).value, "K");
}

TEST(Colors, OfElementsWithACommonNodeDiffer) {
  const Mesh mesh = renumbered(random_mesh({3, 2, 2}, 0.5, seed), seed).mesh;
  const std::vector<Index> color = greedy_colors(mesh.tetrahedra, static_cast<Index>(mesh.nodes.size()), 1);
  std::set<std::pair<Index, Index>> met;
  for (std::size_t e = 0; e < color.size(); ++e)
    for (const Index node : mesh.tetrahedra[e])
      EXPECT_TRUE(met.insert({node, color[e]}).second) << "element " << e << ", node " << node;
  EXPECT_GE(*std::max_element(color.begin(), color.end()), 23);  // inside the box a node has 24 tetrahedra
}

TEST(Colors, OfMoreElementsThanColorsAtOneNodeAreRefusedWithTheNumbers) {
  const Mesh mesh = wheel_mesh(200, seed);
  const std::vector<Index> color = greedy_colors(mesh.tetrahedra, 202, 1, 200);
  EXPECT_EQ(*std::max_element(color.begin(), color.end()), 199);
  EXPECT_EQ(test::input_error_of([&] { greedy_colors(mesh.tetrahedra, 202, 1, 199); }),
            "assembly.strategy: a colouring of elements has at most 199 colours, these 200 elements of 202 nodes need "
            "more: too many have a node in common (auto takes the gather that suits)");
}

TEST(LocalRow, RefusesRowsThatAreTooLongWithTheNumbers) {
  const AssemblyCase assembly(wheel_mesh(150, seed), k1rs, seed);
  const SimulationPlan& plan = assembly.plan;
  EXPECT_EQ(
      test::input_error_of([&] {
        local_sums_plan(true, ElementKind::two_numbers, *plan.problem().mesh, plan.problem().diffusivity, plan.sparsity,
                        plan.matrix);
      }),
      "assembly.strategy: local_row needs rows of at most 128 entries, the longest has 152 (auto takes the gather "
      "that suits)");
}

TEST(ChooseAssembly, RefusesWhatNoRunRepeatsUnlessThatIsAllowed) {
  const AssemblyCase assembly(part_of_a_box(8, seed), k1rs, seed);
  const auto choose = [&](const AssemblyOptions& wish) {
    return choose_assembly(wish, Quadrature::centroid, nvidia_h200(), assembly.plan.matrix, assembly.plan.sparsity);
  };
  ASSERT_EQ(unrepeatable_assemblies().size(), 4u);
  for (AssemblyOptions wish : unrepeatable_assemblies()) {
    EXPECT_EQ(choose(wish).strategy, wish.strategy);
    wish.repeatable = true;
    EXPECT_EQ(test::input_error_of([&] { choose(wish); }),
              "assembly.strategy: " + strategy_name(wish) +
                  " adds in another order in every run, so that the last bits of results differ; assembly.repeatable: "
                  "false allows it (elem_color and shared_nz repeat every bit)");
  }
}

}  // namespace
}  // namespace cardiowarp
