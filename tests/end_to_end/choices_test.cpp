// Every way to compute that a user can choose is no more than that: a beat's front through a slab and through a heart
// ends at the potentials of the default choice. The lists of names are those that the configuration is read by.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/assembly_order.hpp"
#include "app/config/config_names.hpp"
#include "assembly/options.hpp"
#include "fem/mesh_check.hpp"
#include "kernels/libraries/metis_parts.hpp"
#include "meshes/generate.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/program.hpp"
#include "tests/support/result_files.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

/// What is asked for by --set, and what summary.json has to say of it: a key and its value.
struct Choice {
  std::vector<std::string> settings;
  std::string key, value;
};

class EveryChoice : public testing::TestWithParam<std::string> {
 protected:
  EveryChoice() {
    if (is_slab()) {
      mesh = slab_mesh({6, 3, 2}, 0.5, true);
    } else {
      mesh = biventricle_mesh(7);
      check_mesh(mesh);
    }
    write_mesh(mesh, folder / "mesh.vtu");
    write_text(
        folder / "run.yaml",
        fmt::format("mesh: {{file: mesh.vtu}}\n"
                    "diffusivity: {{isotropic: {}}}\n"
                    "stimuli: [{{where: {{box: {{min: [-999, -99, -99], max: {}}}}}, duration: 2, amplitude: 50}}]\n"
                    "newton: {{tolerance: 1e-8}}\n"
                    "linear_solver: {{tolerance: 1e-6}}\n"
                    "time: {{end: 4, step: 0.25}}\n"
                    "output: {{directory: result, interval: 4}}\n",
                    is_slab() ? 0.3 : 8, is_slab() ? "[1.1, 99, 99]" : "[999, 999, -50]"));
  }

  bool is_slab() const { return GetParam() == "slab"; }

  /// The potentials at the end, in the order of the mesh that was first.
  std::vector<Real> potentials(const Choice& choice) {
    std::vector<std::string> arguments{"run", folder / "run.yaml", "--backend", "cpu", "--threads",
                                       "1",   "--log-level",       "error"};
    for (const std::string& setting : choice.settings) arguments.insert(arguments.end(), {"--set", setting});
    const ProgramResult result = run_program(arguments, folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    if (result.exit_code != 0) return {};
    const auto summary = nlohmann::json::parse(read_text(folder / "result" / "summary.json"));
    if (!choice.key.empty()) {
      EXPECT_EQ(summary[choice.key].get<std::string>(), choice.value);
    }
    return point_values(read_pvd(folder / "result" / "potential.pvd").back().file, "potential");
  }

  /// Newton's method ends with a change below 1e-8, a millionth of a mV.
  void expect_near(const std::vector<Real>& potential_mv, const std::vector<Real>& expected_mv) {
    ASSERT_EQ(potential_mv.size(), expected_mv.size());
    Real largest = 0;
    for (std::size_t node = 0; node < expected_mv.size(); ++node)
      largest = std::max(largest, std::fabs(potential_mv[node] - expected_mv[node]));
    EXPECT_LE(largest, 1e-6) << "mV";
  }

  void expect_that_of_the_default(const std::vector<Choice>& choices, const std::vector<std::string>& common = {}) {
    const std::vector<Real> expected = potentials({common, {}, {}});
    ASSERT_EQ(expected.size(), mesh.nodes.size());
    const auto [low, high] = std::minmax_element(expected.begin(), expected.end());
    ASSERT_LT(*low, -79);  // a front that has not gone through yet
    ASSERT_GT(*high, 0);
    for (Choice choice : choices) {
      choice.settings.insert(choice.settings.end(), common.begin(), common.end());
      SCOPED_TRACE(fmt::format("{}", fmt::join(choice.settings, ", ")));
      expect_near(potentials(choice), expected);
    }
  }

  Mesh mesh;
  TemporaryDirectory folder;
};

TEST_P(EveryChoice, OfPrecisionAndPathIsTheDefault) {
  std::vector<Choice> choices;
  for (const auto& [name, precision] : solver_precision_names)
    choices.push_back({{"linear_solver.precision=" + name}, "precision", name == "auto" ? "double" : name});
  for (const std::string path : {"plain", "in_parts"})
    choices.push_back({{"linear_solver.path=" + path}, "solver", path});
  expect_that_of_the_default(choices);
}

TEST_P(EveryChoice, OfPreconditionersIsTheDefault) {
  std::vector<Choice> choices;
  for (const auto& [name, preconditioner] : preconditioner_names)
    choices.push_back({{"linear_solver.preconditioner=" + name}, "preconditioner", name});
  for (const auto& [kind, value] : polynomial_names)
    for (int degree = 1; degree <= PolynomialOptions::highest_degree; ++degree)
      for (const auto& [precision, inside] : polynomial_precision_names) {
        // On the slab every degree; on the heart, and in single precision, each kind by some.
        const bool is_single = inside == PolynomialPrecision::single;
        if ((is_single && degree != 5) || (!is_slab() && degree % 3 != 2)) continue;
        choices.push_back({{fmt::format("linear_solver.preconditioner={{polynomial: {}, degree: {}, precision: {}}}",
                                        kind, degree, precision)},
                           "preconditioner",
                           in_words(PreconditionerChoice::polynomial, {value, degree, inside})});
      }
  expect_that_of_the_default(choices);
}

TEST_P(EveryChoice, OfOperatorsIsTheDefault) {
  std::vector<Choice> choices;
  for (const auto& [name, kind] : operator_names)
    choices.push_back({{"linear_solver.operator=" + name}, "operator", name == "auto" ? "assembled" : name});
  expect_that_of_the_default(choices);
  expect_that_of_the_default(choices, {"quadrature=centroid"});
}

TEST_P(EveryChoice, OfFormatsIsTheDefault) {
  std::vector<Choice> choices;
  for (const auto& [name, options] : named_formats())
    if (!needs_gpu(options.format))
      choices.push_back({{"linear_solver.spmv=" + name}, "spmv", name == "auto" ? "csr" : name});
  EXPECT_GE(choices.size(), 7u);
  expect_that_of_the_default(choices);
}

TEST_P(EveryChoice, OfAssembliesIsTheDefault) {
  std::vector<Choice> choices;
  for (const auto& [name, options] : named_strategies()) {
    if (options.strategy == AssemblyStrategy::diagonal) continue;  // has no points at centroids; it is the default else
    const bool is_wish = options.strategy == AssemblyStrategy::automatic || name == "scalar_gather";
    Choice choice{{"assembly.strategy=" + name}, "assembly", is_wish ? "row_gather" : name};
    if (!repeats_bits(options.strategy)) choice.settings.emplace_back("assembly.repeatable=false");
    if (options.strategy == AssemblyStrategy::slice_gather) choice.settings.emplace_back("linear_solver.spmv=k1rs");
    choices.push_back(choice);
    if (name != "spmv_k1rs" && !(is_slab() && options.strategy == AssemblyStrategy::spmv)) continue;
    choice.settings.emplace_back("assembly.order=csr");
    choices.push_back(choice);
  }
  expect_that_of_the_default(choices, {"quadrature=centroid"});
}

/// The nodes of the file in another order: the same potentials at the same places.
TEST_P(EveryChoice, OfTheOrderOfNodesIsTheDefault) {
  const std::vector<Real> expected = potentials({});
  ASSERT_EQ(expected.size(), mesh.nodes.size());
  std::vector<std::pair<std::string, std::vector<Index>>> orders;
  std::vector<Index> random(mesh.nodes.size());
  std::iota(random.begin(), random.end(), 0);
  std::shuffle(random.begin(), random.end(), std::mt19937(71));
  orders.emplace_back("random", random);
  orders.emplace_back("rcm", assembly_order(mesh, BenchOrder::rcm).node);
  if (has_metis()) orders.emplace_back("metis_nodes", assembly_order(mesh, BenchOrder::metis_nodes).node);
  for (const auto& [name, order] : orders) {
    SCOPED_TRACE(name);
    Mesh reordered = mesh;
    std::vector<Index> new_node(order.size());
    std::vector<Real> expected_there;
    for (std::size_t i = 0; i < order.size(); ++i) {
      new_node[order[i]] = static_cast<Index>(i);
      reordered.nodes[i] = mesh.nodes[order[i]];
      expected_there.push_back(expected[order[i]]);
    }
    EXPECT_NE(expected_there, expected);
    for (Tetrahedron& corners : reordered.tetrahedra)
      for (Index& corner : corners) corner = new_node[corner];
    reordered.triangles.clear();
    reordered.triangle_tags.clear();
    write_mesh(reordered, folder / "mesh.vtu");
    expect_near(potentials({}), expected_there);
  }
}

INSTANTIATE_TEST_SUITE_P(EndToEnd, EveryChoice, testing::Values("slab", "heart"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cardiowarp::test
