// How much of a stimulus each node has. Volumes are compared with those that a person can compute.

#include "app/simulation/stimulated_nodes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "app/config/stimulus_config.hpp"
#include "app/simulation/selection.hpp"
#include "fem/clipped_volume.hpp"
#include "meshes/generate.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/small_mesh.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 83;

Corners corners_of(const Mesh& mesh, const Tetrahedron& nodes) {
  return {mesh.nodes[nodes[0]], mesh.nodes[nodes[1]], mesh.nodes[nodes[2]], mesh.nodes[nodes[3]]};
}

Where where(decltype(Where::region) region) { return {std::move(region), "heart.yaml:3:5: stimuli[0].where"}; }

/// The volume that is stimulated, mm³: of each node its share of its dual cell.
Real stimulated_volume(const Mesh& mesh, const StimulatedNodes& stimulated) {
  std::vector<Real> share(mesh.nodes.size());
  for (std::size_t i = 0; i < stimulated.nodes.size(); ++i) share[stimulated.nodes[i]] = stimulated.share[i];
  Real volume = 0;
  for (const Tetrahedron& nodes : mesh.tetrahedra)
    for (const Index node : nodes) volume += share[node] * volume_of(corners_of(mesh, nodes)) / 4;
  return volume;
}

TEST(ClippedVolume, OfTheTetrahedraOfABoxIsTheBoxTheyHaveInCommon) {
  const Mesh mesh = random_mesh({3, 2, 2}, 0.5, seed);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<Real> anywhere(-0.5, 2);
  for (int k = 0; k < 50; ++k) {
    const Vector3 min{anywhere(generator), anywhere(generator), anywhere(generator)};
    const Vector3 max = min + Vector3{anywhere(generator) + 0.6, 0.003, anywhere(generator) + 0.6};
    Real volume = 0;
    for (const Tetrahedron& nodes : mesh.tetrahedra) volume += volume_in_box(corners_of(mesh, nodes), min, max);
    const auto common = [](Real low, Real high, Real size) {
      return std::max(0.0, std::min(high, size) - std::max(low, 0.0));
    };
    EXPECT_NEAR(volume, common(min.x, max.x, 3) * common(min.y, max.y, 2) * common(min.z, max.z, 2), 1e-13) << k;
  }
}

TEST(ClippedVolume, OfABallIsItsVolumeWhetherItIsInOneTetrahedronOrInMany) {
  const Corners large{{{0, 0, 0}, {100, 0, 0}, {0, 100, 0}, {0, 0, 100}}};
  const Real ball = 4 * std::numbers::pi / 3;
  EXPECT_NEAR(volume_in_ball(large, {20, 20, 20}, 1), ball, 0.003 * ball);
  EXPECT_NEAR(volume_in_ball(large, {0, 0, 0}, 10), 1000 * ball / 8, 3 * ball / 8);
  EXPECT_EQ(volume_in_ball(large, {-20, 20, 20}, 1), 0);
  EXPECT_EQ(volume_in_ball(large, {20, 20, 20}, 1000), volume_of(large));
  const Mesh mesh = random_mesh({3, 3, 3}, 0.5, seed);
  Real volume = 0;
  for (const Tetrahedron& nodes : mesh.tetrahedra)
    volume += volume_in_ball(corners_of(mesh, nodes), {1.6, 1.4, 1.5}, 1.2);
  EXPECT_NEAR(volume, 1.728 * ball, 0.003 * 1.728 * ball);
}

TEST(ClippedVolume, OfABallIsFoundInTetrahedraOfAnyThinness) {
  // Eighths of these until they are small beside the ball would be too many to count.
  const Real ball = 4 * std::numbers::pi / 3 * 12 * 12 * 12;
  const Corners needle{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 65536}}};
  const Real needle_in_ball = volume_in_ball(needle, {0, 0, 0}, 12);
  EXPECT_GT(needle_in_ball, 0.5 * 11.8);
  EXPECT_LT(needle_in_ball, 0.5 * 12);
  const Corners leaf{{{0, 0, 0}, {1e6, 0, 0}, {0, 1e6, 0}, {0, 0, 1e-3}}};  // a quarter of a disk, 1e-3 thick
  const Real quarter_disk = std::numbers::pi * 12 * 12 / 4 * 1e-3;
  EXPECT_NEAR(volume_in_ball(leaf, {0, 0, 0}, 12), quarter_disk, 0.01 * quarter_disk);
  EXPECT_NEAR(volume_in_ball({{{-1e6, -1e6, -1e6}, {1e6, 0, 0}, {0, 1e6, 0}, {0, 0, 1e6}}}, {0, 0, 0}, 12), ball,
              0.003 * ball);
  EXPECT_EQ(volume_in_ball({{{-1e6, 0, 0}, {1e6, 0, 0}, {0, 1e6, 0}, {0, -1e6, 0}}}, {0, 0, 0}, 12), 0);
}

TEST(ClippedVolume, OfABallSmallerThanTheRoundingOfCoordinatesIsFound) {
  const Corners corners{{{1.1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 2, 2}}};
  for (const Real radius : {1e-15, 1e-16, 1e-20, 1e-300})
    for (const Vector3 center : {corners[0], Vector3{0.7, 0.7, 0.7}}) {
      const Real volume = volume_in_ball(corners, center, radius);
      EXPECT_TRUE(volume >= 0 && volume < 1e-40) << radius << ": " << volume;
    }
}

TEST(StimulatedNodes, WithWeightsMakeUpTheVolumeOfTheBox) {
  const Mesh mesh = random_mesh({3, 2, 2}, 0.5, seed);
  for (const Real side : {0.01, 0.4, 0.5, 0.75, 1.0, 1.99}) {
    const StimulatedNodes some =
        stimulated_nodes(mesh, where(Box{{0, 0, 0}, {side, side, side}}), StimulusEdge::weighted);
    EXPECT_NEAR(stimulated_volume(mesh, some), side * side * side, 1e-10) << side;
    EXPECT_TRUE(std::is_sorted(some.nodes.begin(), some.nodes.end()));
  }
}

// Faces of the boxes go through nodes, between them and out of the tissue.
TEST(StimulatedNodes, WithWeightsMakeUpTheVolumeThatABoxHasInCommonWithTheTissueOfEitherKindOfMesh) {
  for (const bool regular : {true, false}) {
    const Mesh mesh = slab_mesh({4, 3, 2}, 0.5, regular);
    const auto expect_volume = [&](const Box& box, Real volume) {
      const StimulatedNodes some = stimulated_nodes(mesh, where(box), StimulusEdge::weighted);
      EXPECT_NEAR(stimulated_volume(mesh, some), volume, 1e-12 * volume) << regular << " " << volume;
    };
    expect_volume({{0, 0, 0}, {1.5, 1.5, 1.5}}, 3.375);
    expect_volume({{-1, -1, -1}, {1.2, 0.7, 9}}, 1.2 * 0.7 * 2);
    expect_volume({{1.03, 0.51, 0.26}, {2.9, 2.49, 1.74}}, 1.87 * 1.98 * 1.48);
    expect_volume({{3.33, -1, 0.5}, {9, 9, 0.61}}, 0.67 * 3 * 0.11);
    expect_volume({{-9, -9, -9}, {9, 9, 9}}, 24);
  }
}

TEST(StimulatedNodes, WithWeightsMakeUpTheVolumeOfTheSphere) {
  const Mesh mesh = random_mesh({3, 3, 3}, 0.5, seed);
  const StimulatedNodes some = stimulated_nodes(mesh, where(Sphere{{1.5, 1.6, 1.4}, 0.8}), StimulusEdge::weighted);
  const Real ball = 4 * std::numbers::pi / 3 * 0.512;
  EXPECT_NEAR(stimulated_volume(mesh, some), ball, 0.003 * ball);
}

TEST(StimulatedNodes, HaveHalfOfTheStimulusOnAFaceOfTheBoxAndAllOfItInside) {
  const Mesh mesh = slab_mesh({3, 2, 2}, 0.5, true);
  const StimulatedNodes some = stimulated_nodes(mesh, where(Box{{-1, -1, -1}, {1.5, 9, 9}}), StimulusEdge::weighted);
  std::size_t inside = 0, on_face = 0;
  for (std::size_t i = 0; i < some.nodes.size(); ++i) {
    const Real x = mesh.nodes[some.nodes[i]].x, y = mesh.nodes[some.nodes[i]].y, z = mesh.nodes[some.nodes[i]].z;
    EXPECT_LE(x, 1.5 + 1e-12);
    if (x < 1.25) {
      EXPECT_EQ(some.share[i], 1);
      ++inside;
    } else if (y > 0.1 && y < 1.9 && z > 0.1 && z < 1.9) {  // elsewhere dual cells are not symmetric
      EXPECT_NEAR(some.share[i], 0.5, 1e-12);
      ++on_face;
    }
  }
  EXPECT_EQ(inside, 3u * 5 * 5);
  EXPECT_EQ(on_face, 3u * 3);
}

TEST(StimulatedNodes, OfAVolumeTagHaveItsShareOfTheTetrahedraAroundThem) {
  const Mesh mesh = test::small_mesh();  // tetrahedra of 1/6 and 5/6 mm³ over one face
  const StimulatedNodes scar = stimulated_nodes(mesh, where(Tag{"scar"}), StimulusEdge::weighted);
  ASSERT_EQ(scar.nodes, (std::vector<Index>{1, 2, 3, 4}));
  const Real first = volume_of(corners_of(mesh, mesh.tetrahedra[0])),
             second = volume_of(corners_of(mesh, mesh.tetrahedra[1]));
  for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(scar.share[i], second / (first + second));
  EXPECT_EQ(scar.share[3], 1);
  EXPECT_DOUBLE_EQ(stimulated_volume(mesh, scar), second);
}

TEST(StimulatedNodes, CountWholeWithoutWeightsAndWhereNothingHasAVolume) {
  const Mesh mesh = test::small_mesh();
  const auto expect_whole = [&](const Where& region, StimulusEdge edge) {
    const StimulatedNodes some = stimulated_nodes(mesh, region, edge);
    EXPECT_EQ(some.nodes, select_nodes(mesh, region));
    EXPECT_EQ(some.share, std::vector<Real>(some.nodes.size(), 1));
  };
  expect_whole(where(Box{{0, 0, 0}, {1, 1, 0.3}}), StimulusEdge::nodes);
  expect_whole(where(Tag{"scar"}), StimulusEdge::nodes);
  expect_whole(where(Tag{"epi"}), StimulusEdge::weighted);  // a surface
  expect_whole(where(Surface{"epi"}), StimulusEdge::weighted);
  expect_whole(where(Box{{0, 0, 0}, {1, 1, 0}}), StimulusEdge::weighted);  // flat
  expect_whole(where(Sphere{{2, 2, 2}, 0}), StimulusEdge::weighted);       // a point
}

TEST(StimulatedNodes, MayLieInABoxBetweenNodesWhereTheyAreWeighted) {
  const Mesh mesh = test::small_mesh();
  const Box between{{0.1, 0.1, 0.1}, {0.2, 0.2, 0.2}};
  EXPECT_NEAR(stimulated_volume(mesh, stimulated_nodes(mesh, where(between), StimulusEdge::weighted)), 0.001, 1e-15);
  EXPECT_NE(test::input_error_of([&] { stimulated_nodes(mesh, where(between), StimulusEdge::nodes); }), "");
  for (const StimulusEdge edge : {StimulusEdge::weighted, StimulusEdge::nodes})
    EXPECT_NE(test::input_error_of([&] {
                stimulated_nodes(mesh, where(Box{{7, 7, 7}, {8, 8, 8}}), edge);
              }).find("selects no node; the mesh lies from [0, 0, 0] to [2, 2, 2] (mm)"),
              std::string::npos);
}

}  // namespace
}  // namespace cardiowarp
