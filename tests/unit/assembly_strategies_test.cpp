// The assembly strategies of papers 003 and 004 on the CPU, against the scalar gather, and what they refuse.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "app/simulation/choose_assembly.hpp"
#include "assembly/papers/plans.hpp"
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
      const TissueToAssemble tissue = tissue_to_assemble(assembly.plan);
      const PaperAssemblyPlan plan = plan_paper_assembly(strategy, 1, tissue, assembly.plan.matrix, nvidia_h200());
      const auto made = make_paper_assembly(backend, plan, tissue);
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
  using Arrays = ElementArrays<CpuBackend, AlievPanfilov>;
  SharedNzGeneral<CpuBackend, Arrays> general(
      backend, by_metis,
      Arrays(backend, *plan.problem().mesh, plan.problem().diffusivity, {}, cells, plan.problem().cell_model));
  expect_near(assembly.assembled(backend, general).value,
              assembly.assembled<ScalarGather>(backend, assembly.scalar_gather(), cells).value, "K");
}

TEST(ElementBlocks, HaveEveryElementOnceWithItsCorners) {
  const Mesh mesh = renumbered(random_mesh({5, 4, 3}, 0.5, seed), seed).mesh;
  const auto expect_all = [&](const ElementBlocks& blocks) {
    ASSERT_EQ(blocks.order.size(), mesh.tetrahedra.size());
    std::vector<int> met(mesh.tetrahedra.size(), 0);
    for (Index b = 0; b < blocks.blocks(); ++b) {
      const Index nodes = blocks.node_begin[b + 1] - blocks.node_begin[b];
      EXPECT_LE(nodes, blocks.most_nodes);
      EXPECT_GE(blocks.element_begin[b + 1] - blocks.element_begin[b], 1);
      EXPECT_LE(blocks.element_begin[b + 1] - blocks.element_begin[b], 256);
      for (Index place = blocks.element_begin[b]; place < blocks.element_begin[b + 1]; ++place) {
        ++met[blocks.order[place]];
        for (int i = 0; i < 4; ++i) {
          const auto local = static_cast<Index>(blocks.corners[place] >> (16 * i) & 0xffffu);
          ASSERT_LT(local, nodes);
          EXPECT_EQ(blocks.node[blocks.node_begin[b] + local], mesh.tetrahedra[blocks.order[place]][i]);
        }
      }
    }
    EXPECT_EQ(met, std::vector<int>(met.size(), 1));
  };
  const ElementBlocks in_order = blocks_in_order(mesh.tetrahedra);
  ASSERT_GT(mesh.tetrahedra.size(), 256u);
  ASSERT_NE(mesh.tetrahedra.size() % 256, 0u);
  expect_all(in_order);
  EXPECT_EQ(in_order.blocks(), static_cast<Index>(mesh.tetrahedra.size() / 256) + 1);
  EXPECT_EQ(blocks_in_order({}).blocks(), 0);
  if (!has_metis()) {
    EXPECT_EQ(test::input_error_of([&] { blocks_of_metis(mesh.tetrahedra, "global_nz_prefetched_general"); }),
              "assembly.strategy: global_nz_prefetched_general by METIS: this build has no METIS");
    return;
  }
  const ElementBlocks by_metis = blocks_of_metis(mesh.tetrahedra, "global_nz_prefetched_general");
  expect_all(by_metis);
  // The elements of a random order have nearly all nodes in each block, those of a part of METIS have few.
  EXPECT_LT(by_metis.node.size(), in_order.node.size());
}

TEST(FaceNeighbors, AreTheElementsBehindEachFace) {
  // Two tetrahedra on both sides of 1 2 3, a third that has one edge of the second, a fourth apart.
  const FaceNeighbors neighbors =
      face_neighbors({{0, 1, 2, 3}, {3, 2, 4, 1}, {4, 1, 5, 6}, {7, 8, 9, 10}, {4, 6, 11, 1}});
  EXPECT_EQ(neighbors.begin, (std::vector<Index>{0, 1, 2, 3, 3, 4}));
  EXPECT_EQ(neighbors.neighbor, (std::vector<Index>{1, 0, 4, 2}));
}

TEST(ReductionLists, AreDealtOutTheLongestFirst) {
  // 130 sums for 128 threads: the first of 5 numbers, one of 3, the rest of 1, one of none.
  std::vector<Index> length(130, 1), number;
  length[0] = 5;
  length[7] = 3;
  length[9] = 0;
  for (Index k = 0; k < 5 + 3 + 127; ++k) number.push_back(2 * k);
  const ReductionLists lists = reduction_lists(length, number);
  ASSERT_EQ(lists.blocks(), 1);
  EXPECT_EQ(lists.begin, (std::vector<Index>{0, 6}));  // five numbers and the end of the first
  ASSERT_EQ(lists.word.size(), 6u * 128);
  const auto list_of = [&](int thread) {
    std::vector<std::int32_t> words;
    for (int layer = 0; layer < 6; ++layer) words.push_back(lists.word[128 * layer + thread]);
    return words;
  };
  EXPECT_EQ(list_of(0), (std::vector<std::int32_t>{1, 3, 5, 7, 9, -1}));
  EXPECT_EQ(list_of(1), (std::vector<std::int32_t>{23, 25, 27, -8, 0, 0}));
  EXPECT_EQ(list_of(2),
            (std::vector<std::int32_t>{11, -2, 269, -130, 0, 0}));  // the last sum goes to the shortest list
  EXPECT_EQ(list_of(3), (std::vector<std::int32_t>{13, -3, 0, 0, 0, 0}));
  EXPECT_EQ(lists.padding(), 6 * 128 - (5 + 3 + 127) - 129);
  EXPECT_EQ(lists.wasted(), double(6 * 128 - 264) / (6 * 128));

  EXPECT_EQ(reduction_lists({}, {}).blocks(), 0);
  EXPECT_EQ(reduction_lists({}, {}).wasted(), 0);
}

TEST(ReductionLists, SumEveryNumberOfABlockAndWriteZeroWhereThereIsNone) {
  std::vector<Index> length, number;
  std::vector<Real> value, expected;
  for (Index s = 0; s < 1200; ++s) {  // three blocks, the last one of 176 sums
    length.push_back(s % 7 == 3 ? 0 : s % 23);
    Real sum = 0;
    for (Index k = 0; k < length.back(); ++k) {
      number.push_back(static_cast<Index>(value.size()));
      value.push_back(std::sin(static_cast<Real>(value.size())));
      sum += value.back();
    }
    expected.push_back(sum);
  }
  const ReductionLists lists = reduction_lists(length, number);
  ASSERT_EQ(lists.blocks(), 3);
  struct Keep {
    Real* to;
    void operator()(Index sum, Real of_sum) const { to[sum] = of_sum; }
  };
  std::vector<Real> sums(1200, NAN);
  CpuBackend backend;
  sum_lists(backend, lists.blocks(),
            SumLists<Keep>{lists.begin.data(), lists.word.data(), lists.sums, value.data(), {sums.data()}});
  EXPECT_EQ(sums, expected);
}

TEST(StrategiesOfThePapers, StoreElementsOfBlocksThatMetisCuts) {
  if (!has_metis()) GTEST_SKIP() << "this build has no METIS";
  const AssemblyCase assembly(random_mesh({5, 4, 3}, 0.5, seed), k1rs, seed);
  const SimulationPlan& plan = assembly.plan;
  CpuBackend backend;
  const std::vector<AlievPanfilov>& cells = cells_of(plan.problem());
  const GlobalNzPlan by_metis = global_nz_plan(*plan.problem().mesh, plan.sparsity, plan.matrix,
                                               {.elements = GlobalElements::prefetched, .metis = true});
  ASSERT_NE(by_metis.blocks.order, blocks_in_order(plan.problem().mesh->tetrahedra).order);
  GlobalNz<CpuBackend, AlievPanfilov> general(backend, by_metis, *plan.problem().mesh, plan.problem().diffusivity,
                                              cells, plan.problem().cell_model);
  const AssembledSystem system = assembly.assembled(backend, general),
                        expected = assembly.assembled<ScalarGather>(backend, assembly.scalar_gather(), cells);
  expect_near(system.value, expected.value, "K");
  expect_near(system.negative_residual, expected.negative_residual, "−R");
}

TEST(StrategiesOfThePapers, WasteTheSlotsThatArePadding) {
  const AssemblyCase assembly(random_mesh({5, 4, 3}, 0.5, seed), k1rs, seed);
  const SimulationPlan& plan = assembly.plan;
  const auto planned = [&](GlobalSums sums) {
    return global_nz_plan(*plan.problem().mesh, plan.sparsity, plan.matrix, {.sums = sums});
  };
  const auto elements = static_cast<double>(plan.problem().mesh->tetrahedra.size());
  const GlobalNzPlan threads = planned(GlobalSums::of_a_thread), packed = planned(GlobalSums::packed);
  // 12 numbers off the diagonal and 4 nodes of each element; 16 + 4 numbers and a word for the end of each sum.
  EXPECT_DOUBLE_EQ(threads.padding(),
                   static_cast<double>(threads.entries.column.size() + threads.nodes.column.size()) / (16 * elements));
  const auto sums = static_cast<double>(plan.sparsity.entries() + plan.sparsity.rows());
  EXPECT_DOUBLE_EQ(packed.padding(), static_cast<double>(packed.lists.word.size()) / (20 * elements + sums));
  EXPECT_GT(packed.padding(), 1);
  EXPECT_LT(packed.padding(), threads.padding());
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
            "assembly.strategy: a coloring of elements has at most 199 colors, these 200 elements of 202 nodes need "
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
