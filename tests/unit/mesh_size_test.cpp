#include "app/advice/mesh_size.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "fem/mesh.hpp"
#include "tests/support/input_error_of.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;

MeshReport of_size(Vector3 size_mm, Real volume_cm3) {
  MeshReport report;
  report.size_mm = size_mm;
  report.volume_mm3 = 1000 * volume_cm3;
  return report;
}

std::string warning(Vector3 size_mm, Real volume_cm3, LengthUnit unit = LengthUnit::millimetre) {
  return size_warning(of_size(size_mm, volume_cm3), unit, "mesh.length_unit");
}

TEST(MeshSize, OfHeartsAndOfBlocksOfTissueIsPlausible) {
  EXPECT_EQ(warning({99, 68, 75}, 126), "");     // a human biventricle
  EXPECT_EQ(warning({130, 120, 160}, 700), "");  // a large human heart
  EXPECT_EQ(warning({25, 20, 30}, 6), "");       // a rabbit's
  EXPECT_EQ(warning({12, 10, 15}, 0.9), "");     // a rat's
  EXPECT_EQ(warning({80, 50, 60}, 25), "");      // atria
  EXPECT_EQ(warning({20, 7, 3}, 0.42), "");      // the slab of the benchmarks
  EXPECT_EQ(warning({20, 0.25, 0.25}, 1.25e-3), "");
  EXPECT_EQ(warning({1, 1, 1}, 1e-3), "");
  EXPECT_EQ(warning({40, 2, 2}, 0.09), "");  // a strip that lies askew in its box
  EXPECT_EQ(warning({300, 1, 1}, 0.3), "");
}

TEST(MeshSize, OfAHeartInAnotherUnitIsToldWithTheUnitThatMakesItAHeart) {
  EXPECT_EQ(warning({11, 9, 10}, 0.135),
            "read in mm, the mesh is 11 × 9 × 10 mm with 0.135 cm³ of tissue, no larger than the heart of a mouse: "
            "mesh.length_unit cm makes it 110 × 90 × 100 mm with 135 cm³ of tissue");
  EXPECT_EQ(warning({990, 680, 750}, 126e3, LengthUnit::centimetre),
            "read in cm, the mesh is 990 × 680 × 750 mm with 1.26e+05 cm³ of tissue, larger than any heart: "
            "mesh.length_unit mm makes it 99 × 68 × 75 mm with 126 cm³ of tissue");
  const Vector3 heart{110, 90, 100};
  struct Reading {
    Real factor;
    LengthUnit read;
    std::string unit;
  };
  for (const Reading& reading :
       {Reading{1e-3, LengthUnit::millimetre, "m"}, Reading{1e-3, LengthUnit::micrometre, "mm"},
        Reading{1e3, LengthUnit::millimetre, "um"}, Reading{10, LengthUnit::centimetre, "mm"},
        Reading{0.1, LengthUnit::millimetre, "cm"}}) {
    const std::string words = warning(reading.factor * heart, std::pow(reading.factor, 3) * 135, reading.read);
    EXPECT_NE(words.find(": mesh.length_unit " + reading.unit + " makes it 110 × 90 × 100 mm"), std::string::npos)
        << words;
  }
}

TEST(MeshSize, OfNothingAWaveTravelsThroughIsTold) {
  const std::string words = warning({0.02, 0.015, 0.01}, 3e-9, LengthUnit::micrometre);
  EXPECT_NE(words.find("smaller than any piece of tissue"), std::string::npos) << words;
  EXPECT_NE(words.find("mesh.length_unit mm makes it 20 × 15 × 10 mm with 3 cm³"), std::string::npos) << words;
  EXPECT_NE(warning({1e-9, 1e-9, 1e-9}, 1e-30).find("no other mesh.length_unit makes it a heart"), std::string::npos);
  EXPECT_NE(warning({301, 1, 1}, 0.3), "");
  EXPECT_NE(warning({200, 200, 200}, 2001), "");
  EXPECT_NE(warning({0.99, 0.99, 0.99}, 1e-3), "");
}

TEST(PartsOfAMesh, ThatLieAgainstEachOtherAreToldWithTheNumberOfTheirNodes) {
  Mesh mesh;
  for (const Real side : {1.0, -1.0}) {
    for (const Vector3 p : {Vector3{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2 * side}}) mesh.nodes.push_back(p);
    const auto first = static_cast<Index>(mesh.nodes.size()) - 4;
    mesh.tetrahedra.push_back({first, first + 1, first + 2, first + 3});
    mesh.element_tags.push_back(1);
  }
  const MeshReport report = check_mesh(mesh);
  EXPECT_EQ(
      parts_warning(mesh, connected_components(mesh), report),
      "6 of 8 nodes lie where another of the 2 connected parts of the mesh has a node of its own, and nothing gets "
      "across: merge these nodes (`cardiowarp mesh convert --merge-nodes`)");
  Mesh apart = mesh, whole = mesh;
  for (Index node = 4; node < 8; ++node) apart.nodes[node].z -= 1;
  EXPECT_EQ(parts_warning(apart, connected_components(apart), report), "");
  whole.tetrahedra[1] = {0, 1, 2, 7};
  check_mesh(whole);
  EXPECT_EQ(parts_warning(whole, connected_components(whole), report), "");
}

TEST(NumberOfTetrahedra, ThatIsOrdinaryIsNotSpokenOf) {
  EXPECT_EQ(judge_number_of_tetrahedra("--edge", 1, 3, 550, 1e9), "");
  EXPECT_EQ(judge_number_of_tetrahedra("--edge", 10e6, 3, 550, 1e12), "");
}

TEST(NumberOfTetrahedra, OfManyMillionsIsToldWithItsMemory) {
  EXPECT_EQ(judge_number_of_tetrahedra("--edge", 20e6, 3, 550, 1e12),
            "--edge: about 20 million tetrahedra, which take about 11 GB of memory while they are made");
}

TEST(NumberOfTetrahedra, ThatDoesNotFitIsRefusedWithTheEdgeThatDoes) {
  EXPECT_EQ(input_error_of([] { judge_number_of_tetrahedra("--edge", 8e9, 0.1, 500, 500e9); }),
            "--edge: expected at most 1000 million tetrahedra (the 500 GB of this machine's memory at 500 bytes each), "
            "got about 8000 million; an edge of 0.2 mm makes so many");
  EXPECT_EQ(
      input_error_of([] { judge_number_of_tetrahedra("--edge", 1e21, 1e-6, 500, 1e15); }),
      "--edge: expected at most 2147 million tetrahedra (what an index counts), got about 1e+21; an edge of 0.0078 "
      "mm makes so many");
  EXPECT_EQ(input_error_of([] { judge_number_of_tetrahedra("--levels", 1e13, 0, 170, 17e9); }),
            "--levels: expected at most 100 million tetrahedra (the 17 GB of this machine's memory at 170 bytes each), "
            "got about 1e+13");
  // An edge so short that the number overflows
  EXPECT_NE(input_error_of([] { judge_number_of_tetrahedra("--edge", INFINITY, 1e-300, 170, 1e9); }), "");
}

// What was measured: 720 MB for 2.52 million in a .msh file, 1720 MB for as many quadratic ones.
TEST(NumberOfTetrahedra, FitsWhereWhatWasMeasuredDoes) {
  struct Measured {
    Real tetrahedra, bytes;
    int order;
    const char* suffix;
  };
  for (const Measured& of : {Measured{2.52e6, 721352 * 1024.0, 1, ".msh"},
                             {7.3788e6, 2147468 * 1024.0, 1, ".msh"},
                             {7.3788e6, 792204 * 1024.0, 1, ".vtu"},
                             {7.3788e6, 466468 * 1024.0, 1, ".pts"},
                             {2.52e6, 1721844 * 1024.0, 2, ".msh"},
                             {2.52e6, 687868 * 1024.0, 2, ".vtu"}}) {
    const Real each = bytes_of_tetrahedron(MeshMaker::program, of.order, of.suffix);
    EXPECT_EQ(judge_number_of_tetrahedra("--edge", of.tetrahedra, 1, each, 1.1 * of.bytes), "") << of.suffix;
    EXPECT_NE(input_error_of([&] { judge_number_of_tetrahedra("--edge", of.tetrahedra, 1, each, 0.95 * of.bytes); }),
              "")
        << of.suffix;
    EXPECT_GE(bytes_of_tetrahedron(MeshMaker::gmsh, of.order, of.suffix), each);
    EXPECT_GE(bytes_of_tetrahedron(MeshMaker::gmsh, of.order, of.suffix), 565);
  }
}

TEST(NumberOfTetrahedra, IsThatOfTheDefaultHeartWithinATenth) {
  EXPECT_NEAR(estimated_tetrahedra(126.1e3, 3.02), 50231, 5023);
}

}  // namespace
}  // namespace cardiowarp
