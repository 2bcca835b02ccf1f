// The extracellular potential of a heart that is insulated, against solutions that are known.

#include "app/simulation/extracellular.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/config/bidomain_conductivity.hpp"
#include "app/simulation/problem.hpp"
#include "assembly/diffusion_matrix.hpp"
#include "fem/mesh.hpp"
#include "fem/tetrahedron.hpp"
#include "meshes/generate.hpp"
#include "tests/support/configuration.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/threads.hpp"

namespace cardiowarp {
namespace {

constexpr Real pi = std::numbers::pi_v<Real>;

/// Two bars that do not touch, as one mesh.
Mesh two_bars() {
  Mesh mesh = random_mesh({3, 1, 1}, 0.5, 7);
  const Mesh other = random_mesh({2, 1.5, 1}, 0.5, 8);
  const auto first = static_cast<Index>(mesh.nodes.size());
  for (const Vector3& node : other.nodes) mesh.nodes.push_back(node + Vector3{10, 0, 0});
  for (Tetrahedron corners : other.tetrahedra) {
    for (Index& corner : corners) corner += first;
    mesh.tetrahedra.push_back(corners);
  }
  mesh.element_tags.resize(mesh.tetrahedra.size(), 1);
  return mesh;
}

/// σ_i with fibers that turn from element to element, and σ_e = ratio σ_i.
BidomainTissue equally_anisotropic(const Mesh& mesh, Real ratio) {
  BidomainTissue tissue;
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const auto angle = static_cast<Real>(element);
    const Vector3 fiber{std::cos(angle), std::sin(angle) * 0.6, std::sin(angle) * 0.8};
    const Real size = 0.1 + 0.01 * std::fmod(angle, 7);
    tissue.inside.push_back({size, 8 * size, fiber});
    tissue.both.push_back({(1 + ratio) * size, (1 + ratio) * 8 * size, fiber});
  }
  return tissue;
}

std::vector<Real> solved(const Mesh& mesh, const BidomainTissue& tissue, const std::vector<Real>& potential,
                         ExtracellularReport* report = nullptr) {
  std::vector<Real> phi_e(potential.size());
  const ExtracellularReport found = ExtracellularPotential(mesh, tissue).solve(potential, phi_e);
  EXPECT_TRUE(found.converged) << found.residual;
  if (report) *report = found;
  return phi_e;
}

TEST(Extracellular, WithEqualAnisotropyIsAShareOfThePotentialLessItsMeanInEachPart) {
  const Mesh mesh = two_bars();
  const std::vector<Real> volume = element_volumes(mesh);
  std::vector<Real> potential, first{0, 0}, whole{0, 0};
  for (const Vector3& p : mesh.nodes) potential.push_back(-80 + 30 * p.x * p.x - 7 * p.y + (p.x > 9 ? 40 * p.z : 0));
  for (std::size_t element = 0; element < volume.size(); ++element)
    for (const Index node : mesh.tetrahedra[element]) {
      const int part = mesh.nodes[node].x > 9 ? 1 : 0;
      first[part] += volume[element] / 4 * potential[node];
      whole[part] += volume[element] / 4;
    }
  ExtracellularReport report;
  const std::vector<Real> phi_e = solved(mesh, equally_anisotropic(mesh, 2.5), potential, &report);
  for (std::size_t node = 0; node < potential.size(); ++node) {
    const int part = mesh.nodes[node].x > 9 ? 1 : 0;
    EXPECT_NEAR(phi_e[node], -(potential[node] - first[part] / whole[part]) / 3.5, 1e-5) << node;
  }
  EXPECT_EQ(report.iterations, 0) << "the solve begins with the solution";
}

TEST(Extracellular, OfQuadraticElementsWithEqualAnisotropyHasTheMeanZero) {
  const Mesh mesh = quadratic_mesh(random_mesh({3, 1, 1}, 0.5, 7));
  std::vector<Real> potential;
  for (const Vector3& p : mesh.nodes) potential.push_back(20 * p.x * p.x - 3 * p.y);  // of degree 2: exact
  const std::vector<Real> phi_e = solved(mesh, equally_anisotropic(mesh, 1), potential);
  const Real mean = 20 * 3.0 - 1.5;  // of x² over [0, 3] and of y over [0, 1]
  for (std::size_t node = 0; node < potential.size(); ++node)
    EXPECT_NEAR(phi_e[node], -(potential[node] - mean) / 2, 1e-5) << node;
}

TEST(Extracellular, OfAPotentialThatIsTheSameEverywhereIsZero) {
  const Mesh mesh = random_mesh({3, 1, 1}, 0.5, 7);
  BidomainTissue tissue = equally_anisotropic(mesh, 1);
  for (Diffusivity& sum : tissue.both) sum.anisotropic *= 0.3;
  ExtracellularReport report;
  for (const Real value : solved(mesh, tissue, std::vector<Real>(mesh.nodes.size(), -85.23), &report))
    EXPECT_LT(std::fabs(value), 1e-9);
  EXPECT_EQ(report.iterations, 0) << "rounding is not solved for";
}

/// A box of 1 × 0.8 × 0.6 mm, turned, with fibers along its turned x axis, and the modes cos(p π x) cos(q π y / 0.8) of
/// V, each of which has its own share of φ_e: −(σ_il k² + σ_it m²)/(σ_l k² + σ_t m²) for the wave numbers k along and m
/// across the fibers.
struct ModesInABox {
  static constexpr Real inside_along = 0.17, inside_across = 0.019, both_along = 0.79, both_across = 0.259;
  struct Mode {
    Real amplitude, k, m;
  };
  static constexpr Mode modes[3]{{30, pi, 2 * pi / 0.8}, {20, 2 * pi, pi / 0.8}, {-10, 0, pi / 0.8}};

  static Vector3 turned(Vector3 p) {
    const Vector3 q{0.6 * p.x - 0.8 * p.y, 0.8 * p.x + 0.6 * p.y, p.z};
    return {q.x, 0.28 * q.y - 0.96 * q.z, 0.96 * q.y + 0.28 * q.z};
  }
  static std::pair<Real, Real> exact(Vector3 p) {
    Real potential = 0, phi_e = 0;
    for (const auto& [amplitude, k, m] : modes) {
      const Real value = amplitude * std::cos(k * p.x) * std::cos(m * p.y);
      potential += value;
      phi_e -= value * (inside_along * k * k + inside_across * m * m) / (both_along * k * k + both_across * m * m);
    }
    return {potential, phi_e};
  }

  /// The root of the mean of the squares of the errors of φ_e at the nodes.
  static Real error(Mesh mesh) {
    std::vector<Real> potential, expected;
    for (Vector3& node : mesh.nodes) {
      const auto [V, phi_e] = exact(node);
      potential.push_back(V);
      expected.push_back(phi_e);
      node = turned(node);
    }
    const Vector3 fiber = turned({1, 0, 0});
    const BidomainTissue tissue{
        std::vector<Diffusivity>(mesh.tetrahedra.size(), {inside_across, inside_along - inside_across, fiber}),
        std::vector<Diffusivity>(mesh.tetrahedra.size(), {both_across, both_along - both_across, fiber})};
    const std::vector<Real> phi_e = solved(mesh, tissue, potential);
    Real squares = 0;
    for (std::size_t node = 0; node < phi_e.size(); ++node) squares += std::pow(phi_e[node] - expected[node], 2);
    return std::sqrt(squares / static_cast<Real>(phi_e.size()));
  }
};

TEST(Extracellular, WithUnequalAnisotropyConvergesWithTheSquareOfTheEdges) {
  const auto error = [](Real edge) { return ModesInABox::error(slab_mesh({1, 0.8, 0.6}, edge, true)); };
  const Real coarse = error(0.2), middle = error(0.1), fine = error(0.05);
  EXPECT_LT(fine, 0.02) << fine;
  EXPECT_GT(coarse / middle, 3.2) << coarse << ' ' << middle;
  EXPECT_GT(middle / fine, 3.5) << middle << ' ' << fine;
}

TEST(Extracellular, OfQuadraticElementsConvergesWithTheCubeOfTheEdges) {
  const auto error = [](Real edge) { return ModesInABox::error(quadratic_mesh(slab_mesh({1, 0.8, 0.6}, edge, true))); };
  const Real coarse = error(0.2), fine = error(0.1);
  EXPECT_LT(fine, 0.003) << fine;
  EXPECT_GT(coarse / fine, 6.5) << coarse << ' ' << fine;
}

TEST(Extracellular, HasTheSameBitsInAnyThreadAndForAnyNumberOfThem) {
  const Mesh mesh = random_mesh({6, 3, 2}, 0.25, 9);
  BidomainTissue tissue = equally_anisotropic(mesh, 1);
  for (Diffusivity& sum : tissue.both) sum.anisotropic *= 0.3;
  const auto potential = [&](int k) {
    std::vector<Real> values;
    for (const Vector3& p : mesh.nodes) values.push_back(50 * std::tanh(p.x - k));
    return values;
  };
  ExtracellularPotential solver(mesh, tissue);
  std::vector<std::vector<Real>> alone(3, std::vector<Real>(mesh.nodes.size())), together = alone;
  int iterations = 0;
  for (int k = 0; k < 3; ++k) iterations += solver.solve(potential(k), alone[static_cast<std::size_t>(k)]).iterations;
  EXPECT_GT(iterations, 3 * 3);
  std::vector<std::thread> threads;
  for (int k = 2; k >= 0; --k)
    threads.emplace_back([&, k] { solver.solve(potential(k), together[static_cast<std::size_t>(k)]); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(together, alone);
  const test::Threads three(3);
  std::vector<Real> again(mesh.nodes.size());
  solver.solve(potential(1), again);
  EXPECT_EQ(again, alone[1]);
}

class Bidomain : public test::Configuration {};

TEST_F(Bidomain, ConductivitiesInsideFollowTheDiffusivityOfARegion) {
  const Config config = load(test::minimal +
                             "diffusivity: {longitudinal: 0.2, transverse: 0.1}\n"
                             "fibers: {source: constant, direction: [1, 0, 0]}\n"
                             "output:\n"
                             "  fields: [phi_e]\n"
                             "  phi_e:\n"
                             "    intracellular: {longitudinal: 0.3, transverse: 30 mS/m}\n"
                             "    extracellular: {longitudinal: 0.5}\n");
  EXPECT_TRUE(config.output.phi_e);
  EXPECT_FALSE(config.output.potential);
  Problem problem;
  problem.cell_models = TissueCells{};
  const Real tau = problem.scaling().ms_per_tau;
  problem.diffusivity = {{0.1 * tau, 0.1 * tau, {1, 0, 0}}, {0.05 * tau, 0, {0, 1, 0}}, {0, 0, {1, 0, 0}}};
  const BidomainTissue tissue = bidomain_tissue(config, problem, config.output.bidomain);
  EXPECT_NEAR(tissue.inside[0].isotropic, 0.03, 1e-15);
  EXPECT_NEAR(tissue.inside[0].isotropic + tissue.inside[0].anisotropic, 0.3, 1e-15);
  EXPECT_NEAR(tissue.both[0].isotropic, 0.27, 1e-15);
  EXPECT_NEAR(tissue.both[0].isotropic + tissue.both[0].anisotropic, 0.8, 1e-15);
  EXPECT_NEAR(tissue.inside[1].isotropic, 0.015, 1e-15) << "half of the diffusivity across the fibers";
  EXPECT_NEAR(tissue.inside[1].isotropic + tissue.inside[1].anisotropic, 0.075, 1e-15) << "a quarter along them";
  EXPECT_EQ(tissue.inside[2].isotropic, 0) << "tissue that does not conduct";
  EXPECT_NEAR(tissue.both[2].isotropic, 0.24, 1e-15);
  EXPECT_EQ(tissue.both[1].fiber, (Vector3{0, 1, 0}));
}

TEST_F(Bidomain, ConductivitiesOfTheTissueAreThoseOfPhiEAndOfTheEcgWhereNoneAreGiven) {
  const std::string tissue = test::minimal +
                             "conductivity: {intracellular: {longitudinal: 0.34, transverse: 0.06}, extracellular: "
                             "{isotropic: 0.5}}\n"
                             "output:\n  ecg: {electrodes: [{name: a, point: [1, 2, 3]}]}\n  fields: [phi_e]\n";
  const Config config = load(tissue);
  EXPECT_EQ(config.output.bidomain.inside.along, 0.34);
  EXPECT_EQ(config.output.bidomain.inside.across, 0.06);
  EXPECT_EQ(config.output.bidomain.outside.along, 0.5);
  EXPECT_EQ(config.output.bidomain.outside.across, 0.5);
  EXPECT_EQ(config.output.ecg->intracellular_s_per_m, 0.34);
  const Config other = load(tissue + "  phi_e: {intracellular: {transverse: 0.07}}\n",
                            {{"output.ecg.intracellular_conductivity", "0.2"}});
  EXPECT_EQ(other.output.bidomain.inside.along, 0.34);
  EXPECT_EQ(other.output.bidomain.inside.across, 0.07);
  EXPECT_EQ(other.output.ecg->intracellular_s_per_m, 0.2);
}

TEST_F(Bidomain, KeysAreResolvedWithTheFieldAloneAndRefusedWithoutIt) {
  const std::string without = resolved_yaml(load(test::minimal));
  EXPECT_EQ(without.find("phi_e"), std::string::npos) << without;
  const std::string with = resolved_yaml(load(test::minimal + "output: {fields: [phi_e, potential]}\n"));
  EXPECT_NE(with.find("  fields: [potential, phi_e]\n"
                      "  phi_e:\n"
                      "    intracellular: {longitudinal: 0.17, transverse: 0.019}\n"
                      "    extracellular: {longitudinal: 0.62, transverse: 0.24}\n"),
            std::string::npos)
      << with;
  EXPECT_NE(error(test::minimal + "output: {phi_e: {intracellular: {longitudinal: 0.2}}}\n")
                .find("output.phi_e: expected phi_e among output.fields, too, got no such field"),
            std::string::npos);
  EXPECT_NE(error(test::minimal + "output: {fields: [phi_e], phi_e: {extracellular: {transverse: 0}}}\n")
                .find("output.phi_e.extracellular.transverse: expected a positive conductivity, in S/m, got '0'"),
            std::string::npos);
}

}  // namespace
}  // namespace cardiowarp
