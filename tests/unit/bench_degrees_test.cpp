#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "app/bench/degree_bench.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;

std::map<std::string, DegreeMeasurement> by_name(const std::vector<DegreeMeasurement>& measurements) {
  std::map<std::string, DegreeMeasurement> named;
  for (const DegreeMeasurement& m : measurements) named[m.operation + " " + m.method] = m;
  return named;
}

TEST(BenchDegrees, EveryWayOfEveryDegreeIsRightOnTheCpu) {
  const Mesh mesh = random_mesh({3, 2, 2}, 0.7, 11);
  for (const int degree : {1, 2, 3}) {
    const auto named = by_name(measure_degree(degree, mesh, {.on_cpu = true, .repeats = 1}));
    for (const char* name : {"assembly local", "assembly global_nz", "assembly elem_color", "assembly atomics",
                             "product csr", "product local"}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(degree));
      ASSERT_TRUE(named.contains(name));
      const DegreeMeasurement& m = named.at(name);
      EXPECT_TRUE(m.correct.value_or(false));
      EXPECT_EQ(m.degree, degree);
      EXPECT_EQ(m.elements, static_cast<Index>(mesh.tetrahedra.size()));
      EXPECT_GT(m.seconds.median, 0);
      EXPECT_GT(m.bytes, 0);
    }
    EXPECT_GE(named.at("assembly elem_color").colors.value_or(0), 10);
  }
}

// 227 KiB of 8 bytes over 10 + 4, 55 + 10 and 210 + 20 numbers (paper 004, Table IV has these sizes for triangles).
TEST(BenchDegrees, SaysHowManyElementsFitIntoABlockOfSharedNz) {
  const Mesh mesh = random_mesh({5, 5, 5}, 0.5, 11);
  const int expected[]{2075, 447, 126};
  double before = 1;
  for (const int degree : {1, 2, 3}) {
    const DegreeMeasurement m =
        by_name(measure_degree(degree, mesh, {.on_cpu = true, .repeats = 1})).at("parts shared_nz");
    EXPECT_EQ(m.elements_a_part, expected[degree - 1]);
    EXPECT_GT(m.evaluations.value(), before);
    EXPECT_LT(m.evaluations.value(), 4);
    before = m.evaluations.value();
  }
}

TEST(BenchDegrees, MakesBoxesOfAboutAsManyNodes) {
  for (const int degree : {1, 2, 3}) {
    const Mesh box = box_for_degree(degree, 27'000);
    const double cubes_a_side = std::cbrt(static_cast<double>(box.tetrahedra.size()) / 6);
    EXPECT_NEAR(std::pow(degree * cubes_a_side + 1, 3), 27'000, 3'000) << degree;
  }
}

TEST(BenchDegrees, RefusesOtherDegreesAndBoxesThatAreTooSmall) {
  EXPECT_EQ(input_error_of([] { require_valid(DegreeOptions{.degrees = {4}}); }),
            "--degree: expected 1, 2 or 3, got 4");
  EXPECT_EQ(input_error_of([] { require_valid(DegreeOptions{.nodes = {63}}); }),
            "--nodes: expected 64 to 20000000 nodes of a box, got 63");
  require_valid(DegreeOptions{.nodes = {64, 20'000'000}, .degrees = {3, 1}});
}

TEST(BenchDegrees, HasARowOfTheTableForEachMeasurement) {
  Table table = degree_table();
  const auto measurements = measure_degree(2, random_mesh({1, 1, 1}, 0.5, 11), {.on_cpu = true, .repeats = 2});
  add_rows(table, "cube", measurements, "here");
  ASSERT_EQ(table.rows.size(), measurements.size());
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
}

}  // namespace
}  // namespace cardiowarp
