// The potential that tissue causes at electrodes, against what is known in closed form and against a heart whose leads
// another program has computed.

#include "fem/lead_field.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "app/config/electrode_file.hpp"
#include "app/output/ecg_leads.hpp"
#include "fem/diffusivity.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"
#include "tests/support/vtk_files.hpp"

namespace cardiowarp {
namespace {

constexpr Real pi = std::numbers::pi_v<Real>;

Real product(const std::vector<Real>& lead, const std::vector<Real>& potential) {
  Real sum = 0;
  for (std::size_t i = 0; i < lead.size(); ++i) sum += lead[i] * potential[i];
  return sum;
}

/// The share of all directions in which a rectangle of half sides a and b is seen from its axis at a distance.
Real share_of_directions(Real a, Real b, Real distance) {
  const Real solid_angle = 4 * std::atan(a * b / (distance * std::sqrt(a * a + b * b + distance * distance)));
  return solid_angle / (4 * pi);
}

TEST(LeadField, OfAPlaneFrontIsTheSolidAngleOfTheFrontAndPositiveBeforeIt) {
  // A bar of 7 × 5 mm along z; V falls from 100 to 0 between z = 6 and 6.25 mm, so that the front comes towards the
  // electrode: φ = σ_i/σ_b 100 Ω/4π, the mean over the layer in which V falls.
  constexpr Real edge = 0.25, begin = 6, sigma_i = 0.3, sigma_b = 0.7;
  const Mesh mesh = slab_mesh({7, 5, 12}, edge, true);
  std::vector<Real> potential;
  for (const Vector3& p : mesh.nodes) potential.push_back(100 * std::clamp((begin + edge - p.z) / edge, 0.0, 1.0));
  const std::vector<Diffusivity> conductivity(mesh.tetrahedra.size(), {sigma_i, 0, {}});
  for (const Real z : {13.0, 15.0, 20.0}) {
    const std::vector<Real> lead = lead_vector(mesh, conductivity, {3.5, 2.5, z}, 1 / (4 * pi * sigma_b));
    Real share = 0;  // Simpson's rule across the layer
    for (const auto& [at, weight] : {std::pair{0.0, 1.0}, {0.5, 4.0}, {1.0, 1.0}})
      share += weight / 6 * share_of_directions(3.5, 2.5, z - begin - at * edge);
    const Real expected = sigma_i / sigma_b * 100 * share;
    EXPECT_NEAR(product(lead, potential) / expected, 1, 1e-3) << z;
  }
}

TEST(LeadField, OfASmallPieceIsThatOfADipoleAndOfAnyFrameOfReference) {
  // φ = p · d / (4π σ_b d³) with the dipole p = −σ ∇V vol, σ = 2 + 3 n⊗n. Terms of the next order cancel by symmetry.
  const Mesh mesh = slab_mesh({0.3, 0.2, 0.1}, 0.1, true);
  const Vector3 fiber{0.6, 0, 0.8}, slope{1, -2, 0.5}, electrode{7, -5, 4};
  const std::vector<Diffusivity> conductivity(mesh.tetrahedra.size(), {2, 3, fiber});
  std::vector<Real> potential;
  for (const Vector3& p : mesh.nodes) potential.push_back(dot(slope, p) - 80);
  const Vector3 dipole = (-0.3 * 0.2 * 0.1) * conductivity[0].times(slope);
  const Vector3 away = electrode - Vector3{0.15, 0.1, 0.05};
  const Real expected = dot(dipole, away) / (4 * pi * std::pow(norm(away), 3));
  const std::vector<Real> lead = lead_vector(mesh, conductivity, electrode, 1 / (4 * pi));
  EXPECT_NEAR(product(lead, potential) / expected, 1, 1e-3);
  Real sum = 0, largest = 0;
  for (const Real value : lead) sum += value, largest = std::max(largest, std::fabs(value));
  EXPECT_LT(std::fabs(sum), 1e-13 * largest) << "a potential that is the same everywhere causes none";
}

TEST(LeadField, OfQuadraticElementsIsThatOfTheSamePotentialOnFineLinearOnes) {
  const Mesh coarse = random_mesh({3, 2, 2}, 0.5, 11);
  const Mesh quadratic = quadratic_mesh(coarse);
  ASSERT_TRUE(quadratic.is_quadratic());
  const Mesh fine = refine_mesh(refine_mesh(refine_mesh(coarse, 1), 1), 1);
  const auto lead_of = [](const Mesh& mesh) {
    std::vector<Real> potential;
    for (const Vector3& p : mesh.nodes) potential.push_back(p.x * p.x - 2 * p.y * p.z + p.x);
    const std::vector<Diffusivity> conductivity(mesh.tetrahedra.size(), {1, 2, {0, 0.6, 0.8}});
    return product(lead_vector(mesh, conductivity, {9, -8, 4}, 1), potential);
  };
  const Real exact = lead_of(fine);
  EXPECT_NEAR(lead_of(quadratic) / exact, 1, 3e-4);
  EXPECT_GT(std::fabs(lead_of(coarse) / exact - 1), 1e-3);  // otherwise the line above proves nothing
}

TEST(LeadField, RefusesElectrodesInTheTissueAndNearerThanItsEdges) {
  const Mesh mesh = slab_mesh({4, 3, 2}, 1, true);
  const std::vector<Real> longest = longest_edges(mesh);
  EXPECT_NEAR(*std::max_element(longest.begin(), longest.end()), std::sqrt(3.0), 1e-12) << "the diagonal of a cell";
  const auto refused = [&](Vector3 electrode) { return too_near(mesh, longest, electrode); };
  EXPECT_TRUE(refused({1, 1, 1})) << "at a node";
  EXPECT_TRUE(refused({2.3, 1.1, 0.4})) << "inside";
  ASSERT_TRUE(refused({4, 3, 3.5}));
  EXPECT_EQ(mesh.nodes[refused({4, 3, 3.5})->node], (Vector3{4, 3, 2}));
  EXPECT_NEAR(refused({4, 3, 3.5})->distance_mm, 1.5, 1e-12);
  EXPECT_FALSE(refused({4, 3, 3.75}));
}

/// Big-endian floats after a word of a legacy VTK file.
std::vector<Vector3> vectors_after(const std::string& text, const std::string& word, std::size_t number) {
  std::vector<Vector3> vectors(number);
  const std::size_t begin = text.find('\n', text.find(word)) + 1;
  const auto value = [&](std::size_t k) {
    std::uint32_t bits = 0;
    for (std::size_t byte = 0; byte < 4; ++byte)
      bits = bits << 8 | static_cast<unsigned char>(text[begin + 4 * k + byte]);
    return static_cast<Real>(std::bit_cast<float>(bits));
  };
  for (std::size_t k = 0; k < number; ++k) vectors[k] = {value(3 * k), value(3 * k + 1), value(3 * k + 2)};
  return vectors;
}

/// The fiber of each element: the direction of the mean of those at its corners, of which the file has an order of its
/// own.
std::vector<Vector3> fibers_of(const Mesh& mesh, const std::string& text) {
  const std::size_t nodes = mesh.nodes.size();
  const std::vector<Vector3> points = vectors_after(text, "POINTS", nodes),
                             fibers = vectors_after(text, "VECTORS", nodes);
  std::vector<Vector3> of_node(nodes);
  for (std::size_t node = 0; node < nodes; ++node) {
    const auto distance = [&](const Vector3& point) { return norm(point - mesh.nodes[node]); };
    const auto nearest = std::ranges::min_element(points, {}, distance);
    EXPECT_LT(distance(*nearest), 2e-5);
    of_node[node] = fibers[static_cast<std::size_t>(nearest - points.begin())];
  }
  std::vector<Vector3> result;
  for (const Tetrahedron& corners : mesh.tetrahedra) {
    Vector3 sum;
    for (const Index corner : corners) sum = sum + of_node[corner];
    result.push_back((1 / norm(sum)) * sum);
  }
  return result;
}

std::vector<Real> numbers_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<Real> numbers;
  for (Real number = 0; in >> number;) numbers.push_back(number);
  return numbers;
}

TEST(LeadField, OfAHeartHasTheTwelveLeadsThatAnotherProgramHasComputed) {
  const std::filesystem::path data = CARDIOWARP_SHARED_FOLDER "/data/biventricle_ecg";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << data << " is not there";
  const test::TemporaryDirectory folder;
  const std::filesystem::path heart = folder / "heart.vtu";
  const std::string unpack = "xz -dkc '" + (data / "True_endo.vtu.xz").string() + "' > '" + heart.string() + "'";
  if (std::system(unpack.c_str()) != 0) GTEST_SKIP() << "xz is needed to unpack it";
  Mesh mesh = read_mesh(heart);
  ASSERT_EQ(mesh.nodes.size(), 4569);
  ASSERT_EQ(check_mesh(mesh).unreferenced_nodes, 0);
  const std::vector<Real> activation = test::values_of(test::GridFile(heart).point_array("activation"));
  ASSERT_EQ(activation.size(), mesh.nodes.size());
  const std::vector<Vector3> fibers = fibers_of(mesh, test::read_text(data / "crtdemo_f0_oriented.vtk"));
  std::vector<Diffusivity> conductivity;
  for (const Vector3& fiber : fibers) conductivity.push_back({0.3, 2.7, fiber});

  std::vector<std::string> names;
  std::vector<std::vector<Real>> leads;
  for (const ElectrodeConfig& electrode : read_electrodes(data / "electrodes_mm.json", "here")) {
    names.push_back(electrode.name);
    leads.push_back(lead_vector(mesh, conductivity, electrode.point, 1));
  }
  const EcgLeads twelve(names);
  std::ifstream expected(data / "twelve_leads.csv");
  std::string line;
  std::getline(expected, line);
  const Real first = *std::ranges::min_element(activation);
  std::vector<Real> worst(12, 0), extreme(12, 0);
  for (int time = -5; std::getline(expected, line); ++time) {
    std::vector<Real> potential, electrodes;
    for (const Real at : activation) potential.push_back(-80 + 50 * (1 + std::tanh(time - (at - first))));
    for (const std::vector<Real>& lead : leads) electrodes.push_back(product(lead, potential));
    const std::vector<Real> values = twelve.values(electrodes);
    std::ranges::replace(line, ',', ' ');
    const std::vector<Real> row = numbers_of(line);
    ASSERT_EQ(row.size(), 12);
    for (std::size_t k = 0; k < 12; ++k) {
      worst[k] = std::max(worst[k], std::fabs(-values[k] - row[k]));  // the file has w K V, positive behind a front
      extreme[k] = std::max(extreme[k], std::fabs(row[k]));
    }
  }
  for (std::size_t k = 0; k < 12; ++k) {
    EXPECT_GT(extreme[k], 2) << twelve.names()[k];
    EXPECT_LT(worst[k], 1e-5 * extreme[k]) << twelve.names()[k];
  }
}

}  // namespace
}  // namespace cardiowarp
