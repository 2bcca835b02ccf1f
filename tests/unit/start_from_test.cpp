#include "app/start_from.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "app/checkpoint/state_cache.hpp"
#include "app/config/config.hpp"
#include "app/simulation/point_order.hpp"
#include "kernels/backend/device.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

/// A problem with cells of three kinds, whose two states at each point are 1000 times the node or element of the point
/// and its parameter set, and minus that.
struct Marked {
  explicit Marked(Quadrature quadrature) {
    problem.cell_models = std::vector<AlievPanfilov>{{.b = 0.1}, {.b = 0.2}, {.b = 0.3}};
    for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
      problem.cell_model[e] = static_cast<std::uint16_t>((e + 1) % 3);
    problem.quadrature = quadrature;
    const SimulationPlan plan = plan_simulation(problem, cpu_device());
    const std::vector<Index> order = points_in_input(plan);
    states.resize(order.size());
    std::size_t point = 0;
    if (weights_of(quadrature).centroid > 0)
      for (const Index element : plan.renumbered.element_in_input) states[order[point++]] = element;
    if (plan.vertices)
      for (std::size_t node = 0; node < plan.renumbered.node_in_input.size(); ++node)
        for (Index k = plan.vertices->points.begin[node]; k < plan.vertices->points.begin[node + 1]; ++k)
          states[order[point++]] = 1000 * plan.renumbered.node_in_input[node] + plan.vertices->points.cell_model[k];
    for (std::size_t i = 0; i < order.size(); ++i) states.push_back(-states[i]);
  }

  Mesh mesh = renumbered(random_mesh({3, 2.5, 2}, 0.5, 31), 31).mesh;
  Problem problem = resting_problem(mesh, 1, 0);
  std::vector<Real> states;  ///< [2 × points]
};

TEST(StatesOfElements, AreThoseOfTheCentroidWhereThereIsOne) {
  for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices_and_centroid}) {
    const Marked marked(quadrature);
    const std::vector<Real> found =
        states_of_elements(marked.states, 2, marked.mesh, quadrature, marked.problem.cell_model);
    const std::size_t elements = marked.mesh.tetrahedra.size();
    ASSERT_EQ(found.size(), 2 * elements);
    for (std::size_t e = 0; e < elements; ++e) {
      EXPECT_EQ(found[e], static_cast<Real>(e));
      EXPECT_EQ(found[elements + e], -static_cast<Real>(e));
    }
  }
}

TEST(StatesOfElements, AreElseTheMeanOfThoseOfTheirOwnCellsAtTheCorners) {
  const Marked marked(Quadrature::vertices);
  const std::vector<Real> found =
      states_of_elements(marked.states, 2, marked.mesh, Quadrature::vertices, marked.problem.cell_model);
  for (std::size_t e = 0; e < marked.mesh.tetrahedra.size(); ++e) {
    Real expected = marked.problem.cell_model[e];
    for (const Index node : marked.mesh.tetrahedra[e]) expected += 250.0 * node;
    EXPECT_DOUBLE_EQ(found[e], expected) << e;
    EXPECT_DOUBLE_EQ(found[marked.mesh.tetrahedra.size() + e], -expected) << e;
  }
}

TEST(StatesOfElements, OfOneParameterSetAreThoseOfTheNodes) {
  const Mesh mesh = random_mesh({2, 2, 2}, 0.5, 5);
  std::vector<Real> states;
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) states.push_back(static_cast<Real>(node));
  const std::vector<Real> found = states_of_elements(states, 1, mesh, Quadrature::vertices, {});
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    Real sum = 0;
    for (const Index node : mesh.tetrahedra[e]) sum += node;
    EXPECT_DOUBLE_EQ(found[e], sum / 4);
  }
}

TEST(StatesAtPoints, OfACheckpointAreBroughtIntoTheOrderOfThePlan) {
  for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices, Quadrature::vertices_and_centroid}) {
    Marked marked(quadrature);
    std::vector<Real> one_state(marked.states.begin(),
                                marked.states.begin() + static_cast<std::ptrdiff_t>(marked.states.size() / 2));
    StartState start;
    start.phi.assign(marked.mesh.nodes.size(), 0.5);
    start.states = one_state;
    begin_with(start, marked.problem);
    const SimulationPlan plan = plan_simulation(marked.problem, cpu_device());
    const std::vector<Index> order = points_in_input(plan);
    ASSERT_EQ(plan.states.size(), one_state.size());
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(plan.states[i], one_state[order[i]]);
    EXPECT_EQ(plan.problem().phi, std::vector<Real>(marked.mesh.nodes.size(), 0.5));
  }
}

TEST(StartState, LeavesPrescribedNodesThePotentialOfTheirConfiguration) {
  const Mesh mesh = random_mesh({1, 1, 1}, 0.5, 6);
  Problem problem = resting_problem(mesh, 1, 0);
  problem.prescribed = {2, 5};
  problem.phi[5] = 0.75;
  StartState start;
  start.phi.assign(mesh.nodes.size(), 0.5);
  begin_with(start, problem);
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
    EXPECT_EQ(problem.phi[node], node == 2 ? 0 : node == 5 ? 0.75 : 0.5);
}

/// The state of a problem with one point an element, as a checkpoint of its run has it.
SourceState state_of(const Problem& problem) {
  SourceState source;
  source.origin.file = "a.checkpoint";
  source.identity.configuration = "quadrature: centroid\n";
  source.phi = problem.phi;
  source.states = problem.states;
  return source;
}

TEST(StartState, BelowTheRangeOfItsCellsIsRefusedWithItsNode) {
  const Mesh mesh = random_mesh({1, 1, 1}, 0.5, 6);
  const Problem problem = resting_problem(mesh, 1, 0);
  SourceState source = state_of(problem);
  source.phi[3] = -0.3 + 1e-9;
  EXPECT_EQ(fitted(source, source.identity, problem).phi, source.phi);
  source.phi[3] = -0.3 - 1e-9;
  const std::string message = test::input_error_of([&] { fitted(source, source.identity, problem); });
  EXPECT_NE(message.find("potential of node 3 in 'a.checkpoint': expected more than -110 mV"), std::string::npos)
      << message;
}

TEST(StartState, HasAChecksumOfTheNamesOfItsSectionsToo) {
  const auto checksum_with = [](const char* name) {
    StateArchive archive;
    SourceState source;
    source.identity.exchange(archive);
    archive.value("simulation/time_ms", source.origin.time_ms);
    archive.values("integrator/phi", source.phi);
    archive.values("integrator/states", source.states);
    Real further = 0;
    archive.value(name, further);
    return source_state("a.checkpoint", archive.sections()).origin.checksum;
  };
  EXPECT_EQ(checksum_with("further/one"), checksum_with("further/one"));
  EXPECT_NE(checksum_with("further/one"), checksum_with("further/two"));
}

TEST(StartState, WithoutAllStatesOfItsCellsIsRefused) {
  const Mesh mesh = random_mesh({1, 1, 1}, 0.5, 6);
  const Problem problem = resting_problem<BuenoOrovio>(mesh, 1, 0);
  SourceState source = state_of(problem);
  EXPECT_EQ(fitted(source, source.identity, problem).states, source.states);
  source.states.pop_back();
  EXPECT_NE(test::input_error_of([&] { fitted(source, source.identity, problem); }).find("the states of its cells"),
            std::string::npos);
}

TEST(ReplacedStart, IsWarnedOfWhereAnyInitialValueIsGiven) {
  const auto warning_of = [](const InitialConfig& initial) {
    Config config;
    config.initial = initial;
    testing::internal::CaptureStdout();  // where a message goes that no program has begun to show
    warn_of_replaced_start(config);
    return testing::internal::GetCapturedStdout();
  };
  EXPECT_EQ(warning_of({}), "");
  for (const InitialConfig& initial : {InitialConfig{.potential_mv = -70}, InitialConfig{.states = {{"recovery", 0.1}}},
                                       InitialConfig{.regions = {{}}}})
    EXPECT_NE(warning_of(initial).find("initial has no effect with --from"), std::string::npos);
}

TEST(StartState, LeavesPrescribedNodesThePotentialOfTheConfiguration) {
  Marked marked(Quadrature::vertices);
  marked.problem.prescribed = {2, 5};
  marked.problem.phi[2] = 0.25;
  marked.problem.phi[5] = 0.125;
  StartState start;
  start.phi.assign(marked.mesh.nodes.size(), 0.5);
  start.states = marked.states;
  begin_with(start, marked.problem);
  std::vector<Real> expected = start.phi;
  expected[2] = 0.25;
  expected[5] = 0.125;
  EXPECT_EQ(marked.problem.phi, expected);
}

CheckpointSections three() {
  StateArchive archive;
  Real number = 3;
  archive.value("number", number);
  return archive.sections();
}

TEST(StateCache, HasNothingWhereAFileIsAbsentOrDamaged) {
  const test::TemporaryDirectory folder;
  const CachedState cached(folder.path(), "what it is made of");
  std::string unusable = "of another";
  EXPECT_EQ(cached.state(), cached.folder() / "state.checkpoint");
  EXPECT_EQ(cached.folder().parent_path(), folder.path());
  EXPECT_EQ(cached.folder().filename().string().find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(cached.folder().filename().string().size(), 16);
  EXPECT_FALSE(cached.read_state(unusable));
  EXPECT_EQ(unusable, "");
  EXPECT_FALSE(std::filesystem::exists(cached.folder()));
  const CacheLock lock(cached, [] { return false; });
  write_checkpoint_file(cached.state(), cached.as_state(three()));
  EXPECT_EQ(cached.read_state(unusable), cached.as_state(three()));
  EXPECT_FALSE(cached.read_progress(unusable));
  test::write_text(cached.state(), "CWCKPT");
  EXPECT_FALSE(cached.read_state(unusable));
  EXPECT_NE(unusable.find(cached.state()), std::string::npos) << unusable;
  std::filesystem::remove(cached.state());
  ASSERT_EQ(::mkfifo(cached.state().c_str(), 0600), 0);
  EXPECT_FALSE(cached.read_state(unusable));
}

TEST(StateCache, HasNothingWhereAFileIsMadeOfSomethingElse) {
  const test::TemporaryDirectory folder;
  const CachedState cached(folder.path(), "2 beats"), other(folder.path(), "3 beats");
  std::string unusable;
  const CacheLock lock(cached, [] { return false; });
  EXPECT_NE(cached.folder(), other.folder());
  for (const CheckpointSections& foreign : {three(), other.as_state(three()), cached.as_progress(three())}) {
    write_checkpoint_file(cached.state(), foreign);
    EXPECT_FALSE(cached.read_state(unusable));
  }
  for (const CheckpointSections& foreign : {three(), other.as_progress(three()), cached.as_state(three())}) {
    write_checkpoint_file(cached.progress(), foreign);
    EXPECT_FALSE(cached.read_progress(unusable));
  }
  write_checkpoint_file(cached.progress(), cached.as_progress(three()));
  EXPECT_EQ(cached.read_progress(unusable)->at("number"), three().at("number"));
}

TEST(StateCache, LetsOneWaitForTheOtherUntilItIsToldToStop) {
  const test::TemporaryDirectory folder;
  const CachedState cached(folder.path(), "1"), other(folder.path(), "2");
  int asked = 0;
  const auto stop = [&] { return ++asked == 3; };
  const CacheLock first(cached, stop);
  EXPECT_EQ(asked, 0);
  const CacheLock second(cached, stop);
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(first.is_held());
  EXPECT_FALSE(second.is_held());
  const CacheLock third(other, stop);
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace cardiowarp
