#include "app/advice/frame_estimate.hpp"
#include "app/config/config.hpp"
#include "app/config/frame_count.hpp"
#include "fem/mesh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace cardiowarp {
namespace {

Real frames(Real end_ms, Real step_ms, Real interval_ms, bool adaptive = false,
            TimeScheme scheme = TimeScheme::backward_euler) {
  TimeConfig time;
  time.end_ms = end_ms;
  time.step_ms = step_ms;
  time.scheme = scheme;
  time.adaptive.enabled = adaptive;
  return number_of_frames(time, interval_ms);
}

TEST(NumberOfFrames, CountsTheStartTheMultiplesAndTheEnd) {
  EXPECT_EQ(frames(20, 0.1, 5), 5);
  EXPECT_EQ(frames(21, 0.1, 5), 6);
  EXPECT_EQ(frames(20, 0.1, 100), 2);
  EXPECT_EQ(frames(1, 1, 1), 2);
  EXPECT_EQ(frames(0.3, 0.1, 0.1), 4);  // 0.3 / 0.1 is below 3 in binary
}

TEST(NumberOfFrames, IsAtMostOneAStepOfEqualSteps) {
  EXPECT_EQ(frames(10, 0.1, 1e-8), 101);
  EXPECT_EQ(frames(10, 3, 1), 5);
  EXPECT_NEAR(frames(10, 0.1, 1e-6, true), 10'000'001, 1);  // adaptive ones end at each multiple
  EXPECT_EQ(frames(21, 0.1, 5, true), 6);
}

TEST(NumberOfFrames, IsThatOfTheMultiplesAndTheEndWhereFramesComeFromInsideSteps) {
  EXPECT_EQ(frames(10, 3, 1, false, TimeScheme::sdirk2), 11);
  EXPECT_EQ(frames(21, 3, 5, false, TimeScheme::sdirk2), 6);
  EXPECT_EQ(frames(21, 3, 50, false, TimeScheme::bdf2), 2);
}

TEST(FrameEstimate, IsNearTheFilesOfTheDefaultHeart) {
  Mesh mesh;  // 3 mm: a frame has 1.25 MB on disk
  mesh.nodes.resize(12415);
  mesh.tetrahedra.resize(50231);
  Config config;
  config.time.end_ms = 150;
  config.time.step_ms = 0.5;
  const FrameEstimate both = estimate_frames(config, mesh);
  EXPECT_EQ(both.frames, 31);
  EXPECT_NEAR(both.bytes / both.frames, 1.25e6, 0.1e6);
  EXPECT_EQ(describe(both), "31 frames, about 0.041 GB");
  EXPECT_EQ(frame_warning(both, 1e12), "");
  config.output.precision = OutputPrecision::single_precision;
  EXPECT_NEAR(both.bytes - estimate_frames(config, mesh).bytes, 31.0 * 4 * (12415 + 50231), 1);
  config.output.precision.reset();
  config.output.states.emplace();
  EXPECT_NEAR(both.bytes - estimate_frames(config, mesh).bytes, 31.0 * 8 * 50231, 1);
}

TEST(FrameEstimate, CountsTheMeshOfEnsightFramesOnceAndFourBytesAValue) {
  Mesh mesh;
  mesh.nodes.resize(1000);
  mesh.tetrahedra.resize(5000);
  Config config;
  config.output.format = OutputFormat::ensight;
  config.time.end_ms = 150;
  config.time.step_ms = 0.5;
  config.output.states.emplace();
  EXPECT_EQ(estimate_frames(config, mesh).bytes, 12 * 1000 + 32 * 5000 + 31 * 4 * 1000);
  config.output.states = {"recovery"};
  EXPECT_EQ(estimate_frames(config, mesh).bytes, 12 * 1000 + 32 * 5000 + 31 * 4 * (1000 + 5000));
  config.output.potential = false;
  mesh.edge_nodes.resize(5000);
  EXPECT_EQ(estimate_frames(config, mesh).bytes, 12 * 1000 + 56 * 5000 + 31 * 4 * 5000);
  config.output.phi_e = true;
  EXPECT_EQ(estimate_frames(config, mesh).bytes, 12 * 1000 + 56 * 5000 + 31 * 4 * (1000 + 5000));
}

TEST(FrameEstimate, IsNearTheFilesOfQuadraticElements) {
  Mesh mesh;  // a block of 10 mm by Gmsh with edges of 0.8 mm, while a wave goes through: a frame has 1.54 MB on disk
  mesh.nodes.resize(31134);
  mesh.tetrahedra.resize(20567);
  mesh.edge_nodes.resize(20567);
  const FrameEstimate both = estimate_frames({}, mesh);
  EXPECT_NEAR(both.bytes / both.frames, 1.54e6, 0.15e6);
}

TEST(FrameEstimate, WarnsOfManyFramesManyBytesAndAFullDisk) {
  const Real plenty = std::numeric_limits<Real>::infinity();
  EXPECT_EQ(frame_warning({20'000, 20e9, 1}, plenty), "");
  EXPECT_EQ(
      frame_warning({20'001, 1e9, 120}, plenty),
      "output: 20001 frames, about 1 GB, and about 2 minutes of one thread to write them: a longer output.interval "
      "or fewer output.fields make less");
  EXPECT_NE(frame_warning({10, 20.1e9, 1}, plenty), "");
  EXPECT_EQ(frame_warning({10, 2e9, 60}, 1e9),
            "output: 10 frames, about 2 GB, more than the 1 GB free there, and about 1 minutes of one thread to write "
            "them: a longer output.interval or fewer output.fields make less");
}

TEST(FrameEstimate, KnowsTheRoomOnTheDiskOfAFolderToBeMade) {
  EXPECT_GT(free_bytes("/tmp/not/there/yet"), 0);
  EXPECT_LT(free_bytes("/tmp/not/there/yet"), 1e18);
}

}  // namespace
}  // namespace cardiowarp
