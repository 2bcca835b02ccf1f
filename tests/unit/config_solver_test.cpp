#include "app/config/config.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/config/config_names.hpp"
#include "app/simulation/problem.hpp"
#include "tests/support/configuration.hpp"
#include "tests/support/small_mesh.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::ConfigurationMistake;
using test::every_key;
using test::minimal;

TEST_F(Configuration, KeysOfTheMatrixAndItsAssemblyAreReadApart) {
  const Config config = load(every_key);
  const MatrixOptions& matrix = config.linear_solver.matrix;
  EXPECT_EQ(matrix.format, MatrixFormat::ell_warp);
  EXPECT_EQ(matrix.ell_warp.variant, EllWarpVariant::k2);
  EXPECT_EQ(matrix.ell_warp.renumbering, EllWarpRenumbering::rows_and_columns_sorted);
  EXPECT_EQ(matrix.ell_warp.threshold, 7);
  EXPECT_EQ(matrix.ell_warp.window, 64);
  EXPECT_EQ(matrix.block_size, 96);
  const AssemblyOptions& assembly = config.assembly;
  EXPECT_EQ(assembly.strategy, AssemblyStrategy::spmv);
  EXPECT_EQ(assembly.ell_warp.variant, EllWarpVariant::k1);
  EXPECT_EQ(assembly.ell_warp.renumbering, EllWarpRenumbering::rows);
  EXPECT_EQ(assembly.ell_warp.threshold, 5);
  EXPECT_EQ(assembly.ell_warp.window, 0);
  EXPECT_EQ(assembly.block_size, 1024);
  EXPECT_TRUE(assembly.through_csr);
  const Config other = load(minimal + "linear_solver: {block_size: auto}\nassembly: {order: direct}");
  EXPECT_EQ(other.linear_solver.matrix.block_size, 0);
  EXPECT_FALSE(other.assembly.through_csr);
}

TEST_F(Configuration, ThePrecisionOfTheLinearSolverIsOneOfFour) {
  const Mesh mesh = test::small_mesh();
  EXPECT_EQ(build_problem(load(minimal), mesh).precision, SolverPrecision::double_precision);
  for (const auto& [name, precision] : solver_precision_names)
    EXPECT_EQ(build_problem(load(minimal, {{"linear_solver.precision", name}}), mesh).precision, precision);
  for (const std::string unknown : {"half", "float"})
    EXPECT_EQ(
        error(std::string(minimal).append("linear_solver: {precision: ").append(unknown).append("}")),
        "heart.yaml:3:28: linear_solver.precision: expected one of double, mixed, single, auto, got '" + unknown + "'");
}

TEST_F(Configuration, TheProblemHasTheMatrixAndTheAssemblyAskedFor) {
  const Mesh mesh = test::small_mesh();
  const Problem problem = build_problem(
      load(minimal,
           {{"linear_solver",
             "{preconditioner: block_jacobi, spmv: k2r, block_size: 32, threshold: 7, sorting_window: 64}"},
            {"assembly", "{strategy: spmv_k1rs, order: csr, block_size: 160, threshold: 5, sorting_window: 96}"}}),
      mesh);
  EXPECT_EQ(problem.preconditioner, PreconditionerChoice::block_jacobi);
  EXPECT_EQ(problem.matrix.format, MatrixFormat::ell_warp);
  EXPECT_EQ(problem.matrix.ell_warp.variant, EllWarpVariant::k2);
  EXPECT_EQ(problem.matrix.ell_warp.renumbering, EllWarpRenumbering::rows);
  EXPECT_EQ(problem.matrix.ell_warp.threshold, 7);
  EXPECT_EQ(problem.matrix.ell_warp.window, 64);
  EXPECT_EQ(problem.matrix.block_size, 32);
  EXPECT_EQ(problem.assembly.strategy, AssemblyStrategy::spmv);
  EXPECT_EQ(problem.assembly.ell_warp.variant, EllWarpVariant::k1);
  EXPECT_EQ(problem.assembly.ell_warp.renumbering, EllWarpRenumbering::rows_and_columns_sorted);
  EXPECT_EQ(problem.assembly.ell_warp.threshold, 5);
  EXPECT_EQ(problem.assembly.ell_warp.window, 96);
  EXPECT_EQ(problem.assembly.block_size, 160);
  EXPECT_TRUE(problem.assembly.through_csr);
}

TEST_F(Configuration, EveryEllWarpVariantHasItsNameAsAFormatAndAsAStrategy) {
  struct Variant {
    std::string name;
    EllWarpVariant variant;
    EllWarpRenumbering renumbering;
  };
  const std::vector<Variant> variants{{"k1", EllWarpVariant::k1, EllWarpRenumbering::none},
                                      {"k1r", EllWarpVariant::k1, EllWarpRenumbering::rows},
                                      {"k1rs", EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted},
                                      {"k2", EllWarpVariant::k2, EllWarpRenumbering::none},
                                      {"k2r", EllWarpVariant::k2, EllWarpRenumbering::rows},
                                      {"k2rs", EllWarpVariant::k2, EllWarpRenumbering::rows_and_columns_sorted}};
  for (const auto& [name, variant, renumbering] : variants) {
    const Config config =
        load(minimal, {{"linear_solver", "{spmv: " + name + "}"}, {"assembly", "{strategy: spmv_" + name + "}"}});
    EXPECT_EQ(config.linear_solver.matrix.format, MatrixFormat::ell_warp) << name;
    EXPECT_EQ(config.linear_solver.matrix.ell_warp.variant, variant) << name;
    EXPECT_EQ(config.linear_solver.matrix.ell_warp.renumbering, renumbering) << name;
    EXPECT_EQ(config.assembly.strategy, AssemblyStrategy::spmv) << name;
    EXPECT_EQ(config.assembly.ell_warp.variant, variant) << name;
    EXPECT_EQ(config.assembly.ell_warp.renumbering, renumbering) << name;
  }
}

TEST_F(Configuration, TheOtherFormatsAndStrategiesHaveTheirNames) {
  const auto format_of = [&](const std::string& name) {
    return load(minimal, {{"linear_solver", "{spmv: " + name + "}"}}).linear_solver.matrix.format;
  };
  EXPECT_EQ(format_of("auto"), MatrixFormat::automatic);
  EXPECT_EQ(format_of("csr"), MatrixFormat::csr);
  EXPECT_EQ(format_of("cusparse"), MatrixFormat::cusparse);
  EXPECT_EQ(load(minimal + "assembly: {strategy: auto}").assembly.strategy, AssemblyStrategy::automatic);
  EXPECT_EQ(load(minimal + "assembly: {strategy: scalar_gather}").assembly.strategy, AssemblyStrategy::scalar_gather);
  EXPECT_EQ(load(minimal + "assembly: {strategy: row_gather}").assembly.strategy, AssemblyStrategy::row_gather);
  EXPECT_EQ(load(minimal + "assembly: {strategy: entry_gather}").assembly.strategy, AssemblyStrategy::entry_gather);
  EXPECT_EQ(load(minimal + "assembly: {strategy: slice_gather}").assembly.strategy, AssemblyStrategy::slice_gather);
}

TEST_F(Configuration, KeysThatTheFormatDoesNotUseAreAcceptedAndChecked) {
  const std::string sizes = "{block_size: 64, threshold: 1, sorting_window: 2147483616}";
  for (const char* format : {"csr", "cusparse", "k1", "auto"})
    EXPECT_EQ(
        load(minimal, {{"linear_solver", sizes}, {"linear_solver.spmv", format}}).linear_solver.matrix.ell_warp.window,
        2147483616);
  EXPECT_EQ(load(minimal, {{"assembly", sizes}, {"assembly.order", "csr"}}).assembly.ell_warp.window, 2147483616);
  EXPECT_EQ(error(minimal + "linear_solver: {spmv: k1, threshold: 0}"),
            "heart.yaml:3:38: linear_solver.threshold: expected a whole number in [1, 2147483647], got '0'");
}

TEST_F(Configuration, ResolvedYamlKeepsTheNamesOfFormatsAndStrategies) {
  const std::string resolved = resolved_yaml(load(every_key));
  for (const std::string line :
       {"  preconditioner: block_jacobi\n  path: plain\n  operator: assembled\n  precision: mixed\n  tolerance: "
        "1.0e-12\n",
        "  spmv: k2rs\n  block_size: 96\n  threshold: 7\n  sorting_window: 64\n",
        "  strategy: spmv_k1r\n  order: csr\n  block_size: 1024\n  threshold: 5\n  sorting_window: 0\n"})
    EXPECT_NE(resolved.find(line), std::string::npos) << resolved;
  for (const std::string name : {"auto", "csr", "cusparse", "k1", "k1r", "k1rs", "k2", "k2r", "k2rs"})
    EXPECT_NE(resolved_yaml(load(minimal, {{"linear_solver", "{spmv: " + name + "}"}})).find("  spmv: " + name + "\n"),
              std::string::npos)
        << name;
  for (const std::string name : {"auto", "scalar_gather", "row_gather", "entry_gather", "slice_gather", "spmv_k1",
                                 "spmv_k1r", "spmv_k1rs", "spmv_k2", "spmv_k2r", "spmv_k2rs"})
    EXPECT_NE(
        resolved_yaml(load(minimal, {{"assembly", "{strategy: " + name + "}"}})).find("  strategy: " + name + "\n"),
        std::string::npos)
        << name;
}

TEST_F(Configuration, CusparseIsRefusedWithTheBackendCpu) {
  const std::string cusparse = minimal + "linear_solver: {spmv: cusparse}\n";
  const std::string message =
      "heart.yaml:3:23: linear_solver.spmv: expected one of auto, csr, k1rs, k2rs with backend cpu, got "
      "'cusparse'";
  EXPECT_EQ(error(cusparse + "backend: cpu"), message);
  EXPECT_EQ(error(cusparse + "backend: gpu", {{"backend", "cpu"}}), message);
  EXPECT_EQ(error(cusparse + "backend: cpu", {{"backend", "gpu"}}), "accepted");
  EXPECT_EQ(error(cusparse + "backend: auto"), "accepted");
}

TEST_F(Configuration, BlockJacobiIsRefusedWithTheBackendGpu) {
  const std::string block_jacobi = minimal + "linear_solver: {preconditioner: block_jacobi}\n";
  const std::string message =
      "heart.yaml:3:33: linear_solver.preconditioner: expected jacobi or a polynomial with backend gpu, got "
      "'block_jacobi'";
  EXPECT_EQ(error(block_jacobi + "backend: gpu"), message);
  EXPECT_EQ(error(block_jacobi + "backend: cpu", {{"backend", "gpu"}}), message);
  EXPECT_EQ(error(block_jacobi + "backend: gpu", {{"backend", "cpu"}}), "accepted");
  EXPECT_EQ(error(block_jacobi + "backend: auto"), "accepted");
}

TEST_F(Configuration, BlockJacobiOfACpuIsRefusedWithAFormatOfAGpu) {
  const std::string both = minimal + "linear_solver: {preconditioner: block_jacobi, spmv: cusparse}\n";
  EXPECT_EQ(error(both),
            "heart.yaml:3:33: linear_solver.preconditioner: expected jacobi or a polynomial with "
            "spmv: cusparse, which "
            "needs a GPU, got "
            "'block_jacobi'");
  EXPECT_EQ(error(both, {{"linear_solver.spmv", "k1"}}), "accepted");
}

TEST_F(Configuration, AnOperatorAndSsorHaveNames) {
  const Mesh mesh = test::small_mesh();
  for (const auto& [name, kind] : operator_kinds) {
    const Config config = load(minimal, {{"linear_solver", "{operator: " + std::string(name) + "}"}});
    EXPECT_EQ(config.linear_solver.matrix_operator, kind);
    EXPECT_EQ(build_problem(config, mesh).matrix_operator, kind);
    EXPECT_NE(resolved_yaml(config).find("  operator: " + std::string(name) + "\n"), std::string::npos);
  }
  EXPECT_EQ(load(minimal).linear_solver.matrix_operator, OperatorKind::automatic);
  EXPECT_EQ(error(minimal + "linear_solver: {operator: matrixfree}"),
            "heart.yaml:3:27: linear_solver.operator: expected one of auto, assembled (others, for measurements, in "
            "docs/papers), "
            "got 'matrixfree'; did you mean 'matrix_free'?");
  using enum PreconditionerChoice;
  for (const auto& [name, choice] : {std::pair("ssor", ssor), std::pair("ssor_eisenstat", ssor_eisenstat)}) {
    const Config config = load(minimal, {{"linear_solver", "{preconditioner: " + std::string(name) + "}"}});
    EXPECT_EQ(config.linear_solver.preconditioner, choice);
    EXPECT_NE(resolved_yaml(config).find("  preconditioner: " + std::string(name) + "\n"), std::string::npos);
  }
}

TEST_F(Configuration, APolynomialHasAKindAndADegree) {
  const auto load_with = [&](const std::string& preconditioner) {
    return load(fmt::format("{}linear_solver: {{preconditioner: {}}}", minimal, preconditioner)).linear_solver;
  };
  using enum PolynomialKind;
  for (const auto& [name, kind, degree] :
       {std::tuple{"neumann", neumann, 1}, {"least_squares", least_squares, 6}, {"chebyshev", chebyshev, 8}}) {
    const std::string text = fmt::format("{{polynomial: {}, degree: {}, precision: double}}", name, degree);
    const LinearSolverConfig solver = load_with(text);
    EXPECT_EQ(solver.preconditioner, PreconditionerChoice::polynomial);
    EXPECT_EQ(solver.polynomial.kind, kind);
    EXPECT_EQ(solver.polynomial.degree, degree);
    const Config config = load(fmt::format("{}linear_solver: {{preconditioner: {}}}", minimal, text));
    EXPECT_NE(resolved_yaml(config).find("  preconditioner: " + text + "\n"), std::string::npos);
    EXPECT_EQ(in_words(solver.preconditioner, solver.polynomial), fmt::format("{} of degree {}", name, degree));
  }
  EXPECT_EQ(load_with("{polynomial: neumann}").polynomial.degree, 4);
  const LinearSolverConfig single = load_with("{degree: 3, precision: single}");
  EXPECT_EQ(single.polynomial.precision, PolynomialPrecision::single);
  EXPECT_EQ(in_words(single.preconditioner, single.polynomial), "chebyshev of degree 3 in single precision");
  EXPECT_NE(resolved_yaml(load(minimal + "linear_solver: {preconditioner: {degree: 3, precision: single}}"))
                .find("{polynomial: chebyshev, degree: 3, precision: single}"),
            std::string::npos);
  EXPECT_EQ(load_with("{degree: 2}").polynomial.kind, chebyshev);
  EXPECT_EQ(load_with("jacobi").preconditioner, PreconditionerChoice::jacobi);
  const Config set = load(minimal, {{"linear_solver.preconditioner.polynomial", "least_squares"}});
  EXPECT_EQ(set.linear_solver.preconditioner, PreconditionerChoice::polynomial);
  EXPECT_EQ(set.linear_solver.polynomial.kind, least_squares);
  EXPECT_EQ(error(minimal + "linear_solver: {preconditioner: {degree: 3}}\nbackend: gpu"), "accepted");
}

TEST_F(ConfigurationMistake, InAPolynomialIsNamed) {
  const std::string degree = "3:42: linear_solver.preconditioner.degree: expected a whole number in [1, 8], got ";
  expect_messages({
      {"linear_solver: {preconditioner: {degree: 0}}", degree + "'0'"},
      {"linear_solver: {preconditioner: {degree: 99}}", degree + "'99'"},
      {"linear_solver: {preconditioner: {degree: 9}}", degree + "'9'"},
      {"linear_solver: {preconditioner: {degree: 2.5}}", degree + "'2.5'"},
      {"linear_solver: {preconditioner: {polynomial: chebychev}}",
       "3:46: linear_solver.preconditioner.polynomial: expected one of neumann, least_squares, chebyshev, got "
       "'chebychev'; did you mean 'chebyshev'?"},
      {"linear_solver: {preconditioner: {order: 3}}",
       "3:34: linear_solver.preconditioner.order: expected one of the keys polynomial, degree, precision, got "
       "'order'"},
      {"linear_solver: {preconditioner: {precision: half}}",
       "3:45: linear_solver.preconditioner.precision: expected one of double, single, got 'half'"},
      {"linear_solver: {preconditioner: chebyshev}",
       "3:33: linear_solver.preconditioner: expected a polynomial with its degree, {polynomial: chebyshev, degree: 4}, "
       "got 'chebyshev'"},
      {"linear_solver: {preconditioner: [jacobi]}",
       "3:33: linear_solver.preconditioner: expected one of jacobi, block_jacobi (others, for measurements, in "
       "docs/papers), got a list of "
       "length 1"},
  });
}

TEST_F(ConfigurationMistake, InTheSolversIsNamed) {
  const std::string formats = "expected one of auto, csr, k1rs, k2rs (others, for measurements, in docs/papers), got ";
  const std::string strategies =
      "expected auto (others, for measurements, in "
      "docs/papers), got ";
  expect_messages({
      {"newton: {tolerance: 0}", "3:21: newton.tolerance: expected a positive number (without unit, or auto), got '0'"},
      {"newton: {max_iterations: 1001}",
       "3:26: newton.max_iterations: expected a whole number in [1, 1000], got '1001'"},
      {"newton: {max_iterations: many}",
       "3:26: newton.max_iterations: expected a whole number in [1, 1000], got 'many'"},
      {"linear_solver: {method: gmres}", "3:25: linear_solver.method: expected cg, got 'gmres'"},
      {"linear_solver: {preconditioner: ilu}",
       "3:33: linear_solver.preconditioner: expected one of jacobi, block_jacobi (others, for measurements, in "
       "docs/papers), got 'ilu'"},
      {"linear_solver: {preconditioner: blockjacobi}",
       "3:33: linear_solver.preconditioner: expected one of jacobi, block_jacobi (others, for measurements, in "
       "docs/papers), got "
       "'blockjacobi'; did you mean "
       "'block_jacobi'?"},
      {"linear_solver: {tolerance: 1}",
       "3:28: linear_solver.tolerance: expected a number (without unit, or auto) in (0, 1), got '1'"},
      {"linear_solver: {max_iterations: 0}",
       "3:33: linear_solver.max_iterations: expected a whole number in [1, 1000000], got '0'"},
      {"linear_solver: {spmv: csc}", "3:23: linear_solver.spmv: " + formats + "'csc'; did you mean 'csr'?"},
      {"linear_solver: {spmv: K2RS}", "3:23: linear_solver.spmv: " + formats + "'K2RS'; did you mean 'k2rs'?"},
      {"linear_solver: {spmv: ellpack}", "3:23: linear_solver.spmv: " + formats + "'ellpack'"},
      {"linear_solver: {window: 64}",
       "3:17: linear_solver.window: expected one of the keys preconditioner, path, precision, tolerance, "
       "max_iterations, spmv, got 'window'"},
      {"quadrature: vertice",
       "3:13: quadrature: expected one of centroid, vertices, vertices_and_centroid, fourteen_points, got 'vertice'; "
       "did you mean "
       "'vertices'?"},
      {"assembly: {strategy: atomic}", "3:22: assembly.strategy: " + strategies + "'atomic'; did you mean 'atomics'?"},
      {"assembly: {strategy: spmv-k2r}",
       "3:22: assembly.strategy: " + strategies + "'spmv-k2r'; did you mean 'spmv_k2r'?"},
      {"assembly: {order: slice}", "3:19: assembly.order: expected one of direct, csr, got 'slice'"},
      {"assembly: auto",
       "3:11: assembly: expected a map with the keys strategy, repeatable, "
       "got 'auto'"},
      {"backend: cuda", "3:10: backend: expected one of auto, cpu, gpu, got 'cuda'"},
      {"backend: [cpu]", "3:10: backend: expected one of auto, cpu, gpu, got a list of length 1"},
      {"bakend: cpu",
       "3:1: bakend: expected one of the keys mesh, cell_model, diffusivity, velocity, conductivity, fibers, "
       "coordinates, regions, "
       "initial, "
       "stimuli, "
       "boundary, time, accuracy, newton, linear_solver, quadrature, assembly, backend, output, probes, checkpoint, "
       "prepace, got "
       "'bakend'; did "
       "you mean "
       "'backend'?"},
  });
}

TEST_F(ConfigurationMistake, InASizeOfTheFormatIsNamed) {
  const auto expect_refused = [&](const std::string& section, const std::string& key, const std::string& value,
                                  const std::string& expected) {
    const std::string before = section + ": {" + key + ": ";
    EXPECT_EQ(error(minimal + before + value + "}"), "heart.yaml:3:" + std::to_string(before.size() + 1) + ": " +
                                                         section + "." + key + ": expected " + expected + ", got '" +
                                                         value + "'");
  };
  for (const char* section : {"linear_solver", "assembly"}) {
    for (const char* size : {"0", "-32", "31", "48", "1056", "2048", "64.0", "64 threads", "atuo"})
      expect_refused(section, "block_size", size, "auto or a multiple of 32 in [32, 1024]");
    for (const char* window : {"-32", "1", "100", "32.5", "2147483647", "2147483648", "all"})
      expect_refused(section, "sorting_window", window,
                     "auto or a multiple of 32 in [0, 2147483616], 0 for the whole matrix");
    for (const char* threshold : {"0", "-1", "1.5", "2147483648", "auto"})
      expect_refused(section, "threshold", threshold, "a whole number in [1, 2147483647]");
  }
  expect_messages({
      {"linear_solver: {block_size: [64]}",
       "3:29: linear_solver.block_size: expected auto or a multiple of 32 in [32, 1024], got a list of length 1"},
      {"assembly: {sorting_window: }",
       "3:12: assembly.sorting_window: expected auto or a multiple of 32 in [0, 2147483616], 0 for the whole matrix, "
       "got "
       "nothing"},
  });
}

}  // namespace
}  // namespace cardiowarp
