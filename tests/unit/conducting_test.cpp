// Tissue that does not conduct: it leaves the problem, as if the mesh had ended there, and stays in what is written.

#include "app/simulation/conducting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/refined_problem.hpp"
#include "app/simulation/simulation.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"
#include "tests/support/configuration.hpp"
#include "tests/support/input_error_of.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::ConfigurationMistake;
using test::input_error_of;
using test::minimal;

const std::string wave =
    "diffusivity: {isotropic: 0.2}\n"
    "stimuli: [{name: s, where: {box: {min: [0, 0, 0], max: [1, 9, 9]}}, duration: 2, amplitude: 50}]\n";
const std::string scar = "regions: [{where: {box: {min: [4, 0, 0], max: [9, 9, 9]}}, conducts: false}]\n";

/// The potential in mV at all nodes after some steps.
std::vector<Real> potential_after(const Problem& problem, int steps) {
  const std::unique_ptr<Simulation> simulation = make_cpu_simulation(problem);
  for (int k = 1; k <= steps; ++k) simulation->step_to(0.5 * k);
  std::vector<Real> potential(problem.mesh->nodes.size());
  simulation->potential_mv(potential);
  return potential;
}

class Scar : public Configuration {};

TEST_F(Scar, IsAsIfTheMeshEndedThere) {
  const Mesh whole = slab_mesh({7, 1, 1}, 0.5, true), part = slab_mesh({4, 1, 1}, 0.5, true);
  const std::string without_scar = minimal + wave, with_scar = without_scar + scar;
  for (const std::string quadrature : {"vertices", "centroid", "vertices_and_centroid"}) {
    const std::string more = "quadrature: " + quadrature + "\n";
    const Config of_whole = load(with_scar + more), of_part = load(without_scar + more);
    const Problem problem = build_problem(of_whole, whole), expected_problem = build_problem(of_part, part);
    const std::vector<Real> found = potential_after(problem, 30), expected = potential_after(expected_problem, 30);
    EXPECT_GT(std::ranges::max(expected), 0) << "nothing has happened";
    for (std::size_t node = 0; node < whole.nodes.size(); ++node) {
      const Vector3 p = whole.nodes[node];
      if (p.x > 4 + 1e-9) {
        EXPECT_NEAR(found[node], -80, 1e-9) << "a node of no tissue keeps its potential";
        continue;
      }
      const auto same = std::ranges::find_if(part.nodes, [&](Vector3 q) { return norm(p - q) < 1e-9; });
      ASSERT_NE(same, part.nodes.end());
      EXPECT_NEAR(found[node], expected[static_cast<std::size_t>(same - part.nodes.begin())], 1e-6) << quadrature;
    }
  }
}

TEST_F(Scar, OfADiffusivityOfZeroIsTheSame) {
  const Mesh mesh = slab_mesh({7, 1, 1}, 0.5, true);
  const std::string zero = "regions: [{where: {box: {min: [4, 0, 0], max: [9, 9, 9]}}, diffusivity: {isotropic: 0}}]\n";
  const Problem a = build_problem(load(minimal + wave + scar), mesh),
                b = build_problem(load(minimal + wave + zero), mesh);
  EXPECT_EQ(a.prescribed, b.prescribed);
  EXPECT_EQ(a.prescribed.size(), 6u * 9u);
  EXPECT_EQ(potential_after(a, 10), potential_after(b, 10));
  const std::string resolved = resolved_yaml(load(minimal + wave + scar));
  EXPECT_EQ(resolved_yaml(load_config(write(resolved, "resolved.yaml"))), resolved);
}

TEST_F(Scar, CutsTissueIntoParts) {
  const Mesh mesh = slab_mesh({7, 1, 1}, 0.5, true);
  const Problem problem = build_problem(
      load(minimal + wave + "regions: [{where: {box: {min: [3, 0, 0], max: [4, 9, 9]}}, conducts: false}]\n"), mesh);
  const Components parts = conducting_components(problem);
  ASSERT_EQ(parts.all.size(), 2u);
  EXPECT_EQ(parts.all[0].nodes, 7 * 9);
  EXPECT_EQ(parts.all[1].nodes, 7 * 9);
  EXPECT_EQ(problem.prescribed.size(), 9u) << "the nodes at x = 3.5 alone have no tissue";
}

TEST_F(Scar, StaysOneInARefinedMesh) {
  const Mesh mesh = slab_mesh({3, 1, 1}, 0.5, true);
  const Config config =
      load(minimal + wave + "regions: [{where: {box: {min: [2, 0, 0], max: [9, 9, 9]}}, conducts: false}]\n");
  const Problem refined = refined_problem(config, build_problem(config, mesh));
  EXPECT_EQ(refined.prescribed.size(), 4u * 25u);
}

TEST_F(Scar, TakesItsNodesOutOfStimuli) {
  const Mesh mesh = slab_mesh({3, 1, 1}, 0.5, true);
  const Problem problem = build_problem(
      load(minimal +
           "stimuli: [{name: s, where: {box: {min: [0, 0, 0], max: [9, 9, 9]}}, duration: 2, amplitude: 50}]\n" +
           "regions: [{where: {box: {min: [2, 0, 0], max: [9, 9, 9]}}, conducts: false}]\n"),
      mesh);
  EXPECT_EQ(problem.stimuli[0].nodes.size(), 5u * 9u);
}

TEST_F(Scar, MayNotBeAllThereIs) {
  const Mesh mesh = slab_mesh({3, 1, 1}, 0.5, true);
  const std::string said = input_error_of([&] {
    build_problem(load(minimal + "regions: [{where: {box: {min: [0, 0, 0], max: [9, 9, 9]}}, conducts: false}]\n"),
                  mesh);
  });
  EXPECT_NE(said.find("expected tissue that conducts, got none: all 144 elements"), std::string::npos) << said;
}

TEST_F(ConfigurationMistake, OfTissueThatDoesNotConductIsNamed) {
  expect_messages({
      {"regions: [{where: {tag: 1}, conducts: false, diffusivity: {isotropic: 1}}]",
       "3:59: regions[0].diffusivity: expected none beside conducts: false, got one"},
      {"regions: [{where: {tag: 1}, diffusivity: {isotropic: 0, anisotropic: 1}}]",
       "3:42: regions[0].diffusivity: expected a diffusivity across the fiber above 0, or 0 in all directions, got 0 "
       "across "
       "the fiber alone"},
  });
}

}  // namespace
}  // namespace cardiowarp
