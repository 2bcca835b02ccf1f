#include "app/config/config.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

#include "app/simulation/problem.hpp"
#include "fem/cells/models.hpp"
#include "tests/support/configuration.hpp"
#include "tests/support/small_mesh.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::every_key;
using test::minimal;

TEST_F(Configuration, HasDefaultsForEveryKeyButMeshFileEndAndStep) {
  const Config config = load(minimal);
  EXPECT_EQ(config.file, directory / "heart.yaml");
  EXPECT_EQ(config.mesh.file, directory / "heart.msh");
  EXPECT_EQ(config.mesh.length_unit, LengthUnit::millimetre);
  EXPECT_EQ(config.cell_model.cell, AnyCell(AlievPanfilov{}));
  EXPECT_EQ(config.cell_model.set, "");
  EXPECT_EQ(config.diffusivity.isotropic_mm2_per_ms, 1);
  EXPECT_EQ(config.diffusivity.anisotropic_mm2_per_ms, 0.1);
  EXPECT_EQ(config.fibers.source, FiberSource::none);
  EXPECT_TRUE(config.regions.empty());
  EXPECT_FALSE(config.initial.potential_mv);
  EXPECT_TRUE(config.initial.states.empty());
  EXPECT_TRUE(config.stimuli.empty());
  EXPECT_EQ(config.time.end_ms, 10);
  EXPECT_EQ(config.time.step_ms, 0.1);
  EXPECT_FALSE(config.time.adaptive.enabled);
  EXPECT_EQ(config.time.scheme, TimeScheme::sdirk2);
  EXPECT_EQ(config.time.adaptive.tolerance, 2e-3);
  EXPECT_EQ(config.time.adaptive.min_step_ms, 0.01);
  EXPECT_EQ(config.time.adaptive.max_step_ms, 5);
  EXPECT_TRUE(config.newton_follows_step);
  EXPECT_TRUE(config.linear_solver.follows_step);
  EXPECT_EQ(config.newton.tolerance, 1e-8);
  EXPECT_EQ(config.newton.forcing, ForcingChoice::eisenstat_walker);
  EXPECT_EQ(config.newton.max_iterations, 20);
  EXPECT_EQ(config.linear_solver.preconditioner, PreconditionerChoice::jacobi);
  EXPECT_EQ(config.linear_solver.path, SolverPath::automatic);
  EXPECT_EQ(config.linear_solver.precision, SolverPrecision::double_precision);
  EXPECT_FALSE(config.linear_solver.matrix.window_is_asked_for);
  EXPECT_EQ(config.linear_solver.tolerance, 1e-10);
  EXPECT_EQ(config.linear_solver.max_iterations, 2000);
  EXPECT_EQ(config.linear_solver.matrix.format, MatrixFormat::automatic);
  EXPECT_EQ(config.linear_solver.matrix.block_size, 0);
  EXPECT_EQ(config.linear_solver.matrix.ell_warp.threshold, 16);
  EXPECT_EQ(config.linear_solver.matrix.ell_warp.window, 1024);
  EXPECT_EQ(config.quadrature, Quadrature::vertices);
  EXPECT_EQ(config.assembly.strategy, AssemblyStrategy::automatic);
  EXPECT_FALSE(config.assembly.through_csr);
  EXPECT_EQ(config.assembly.block_size, 0);
  EXPECT_EQ(config.assembly.ell_warp.threshold, 16);
  EXPECT_EQ(config.assembly.ell_warp.window, 1024);
  EXPECT_EQ(config.backend, BackendChoice::automatic);
  EXPECT_EQ(config.output.directory, directory / "out/heart");
  EXPECT_EQ(config.output.format, OutputFormat::vtu);
  EXPECT_EQ(config.output.interval_ms, 5);
  EXPECT_TRUE(config.output.potential);
  EXPECT_EQ(config.output.states, std::vector<std::string>{"recovery"});
  EXPECT_TRUE(config.output.activation_time && config.output.apd90);
  EXPECT_TRUE(config.probes.empty());
  EXPECT_FALSE(config.checkpoint);
  EXPECT_EQ(load(minimal + "checkpoint: {interval: 5}").checkpoint.value().keep, 2);
}

TEST_F(Configuration, TissueKeysAreReadInBaseUnits) {
  const Config config = load(every_key);
  EXPECT_EQ(config.mesh.file, directory / "heart.vtu");
  EXPECT_EQ(config.mesh.length_unit, LengthUnit::centimetre);
  EXPECT_EQ(config.cell_model.cell, AnyCell(AlievPanfilov{0.02, 0.003, 0.16, 9, 0.21, 0.31}));
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
  EXPECT_EQ(
      config.regions[0].cell_model.parameters,
      (std::map<std::string, Real>{{"alpha", 0.1}, {"gamma", 1e-4}, {"b", 0.2}, {"c", 7}, {"mu1", 0.3}, {"mu2", 0.4}}));
  const Sphere sphere = std::get<Sphere>(config.regions[1].where.region);
  EXPECT_EQ(sphere.center, (Vector3{1, 2, 30}));
  EXPECT_EQ(sphere.radius_mm, 4);
  ASSERT_TRUE(config.regions[1].diffusivity);
  EXPECT_EQ(config.regions[1].diffusivity->isotropic_mm2_per_ms, 0.1);
  EXPECT_DOUBLE_EQ(config.regions[1].diffusivity->anisotropic_mm2_per_ms, 0.2);
  EXPECT_TRUE(config.regions[1].cell_model.empty());

  EXPECT_EQ(config.initial.potential_mv, -70);
  EXPECT_EQ(config.initial.states, (std::map<std::string, Real>{{"recovery", 0.25}}));
  ASSERT_EQ(config.initial.regions.size(), 2u);
  EXPECT_EQ(std::get<Box>(config.initial.regions[0].where.region).max, (Vector3{1, 0, 2}));
  EXPECT_EQ(config.initial.regions[0].potential_mv, 20);
  EXPECT_EQ(config.initial.regions[0].states, (std::map<std::string, Real>{{"recovery", 0.5}}));
  EXPECT_EQ(std::get<NodeFile>(config.initial.regions[1].where.region).file, directory / "here.vtx");
  EXPECT_TRUE(config.initial.regions[1].states.empty());
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
  EXPECT_EQ(config.stimuli[0].edge, StimulusEdge::weighted);
  EXPECT_EQ(config.stimuli[1].edge, StimulusEdge::nodes);
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
  EXPECT_EQ(config.quadrature, Quadrature::vertices);
  EXPECT_EQ(config.time.end_ms, 400);
  EXPECT_EQ(config.time.step_ms, 0.05);
  EXPECT_EQ(config.time.scheme, TimeScheme::backward_euler);
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
  EXPECT_EQ(config.linear_solver.preconditioner, PreconditionerChoice::block_jacobi);
  EXPECT_EQ(config.linear_solver.path, SolverPath::plain);
  EXPECT_EQ(config.linear_solver.precision, SolverPrecision::mixed);
  EXPECT_TRUE(config.linear_solver.matrix.window_is_asked_for);
  EXPECT_EQ(config.linear_solver.tolerance, 1e-12);
  EXPECT_EQ(config.linear_solver.max_iterations, 300);
  EXPECT_EQ(config.backend, BackendChoice::cpu);
  EXPECT_EQ(config.output.directory, (directory / "../results").lexically_normal());
  EXPECT_EQ(config.output.format, OutputFormat::ensight);
  EXPECT_EQ(config.output.interval_ms, 2.5);
  EXPECT_FALSE(config.output.potential);
  EXPECT_EQ(config.output.states, std::vector<std::string>{"recovery"});
  EXPECT_FALSE(config.output.activation_time || config.output.apd90);
  ASSERT_EQ(config.probes.size(), 2u);
  EXPECT_EQ(config.probes[0].name, "tip");
  EXPECT_EQ(config.probes[0].point, (Vector3{0, 0, -60}));
  EXPECT_EQ(config.probes[1].name, "base 2");
  ASSERT_TRUE(config.checkpoint);
  EXPECT_EQ(config.checkpoint->interval_ms, 100);
  EXPECT_EQ(config.checkpoint->keep, 3);
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

TEST_F(Configuration, APotentialHasToBeAdmissibleInSomePartOfTheTissue) {
  const std::string scar = "regions:\n  - {where: {tag: 1}, cell_model: {parameters: {mu2: 0.5}}}\n";
  EXPECT_EQ(load(minimal + scar, {{"initial.potential", "-129"}}).initial.potential_mv, -129);
  EXPECT_EQ(error(minimal + scar, {{"initial.potential", "-130"}}),
            "--set initial.potential=-130: initial.potential: expected a potential (mV, V) above -130, got '-130'");
}

TEST_F(Configuration, MicrometresMayBeWrittenWithEitherMicroSign) {
  for (const char* unit : {"um", "\u00b5m", "\u03bcm"})
    EXPECT_EQ(
        load(std::string("mesh: {file: a.vtu, length_unit: ") + unit + "}\ntime: {end: 1, step: 1}").mesh.length_unit,
        LengthUnit::micrometre)
        << unit;
  EXPECT_NE(error("mesh: {file: a.vtu, length_unit: \u00b5}\ntime: {end: 1, step: 1}")
                .find("expected one of m, cm, mm, um, got"),
            std::string::npos);
}

TEST_F(Configuration, AMeshOfOpencarpMayBeGivenByItsBaseName) {
  std::ofstream(directory / "heart.pts") << "0\n";
  for (const char* name : {"heart", "heart.", "heart.pts"}) {
    const MeshConfig mesh = load(std::string("mesh: {file: ") + name + "}\ntime: {end: 1, step: 1}").mesh;
    EXPECT_EQ(mesh.file, directory / "heart.pts") << name;
    EXPECT_EQ(mesh.length_unit, LengthUnit::micrometre) << name;
  }
  EXPECT_EQ(load("mesh: {file: liver}\ntime: {end: 1, step: 1}").mesh.file, directory / "liver");
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

TEST_F(Configuration, ASecondOrderSchemeHasDefaultsOfItsOwn) {
  for (const auto& [name, scheme] : {std::pair("sdirk2", TimeScheme::sdirk2), std::pair("trbdf2", TimeScheme::trbdf2),
                                     std::pair("bdf2", TimeScheme::bdf2), std::pair("rkc2", TimeScheme::rkc2)}) {
    const Config config = load(minimal, {{"time.scheme", name}, {"quadrature", "vertices"}});
    EXPECT_EQ(config.time.scheme, scheme);
    EXPECT_EQ(config.time.adaptive.tolerance, 2e-3);
    EXPECT_EQ(config.time.adaptive.min_step_ms, 0.01);
    EXPECT_EQ(config.time.adaptive.max_step_ms, 5);
    EXPECT_TRUE(config.newton_follows_step);
    EXPECT_TRUE(config.linear_solver.follows_step);
    EXPECT_NE(resolved_yaml(config).find(fmt::format("scheme: {}\n", name)), std::string::npos);
  }
  const Config given =
      load(minimal, {{"time.scheme", "sdirk2"}, {"newton.tolerance", "1e-7"}, {"linear_solver.tolerance", "1e-9"}});
  EXPECT_FALSE(given.newton_follows_step);
  EXPECT_EQ(given.newton.tolerance, 1e-7);
  EXPECT_FALSE(given.linear_solver.follows_step);
  EXPECT_EQ(given.linear_solver.tolerance, 1e-9);
}

TEST_F(Configuration, TheQuadratureIsVerticesUnlessAStrategySumsElements) {
  const auto quadrature = [&](const std::string& strategy) {
    return load(minimal, {{"assembly.strategy", strategy}}).quadrature;
  };
  EXPECT_EQ(quadrature("auto"), Quadrature::vertices);
  EXPECT_EQ(quadrature("diagonal"), Quadrature::vertices);
  for (const char* strategy : {"scalar_gather", "row_gather", "entry_gather", "slice_gather", "spmv_k1", "spmv_k2rs"})
    EXPECT_EQ(quadrature(strategy), Quadrature::centroid) << strategy;
  EXPECT_EQ(load(minimal, {{"assembly.strategy", "spmv_k1"}, {"quadrature", "vertices"}}).quadrature,
            Quadrature::vertices);  // refused where it is planned
}

TEST_F(Configuration, AutomaticTolerancesOfBackwardEulerAreTheUsualNumbers) {
  const Config config = load(
      minimal, {{"time.scheme", "backward_euler"}, {"newton.tolerance", "auto"}, {"linear_solver.tolerance", "auto"}});
  EXPECT_FALSE(config.newton_follows_step);
  EXPECT_EQ(config.newton.tolerance, 1e-8);
  EXPECT_FALSE(config.linear_solver.follows_step);
  EXPECT_EQ(config.linear_solver.tolerance, 1e-10);
}

TEST_F(Configuration, ResolvedYamlKeepsWhatFollowsFromTheStep) {
  const Config config = load(minimal, {{"time.scheme", "sdirk2"}, {"linear_solver.tolerance", "1e-9"}});
  const std::string resolved = resolved_yaml(config);
  EXPECT_NE(resolved.find("scheme: sdirk2"), std::string::npos);
  EXPECT_NE(resolved.find("newton:\n  tolerance: auto\n"), std::string::npos);
  EXPECT_NE(resolved.find("  tolerance: 1.0e-09\n"), std::string::npos);
  EXPECT_EQ(resolved_yaml(load_config(write(resolved, "resolved.yaml"))), resolved);
}

}  // namespace
}  // namespace cardiowarp
