#include "app/config/config.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "app/simulation/problem.hpp"
#include "fem/input_error.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/small_mesh.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

class Configuration : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& yaml, const std::string& name = "heart.yaml") const {
    auto file = directory / name;
    std::ofstream(file, std::ios::binary) << yaml;
    return file;
  }

  Config load(const std::string& yaml, const std::vector<Override>& overrides = {}) const {
    return load_config(write(yaml), overrides);
  }

  /// The message without the name of the temporary directory.
  std::string error(const std::string& yaml, const std::vector<Override>& overrides = {}) const {
    try {
      load(yaml, overrides);
    } catch (const InputError& failure) {
      std::string message = failure.what();
      const std::string prefix = directory.path().string() + "/";
      for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix))
        message.erase(at, prefix.size());
      return message;
    }
    return "accepted";
  }

  test::TemporaryDirectory directory;
};

const std::string minimal = "mesh: {file: heart.msh}\ntime: {end: 10, step: 0.1}\n";

const std::string every_key = R"(mesh: {file: meshes/../heart.vtu, length_unit: cm}
cell_model:
  name: aliev_panfilov
  parameters: {alpha: 0.02, gamma: 0.003, b: 0.16, c: 9, mu1: 0.21, mu2: 0.31}
diffusivity: {longitudinal: 2 cm^2/s, transverse: 0.05 mm^2/ms}
fibers: {source: constant, direction: [0, 1, -2]}
regions:
  - where: {tag: scar}
    diffusivity: {isotropic: 0.05}
    cell_model: {parameters: {alpha: 0.1, gamma: 1e-4, b: 0.2, c: 7, mu1: 0.3, mu2: 0.4}}
  - where: {sphere: {center: [1, 2, 3 cm], radius: 4}}
    diffusivity: {longitudinal: 0.3, transverse: 0.1}
initial:
  potential: -0.07 V
  recovery: 0.25
  regions:
    - where: {box: {min: [0, 0, 0], max: [1, 0, 2]}}
      potential: 20 mV
      recovery: 0.5
    - where: {nodes: here.vtx}
      potential: 10 mV
stimuli:
  - where: {tag: 12}
    duration: 1 ms
    amplitude: -10
  - name: apex
    where: {nodes: sub/apex.vtx}
    start: 0.01 s
    duration: 2 ms
    amplitude: 35.7 V/s
    period: 800 ms
    count: 3
  - name: paced
    where: {box: {min: [0, 0, 0], max: [1.5, 1.5, 1.5]}}
    start: 50
    duration: 2
    amplitude: 30
    period: 100
time: {end: 0.4 s, step: 50 us, scheme: backward_euler,
       adaptive: {enabled: true, tolerance: 3e-4, min_step: 5 us, max_step: 1.5 ms}}
newton: {tolerance: 1.0e-9, max_iterations: 7, forcing: fixed}
linear_solver: {method: cg, preconditioner: block_jacobi, tolerance: 1e-12, max_iterations: 300, spmv: k2rs,
                path: plain, block_size: 96, threshold: 7, sorting_window: 64}
assembly: {strategy: spmv_k1r, order: csr, block_size: 1024, threshold: 5, sorting_window: 0}
backend: cpu
output:
  directory: ../results
  interval: 2.5 ms
  fields: [recovery]
  maps: []
probes:
  - {name: tip, point: [0, 0, -6 cm]}
  - {name: base 2, point: [1e-7, 0.1, 1e9]}
)";

TEST_F(Configuration, HasDefaultsForEveryKeyButMeshFileEndAndStep) {
  const Config config = load(minimal);
  EXPECT_EQ(config.file, directory / "heart.yaml");
  EXPECT_EQ(config.mesh.file, directory / "heart.msh");
  EXPECT_EQ(config.mesh.length_unit, LengthUnit::millimetre);
  EXPECT_EQ(config.cell_model.name, "aliev_panfilov");
  EXPECT_EQ(config.cell_model.parameters, AlievPanfilov{});
  EXPECT_EQ(config.diffusivity.isotropic_mm2_per_ms, 1);
  EXPECT_EQ(config.diffusivity.anisotropic_mm2_per_ms, 0.1);
  EXPECT_EQ(config.fibers.source, FiberSource::none);
  EXPECT_TRUE(config.regions.empty());
  EXPECT_EQ(config.initial.potential_mv, -80);
  EXPECT_EQ(config.initial.recovery, 0);
  EXPECT_TRUE(config.stimuli.empty());
  EXPECT_EQ(config.time.end_ms, 10);
  EXPECT_EQ(config.time.step_ms, 0.1);
  EXPECT_FALSE(config.time.adaptive.enabled);
  EXPECT_EQ(config.time.adaptive.tolerance, 1e-3);
  EXPECT_EQ(config.time.adaptive.min_step_ms, 0.01);
  EXPECT_EQ(config.time.adaptive.max_step_ms, 2);
  EXPECT_EQ(config.newton.tolerance, 1e-8);
  EXPECT_EQ(config.newton.forcing, ForcingChoice::eisenstat_walker);
  EXPECT_EQ(config.newton.max_iterations, 20);
  EXPECT_EQ(config.linear_solver.preconditioner, PreconditionerChoice::jacobi);
  EXPECT_EQ(config.linear_solver.path, SolverPath::automatic);
  EXPECT_FALSE(config.linear_solver.matrix.window_is_asked_for);
  EXPECT_EQ(config.linear_solver.tolerance, 1e-10);
  EXPECT_EQ(config.linear_solver.max_iterations, 2000);
  EXPECT_EQ(config.linear_solver.matrix.format, MatrixFormat::automatic);
  EXPECT_EQ(config.linear_solver.matrix.block_size, 0);
  EXPECT_EQ(config.linear_solver.matrix.ell_warp.threshold, 16);
  EXPECT_EQ(config.linear_solver.matrix.ell_warp.window, 1024);
  EXPECT_EQ(config.assembly.strategy, AssemblyStrategy::automatic);
  EXPECT_FALSE(config.assembly.through_csr);
  EXPECT_EQ(config.assembly.block_size, 0);
  EXPECT_EQ(config.assembly.ell_warp.threshold, 16);
  EXPECT_EQ(config.assembly.ell_warp.window, 1024);
  EXPECT_EQ(config.backend, BackendChoice::automatic);
  EXPECT_EQ(config.output.directory, directory / "out/heart");
  EXPECT_EQ(config.output.interval_ms, 5);
  EXPECT_TRUE(config.output.potential && config.output.recovery);
  EXPECT_TRUE(config.output.activation_time && config.output.apd90);
  EXPECT_TRUE(config.probes.empty());
}

TEST_F(Configuration, TissueKeysAreReadInBaseUnits) {
  const Config config = load(every_key);
  EXPECT_EQ(config.mesh.file, directory / "heart.vtu");
  EXPECT_EQ(config.mesh.length_unit, LengthUnit::centimetre);
  EXPECT_EQ(config.cell_model.parameters, (AlievPanfilov{0.02, 0.003, 0.16, 9, 0.21, 0.31}));
  EXPECT_DOUBLE_EQ(config.diffusivity.isotropic_mm2_per_ms, 0.05);
  EXPECT_DOUBLE_EQ(config.diffusivity.anisotropic_mm2_per_ms, 0.15);
  EXPECT_EQ(config.fibers.source, FiberSource::constant);
  EXPECT_EQ(config.fibers.direction, (Vector3{0, 1, -2}));

  ASSERT_EQ(config.regions.size(), 2u);
  EXPECT_EQ(std::get<Tag>(config.regions[0].where.region).name, "scar");
  EXPECT_EQ(config.regions[0].where.place, (directory / "heart.yaml").string() + ":8:12: regions[0].where");
  ASSERT_TRUE(config.regions[0].diffusivity);
  EXPECT_EQ(config.regions[0].diffusivity->isotropic_mm2_per_ms, 0.05);
  EXPECT_EQ(config.regions[0].diffusivity->anisotropic_mm2_per_ms, 0);
  const CellModelOverride& scar = config.regions[0].cell_model;
  EXPECT_EQ(scar.alpha, 0.1);
  EXPECT_EQ(scar.gamma, 1e-4);
  EXPECT_EQ(scar.b, 0.2);
  EXPECT_EQ(scar.c, 7);
  EXPECT_EQ(scar.mu1, 0.3);
  EXPECT_EQ(scar.mu2, 0.4);
  const Sphere sphere = std::get<Sphere>(config.regions[1].where.region);
  EXPECT_EQ(sphere.center, (Vector3{1, 2, 30}));
  EXPECT_EQ(sphere.radius_mm, 4);
  ASSERT_TRUE(config.regions[1].diffusivity);
  EXPECT_EQ(config.regions[1].diffusivity->isotropic_mm2_per_ms, 0.1);
  EXPECT_DOUBLE_EQ(config.regions[1].diffusivity->anisotropic_mm2_per_ms, 0.2);
  EXPECT_FALSE(config.regions[1].cell_model.alpha);

  EXPECT_EQ(config.initial.potential_mv, -70);
  EXPECT_EQ(config.initial.recovery, 0.25);
  ASSERT_EQ(config.initial.regions.size(), 2u);
  EXPECT_EQ(std::get<Box>(config.initial.regions[0].where.region).max, (Vector3{1, 0, 2}));
  EXPECT_EQ(config.initial.regions[0].potential_mv, 20);
  EXPECT_EQ(config.initial.regions[0].recovery, 0.5);
  EXPECT_EQ(std::get<NodeFile>(config.initial.regions[1].where.region).file, directory / "here.vtx");
  EXPECT_FALSE(config.initial.regions[1].recovery);
}

TEST_F(Configuration, StimuliAreReadInBaseUnits) {
  const Config config = load(every_key);
  ASSERT_EQ(config.stimuli.size(), 3u);
  EXPECT_EQ(config.stimuli[0].name, "stimulus_1");
  EXPECT_EQ(std::get<Tag>(config.stimuli[0].where.region).name, "12");
  EXPECT_EQ(config.stimuli[0].start_ms, 0);
  EXPECT_EQ(config.stimuli[0].amplitude_mv_per_ms, -10);
  EXPECT_FALSE(config.stimuli[0].period_ms);
  EXPECT_EQ(config.stimuli[0].count, 1);
  EXPECT_EQ(config.stimuli[1].name, "apex");
  EXPECT_EQ(std::get<NodeFile>(config.stimuli[1].where.region).file, directory / "sub/apex.vtx");
  EXPECT_EQ(config.stimuli[1].start_ms, 10);
  EXPECT_EQ(config.stimuli[1].duration_ms, 2);
  EXPECT_EQ(config.stimuli[1].amplitude_mv_per_ms, 35.7);
  EXPECT_EQ(config.stimuli[1].period_ms, 800);
  EXPECT_EQ(config.stimuli[1].count, 3);
}

TEST_F(Configuration, APeriodWithoutACountRepeatsTheStimulusUntilTheEnd) {
  // Beats at 50, 150, 250 and 350 ms; a beat that would start at the end itself never acts.
  EXPECT_EQ(load(every_key).stimuli.at(2).count, 4);
  EXPECT_EQ(load(every_key, {{"time.end", "350"}}).stimuli.at(2).count, 3);
  EXPECT_EQ(load(every_key, {{"time.end", "10"}}).stimuli.at(2).count, 1);
}

TEST_F(Configuration, RunAndOutputKeysAreReadInBaseUnits) {
  const Config config = load(every_key);
  EXPECT_EQ(config.time.end_ms, 400);
  EXPECT_EQ(config.time.step_ms, 0.05);
  EXPECT_EQ(config.time.scheme, "backward_euler");
  EXPECT_TRUE(config.time.adaptive.enabled);
  for (const char* off : {"false", "False", "FALSE"})
    EXPECT_FALSE(load(every_key, {{"time.adaptive.enabled", off}}).time.adaptive.enabled) << off;
  for (const char* on : {"true", "True", "TRUE"})
    EXPECT_TRUE(load(every_key, {{"time.adaptive.enabled", on}}).time.adaptive.enabled) << on;
  EXPECT_EQ(config.time.adaptive.tolerance, 3e-4);
  EXPECT_EQ(config.time.adaptive.min_step_ms, 0.005);
  EXPECT_EQ(config.time.adaptive.max_step_ms, 1.5);
  EXPECT_EQ(config.newton.tolerance, 1e-9);
  EXPECT_EQ(config.newton.forcing, ForcingChoice::fixed);
  EXPECT_EQ(config.newton.max_iterations, 7);
  EXPECT_EQ(config.linear_solver.method, "cg");
  EXPECT_EQ(config.linear_solver.preconditioner, PreconditionerChoice::block_jacobi);
  EXPECT_EQ(config.linear_solver.path, SolverPath::plain);
  EXPECT_TRUE(config.linear_solver.matrix.window_is_asked_for);
  EXPECT_EQ(config.linear_solver.tolerance, 1e-12);
  EXPECT_EQ(config.linear_solver.max_iterations, 300);
  EXPECT_EQ(config.backend, BackendChoice::cpu);
  EXPECT_EQ(config.output.directory, (directory / "../results").lexically_normal());
  EXPECT_EQ(config.output.interval_ms, 2.5);
  EXPECT_FALSE(config.output.potential);
  EXPECT_TRUE(config.output.recovery);
  EXPECT_FALSE(config.output.activation_time || config.output.apd90);
  ASSERT_EQ(config.probes.size(), 2u);
  EXPECT_EQ(config.probes[0].name, "tip");
  EXPECT_EQ(config.probes[0].point, (Vector3{0, 0, -60}));
  EXPECT_EQ(config.probes[1].name, "base 2");
}

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
  const Config other = load(minimal + "linear_solver: {block_size: auto}\nassembly: {order: slices}");
  EXPECT_EQ(other.linear_solver.matrix.block_size, 0);
  EXPECT_FALSE(other.assembly.through_csr);
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

TEST_F(Configuration, CusparseIsRefusedWithTheBackendCpu) {
  const std::string cusparse = minimal + "linear_solver: {spmv: cusparse}\n";
  const std::string message =
      "heart.yaml:3:23: linear_solver.spmv: expected auto, csr or an ELL-WARP format with backend cpu, got 'cusparse'";
  EXPECT_EQ(error(cusparse + "backend: cpu"), message);
  EXPECT_EQ(error(cusparse + "backend: gpu", {{"backend", "cpu"}}), message);
  EXPECT_EQ(error(cusparse + "backend: cpu", {{"backend", "gpu"}}), "accepted");
  EXPECT_EQ(error(cusparse + "backend: auto"), "accepted");
}

TEST_F(Configuration, BlockJacobiIsRefusedWithTheBackendGpu) {
  const std::string block_jacobi = minimal + "linear_solver: {preconditioner: block_jacobi}\n";
  const std::string message =
      "heart.yaml:3:33: linear_solver.preconditioner: expected jacobi with backend gpu, got 'block_jacobi'";
  EXPECT_EQ(error(block_jacobi + "backend: gpu"), message);
  EXPECT_EQ(error(block_jacobi + "backend: cpu", {{"backend", "gpu"}}), message);
  EXPECT_EQ(error(block_jacobi + "backend: gpu", {{"backend", "cpu"}}), "accepted");
  EXPECT_EQ(error(block_jacobi + "backend: auto"), "accepted");
}

TEST_F(Configuration, AnIsotropicDiffusivityAloneHasNoFiberTerm) {
  const Config config = load(minimal + "diffusivity: {isotropic: 0.2}");
  EXPECT_EQ(config.diffusivity.isotropic_mm2_per_ms, 0.2);
  EXPECT_EQ(config.diffusivity.anisotropic_mm2_per_ms, 0);
}

TEST_F(Configuration, ARegionThatIsOnlyIsotropicHasNoFiberTermInAnisotropicTissue) {
  const Mesh mesh = test::small_mesh();
  const Problem problem =
      build_problem(load(minimal + "diffusivity: {isotropic: 0.2, anisotropic: 0.3}\n"
                                   "regions: [{where: {tag: scar}, diffusivity: {isotropic: 1e-9}}]"),
                    mesh);
  EXPECT_DOUBLE_EQ(problem.diffusivity[0].isotropic, 12.9 * 0.2);
  EXPECT_DOUBLE_EQ(problem.diffusivity[0].anisotropic, 12.9 * 0.3);
  EXPECT_DOUBLE_EQ(problem.diffusivity[1].isotropic, 12.9 * 1e-9);
  EXPECT_EQ(problem.diffusivity[1].anisotropic, 0);
}

TEST_F(Configuration, ResolvedRegionsHaveEveryValueButThoseThatAnEarlierRegionSets) {
  const std::string regions =
      "regions:\n"
      "  - {where: {tag: 1}, cell_model: {parameters: {alpha: 0.1}}}\n"
      "  - {where: {tag: 2}, diffusivity: {longitudinal: 0.5, transverse: 0.25}}\n"
      "  - {where: {tag: 3}, cell_model: {parameters: {c: 7}}}\n";
  const std::string resolved = resolved_yaml(load(minimal + regions));
  const std::string expected =
      "regions:\n"
      "  - where: {tag: \"1\"}\n"
      "    diffusivity: {isotropic: 1, anisotropic: 0.1}\n"
      "    cell_model: {parameters: {alpha: 0.1, gamma: 0.002, b: 0.15, c: 8, mu1: 0.2, mu2: 0.3}}\n"
      "  - where: {tag: \"2\"}\n"
      "    diffusivity: {isotropic: 0.25, anisotropic: 0.25}\n"
      "    cell_model: {parameters: {gamma: 0.002, b: 0.15, c: 8, mu1: 0.2, mu2: 0.3}}\n"
      "  - where: {tag: \"3\"}\n"
      "    # diffusivity: as outside and in earlier regions\n"
      "    cell_model: {parameters: {gamma: 0.002, b: 0.15, c: 7, mu1: 0.2, mu2: 0.3}}\n";
  EXPECT_NE(resolved.find(expected), std::string::npos) << resolved;
  EXPECT_EQ(resolved_yaml(load_config(write(resolved, "resolved.yaml"))), resolved);
}

TEST_F(Configuration, TheUnitOfOpencarpsPointsIsMicrometresUnlessItIsGiven) {
  EXPECT_EQ(load("mesh: {file: a.pts}\ntime: {end: 1, step: 1}").mesh.length_unit, LengthUnit::micrometre);
  EXPECT_EQ(load("mesh: {file: a.vtu}\ntime: {end: 1, step: 1}").mesh.length_unit, LengthUnit::millimetre);
  EXPECT_EQ(load("mesh: {file: a.pts, length_unit: mm}\ntime: {end: 1, step: 1}").mesh.length_unit,
            LengthUnit::millimetre);
}

TEST_F(Configuration, ATildeInAPathIsTheHomeFolder) {
  const char* before = std::getenv("HOME");
  const std::string home = before ? before : "";
  setenv("HOME", "/home/ada", 1);
  const std::string yaml = "mesh: {file: ~/hearts/a.msh}\ntime: {end: 1, step: 1}\noutput: {directory: ~/out/../b}\n";
  const Config config = load(yaml);
  EXPECT_EQ(config.mesh.file, "/home/ada/hearts/a.msh");
  EXPECT_EQ(config.output.directory, "/home/ada/b");
  EXPECT_EQ(load(minimal, {{"mesh.file", "./~/a.msh"}}).mesh.file, directory / "~/a.msh");
  EXPECT_EQ(load(minimal, {{"mesh.file", "~ada/a.msh"}}).mesh.file, directory / "~ada/a.msh");
  unsetenv("HOME");
  EXPECT_EQ(error(yaml), "heart.yaml:1:14: mesh.file: '~/hearts/a.msh': ~ is the folder in $HOME, which is not set");
  if (before) setenv("HOME", home.c_str(), 1);
}

TEST_F(Configuration, PathsThatAreAbsoluteStayAsTheyAre) {
  EXPECT_EQ(load("mesh: {file: /data/heart.msh}\ntime: {end: 1, step: 1}").mesh.file, "/data/heart.msh");
}

TEST_F(Configuration, ReadsWindowsLineEndsByteOrderMarksAndAliases) {
  EXPECT_EQ(load("\xEF\xBB\xBFmesh: {file: a.msh}\r\ntime:\r\n  end: 3 ms\r\n  step: 1 ms\r\n").time.end_ms, 3);
  const Config config = load(minimal + R"(
stimuli:
  - {where: &corner {box: {min: [0, 0, 0], max: [1, 1, 1]}}, duration: 1, amplitude: 5}
  - {where: *corner, start: 5, duration: 1, amplitude: 5}
)");
  EXPECT_EQ(std::get<Box>(config.stimuli.at(1).where.region).max, (Vector3{1, 1, 1}));
}

TEST_F(Configuration, ResolvedYamlNamesEveryKeyWithItsValue) {
  const std::string path = directory.path().string();
  EXPECT_EQ(resolved_yaml(load(minimal + R"(regions:
  - {where: {tag: scar}, diffusivity: {isotropic: 0.05}}
stimuli:
  - {where: {sphere: {center: [0, 0, 1], radius: 2}}, duration: 1, amplitude: 1e-7 V/s}
probes: [{name: 'a "b', point: [1, 2, 3]}]
)",
                               {{"probes[0].name", "a b"}})),
            R"(# Every key with its value, in mm, ms, mV, mm^2/ms and mV/ms.
mesh:
  file: ")" + path +
                R"(/heart.msh"
  length_unit: mm
cell_model:
  name: aliev_panfilov
  parameters: {alpha: 0.01, gamma: 0.002, b: 0.15, c: 8, mu1: 0.2, mu2: 0.3}
diffusivity:
  isotropic: 1
  anisotropic: 0
fibers:
  source: none
  direction: [1, 0, 0]
regions:
  - where: {tag: "scar"}
    diffusivity: {isotropic: 0.05, anisotropic: 0}
    cell_model: {parameters: {alpha: 0.01, gamma: 0.002, b: 0.15, c: 8, mu1: 0.2, mu2: 0.3}}
initial:
  potential: -80
  recovery: 0
  regions: []
stimuli:
  - name: "stimulus_1"
    where: {sphere: {center: [0, 0, 1], radius: 2}}
    start: 0
    duration: 1
    amplitude: 1.0e-07
    count: 1
time:
  end: 10
  step: 0.1
  scheme: backward_euler
  adaptive:
    enabled: false
    tolerance: 0.001
    min_step: 0.01
    max_step: 2
newton:
  tolerance: 1.0e-08
  max_iterations: 20
  forcing: eisenstat_walker
linear_solver:
  method: cg
  preconditioner: jacobi
  path: auto
  tolerance: 1.0e-10
  max_iterations: 2000
  spmv: auto
  block_size: auto
  threshold: 16
  sorting_window: auto
assembly:
  strategy: auto
  order: slices
  block_size: auto
  threshold: 16
  sorting_window: 1024
backend: auto
output:
  directory: ")" +
                path +
                R"(/out/heart"
  interval: 5
  fields: [potential, recovery]
  maps: [activation_time, apd90]
probes:
  - {name: "a b", point: [1, 2, 3]}
)");
}

TEST_F(Configuration, ResolvedYamlReadsBackToTheSameValues) {
  for (const std::string& yaml : {minimal, every_key}) {
    // Values that need all 17 digits, and a path that needs quoting.
    const Config config = load(yaml, {{"time.step", "0.033333333333333335"},
                                      {"newton.tolerance", "1.2345678901234567e-11"},
                                      {"diffusivity", "{longitudinal: 0.0952984, transverse: 0.0125758}"},
                                      {"output.directory", R"("odd: 'na\\me' #\"1\"")"}});
    const std::string resolved = resolved_yaml(config);
    const Config again = load_config(write(resolved, "resolved.yaml"));
    EXPECT_EQ(resolved_yaml(again), resolved);
    EXPECT_EQ(again.time.step_ms, 0.033333333333333335);
    EXPECT_EQ(again.newton.tolerance, 1.2345678901234567e-11);
    EXPECT_EQ(again.diffusivity.isotropic_mm2_per_ms, config.diffusivity.isotropic_mm2_per_ms);
    EXPECT_EQ(again.diffusivity.anisotropic_mm2_per_ms, config.diffusivity.anisotropic_mm2_per_ms);
    EXPECT_EQ(again.output.directory, directory / R"(odd: 'na\me' #"1")");
    EXPECT_EQ(again.mesh.file, config.mesh.file);
    EXPECT_EQ(again.stimuli.size(), config.stimuli.size());
    EXPECT_EQ(again.regions.size(), config.regions.size());
  }
}

TEST_F(Configuration, ResolvedYamlKeepsTheNamesOfFormatsAndStrategies) {
  const std::string resolved = resolved_yaml(load(every_key));
  for (const std::string line :
       {"  preconditioner: block_jacobi\n  path: plain\n  tolerance: 1.0e-12\n",
        "  spmv: k2rs\n  block_size: 96\n  threshold: 7\n  sorting_window: 64\n",
        "  strategy: spmv_k1r\n  order: csr\n  block_size: 1024\n  threshold: 5\n  sorting_window: 0\n"})
    EXPECT_NE(resolved.find(line), std::string::npos) << resolved;
  for (const std::string name : {"auto", "csr", "cusparse", "k1", "k1r", "k1rs", "k2", "k2r", "k2rs"})
    EXPECT_NE(resolved_yaml(load(minimal, {{"linear_solver", "{spmv: " + name + "}"}})).find("  spmv: " + name + "\n"),
              std::string::npos)
        << name;
  for (const std::string name :
       {"auto", "scalar_gather", "spmv_k1", "spmv_k1r", "spmv_k1rs", "spmv_k2", "spmv_k2r", "spmv_k2rs"})
    EXPECT_NE(
        resolved_yaml(load(minimal, {{"assembly", "{strategy: " + name + "}"}})).find("  strategy: " + name + "\n"),
        std::string::npos)
        << name;
}

TEST_F(Configuration, OverridesReplaceAndAddValues) {
  const Config config = load(every_key, {{"time.step", "0.2 ms"},
                                         {"stimuli.1.amplitude", "5"},
                                         {"stimuli[0].start", "3"},
                                         {"stimuli.0.period", "20"},
                                         {"initial.regions[0].where.box.max.1", "9"},
                                         {"regions", "[]"},
                                         {"output", "{interval: 1}"},
                                         {"probes.0", "{name: new, point: [0, 0, 0]}"}});
  EXPECT_EQ(config.time.step_ms, 0.2);
  EXPECT_EQ(config.time.end_ms, 400);
  EXPECT_EQ(config.stimuli[1].amplitude_mv_per_ms, 5);
  EXPECT_EQ(config.stimuli[0].start_ms, 3);
  EXPECT_EQ(config.stimuli[0].period_ms, 20);
  EXPECT_EQ(std::get<Box>(config.initial.regions[0].where.region).max, (Vector3{1, 9, 2}));
  EXPECT_TRUE(config.regions.empty());
  EXPECT_EQ(config.output.interval_ms, 1);
  EXPECT_TRUE(config.output.apd90);
  EXPECT_EQ(config.probes[0].name, "new");
  EXPECT_EQ(load(minimal, {{"newton.max_iterations", "3"}}).newton.max_iterations, 3);
  EXPECT_EQ(load("", {{"mesh.file", "a.msh"}, {"time", "{end: 7, step: 1}"}}).time.end_ms, 7);
}

TEST_F(Configuration, APotentialHasToBeAdmissibleInSomePartOfTheTissue) {
  const std::string scar = "regions:\n  - {where: {tag: 1}, cell_model: {parameters: {mu2: 0.5}}}\n";
  EXPECT_EQ(load(minimal + scar, {{"initial.potential", "-129"}}).initial.potential_mv, -129);
  EXPECT_EQ(error(minimal + scar, {{"initial.potential", "-130"}}),
            "--set initial.potential=-130: initial.potential: expected a potential (mV, V) above -130, got '-130'");
}

TEST_F(Configuration, LongValuesAreCutInMessagesBetweenCharacters) {
  const std::string long_name = "a" + std::string(59, 'b') + "\u00b5";
  EXPECT_EQ(error(minimal + "backend: " + long_name),
            "heart.yaml:3:10: backend: expected one of auto, cpu, gpu, got 'a" + std::string(59, 'b') + "...'");
  EXPECT_EQ(error(minimal + "backend: b" + long_name.substr(2)),
            "heart.yaml:3:10: backend: expected one of auto, cpu, gpu, got '" + std::string(59, 'b') + "\u00b5'");
}

TEST_F(Configuration, LaterOverridesWin) {
  EXPECT_EQ(load(minimal, {{"time.step", "0.2"}, {"time.step", "0.5"}}).time.step_ms, 0.5);
}

TEST_F(Configuration, SaysWhatIsWrongWithAnOverride) {
  struct Mistake {
    Override given;
    std::string message;
  };
  const std::vector<Mistake> mistakes{
      {{"time.stpe", "1"},
       "--set time.stpe=1: time.stpe: expected one of the keys end, step, scheme, adaptive, got 'stpe'; did you mean "
       "'step'?"},
      {{"tmie.step", "1"},
       "--set tmie.step=1: tmie: expected one of the keys mesh, cell_model, diffusivity, fibers, regions, initial, "
       "stimuli, time, newton, linear_solver, assembly, backend, output, probes, got 'tmie'; did you mean 'time'?"},
      {{"time.step", "5 mm"}, "--set time.step=5 mm: time.step: expected a positive time (ms, s, us), got '5 mm'"},
      {{"time.step", ""}, "--set time.step=: time.step: expected a positive time (ms, s, us), got nothing"},
      {{"time.step.size", "1"}, "--set time.step.size=1: time.step: expected a map or a list, got '50 us'"},
      {{"stimuli.7.start", "1"}, "--set stimuli.7.start=1: stimuli: expected the number of an entry, 0 to 2, got '7'"},
      {{"stimuli.apex.start", "1"},
       "--set stimuli.apex.start=1: stimuli: expected the number of an entry, 0 to 2, got 'apex'"},
      {{"output.maps.0", "apd90"},
       "--set output.maps.0=apd90: output.maps: expected no entry (the list is empty), got '0'"},
      {{"newton.0", "1"}, "--set newton.0=1: newton: expected a list, got a map"},
      {{"time..step", "1"}, "--set time..step=1: expected key.path=value, got the key path 'time..step'"},
      {{"time.", "1"}, "--set time.=1: expected key.path=value, got the key path 'time.'"},
      {{"", "1"}, "--set =1: expected key.path=value, got the key path ''"},
      {{"time.step", "[1"},
       "--set time.step=[1: expected valid YAML, got a syntax error: end of sequence flow not found"},
      {{"stimuli[1].amplitude", "-5 mV"},
       "--set stimuli[1].amplitude=-5 mV: stimuli[1].amplitude: expected a rate of potential (mV/ms, V/s), got '-5 "
       "mV'"},
  };
  for (const auto& [given, message] : mistakes) EXPECT_EQ(error(every_key, {given}), message);
}

TEST_F(Configuration, SaysWhyAFileCannotBeRead) {
  const auto message_of = [](const std::filesystem::path& file) -> std::string {
    try {
      load_config(file);
    } catch (const InputError& failure) {
      return failure.what();
    }
    return "accepted";
  };
  const std::string missing = (directory / "absent.yaml").string();
  EXPECT_EQ(message_of(missing), missing + ": cannot be read: No such file or directory");
  const std::string folder = directory.path().string();
  EXPECT_EQ(message_of(folder), folder + ": expected a YAML file, got a directory");
  EXPECT_EQ(message_of("/dev/zero"), "/dev/zero: expected a YAML file, got a device");
  const std::string fifo = (directory / "fifo.yaml").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0666), 0);
  EXPECT_EQ(message_of(fifo), fifo + ": expected a YAML file, got a FIFO that nobody writes into");
}

TEST(ConfigurationFile, IsReadFromAPipeToItsEnd) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{300'000}}) {  // more than a pipe holds
    int ends[2] = {};
    ASSERT_EQ(::pipe(ends), 0);
    std::thread writer([&] {
      const std::string text = std::string(bytes, '\n') + "mesh: {file: a.msh}\ntime: {end: 1, step: 0.25}\n";
      for (std::size_t at = 0; at < text.size();)
        at += static_cast<std::size_t>(::write(ends[1], &text[at], 1000 < text.size() - at ? 1000 : text.size() - at));
      ::close(ends[1]);
    });
    const Config config = load_config("/proc/self/fd/" + std::to_string(ends[0]));
    writer.join();
    ::close(ends[0]);
    EXPECT_EQ(config.time.step_ms, 0.25);
  }
}

TEST_F(Configuration, SaysWhereTheYamlSyntaxIsBroken) {
  // The parser's own words, which differ between its versions, follow.
  const std::string reason = ": expected valid YAML, got a syntax error: ";
  for (const auto& [yaml, place] : std::vector<std::pair<std::string, std::string>>{
           {"mesh: {file: a.msh\ntime: {end: 1}\n", "heart.yaml:2:5"}, {"time: *later\n", "heart.yaml:1:7"}}) {
    const std::string message = error(yaml);
    EXPECT_EQ(message.substr(0, place.size() + reason.size()), place + reason) << message;
    EXPECT_GT(message.size(), place.size() + reason.size()) << message;
  }
}

TEST_F(Configuration, SaysWhatIsWrongWithTheLayoutOfTheYaml) {
  const std::string mesh = "mesh: {file: a.msh}\n", valid = ": expected valid YAML, got ";
  const std::string tab = valid + "a tab in the indentation: indent with spaces";
  const auto below = [&](const std::string& own, const std::string& line, const std::string& expected) {
    return valid + "a line indented by " + own + " below '" + line + "', which has its value already: expected " +
           expected;
  };
  struct Mistake {
    std::string yaml, message;
  };
  for (const auto& [yaml, message] : std::vector<Mistake>{
           {"mesh:\n\tfile: a.msh\n", "heart.yaml:2:1" + tab},
           {"mesh:\n  file: a.msh\n \tlength_unit: mm\n", "heart.yaml:3:2" + tab},
           {"mesh:\r\n  file: a.msh\r\n time: 1\r\n",
            "heart.yaml:3:2" + valid + "a line indented by 1 space: expected 0 or 2, as lines above"},
           {mesh + "time:\n    end: 1\n\n  # a comment\n  step: 1\n",
            "heart.yaml:6:3" + valid + "a line indented by 2 spaces: expected 0 or 4, as lines above"},
           {mesh + "stimuli:\n  - duration: 1\n   amplitude: 2\n",
            "heart.yaml:4:4" + valid + "a line indented by 3 spaces: expected 0 or 2 or 4, as lines above"},
           {"mesh:\n  file: a.msh # here\n   length_unit: mm\n",
            "heart.yaml:3:4" + below("3 spaces", "file: a.msh", "2 spaces")},
           {mesh + "stimuli:\n  - duration: 1\n     amplitude: 2\n",
            "heart.yaml:4:6" + below("5 spaces", "duration: 1", "4 spaces")},
           {mesh + "time:\n  end 1\n  step: 1\n",
            "heart.yaml:3:3" + valid + "'end 1': a key ends with a colon and a space, as in 'key: value'"},
           {"mesh:\n  file: \"C:\\data\\a.msh\"\n",
            "heart.yaml:2:12" + valid +
                "a backslash in double quotes, which begins an escape like \\n: use single "
                "quotes, and / between folders"},
           {"mesh:\n  file: \"C:\\Users\\me.msh\"\n",
            "heart.yaml:2:18" + valid +
                "a backslash in double quotes, which begins an escape like \\n: use single "
                "quotes, and / between folders"},
           {mesh + "time:\n  end:\u00a01\n  step: 1\n",
            "heart.yaml:3:3" + valid +
                "'end:\u00a01' with a no-break space: type a plain space: a key ends with a colon and a space, as in "
                "'key: value'"}})
    EXPECT_EQ(error(yaml), message) << yaml;
}

TEST_F(Configuration, EndsWithAMessageWhenListsAreNestedThousandsDeep) {
  const std::string message = error("probes: " + std::string(3000, '['));
  EXPECT_NE(message.find("expected a configuration, got lists or maps in very many levels"), std::string::npos)
      << message;
}

TEST_F(Configuration, SaysWhereTheDocumentIsNoConfiguration) {
  const std::string sections =
      "a map with the keys mesh, cell_model, diffusivity, fibers, regions, initial, stimuli, time, newton, "
      "linear_solver, assembly, backend, output, probes";
  struct Mistake {
    std::string yaml, message;
  };
  const std::vector<Mistake> mistakes{
      {"mesh:\n  file: \"heart.msh\ntime: {end: 1, step: 1}\n",
       "heart.yaml:2:9: expected valid YAML, got a quotation mark that is never closed"},
      {"", "heart.yaml:1:1: expected " + sections + ", got nothing"},
      {"# nothing here\n", "heart.yaml:1:1: expected " + sections + ", got nothing"},
      {"just words\n", "heart.yaml:1:1: expected " + sections + ", got 'just words'"},
      {"- mesh\n- time\n", "heart.yaml:1:1: expected " + sections + ", got a list of length 2"},
      {minimal + "---\n" + minimal, "heart.yaml:3:1: expected one YAML document, got a second one"},
      {minimal + "time: {end: 2, step: 1}\n", "heart.yaml:3:1: time: expected each key once, got 'time' again"},
      {"mesh:\n  file: a.msh\n  file: b.msh\n", "heart.yaml:3:3: mesh.file: expected each key once, got 'file' again"},
      {"stimuli:\n  - {start: 1}\n  - {start: 1, start: 2}\n",
       "heart.yaml:3:16: stimuli[1].start: expected each key once, got 'start' again"},
      {"[1, 2]: 3\n", "heart.yaml:1:1: expected the name of a key, got a list of length 2"},
      {"~: 3\n", "heart.yaml:1:1: expected the name of a key, got nothing"},
      {"probes: &all [*all]\n", "heart.yaml:1:15: expected a value, got an alias to itself"},
      {"a: &a [0,0,0,0,0,0,0,0,0,0]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
       "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n",
       "heart.yaml:5:26: expected at most 100000 values with all aliases written out"},
  };
  for (const auto& [yaml, message] : mistakes) EXPECT_EQ(error(yaml), message) << yaml;
}

struct WrongSection {
  std::string section, message;  ///< placed from line 3 on; the message follows `heart.yaml:`
};

class ConfigurationMistake : public Configuration {
 protected:
  void expect_messages(const std::vector<WrongSection>& mistakes) const {
    for (const auto& [section, message] : mistakes)
      EXPECT_EQ(error(minimal + section), "heart.yaml:" + message) << section;
  }
};

TEST_F(ConfigurationMistake, InRequiredKeysIsNamed) {
  const std::string mesh = "mesh: {file: a.msh}\n";
  EXPECT_EQ(error("time: {end: 1, step: 1}"),
            "heart.yaml:1:1: mesh.file: expected the path of a mesh file, got nothing");
  EXPECT_EQ(error("mesh:\n  file: ''"), "heart.yaml:2:9: mesh.file: expected the path of a mesh file, got ''");
  EXPECT_EQ(error("mesh:\ntime: {end: 1, step: 1}"),
            "heart.yaml:1:1: mesh: expected a map with the keys file, length_unit, tags, got nothing");
  EXPECT_EQ(error("mesh: [a.msh]"),
            "heart.yaml:1:7: mesh: expected a map with the keys file, length_unit, tags, got a list of length 1");
  EXPECT_EQ(error("mesh: {file: a.msh, length_unit: inch}"),
            "heart.yaml:1:34: mesh.length_unit: expected one of m, cm, mm, um, got 'inch'");
  EXPECT_EQ(error(mesh), "heart.yaml:1:1: time.end: expected a positive time (ms, s, us), got nothing");
  EXPECT_EQ(error(mesh + "time: {end: 1}"),
            "heart.yaml:2:7: time.step: expected a positive time (ms, s, us), got nothing");
  EXPECT_EQ(error(mesh + "time:\n  end: 1 s\n  step: 2 s"),
            "heart.yaml:4:9: time.step: expected at most time.end, 1000 ms, got '2 s'");
  EXPECT_EQ(error(mesh + "time:\n  end: -1 ms\n  step: 1"),
            "heart.yaml:3:8: time.end: expected a positive time (ms, s, us), got '-1 ms'");
  EXPECT_EQ(error(mesh + "time:\n  end: .nan\n  step: 1"),
            "heart.yaml:3:8: time.end: expected a positive time (ms, s, us), got '.nan'");
  EXPECT_EQ(error(mesh + "time:\n  end: 1\n  step: 0"),
            "heart.yaml:4:9: time.step: expected a positive time (ms, s, us), got '0'");
  EXPECT_EQ(error(mesh + "time:\n  end: 1 s\n  step: 1e-9 us"),
            "heart.yaml:4:9: time.step: expected at least time.end / 1000000000, got '1e-9 us'");
  EXPECT_EQ(
      error(mesh + "time: {end: 1, step: 1, scheme: forward_euler}"),
      "heart.yaml:2:33: time.scheme: expected backward_euler, got 'forward_euler'; did you mean 'backward_euler'?");
  const auto adaptive_error = [&](const std::string& keys) {
    return error(mesh + "time: {end: 1 s, step: 0.1, adaptive: {enabled: true, " + keys + "}}");
  };
  EXPECT_EQ(adaptive_error("tolerance: 1e-2"), "accepted");
  EXPECT_EQ(
      adaptive_error("tolerence: 1"),
      "heart.yaml:2:55: time.adaptive.tolerence: expected one of the keys enabled, tolerance, min_step, max_step, "
      "got 'tolerence'; did you mean 'tolerance'?");
  EXPECT_EQ(adaptive_error("tolerance: 0"),
            "heart.yaml:2:66: time.adaptive.tolerance: expected a number (without unit) in (0, 1), got '0'");
  EXPECT_EQ(adaptive_error("min_step: 0.2"),
            "heart.yaml:2:65: time.adaptive.min_step: expected at most time.step, 0.1 ms, got 0.2 ms");
  EXPECT_EQ(adaptive_error("min_step: 1e-7"),
            "heart.yaml:2:65: time.adaptive.min_step: expected at least time.end / 1000000000, got 1e-07 ms");
  EXPECT_EQ(adaptive_error("max_step: 50 us"),
            "heart.yaml:2:65: time.adaptive.max_step: expected at least time.step, 0.1 ms, got 0.05 ms");
  EXPECT_EQ(adaptive_error("max_step: 0"),
            "heart.yaml:2:65: time.adaptive.max_step: expected a positive time (ms, s, us), got '0'");
  EXPECT_EQ(error(mesh + "time: {end: 1, step: 1, adaptive: {enabled: ture}}"),
            "heart.yaml:2:45: time.adaptive.enabled: expected one of true, false, got 'ture'; did you mean 'true'?");
  EXPECT_EQ(error(mesh + "time: {end: 1, step: 1, adaptive: {enabled: yes}}"),
            "heart.yaml:2:45: time.adaptive.enabled: expected one of true, false, got 'yes'");
  EXPECT_EQ(error(mesh + "time: {end: 10, step: 3, adaptive: {max_step: 2}}"), "accepted");
  EXPECT_EQ(
      error(mesh + "time: {end: 1, step: 1}\nnewton: {forcing: fixd}"),
      "heart.yaml:3:19: newton.forcing: expected one of eisenstat_walker, fixed, got 'fixd'; did you mean 'fixed'?");
}

TEST_F(ConfigurationMistake, InTheWritingOfAValueIsExplained) {
  const std::string mesh = "mesh: {file: a.msh}\n";
  const auto ends_with = [&](const std::string& yaml, const std::string& words) {
    const std::string message = error(yaml);
    EXPECT_TRUE(message.ends_with(words)) << message;
  };
  ends_with(mesh + "time:\n  end: 10\n  step: 0,1 ms\n", "got '0,1 ms'; decimals have a point: '0.1 ms'");
  ends_with(mesh + "time: {end: 10, step: 0,1}\n", "got '1'; decimals have a point: '0.1'");
  ends_with(mesh + "time: {end: 10, step: 0,1 ms}\n", "got '1 ms'; decimals have a point: '0.1 ms'");
  ends_with(mesh + "time: {end: 10, step: 1, }\nfibers: {direction: [0,5, 0,5, 1]}\n",
            "got a list of length 5; decimals have a point, as in 0.5");
  ends_with(mesh + "time: {end: 10, step: fast,}\n", "got 'fast'");
  ends_with(mesh + "time: {end: 10, step: 0.1\u00a0ms}\n",
            "got '0.1\u00a0ms' with a no-break space: type a plain space");
  ends_with("mesh:\n  file: a.msh\n\u00a0\u00a0length_unit: mm\n", " with a no-break space: type a plain space");
  ends_with("mesh:\nfile: a.msh\n", "got 'file'; indent it if it belongs to 'mesh'");
  ends_with(mesh + "time:\n  end:1\n  step:1\n", "got 'end:1 step:1'; a space follows the colon: 'end: ...'");
  ends_with("mesh:{file: a.msh}\n", "got 'mesh:{file'; a space follows the colon: 'mesh: ...'");
  ends_with(
      "mesh: {file: \"meshes\\table.msh\"}\n",
      "got 'meshes?able.msh' with a control character: in double quotes a backslash makes one of the letter after "
      "it; use single quotes, and / between folders");
}

TEST_F(Configuration, AMeshGivenAsConfigurationGetsTheLinesToBeginWith) {
  for (const char* name : {"slab.msh", "slab.vtu", "slab.vtk", "slab.pts"}) {
    const std::string message = test::input_error_of([&] { load_config(directory / name); });
    EXPECT_NE(message.find(std::string(name) + ": expected a configuration in YAML, got a mesh"), std::string::npos)
        << message;
    const std::size_t begin = message.find('\n');
    ASSERT_NE(begin, std::string::npos);
    const Config config = load(message.substr(begin + 1));  // and they are valid
    EXPECT_EQ(config.mesh.file, directory / name);
    EXPECT_EQ(config.stimuli.size(), 1u);
  }
}

TEST_F(Configuration, MoreFramesThanTheirNamesCountAreRefused) {
  const std::string mesh = "mesh: {file: a.msh}\n";
  EXPECT_EQ(
      error(mesh + "time: {end: 1e7, step: 1}\noutput: {interval: 1 ms}"),
      "heart.yaml:3:20: output.interval: expected at most 1000000 frames, at least 10.00002 ms, got 1 ms, which makes "
      "10000001");
  EXPECT_EQ(error(mesh + "time: {end: 1e7, step: 1}\noutput: {interval: 10 ms}"),
            "heart.yaml:3:20: output.interval: expected at most 1000000 frames, at least 10.00002 ms, got 10 ms, which "
            "makes 1000001");
  EXPECT_EQ(error(mesh + "time: {end: 999999, step: 1}\noutput: {interval: 1 ms}"), "accepted");
  // Equal steps make no more frames than steps, adaptive ones end at each multiple of the interval.
  EXPECT_EQ(error(mesh + "time: {end: 10, step: 0.1}\noutput: {interval: 1e-8}"), "accepted");
  const std::string adaptive =
      error(mesh + "time: {end: 10, step: 0.1, adaptive: {enabled: true}}\noutput: {interval: 1e-8}");
  EXPECT_NE(adaptive.find("output.interval: expected at most 1000000 frames"), std::string::npos) << adaptive;
}

TEST_F(ConfigurationMistake, InTheTissueIsNamed) {
  expect_messages({
      {"cell_model: {name: fitzhugh}", "3:20: cell_model.name: expected aliev_panfilov, got 'fitzhugh'"},
      {"cell_model: {parameters: {alpah: 0.1}}",
       "3:27: cell_model.parameters.alpah: expected one of the keys alpha, gamma, b, c, mu1, mu2, got 'alpah'; "
       "did you mean 'alpha'?"},
      {"cell_model: {parameters: {alpha: 1}}",
       "3:34: cell_model.parameters.alpha: expected a number (without unit) in [0, 1), got '1'"},
      {"cell_model: {parameters: {c: 0}}",
       "3:30: cell_model.parameters.c: expected a positive number (without unit), got '0'"},
      {"cell_model: {parameters: {gamma: 1 ms}}",
       "3:34: cell_model.parameters.gamma: expected a non-negative number (without unit), got '1 ms'"},
      {"diffusivity: {isotropic: 0}",
       "3:26: diffusivity.isotropic: expected a positive diffusivity (mm^2/ms, cm^2/s, m^2/s), got '0'"},
      {"diffusivity: {isotropic: 1 mm/ms}",
       "3:26: diffusivity.isotropic: expected a positive diffusivity (mm^2/ms, cm^2/s, m^2/s), got '1 mm/ms'"},
      {"diffusivity: {anisotropic: 0.1}",
       "3:14: diffusivity: expected isotropic beside anisotropic, as both make one diffusivity, got anisotropic alone"},
      {"diffusivity: {}",
       "3:14: diffusivity.isotropic: expected a positive diffusivity (mm^2/ms, cm^2/s, m^2/s), got nothing"},
      {"diffusivity: {isotropic: 1, anisotropic: -1}",
       "3:14: diffusivity: expected isotropic + anisotropic, the diffusivity along the fiber, to be positive, "
       "got 1 + -1 mm^2/ms"},
      {"diffusivity: {isotropic: 1, transverse: 0.1}",
       "3:14: diffusivity: expected either isotropic and anisotropic or longitudinal and transverse, got keys of both"},
      {"diffusivity: {longitudinal: 1}",
       "3:14: diffusivity.transverse: expected a positive diffusivity (mm^2/ms, cm^2/s, m^2/s), got nothing"},
      {"diffusivity: {longitudinal: 0, transverse: 1}",
       "3:29: diffusivity.longitudinal: expected a positive diffusivity (mm^2/ms, cm^2/s, m^2/s), got '0'"},
      {"fibers: {source: rule}", "3:18: fibers.source: expected one of none, constant, mesh, got 'rule'"},
      {"fibers: {source: constant, direction: [0, 0, 0]}",
       "3:39: fibers.direction: expected a direction of non-zero, finite length, got [0, 0, 0]"},
      {"fibers: {direction: [1, 0]}",
       "3:21: fibers.direction: expected a list [x, y, z], each a number, got a list of length 2"},
      {"fibers: {direction: [1, 0, inf]}", "3:28: fibers.direction[2]: expected a number (without unit), got 'inf'"},
      {"regions: {where: {tag: 1}}", "3:10: regions: expected a list, got a map"},
      {"regions:\n  - where: {tag: 1}",
       "4:5: regions[0]: expected a diffusivity or cell_model.parameters that differ here, got none"},
      {"regions:\n  - diffusivity: {isotropic: 1}",
       "4:5: regions[0].where: expected exactly one of the keys box, sphere, tag, got nothing"},
      {"regions:\n  - where: {nodes: a.vtx}",
       "4:13: regions[0].where.nodes: expected one of the keys box, sphere, tag, got 'nodes'"},
      {"regions:\n  - where: {tag: 1}\n    diffusivity: {anisotropic: 0.1}",
       "5:18: regions[0].diffusivity: expected isotropic beside anisotropic, as both make one diffusivity, got "
       "anisotropic alone"},
      {"regions:\n  - where: {tag: 1}\n    diffusivity: {isotropic: 0.05, longitudinal: 1}",
       "5:18: regions[0].diffusivity: expected either isotropic and anisotropic or longitudinal and transverse, "
       "got keys of both"},
      {"regions:\n  - where: {tag: 1}\n    diffusivity: {isotropic: 1, anisotropic: -2}",
       "5:18: regions[0].diffusivity: expected isotropic + anisotropic, the diffusivity along the fiber, to be "
       "positive, got 1 + -2 mm^2/ms"},
      {"regions:\n  - where: {tag: 1}\n    cell_model: {name: aliev_panfilov}",
       "5:18: regions[0].cell_model.name: expected the key parameters, got 'name'"},
  });
}

TEST_F(ConfigurationMistake, InAWhereIsNamed) {
  const auto stimulus = [](const std::string& where) {
    return "stimuli:\n  - duration: 1\n    amplitude: 1\n    where: " + where;
  };
  expect_messages({
      {stimulus("apex"), "6:12: stimuli[0].where: expected a map with the keys box, sphere, tag, nodes, got 'apex'"},
      {stimulus("{spere: 1}"),
       "6:13: stimuli[0].where.spere: expected one of the keys box, sphere, tag, nodes, got 'spere'; "
       "did you mean 'sphere'?"},
      {stimulus("{tag: 1, nodes: a.vtx}"),
       "6:12: stimuli[0].where: expected exactly one of the keys box, sphere, tag, nodes, got tag and nodes"},
      {stimulus("{tag: }"), "6:13: stimuli[0].where.tag: expected a tag number or a name of the mesh, got nothing"},
      {stimulus("{sphere: {center: [0, 0, 0], radius: 0}}"),
       "6:49: stimuli[0].where.sphere.radius: expected a positive length (mm, cm, m, um), got '0'"},
      {stimulus("{sphere: {radius: 1}}"),
       "6:21: stimuli[0].where.sphere.center: expected a list [x, y, z], each a length, got nothing"},
      {stimulus("{box: {min: [0, 0, 0], max: [1, 1, -1]}}"),
       "6:18: stimuli[0].where.box: expected min.z <= max.z, got 0 > -1 mm"},
      {stimulus("{box: {min: [0, 3, 0], max: [1, 2, 1]}}"),
       "6:18: stimuli[0].where.box: expected min.y <= max.y, got 3 > 2 mm"},
      {stimulus("{box: {min: [0, 0 ms, 0], max: [1, 1, 1]}}"),
       "6:28: stimuli[0].where.box.min[1]: expected a length (mm, cm, m, um), got '0 ms'"},
  });
}

TEST_F(ConfigurationMistake, InTheInitialStateIsNamed) {
  expect_messages({
      {"initial: {potential: -110 mV}",
       "3:22: initial.potential: expected a potential (mV, V) above -110, got '-110 mV'"},
      {"initial: {recovery: -1}", "3:21: initial.recovery: expected a non-negative number (without unit), got '-1'"},
      {"initial:\n  regions:\n    - where: {tag: 1}",
       "5:7: initial.regions[0]: expected a potential or a recovery, got none"},
      {"initial:\n  regions:\n    - where: {nodes: a.vtx}\n      recovery: 1",
       "6:17: initial.regions[0].recovery: expected only a potential for nodes, as recovery belongs to elements, got "
       "'1'"},
  });
}

TEST_F(ConfigurationMistake, InAStimulusIsNamed) {
  const std::string rest = ", where: {tag: 1}, duration: 2, amplitude: 1}\n";
  expect_messages({
      {"stimuli:\n", "3:1: stimuli: expected a list, got nothing"},
      {"stimuli:\n  - {amplitud: 3}",
       "4:6: stimuli[0].amplitud: expected one of the keys name, where, start, duration, amplitude, period, count, "
       "got 'amplitud'; did you mean 'amplitude'?"},
      {"stimuli:\n  - {where: {tag: 1}, amplitude: 1}",
       "4:5: stimuli[0].duration: expected a positive time (ms, s, us), got nothing"},
      {"stimuli:\n  - {where: {tag: 1}, duration: 1}",
       "4:5: stimuli[0].amplitude: expected a rate of potential (mV/ms, V/s), got nothing"},
      {"stimuli:\n  - {start: -1" + rest, "4:13: stimuli[0].start: expected a non-negative time (ms, s, us), got '-1'"},
      {"stimuli:\n  - {period: 1" + rest, "4:14: stimuli[0].period: expected at least the duration, 2 ms, got '1'"},
      {"stimuli:\n  - {count: 3" + rest,
       "4:5: stimuli[0].period: expected a positive time (ms, s, us) to go with count, got nothing"},
      {"stimuli:\n  - {period: 5, count: 0" + rest,
       "4:24: stimuli[0].count: expected a whole number in [1, 2147483647], got '0'"},
      {"stimuli:\n  - {period: 5, count: 2.5" + rest,
       "4:24: stimuli[0].count: expected a whole number in [1, 2147483647], got '2.5'"},
      {"stimuli:\n  - {name: a" + rest + "  - {name: a" + rest,
       "5:12: stimuli[1].name: expected a name that is not yet taken, got 'a'"},
      {"stimuli:\n  - {name: stimulus_2" + rest + "  - {start: 1" + rest,
       "5:5: stimuli[1].name: expected a name that is not yet taken, got 'stimulus_2'"},
  });
}

TEST_F(ConfigurationMistake, InTheSolversIsNamed) {
  const std::string formats = "expected one of auto, csr, cusparse, k1, k1r, k1rs, k2, k2r, k2rs, got ";
  const std::string strategies =
      "expected one of auto, scalar_gather, spmv_k1, spmv_k1r, spmv_k1rs, spmv_k2, spmv_k2r, spmv_k2rs, got ";
  expect_messages({
      {"newton: {tolerance: 0}", "3:21: newton.tolerance: expected a positive number (without unit), got '0'"},
      {"newton: {max_iterations: 1001}",
       "3:26: newton.max_iterations: expected a whole number in [1, 1000], got '1001'"},
      {"newton: {max_iterations: many}",
       "3:26: newton.max_iterations: expected a whole number in [1, 1000], got 'many'"},
      {"linear_solver: {method: gmres}", "3:25: linear_solver.method: expected cg, got 'gmres'"},
      {"linear_solver: {preconditioner: ilu}",
       "3:33: linear_solver.preconditioner: expected one of jacobi, block_jacobi, got 'ilu'"},
      {"linear_solver: {preconditioner: blockjacobi}",
       "3:33: linear_solver.preconditioner: expected one of jacobi, block_jacobi, got 'blockjacobi'; did you mean "
       "'block_jacobi'?"},
      {"linear_solver: {tolerance: 1}",
       "3:28: linear_solver.tolerance: expected a number (without unit) in (0, 1), got '1'"},
      {"linear_solver: {max_iterations: 0}",
       "3:33: linear_solver.max_iterations: expected a whole number in [1, 1000000], got '0'"},
      {"linear_solver: {spmv: csc}", "3:23: linear_solver.spmv: " + formats + "'csc'; did you mean 'csr'?"},
      {"linear_solver: {spmv: K2RS}", "3:23: linear_solver.spmv: " + formats + "'K2RS'; did you mean 'k2rs'?"},
      {"linear_solver: {spmv: ellpack}", "3:23: linear_solver.spmv: " + formats + "'ellpack'"},
      {"linear_solver: {window: 64}",
       "3:17: linear_solver.window: expected one of the keys method, preconditioner, path, tolerance, max_iterations, "
       "spmv, "
       "block_size, threshold, sorting_window, got 'window'"},
      {"assembly: {strategy: atomic}", "3:22: assembly.strategy: " + strategies + "'atomic'"},
      {"assembly: {strategy: spmv-k2r}",
       "3:22: assembly.strategy: " + strategies + "'spmv-k2r'; did you mean 'spmv_k2r'?"},
      {"assembly: {order: slice}",
       "3:19: assembly.order: expected one of slices, csr, got 'slice'; did you mean 'slices'?"},
      {"assembly: auto",
       "3:11: assembly: expected a map with the keys strategy, order, block_size, threshold, sorting_window, "
       "got 'auto'"},
      {"backend: cuda", "3:10: backend: expected one of auto, cpu, gpu, got 'cuda'"},
      {"backend: [cpu]", "3:10: backend: expected one of auto, cpu, gpu, got a list of length 1"},
      {"bakend: cpu",
       "3:1: bakend: expected one of the keys mesh, cell_model, diffusivity, fibers, regions, initial, stimuli, time, "
       "newton, linear_solver, assembly, backend, output, probes, got 'bakend'; did you mean 'backend'?"},
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

TEST_F(ConfigurationMistake, InTheOutputIsNamed) {
  expect_messages({
      {"output: {directory: ''}", "3:21: output.directory: expected the path of a directory, got ''"},
      {"output: {directory: {a: b}}", "3:21: output.directory: expected the path of a directory, got a map"},
      {"output: {interval: 0 ms}", "3:20: output.interval: expected a positive time (ms, s, us), got '0 ms'"},
      {"output: {fields: potential}", "3:18: output.fields: expected a list, got 'potential'"},
      {"output: {fields: [potental]}",
       "3:19: output.fields[0]: expected one of potential, recovery, got 'potental'; did you mean 'potential'?"},
      {"output: {maps: [apd90, apd80]}",
       "3:24: output.maps[1]: expected one of activation_time, apd90, got 'apd80'; did you mean 'apd90'?"},
      {"probes: [{point: [0, 0, 0]}]",
       "3:10: probes[0].name: expected a name without commas, semicolons, quotes and control characters, got nothing"},
      {"probes: [{name: \"a,b\", point: [0, 0, 0]}]",
       "3:17: probes[0].name: expected a name without commas, semicolons, quotes and control characters, got 'a,b'"},
      {"probes: [{name: \"a\\nb\", point: [0, 0, 0]}]",
       "3:17: probes[0].name: expected a name without commas, semicolons, quotes and control characters, got 'a\\nb'"},
      {"probes: [{name: ' a', point: [0, 0, 0]}]",
       "3:17: probes[0].name: expected a name without commas, semicolons, quotes and control characters, got ' a'"},
      {"probes: [{name: time_ms, point: [0, 0, 0]}]",
       "3:17: probes[0].name: expected a name that is not yet taken, got 'time_ms'"},
      {"probes: [{name: a, point: 5}]", "3:27: probes[0].point: expected a list [x, y, z], each a length, got '5'"},
      {"probes: [{name: a, point: [0, 0, 0]}, {name: a, point: [1, 1, 1]}]",
       "3:46: probes[1].name: expected a name that is not yet taken, got 'a'"},
  });
}

}  // namespace
}  // namespace cardiowarp
