#include "app/simulation/refined_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

using test::TemporaryDirectory;
using test::write_text;

class RefinedProblem : public testing::Test {
 protected:
  Problem refined(const std::string& keys) {
    write_text(folder / "slab.yaml", "mesh: {file: slab.vtu}\ntime: {end: 1, step: 1}\n" + keys);
    config = load_config(folder / "slab.yaml");
    given = build_problem(config, mesh);
    return refined_problem(config, given);
  }
  std::vector<Real> amplitudes(const Stimulus& stimulus, std::size_t nodes) const {
    std::vector<Real> of_nodes(nodes, 0);
    for (std::size_t k = 0; k < stimulus.nodes.size(); ++k)
      of_nodes[stimulus.nodes[k]] = stimulus.share.empty() ? 1 : stimulus.share[k];
    return of_nodes;
  }

  const TemporaryDirectory folder;
  const Mesh mesh = slab_mesh({3, 2, 1}, 1, true);
  Config config;
  Problem given;
};

TEST_F(RefinedProblem, HasTheTissueOfItsParents) {
  const Problem fine = refined(
      "regions:\n"
      "  - {where: {box: {min: [0, 0, 0], max: [1.3, 2, 1]}}, diffusivity: {isotropic: 0.3}}\n"
      "  - {where: {box: {min: [1.7, 0, 0], max: [3, 2, 1]}}, cell_model: {parameters: {c: 5}}}\n"
      "initial: {regions: [{where: {sphere: {center: [0, 0, 0], radius: 1.1}}, potential: 20 mV}, "
      "{where: {box: {min: [2, 0, 0], max: [3, 2, 1]}}, recovery: 0.25}]}\n");
  ASSERT_EQ(fine.mesh->tetrahedra.size(), 8 * mesh.tetrahedra.size());
  ASSERT_EQ(fine.phi.size(), fine.mesh->nodes.size());
  for (std::size_t child = 0; child < fine.mesh->tetrahedra.size(); ++child) {
    EXPECT_EQ(fine.diffusivity[child].isotropic, given.diffusivity[child / 8].isotropic);
    EXPECT_EQ(fine.cell_model[child], given.cell_model[child / 8]);
    EXPECT_EQ(fine.states[child], given.states[child / 8]);
  }
  const std::size_t coarse_nodes = mesh.nodes.size();
  std::size_t between = 0;
  for (std::size_t node = 0; node < fine.phi.size(); ++node) {
    if (node < coarse_nodes) {
      EXPECT_EQ(fine.phi[node], given.phi[node]);
      EXPECT_EQ(norm(fine.mesh->nodes[node] - mesh.nodes[node]), 0);
    } else if (fine.phi[node] == 0.5) {
      ++between;
    } else {
      EXPECT_TRUE(fine.phi[node] == 0 || fine.phi[node] == 1) << fine.phi[node];
    }
  }
  EXPECT_GT(between, 0U);
}

TEST_F(RefinedProblem, HasItsNewNodesBetweenTheNodesThatAreNamed) {
  const Mesh fine = refine_mesh(mesh, 1);
  const auto edges = refined_edges(mesh);
  ASSERT_EQ(fine.nodes.size(), mesh.nodes.size() + edges.size());
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    const Vector3 middle = 0.5 * (mesh.nodes[edges[edge][0]] + mesh.nodes[edges[edge][1]]);
    EXPECT_EQ(norm(fine.nodes[mesh.nodes.size() + edge] - middle), 0) << edge;
  }
}

TEST_F(RefinedProblem, IsStimulatedWhereTheConfigurationSaysAndBetweenTheNodesOfAList) {
  std::string list;
  std::vector<Index> listed;
  for (Index node = 0; node < static_cast<Index>(mesh.nodes.size()); ++node)
    if (mesh.nodes[node].x <= 1) listed.push_back(node);
  for (const Index node : listed) list += std::to_string(node) + "\n";
  write_text(folder / "list.vtx", std::to_string(listed.size()) + "\nintra\n" + list);
  const Problem fine = refined(
      "stimuli:\n"
      "  - {where: {box: {min: [0, 0, 0], max: [0.75, 2, 1]}}, duration: 1, amplitude: 1}\n"
      "  - {where: {nodes: list.vtx}, duration: 1, amplitude: 1}\n"
      "  - {where: {tag: x0}, duration: 1, amplitude: 1}\n");
  const std::size_t nodes = fine.mesh->nodes.size();
  const std::vector<Real> box = amplitudes(fine.stimuli[0], nodes), of_list = amplitudes(fine.stimuli[1], nodes),
                          side = amplitudes(fine.stimuli[2], nodes);
  const std::vector<Real> on_coarse_mesh = amplitudes(given.stimuli[0], mesh.nodes.size());
  for (std::size_t node = 0; node < nodes; ++node) {
    const Real x = fine.mesh->nodes[node].x;
    EXPECT_EQ(of_list[node], x <= 1 ? 1 : 0) << x;
    EXPECT_EQ(side[node], x == 0 ? 1 : 0) << x;
    if (x == 0) {
      EXPECT_EQ(box[node], 1);
    } else if (x == 0.5) {
      EXPECT_GT(box[node], 0.5);
    } else if (x == 1 && node < mesh.nodes.size()) {
      EXPECT_LT(box[node], on_coarse_mesh[node]);  // the dual cells are smaller
    }
  }
}

}  // namespace
}  // namespace cardiowarp
