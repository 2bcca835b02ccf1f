// A piece of a tissue has what its nodes and elements have in the whole. Renumbering all of it: renumbering_test.cpp.

#include "app/simulation/select_tissue.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

/// Three tetrahedra in a row, 0 1 2 3, 1 2 3 4 and 2 3 4 5, each node and element with numbers of its own.
class SelectTissue : public testing::Test {
 protected:
  SelectTissue() {
    for (int i = 0; i < 6; ++i) mesh.nodes.push_back({1.0 * i, 1.0 * (i % 2), 1.0 * (i % 3)});
    mesh.tetrahedra = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}};
    whole = resting_problem(mesh, 1, 0);
    whole.cell_models = std::vector<AlievPanfilov>{{.b = 0.1}, {.b = 0.2}};
    whole.cell_model = {0, 1, 0};
    whole.states = {0.25, 0.5, 0.75};
    whole.phi = {0, 0.1, 0.2, 0.3, 0.4, 0.5};
    whole.diffusivity = {{1, 2, {1, 0, 0}}, {3, 4, {0, 1, 0}}, {5, 6, {0, 0, 1}}};
    whole.stimuli = {{{0, 4, 5}, {1, 2, 3, 4}, 5, {0.25, 0.5, 0.75}}, {{0}, {6, 7}, 8}};
    whole.probes = {{{0, 1, 2, 3}, {0.1, 0.2, 0.3, 0.4}}, {{5, 3, 4, 2}, {0.7, 0.1, 0.1, 0.1}}};
  }
  Mesh mesh;
  Problem whole;
};

TEST_F(SelectTissue, NumbersNodesAndElementsAsTheyAreListed) {
  const Tissue piece = select_tissue(whole, {5, 2, 4, 1, 3}, {2, 1});
  ASSERT_EQ(piece.mesh->nodes.size(), 5u);
  EXPECT_EQ(piece.mesh->nodes[0], mesh.nodes[5]);
  EXPECT_EQ(piece.mesh->nodes[3], mesh.nodes[1]);
  EXPECT_EQ(piece.mesh->tetrahedra, (std::vector<Tetrahedron>{{1, 4, 2, 0}, {3, 1, 4, 2}}));
  EXPECT_EQ(piece.phi, (std::vector<Real>{0.5, 0.2, 0.4, 0.1, 0.3}));
  EXPECT_EQ(piece.states, (std::vector<Real>{0.75, 0.5}));
  EXPECT_EQ(piece.cell_model, (std::vector<std::uint16_t>{0, 1}));
  EXPECT_EQ(piece.cell_models, whole.cell_models);
  ASSERT_EQ(piece.diffusivity.size(), 2u);
  EXPECT_EQ(piece.diffusivity[0].isotropic, 5);
  EXPECT_EQ(piece.diffusivity[1].anisotropic, 4);
  EXPECT_EQ(piece.diffusivity[1].fiber, (Vector3{0, 1, 0}));
}

TEST_F(SelectTissue, KeepsTheNodesOfAStimulusThatAreListedAndEachStimulusInItsPlace) {
  const Tissue piece = select_tissue(whole, {5, 2, 4, 1, 3}, {2, 1});
  ASSERT_EQ(piece.stimuli.size(), 2u);
  EXPECT_EQ(piece.stimuli[0].nodes, (std::vector<Index>{2, 0}));
  EXPECT_EQ(piece.stimuli[0].share, (std::vector<Real>{0.5, 0.75}));
  EXPECT_EQ(piece.stimuli[0].pulses.count, 4);
  EXPECT_EQ(piece.stimuli[0].amplitude, 5);
  EXPECT_TRUE(piece.stimuli[1].nodes.empty());
  EXPECT_EQ(piece.stimuli[1].amplitude, 8);
}

TEST_F(SelectTissue, KeepsTheProbesWhoseFourNodesAreListed) {
  const Tissue piece = select_tissue(whole, {5, 2, 4, 1, 3}, {2, 1});
  ASSERT_EQ(piece.probes.size(), 1u);
  EXPECT_EQ(piece.probes[0].nodes, (Tetrahedron{0, 4, 2, 1}));
  EXPECT_EQ(piece.probes[0].weights[0], 0.7);
}

TEST_F(SelectTissue, RefusesAnElementWithANodeThatIsNotListed) {
  EXPECT_THROW(select_tissue(whole, {5, 2, 4, 3}, {2, 1}), std::invalid_argument);
  EXPECT_TRUE(select_tissue(whole, {}, {}).mesh->nodes.empty());
}

}  // namespace
}  // namespace cardiowarp
