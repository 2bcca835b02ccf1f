// Rules of anatomy on hearts of others: the Laplace fields of a left atrium, and fibers beside those that come with a
// left ventricle and with a biventricle. The hearts are data that a checkout may lack.

#include <gtest/gtest.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkDataArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridReader.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/anatomy/mesh_coordinates.hpp"
#include "app/anatomy/rule_fibers.hpp"
#include "app/simulation/laplace.hpp"
#include "fem/anatomy/boundary_faces.hpp"
#include "fem/components.hpp"
#include "fem/element_volume.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/spheroid.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

/// A file of the data, which may be packed with xz there, in a folder of its own; empty where it is not there.
class DataFile {
 public:
  explicit DataFile(const std::string& name) {
    const fs::path plain = fs::path(CARDIOWARP_SHARED_FOLDER) / "data" / name, packed = plain.string() + ".xz";
    if (fs::exists(plain)) path_ = plain;
    if (!fs::exists(packed)) return;
    const fs::path unpacked = folder_ / plain.filename();
    const std::string command = "xz -dkc '" + packed.string() + "' > '" + unpacked.string() + "'";
    if (std::system(command.c_str()) == 0) path_ = unpacked;  // NOLINT(cert-env33-c): a fixed command
  }
  const fs::path& path() const { return path_; }

 private:
  test::TemporaryDirectory folder_;
  fs::path path_;
};

#define CARDIOWARP_REQUIRE(file) \
  if ((file).path().empty()) GTEST_SKIP() << "the data are not there, or no xz"

struct Distribution {
  Real mean, median, ninety_percent;
};

Distribution distribution_of(std::vector<Real> values) {
  std::ranges::sort(values);
  Real sum = 0;
  for (const Real value : values) sum += value;
  const auto count = static_cast<Real>(values.size());
  return {sum / count, values[values.size() / 2], values[values.size() * 9 / 10]};
}

TEST(LeftAtrium, HasTheLaplaceFieldsOfAnotherProgram) {
  const DataFile file("atria/la_input.vtu");
  CARDIOWARP_REQUIRE(file);
  Mesh mesh = read_mesh(file.path());
  check_mesh_of(file.path(), mesh);
  const vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName(file.path().c_str());
  reader->Update();
  for (const char* const name : {"trans", "ab", "v", "r"}) {
    vtkDataArray* const array = reader->GetOutput()->GetPointData()->GetArray(name);
    ASSERT_NE(array, nullptr) << name;
    ASSERT_TRUE(mesh.node_in_file.empty());
    PrescribedValues values;
    for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
      const Real value = array->GetComponent(static_cast<vtkIdType>(node), 0);
      if (value != std::round(value)) continue;  // prescribed by that program: −1, 0, 1 or 2
      values.node.push_back(static_cast<Index>(node));
      values.value.push_back(value);
    }
    const LaplaceField field = solve_laplace_on_cpu(mesh, values);
    Real largest = 0;
    for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
      largest = std::max(largest, std::fabs(field.value[node] - array->GetComponent(static_cast<vtkIdType>(node), 0)));
    RecordProperty(name, std::to_string(largest));
    EXPECT_LT(largest, 1e-5) << name;
  }
}

/// The tags of the triangles are in an array that is not a number in tetrahedra.
void name_surfaces(const fs::path& file, Mesh& mesh) {
  const vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  vtkDataArray* const array = reader->GetOutput()->GetCellData()->GetArray("_surface-id");
  std::size_t triangle = 0;
  for (vtkIdType cell = 0; cell < array->GetNumberOfTuples(); ++cell)
    if (reader->GetOutput()->GetCellType(cell) == VTK_TRIANGLE)
      mesh.triangle_tags[triangle++] = static_cast<int>(array->GetComponent(cell, 0));
}

TEST(LeftVentricle, HasSmoothFibersInItsWall) {
  const DataFile file("left_ventricle/heart_model.vtu");  // its own fibers are all along z
  CARDIOWARP_REQUIRE(file);
  Mesh mesh = read_mesh(file.path());
  check_mesh_of(file.path(), mesh);
  name_surfaces(file.path(), mesh);
  FiberRuleConfig rule;
  rule.surfaces.emplace();
  (*rule.surfaces)[HeartSurface::endo_lv].names = {"34722"};
  (*rule.surfaces)[HeartSurface::epi].names = {"34721"};
  const RuleFibers made = rule_fibers(mesh, rule, "test");
  EXPECT_LT(made.filled, static_cast<Index>(mesh.tetrahedra.size() / 100));
  const std::vector<Vector3> across = gradients(mesh, made.fields.epi);
  std::vector<Real> out_of_wall;
  for (std::size_t e = 0; e < made.axes.size(); ++e)
    if (norm(across[e]) > 1e-6) out_of_wall.push_back(90 - test::angle_between(made.axes[e].fiber, across[e]));
  const Distribution found = distribution_of(out_of_wall);
  std::printf("degrees out of the wall: mean %.2f, median %.2f, 90 %% below %.2f\n", found.mean, found.median,
              found.ninety_percent);
  EXPECT_LT(found.ninety_percent, 30);
}

TEST(LeftVentricle, HasTheApicobasalCoordinateThatComesWithIt) {
  const DataFile file("left_ventricle/heart_model.vtu");
  CARDIOWARP_REQUIRE(file);
  Mesh mesh = read_mesh(file.path());
  check_mesh_of(file.path(), mesh);
  name_surfaces(file.path(), mesh);
  CoordinatesConfig config;
  config.surfaces.emplace();
  (*config.surfaces)[HeartSurface::endo_lv].names = {"34722"};
  (*config.surfaces)[HeartSurface::epi].names = {"34721"};
  HeartSurfaces surfaces = surfaces_of_heart(mesh, {config.surfaces, "test"});
  const HeartFields fields = solve_heart_fields(mesh, surfaces, "test");
  const HeartCoordinates made = mesh_coordinates(mesh, surfaces, fields, config, "test").coordinates;
  const vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName(file.path().c_str());
  reader->Update();
  vtkDataArray* const array = reader->GetOutput()->GetPointData()->GetArray("uvc_longitudinal");
  ASSERT_NE(array, nullptr);
  std::vector<Real> difference, of_field;
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    const auto in_file = mesh.node_in_file.empty() ? static_cast<vtkIdType>(node) : mesh.node_in_file[node];
    const Real theirs = array->GetComponent(in_file, 0);
    difference.push_back(std::fabs(made.nodes[node].apicobasal - theirs));
    of_field.push_back(std::fabs(fields.to_base[node] - theirs));
  }
  const Distribution ours = distribution_of(difference), raw = distribution_of(of_field);
  std::printf("apicobasal: mean %.4f, median %.4f, 90 %% below %.4f; the field itself %.4f, %.4f, %.4f\n", ours.mean,
              ours.median, ours.ninety_percent, raw.mean, raw.median, raw.ninety_percent);
  EXPECT_LT(ours.mean, 0.1);
}

/// Of a legacy file with points and a vector at each.
struct VectorsAtPoints {
  std::vector<Vector3> points, vectors;
};

VectorsAtPoints read_vectors(const fs::path& file) {
  const vtkNew<vtkUnstructuredGridReader> reader;
  reader->SetFileName(file.c_str());
  reader->ReadAllVectorsOn();
  reader->Update();
  vtkUnstructuredGrid* const grid = reader->GetOutput();
  VectorsAtPoints read;
  vtkDataArray* const array = grid->GetPointData()->GetArray("fiber");
  for (vtkIdType i = 0; i < grid->GetNumberOfPoints() && array != nullptr; ++i) {
    const double* const p = grid->GetPoint(i);
    read.points.push_back({p[0], p[1], p[2]});
    read.vectors.push_back({array->GetComponent(i, 0), array->GetComponent(i, 1), array->GetComponent(i, 2)});
  }
  return read;
}

struct OfVentricle {
  std::vector<Real> left, right;
};

TEST(Biventricle, HasItsEndocardiaAndFibersWhereTheyComeWithIt) {
  const DataFile file("biventricle_ecg/True_endo.vtu"), fibers("biventricle_ecg/crtdemo_f0_oriented.vtk");
  CARDIOWARP_REQUIRE(file);
  CARDIOWARP_REQUIRE(fibers);
  Mesh mesh = read_mesh(file.path());
  check_mesh_of(file.path(), mesh);
  // The fibers of the file are those of the printed rule with the opposite sense, from −60 to 60 degrees.
  FiberRuleConfig printed;
  printed.rule = FiberRule::bayer;
  printed.fiber = {-60, 60};
  FiberRuleConfig mended = printed;
  mended.rule = FiberRule::ldrb;
  const RuleFibers made = rule_fibers(mesh, printed, "test");
  EXPECT_EQ(made.surfaces.nodes[HeartSurface::endo_lv].size(), 441u);  // as many as the surfaces beside it have
  EXPECT_EQ(made.surfaces.nodes[HeartSurface::endo_rv].size(), 817u);

  const VectorsAtPoints given = read_vectors(fibers.path());
  ASSERT_EQ(given.points.size(), mesh.nodes.size());
  std::map<std::array<long, 3>, Vector3> at;
  const auto key = [](Vector3 p) {
    return std::array<long, 3>{std::lround(p.x * 100), std::lround(p.y * 100), std::lround(p.z * 100)};
  };
  for (std::size_t i = 0; i < given.points.size(); ++i) at[key(given.points[i])] = given.vectors[i];
  std::size_t matched = 0;
  std::vector<Vector3> of_node(mesh.nodes.size());
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    const auto found = at.find(key(mesh.nodes[node]));
    if (found == at.end()) continue;
    of_node[node] = found->second;
    ++matched;
  }
  EXPECT_GT(matched, mesh.nodes.size() * 95 / 100);
  const auto compare = [&](const RuleFibers& rule, const char* name) {
    OfVentricle angles;
    for (std::size_t e = 0; e < rule.axes.size(); ++e) {
      Vector3 mean;
      Real leaning = 0;
      for (const Index node : mesh.tetrahedra[e]) {
        const Vector3 f = of_node[node];
        mean = mean + (dot(f, mean) < 0 ? Real(-1) : Real(1)) * f;
        leaning += rule.fields.left[node] - rule.fields.right[node];
      }
      if (norm(mean) > 0)
        (leaning > 0 ? angles.left : angles.right).push_back(test::angle_between(rule.axes[e].fiber, mean));
    }
    const Distribution left = distribution_of(angles.left), right = distribution_of(angles.right);
    std::printf(
        "%s: degrees to the fibers of the file: left mean %.1f, median %.1f, 90 %% below %.1f; right %.1f, %.1f, "
        "%.1f\n",
        name, left.mean, left.median, left.ninety_percent, right.mean, right.median, right.ninety_percent);
    return left.median;
  };
  EXPECT_LT(compare(made, "bayer"), 6);
  EXPECT_LT(compare(rule_fibers(mesh, mended, "test"), "ldrb"), 13);
}

/// How many elements of a part are in its largest piece whose elements share nodes, as a part of all of them.
Real share_of_largest_piece(const Mesh& mesh, const HeartCoordinates& coordinates, HeartPart part) {
  Mesh own;
  own.nodes = mesh.nodes;
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
    if (coordinates.elements[e].part == part) own.tetrahedra.push_back(mesh.tetrahedra[e]);
  const Components components = connected_components(own);
  std::vector<std::size_t> elements(components.all.size(), 0);
  for (const Tetrahedron& corners : own.tetrahedra) ++elements[components.component_of_node[corners[0]]];
  return static_cast<Real>(std::ranges::max(elements)) / static_cast<Real>(own.tetrahedra.size());
}

TEST(Biventricle, HasThreePartsInOnePieceEachWithTheirSurfacesAtTheEndsOfTheScale) {
  const DataFile file("biventricle_ecg/True_endo.vtu");
  CARDIOWARP_REQUIRE(file);
  Mesh mesh = read_mesh(file.path());
  check_mesh_of(file.path(), mesh);
  HeartSurfaces surfaces = surfaces_of_heart(mesh, {.place = "test"});
  const HeartFields fields = solve_heart_fields(mesh, surfaces, "test");
  const HeartCoordinates made = mesh_coordinates(mesh, surfaces, fields, {}, "test").coordinates;
  const auto volume_of_part = [&](HeartPart part) {
    Real volume = 0;
    for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
      if (made.elements[e].part == part) volume += element_volume(mesh, e) / 1000;
    return volume;
  };
  const Real left = volume_of_part(HeartPart::left_wall), septum = volume_of_part(HeartPart::septum),
             right = volume_of_part(HeartPart::right_wall);
  std::printf("left wall %.1f, septum %.1f, right wall %.1f cm3; largest pieces %.4f, %.4f, %.4f\n", left, septum,
              right, share_of_largest_piece(mesh, made, HeartPart::left_wall),
              share_of_largest_piece(mesh, made, HeartPart::septum),
              share_of_largest_piece(mesh, made, HeartPart::right_wall));
  EXPECT_NEAR(left + septum + right, 226.5, 0.1);
  for (const HeartPart part : {HeartPart::left_wall, HeartPart::septum, HeartPart::right_wall})
    EXPECT_GT(share_of_largest_piece(mesh, made, part), 0.99);
  EXPECT_GT(septum, 0.1 * (left + septum + right));
  EXPECT_GT(right, 0.2 * (left + septum + right));
  EXPECT_GT(left, right);
  for (const Index node : surfaces.nodes[HeartSurface::endo_lv]) EXPECT_NEAR(made.nodes[node].transmural, 0, 1e-6);
  for (const Index node : surfaces.nodes[HeartSurface::epi]) EXPECT_NEAR(made.nodes[node].transmural, 1, 1e-6);
  for (const Index node : surfaces.nodes[HeartSurface::endo_rv])
    EXPECT_NEAR(made.nodes[node].transmural, made.nodes[node].part == HeartPart::right_wall ? 0 : 1, 1e-6);
}

}  // namespace
}  // namespace cardiowarp
