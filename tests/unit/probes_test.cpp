#include "app/simulation/probes.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <limits>
#include <random>
#include <stdexcept>

#include "app/checkpoint/file_mark.hpp"
#include "app/config/config.hpp"
#include "app/output/series_file.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/small_mesh.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

Vector3 point_of(const Mesh& mesh, const ProbePoint& probe) {
  Vector3 point;
  for (std::size_t corner = 0; corner < 4; ++corner)
    point = point + probe.weights[corner] * mesh.nodes[probe.nodes[corner]];
  return point;
}

TEST(LocateProbes, GivesTheBarycentricWeightsOfAPointInside) {
  const Mesh mesh = test::small_mesh();
  const ProbePoint probe = locate_probes(mesh, {{"p", {0.125, 0.25, 0.5}}}).at(0);
  EXPECT_EQ(probe.nodes, mesh.tetrahedra[0]);
  EXPECT_EQ(probe.weights, (std::array<Real, 4>{0.125, 0.125, 0.25, 0.5}));
}

TEST(LocateProbes, GivesANodeItsOwnValue) {
  const Mesh mesh = test::small_mesh();
  const ProbePoint probe = locate_probes(mesh, {{"p", {2, 2, 2}}}).at(0);
  EXPECT_EQ(probe.nodes, mesh.tetrahedra[1]);
  EXPECT_EQ(probe.weights, (std::array<Real, 4>{0, 0, 0, 1}));
}

TEST(LocateProbes, ReadsALinearFieldExactlyAtRandomPointsInside) {
  const Mesh mesh = test::small_mesh();
  constexpr unsigned seed = 20240607;
  std::mt19937 random(seed);
  std::exponential_distribution<Real> draw;  // normalised: uniform in the tetrahedron
  for (int trial = 0; trial < 200; ++trial) {
    const Tetrahedron& nodes = mesh.tetrahedra[trial % 2];
    std::array<Real, 4> weights{draw(random), draw(random), draw(random), draw(random)};
    const Real sum = weights[0] + weights[1] + weights[2] + weights[3];
    Vector3 point;
    for (std::size_t corner = 0; corner < 4; ++corner)
      point = point + (weights[corner] / sum) * mesh.nodes[nodes[corner]];
    const ProbePoint probe = locate_probes(mesh, {{"p", point}}).at(0);
    EXPECT_LT(norm(point_of(mesh, probe) - point), 1e-14) << "seed " << seed << ", trial " << trial;
    for (const Real weight : probe.weights) EXPECT_GE(weight, 0);
  }
}

TEST(LocateProbes, MovesAPointJustOutsideOntoTheMesh) {
  const Mesh mesh = test::small_mesh();  // of size 2 sqrt(3): 3.46e-6 mm outside are allowed
  for (const Vector3 outside : {Vector3{0.25, 0.25, -3e-6}, Vector3{0.5, -2e-6, -2e-6}, Vector3{-1e-6, -1e-6, -1e-6},
                                Vector3{2 + 1e-6, 2 + 1e-6, 2 + 1e-6}}) {
    const ProbePoint probe = locate_probes(mesh, {{"p", outside}}).at(0);
    const Vector3 moved = point_of(mesh, probe);
    EXPECT_GT(norm(moved - outside), 1e-7);
    EXPECT_LT(norm(moved - outside), 3.5e-6);
    Real sum = 0;
    for (const Real weight : probe.weights) {
      EXPECT_GE(weight, 0);
      EXPECT_LE(weight, 1);
      sum += weight;
    }
    EXPECT_NEAR(sum, 1, 1e-15);
  }
  EXPECT_THROW(locate_probes(mesh, {{"p", {0.25, 0.25, -4e-6}}}), InputError);
}

/// Outward unit normal of the face opposite `corner`.
Vector3 outward_normal(const std::vector<Vector3>& corners, int corner) {
  const Vector3 a = corners[(corner + 1) % 4], b = corners[(corner + 2) % 4], c = corners[(corner + 3) % 4];
  const Vector3 normal = cross(b - a, c - a);
  const Real sign = dot(normal, corners[corner] - a) > 0 ? -1 : 1;
  return (sign / norm(normal)) * normal;
}

// From a point of a face, an edge or a corner, outwards along the sum of the normals of its faces: it is the nearest.
TEST(LocateProbes, FindsTheNearestPointBeyondEveryFaceEdgeAndCorner) {
  Mesh mesh;
  mesh.nodes = {{0.1, -0.2, 0.3}, {2.1, 0.1, 0}, {0.4, 1.7, -0.3}, {0.6, 0.5, 1.9}};
  mesh.tetrahedra = {{0, 1, 2, 3}};
  for (unsigned corners = 1; corners < 15; ++corners) {
    std::array<Real, 4> weights{};
    Vector3 on_surface, outwards;
    Real count = 0;
    for (int corner = 0; corner < 4; ++corner) count += (corners >> corner) & 1U;
    for (int corner = 0; corner < 4; ++corner) {
      if ((corners >> corner) & 1U) {
        weights[corner] = 1 / count;
        on_surface = on_surface + weights[corner] * mesh.nodes[corner];
      } else {
        outwards = outwards + outward_normal(mesh.nodes, corner);
      }
    }
    const ProbePoint probe = locate_probes(mesh, {{"p", on_surface + 1e-7 * outwards}}).at(0);
    for (int corner = 0; corner < 4; ++corner)
      EXPECT_NEAR(probe.weights[corner], weights[corner], 1e-12) << "corners " << corners;
  }
}

struct Outside {
  Vector3 point;
  std::string distance, nearest;
};

// Beyond a face, an edge and a corner.
TEST(LocateProbes, NamesTheNearestPointOfTheMeshForAPointOutside) {
  const Mesh mesh = test::small_mesh();
  const std::vector<Outside> cases{{{0.25, 0.25, -3}, "3", "[0.25, 0.25, 0]"},
                                   {{0.5, -3, -4}, "5", "[0.5, 0, 0]"},
                                   {{-2, -3, -6}, "7", "[0, 0, 0]"},
                                   {{4, 5, 8}, "7", "[2, 2, 2]"}};
  for (const Outside& expected : cases) {
    const std::string message = test::input_error_of([&] {
      locate_probes(mesh, {{"here", {0, 0, 0}}, {"apex", expected.point, "a.yaml:3:7: probes[1].point"}});
    });
    EXPECT_EQ(message.find("a.yaml:3:7: probes[1].point: probe 'apex': ["), 0U) << message;
    EXPECT_NE(
        message.find("lies " + expected.distance + " mm outside the mesh; its nearest point is " + expected.nearest),
        message.npos)
        << message;
  }
}

TEST(SeriesFile, HasATimeColumnAndOneColumnAProbe) {
  const test::TemporaryDirectory directory;
  {
    SeriesFile file(directory / "probes.csv", {"apex", "base, \"left\""});
    file.write(0, std::vector<Real>{-80, -79.5});
    file.write(0.1, std::vector<Real>{1.0 / 3, 1e-20});
  }
  EXPECT_EQ(test::read_text(directory / "probes.csv"),
            "time_ms,apex,\"base, \"\"left\"\"\"\n0,-80,-79.5\n0.1,0.3333333333333333,1e-20\n");
}

TEST(SeriesFile, IsCompleteAfterAFlush) {
  const test::TemporaryDirectory directory;
  SeriesFile file(directory / "probes.csv", {"apex"});
  file.write(5, std::vector<Real>{-80});
  file.flush();
  EXPECT_EQ(test::read_text(directory / "probes.csv"), "time_ms,apex\n5,-80\n");
}

TEST(SeriesFile, EndsWithTheLastWholeRecordWhenTheDiskIsFull) {
  const test::TemporaryDirectory directory;
  SeriesFile file(directory / "probes.csv", {"apex"});
  file.write(0, std::vector<Real>{-80});
  file.flush();
  const std::string message = test::input_error_of([&] {
    const test::FileSizeLimit limit(22);  // in the middle of the third line
    file.write(5, std::vector<Real>{-79.25});
    file.flush();
  });
  EXPECT_EQ(message, "cannot write '" + (directory / "probes.csv").string() + "': File too large");
  EXPECT_EQ(test::read_text(directory / "probes.csv"), "time_ms,apex\n0,-80\n");
}

TEST(SeriesFile, EndsWithTheLastWholeRecordWhenItIsClosedOnAFullDisk) {
  const test::TemporaryDirectory directory;
  {
    const test::FileSizeLimit limit(22);
    SeriesFile file(directory / "probes.csv", {"apex"});
    file.write(0, std::vector<Real>{-80});
    file.flush();
    file.write(5, std::vector<Real>{-79.25});
  }
  EXPECT_EQ(test::read_text(directory / "probes.csv"), "time_ms,apex\n0,-80\n");
}

TEST(SeriesFile, GoesOnAfterTheRowsThatItHadAndKnowsThem) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path path = directory / "probes.csv";
  FileMark rows, all;
  {
    SeriesFile file(path, {"apex"});
    file.write(0, std::vector<Real>{-80});
    file.flush();
    rows = file.rows();
    file.write(0.5, std::vector<Real>{-79.25});
    file.flush();
    all = file.rows();
  }
  EXPECT_EQ(rows.bytes, 19);
  EXPECT_EQ(all, mark_of(path));
  const std::string whole = test::read_text(path);
  EXPECT_EQ(why_no_rows(path, rows), "");
  EXPECT_EQ(why_no_rows(path, all), "");
  {
    SeriesFile file(path, {"apex"}, rows);
    EXPECT_EQ(test::read_text(path), whole.substr(0, 19));
    file.write(0.5, std::vector<Real>{-79.25});
    file.flush();
    EXPECT_EQ(file.rows(), all);
  }
  EXPECT_EQ(test::read_text(path), whole);
}

TEST(SeriesFile, DoesNotGoOnAfterOtherRows) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path path = directory / "probes.csv";
  test::write_text(path, "time_ms,apex\n0,-80\n");
  const FileMark rows = mark_of(path);
  const auto expect_refused = [&](const std::string& reason) {
    EXPECT_EQ(why_no_rows(path, rows), reason);
    EXPECT_EQ(test::input_error_of([&] { SeriesFile(path, {"apex"}, rows); }),
              "--resume: '" + path.string() + "', which was written before the checkpoint: " + reason);
  };
  test::write_text(path, "time_ms,apex\n0,-81\n0.5,-79\n");
  expect_refused("its first 19 bytes are others than the run had written");
  EXPECT_EQ(test::read_text(path), "time_ms,apex\n0,-81\n0.5,-79\n");
  test::write_text(path, "time_ms,apex\n0,-80");
  expect_refused("expected at least 19 bytes, got 18");
  std::filesystem::remove(path);
  expect_refused("No such file or directory");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expect_refused("expected a regular file, got a FIFO");
}

TEST(SeriesFile, NamesTheFileAndTheReasonWhenItCannotBeCreated) {
  const test::TemporaryDirectory directory;
  const std::string file = (directory / "missing/probes.csv").string();
  EXPECT_EQ(test::input_error_of([&] { SeriesFile(file, {}); }),
            "cannot write '" + file + "': No such file or directory");
}

TEST(SeriesFile, RefusesValuesThatAreNotFiniteAndWrongCounts) {
  const test::TemporaryDirectory directory;
  SeriesFile file(directory / "probes.csv", {"apex"});
  EXPECT_THROW(file.write(0, std::vector<Real>{std::numeric_limits<Real>::quiet_NaN()}), std::logic_error);
  EXPECT_THROW(file.write(0, std::vector<Real>{1, 2}), std::logic_error);
  file.flush();
  EXPECT_EQ(test::read_text(directory / "probes.csv"), "time_ms,apex\n");
}

}  // namespace
}  // namespace cardiowarp
