// The key `boundary` and the option `--at`: what they select, what is refused, and what becomes of a problem.

#include "app/simulation/boundary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "app/advice/problem_warnings.hpp"
#include "app/checkpoint/configuration_difference.hpp"
#include "app/simulation/read_at.hpp"
#include "app/simulation/refined_problem.hpp"
#include "app/simulation/select_tissue.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "meshes/generate.hpp"
#include "tests/support/configuration.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/single_run.hpp"
#include "tests/support/small_mesh.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::ConfigurationMistake;
using test::input_error_of;
using test::minimal;
using test::small_mesh;
using Nodes = std::vector<Index>;

TEST_F(Configuration, BoundaryIsReadAndWrittenBack) {
  const Config config = load(minimal +
                             "boundary:\n"
                             "  - {where: {surface: base}, potential: -80 mV}\n"
                             "  - {where: {surface: 3}, potential: 0.02 V}\n"
                             "  - {where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, potential: 5}\n");
  ASSERT_EQ(config.boundary.size(), 3u);
  EXPECT_EQ(std::get<Surface>(config.boundary[0].where.region).name, "base");
  EXPECT_EQ(config.boundary[0].potential_mv, -80);
  EXPECT_EQ(std::get<Surface>(config.boundary[1].where.region).name, "3");
  EXPECT_EQ(config.boundary[1].potential_mv, 20);
  const std::string resolved = resolved_yaml(config);
  EXPECT_NE(resolved.find("boundary:\n"
                          "  - where: {surface: \"base\"}\n"
                          "    potential: -80\n"
                          "  - where: {surface: \"3\"}\n"
                          "    potential: 20\n"
                          "  - where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}\n"
                          "    potential: 5\n"),
            std::string::npos)
      << resolved;
  EXPECT_EQ(resolved_yaml(load_config(write(resolved, "resolved.yaml"))), resolved);
}

TEST(Boundary, GivesSharedNodesToTheFirstPlaceWhereThatIsAskedFor) {
  const Mesh mesh = slab_mesh({2, 1, 1}, 1, true);
  const std::vector<PrescribedPlace> places{read_at(mesh, "x0=4"), read_at(mesh, "y0=-80")};
  const PrescribedValues values = prescribed_values(mesh, places, "mV", SharedNodes::of_first_place);
  ASSERT_EQ(values.node.size(), 8u);
  for (std::size_t k = 0; k < values.node.size(); ++k)
    EXPECT_EQ(values.value[k], mesh.nodes[values.node[k]].x == 0 ? 4 : -80) << k;
}

TEST_F(Configuration, AnEmptyBoundaryIsAsIfThereWereNone) {
  EXPECT_EQ(resolved_yaml(load(minimal + "boundary: []\n")), resolved_yaml(load(minimal)));
  EXPECT_EQ(resolved_yaml(load(minimal)).find("boundary"), std::string::npos);
}

TEST_F(Configuration, ACheckpointDoesNotServeARunWithAnotherBoundary) {
  const auto resolved = [&](const std::string& boundary) { return resolved_yaml(load(minimal + boundary)); };
  const std::string none = resolved(""), base = resolved("boundary: [{where: {surface: base}, potential: -80}]\n"),
                    other = resolved("boundary: [{where: {surface: base}, potential: -70}]\n");
  EXPECT_EQ(configuration_difference(base, base, 1), "");
  EXPECT_EQ(configuration_difference(base, other, 1), "boundary[0].potential: -80 in the checkpoint, -70 now");
  EXPECT_EQ(configuration_difference(base, none, 1),
            "boundary[0].where.surface: base in the checkpoint, not given now");
  EXPECT_EQ(configuration_difference(none, base, 1),
            "boundary[0].where.surface: not given in the checkpoint, base now");
}

TEST_F(ConfigurationMistake, OfABoundaryIsPlaced) {
  expect_messages({
      {"boundary: [{where: {surface: base}}]\n",
       "3:12: boundary[0].potential: expected a potential (mV, V) above -110, got nothing"},
      {"boundary: [{potential: -80}]\n",
       "3:12: boundary[0].where: expected one of the keys surface, tag, box, sphere, nodes, or coordinates of the "
       "heart "
       "(transmural, apicobasal, rotational, ventricle, endocardium), got nothing"},
      {"boundary: [{where: {surface: base, tag: 1}, potential: -80}]\n",
       "3:20: boundary[0].where: expected at most one of the keys surface, tag, box, sphere, nodes, got surface and "
       "tag"},
      {"boundary: [{where: {surface: base}, potential: -80 ms}]\n",
       "3:48: boundary[0].potential: expected a potential (mV, V) above -110, got '-80 ms'"},
      {"boundary: [{where: {surface: base}, potental: -80}]\n",
       "3:37: boundary[0].potental: expected one of the keys where, potential, got 'potental'; did you mean "
       "'potential'?"},
  });
}

TEST(Boundary, TakesTheNodesOfASurfaceByNameOrNumber) {
  const Mesh mesh = small_mesh();
  EXPECT_EQ(read_at(mesh, "epi=1.5").nodes, (Nodes{0, 1, 2}));
  EXPECT_EQ(read_at(mesh, "epi=1.5").value, 1.5);
  EXPECT_EQ(read_at(mesh, "7=-80").nodes, (Nodes{2, 3, 4}));
  EXPECT_EQ(read_at(mesh, "7=-80").value, -80);
  EXPECT_EQ(read_at(mesh, "{sphere: {center: [2, 2, 2], radius: 1 mm}}=1e3").nodes, Nodes{4});
  EXPECT_EQ(read_at(mesh, "{tag: lv}=0").nodes, (Nodes{0, 1, 2, 3}));
}

TEST(Boundary, WordsThatNameNoSurfaceOrNoNumberAreRefused) {
  const Mesh mesh = small_mesh();
  const auto message = [&](const std::string& word) { return input_error_of([&] { read_at(mesh, word); }); };
  EXPECT_EQ(message("epi"), "--at: expected surface=value, got 'epi'");
  EXPECT_EQ(message("=1"), "--at: expected surface=value, got '=1'");
  EXPECT_EQ(message("epi=high"), "--at epi=high: expected a number after the =, got 'high'");
  EXPECT_EQ(message("epi=1 mV"), "--at epi=1 mV: expected a number after the =, got '1 mV'");
  EXPECT_EQ(message("epi=inf"), "--at epi=inf: expected a number after the =, got 'inf'");
  EXPECT_EQ(message("endo=1"), "--at endo=1: unknown surface 'endo': the mesh has the surfaces epi (3), 7");
  EXPECT_EQ(message("eppi=1"),
            "--at eppi=1: unknown surface 'eppi': the mesh has the surfaces epi (3), 7; did you mean 'epi'?");
  EXPECT_EQ(message("1=1"), "--at 1=1: unknown surface '1': the mesh has the surfaces epi (3), 7");  // of a volume
  Mesh bare = mesh;
  bare.triangles.clear();
  bare.triangle_tags.clear();
  bare.surface_names.clear();
  EXPECT_EQ(input_error_of([&] { read_at(bare, "epi=1"); }),
            "--at epi=1: unknown surface 'epi': the mesh has no surfaces");
  bare.surface_names = {{"epi", 3}};
  EXPECT_EQ(input_error_of([&] { read_at(bare, "epi=1"); }),
            "--at epi=1: surface 'epi' selects no node: it has no triangles");
}

TEST(Boundary, OneNodeHasOneValue) {
  const Mesh mesh = small_mesh();
  const auto found = [&](std::vector<std::string> words) {
    std::vector<PrescribedPlace> places;
    for (const std::string& word : words) places.push_back(read_at(mesh, word));
    return prescribed_values(mesh, places, "mV");
  };
  const PrescribedValues one = found({"epi=4", "{box: {min: [0, 0, 0], max: [0, 0, 0]}}=4"});
  EXPECT_EQ(one.node, (Nodes{0, 1, 2}));
  EXPECT_EQ(one.value, (std::vector<Real>{4, 4, 4}));
  EXPECT_EQ(input_error_of([&] {
              found({"epi=4", "7=-80"});
            }),
            "--at 7=-80: expected one value at each node, got -80 mV and 4 mV (--at epi=4) at node 2, (0, 1, 0) mm");
}

TEST(Boundary, SomethingIsLeftToCompute) {
  const Mesh mesh = small_mesh();
  const std::vector<PrescribedPlace> both{read_at(mesh, "epi=1"), read_at(mesh, "7=1")};
  EXPECT_EQ(input_error_of([&] { prescribed_values(mesh, both, ""); }),
            "--at epi=1: expected to leave a node whose value is computed, got all 5 of the mesh by this and the other "
            "entries");
  EXPECT_TRUE(prescribed_values(mesh, {}, "").node.empty());
}

/// A problem on a slab of 3 × 2 × 1 mm.
class BoundaryOfASlab : public Configuration {
 protected:
  Problem build(const std::string& keys) {
    config = load("mesh: {file: slab.vtu}\ntime: {end: 10, step: 1}\n" + keys);
    return build_problem(config, mesh);
  }
  Nodes nodes_where(const Mesh& of, bool (*is_one)(Vector3)) const {
    Nodes nodes;
    for (std::size_t i = 0; i < of.nodes.size(); ++i)
      if (is_one(of.nodes[i])) nodes.push_back(static_cast<Index>(i));
    return nodes;
  }
  const Mesh mesh = slab_mesh({3, 2, 1}, 1, true);
  Config config;
};

constexpr const char* held_side = "boundary: [{where: {surface: x0}, potential: 20 mV}]\n";

TEST_F(BoundaryOfASlab, SetsThePotentialAtTheBeginningAfterAllElse) {
  const Problem problem = build(std::string(held_side) + "initial: {potential: -60 mV}\n");
  const Nodes side = nodes_where(mesh, [](Vector3 p) { return p.x == 0; });
  EXPECT_EQ(problem.prescribed, side);
  EXPECT_EQ(prescribed_in_words(problem), "6 nodes");
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    EXPECT_NEAR(problem.scaling().mv_from_phi(problem.phi[i]), mesh.nodes[i].x == 0 ? 20 : -60, 1e-12);
}

TEST_F(BoundaryOfASlab, IsNotStimulated) {
  const Problem free =
      build("stimuli:\n  - {name: half, where: {box: {min: [0, 0, 0], max: [1, 2, 1]}}, duration: 1, amplitude: 9}\n");
  const Problem problem =
      build(std::string(held_side) +
            "stimuli:\n"
            "  - {name: half, where: {box: {min: [0, 0, 0], max: [1, 2, 1]}}, duration: 1, amplitude: 9}\n"
            "  - {name: lost, where: {tag: x0}, duration: 1, amplitude: 9}\n");
  for (const Stimulus& stimulus : problem.stimuli) {
    EXPECT_EQ(stimulus.nodes.size(), stimulus.share.size());
    for (const Index node : stimulus.nodes) EXPECT_GT(mesh.nodes[node].x, 0);
  }
  EXPECT_EQ(problem.stimuli[0].nodes.size(), 6u);
  EXPECT_TRUE(problem.stimuli[1].nodes.empty());
  const Stimulus &kept = problem.stimuli[0], &all = free.stimuli[0];
  std::size_t number = 0;
  for (std::size_t i = 0; i < all.nodes.size(); ++i) {
    if (!(mesh.nodes[all.nodes[i]].x > 0)) continue;
    ASSERT_LT(number, kept.nodes.size());
    EXPECT_EQ(kept.nodes[number], all.nodes[i]);
    EXPECT_EQ(kept.share[number++], all.share[i]) << "each kept node has the share that it had";
  }
  EXPECT_EQ(number, kept.nodes.size());
  EXPECT_NE(std::set<Real>(all.share.begin(), all.share.end()).size(), 1u) << "shares that could be told apart";

  const std::vector<std::string> warnings = problem_warnings(config, problem);
  const auto is_ours = [](const std::string& warning) {
    return warning.find("stimulus 'lost' does nothing: the potential of all its nodes is prescribed by boundary") !=
           std::string::npos;
  };
  EXPECT_EQ(std::ranges::count_if(warnings, is_ours), 1);

  const auto simulation = make_cpu_simulation(problem);  // a stimulus without nodes is no trouble
  for (int step = 1; step <= 40; ++step) ASSERT_FALSE(simulation->step_to(step).failure);
  EXPECT_EQ(simulation->captures()[1].captured + simulation->captures()[1].missed, 0);
}

TEST_F(BoundaryOfASlab, BelowTheRangeOfACellModelIsRefused) {
  EXPECT_NE(error(minimal + "boundary: [{where: {surface: x0}, potential: -200 mV}]\n").find("boundary[0].potential"),
            std::string::npos);
}

TEST_F(BoundaryOfASlab, IsTheSameNodesInAnotherOrderAndInAPiece) {
  const Problem problem = build(held_side);
  const SimulationPlan plan = plan_simulation(problem, cpu_device());
  Nodes in_input;
  EXPECT_TRUE(std::ranges::is_sorted(plan.prescribed.node));
  for (const Index node : plan.prescribed.node) in_input.push_back(plan.renumbered.node_in_input[node]);
  std::ranges::sort(in_input);
  EXPECT_EQ(in_input, problem.prescribed);
  for (const Index node : plan.prescribed.node)
    EXPECT_EQ(plan.problem().phi[node], problem.phi[problem.prescribed.front()]);

  const Tetrahedron corners = mesh.tetrahedra[0];
  const Tissue piece = select_tissue(problem, {corners.begin(), corners.end()}, {0});
  Nodes expected;
  for (int i = 0; i < 4; ++i)
    if (mesh.nodes[corners[i]].x == 0) expected.push_back(i);
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(piece.prescribed, expected);
}

TEST_F(BoundaryOfASlab, OfTheRefinedMeshIsTheSamePartOfItsSurface) {
  test::write_text(directory / "side.vtx", "3\nintra\n0\n4\n8\n");  // y from 0 to 2 at x = 0, z = 0
  const Problem surface = build(held_side);
  const Problem fine = refined_problem(config, surface);
  EXPECT_EQ(fine.prescribed, nodes_where(*fine.mesh, [](Vector3 p) { return p.x == 0; }));
  for (const Index node : fine.prescribed) EXPECT_EQ(fine.phi[node], surface.phi[surface.prescribed[0]]);

  const Problem listed = build("boundary: [{where: {nodes: side.vtx}, potential: 20 mV}]\n");
  const Nodes edge = nodes_where(mesh, [](Vector3 p) { return p.x == 0 && p.z == 0; });
  ASSERT_EQ(listed.prescribed, edge);
  const Problem fine_list = refined_problem(config, listed);
  EXPECT_EQ(fine_list.prescribed, nodes_where(*fine_list.mesh, [](Vector3 p) { return p.x == 0 && p.z == 0; }));
}

TEST(PrescribedPlan, HasTheSlotsOfRowsAndColumns) {
  // Nodes 0 and 4 of two tetrahedra are not connected; each has 4 entries in its row.
  Problem problem = resting_problem(small_mesh(), 1, 0);
  const Mesh mesh = small_mesh();
  problem.mesh = borrowed(mesh);
  problem.prescribed = {0};
  const SimulationPlan plan = plan_as_numbered(problem);
  EXPECT_EQ(plan.prescribed.node, Nodes{0});
  // Rows of 4, 5, 5, 5 and 4 entries: 0 | 0 1 2 3 4 | ..; row 0 has 1, 2, 3 beside its diagonal, and 0 is first there.
  EXPECT_EQ(plan.prescribed.diagonal_slot, Nodes{0});
  EXPECT_EQ(plan.prescribed.coupling_slot, (Nodes{1, 2, 3, 4, 9, 14}));
}

}  // namespace
}  // namespace cardiowarp
