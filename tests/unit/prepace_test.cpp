// What the cache of paced hearts keeps apart, and what it takes. Whole runs are in tests/end_to_end/prepace_test.cpp.

#include "app/prepace.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/measure/stopwatch.hpp"
#include "app/start/load.hpp"
#include "app/start_from.hpp"
#include "meshes/generate.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"
#include "tests/support/text_of.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

class PrepaceCache : public testing::Test {
 protected:
  void SetUp() override { write_mesh(slab_mesh({3, 1, 1}, 1, true), folder / "bar.msh"); }

  /// The bar with values of keys in place of its own.
  Case load(const std::vector<std::string>& settings = {}) const {
    test::write_text(folder / "bar.yaml", R"(mesh: {file: bar.msh}
diffusivity: {isotropic: 0.2, anisotropic: 0.1}
fibers: {source: constant, direction: [1, 0, 0]}
stimuli:
  - {name: S1, where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, start: 0.5, duration: 1, amplitude: 60}
  - {name: S2, where: {box: {min: [2, 0, 0], max: [3, 1, 1]}}, start: 2, duration: 1, amplitude: 60}
time: {end: 5, step: 0.25}
output: {directory: out, interval: 1}
prepace: {beats: 2, period: 21, stimuli: [S1], cache: cache}
backend: cpu
)");
    std::vector<Override> overrides;
    for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
    return load_case(load_config(folder / "bar.yaml", overrides), true);
  }

  Prepaced pace(const Case& given, std::optional<double> stop_after_seconds = {}) const {
    const Stopwatch watch;
    return prepaced_state(given.config, given.problem, {"commit", stop_after_seconds, watch});
  }
  /// Paces, and the messages of that.
  std::string messages_of(const Case& given) const {
    testing::internal::CaptureStdout();
    EXPECT_TRUE(pace(given).source.has_value());
    return testing::internal::GetCapturedStdout();
  }

  /// Where the state of a problem is kept.
  static fs::path place_of(const Config& config, const Problem& problem, const std::string& commit = "commit") {
    const std::string words = describe_prepace(config, problem, commit);
    const std::size_t begin = words.find('\'') + 1;
    return words.substr(begin, words.rfind('\'') - begin);
  }
  fs::path place_of(const std::vector<std::string>& settings) const {
    const Case given = load(settings);
    return place_of(given.config, given.problem);
  }

  const test::TemporaryDirectory folder;
};

TEST_F(PrepaceCache, KeepsStatesApartByEachPartOfTheConfigurationThatTheyDependOn) {
  std::set<fs::path> places{place_of({})};
  for (const std::string setting :
       {"prepace.beats=3", "prepace.period=22", "prepace.stimuli=[S2]", "prepace.stimuli=[S1, S2]",
        "stimuli.0.amplitude=61", "stimuli.0.duration=1.25", "stimuli.0.start=0.75",
        "stimuli.0.where={box: {min: [0, 0, 0], max: [2, 1, 1]}}", "time.step=0.5", "time.scheme=trbdf2",
        "time.adaptive.enabled=true", "quadrature=centroid", "newton.tolerance=1.0e-9",
        "linear_solver.tolerance=1.0e-9", "diffusivity.isotropic=0.3", "diffusivity.anisotropic=0.2",
        "cell_model.parameters.b=0.12", "initial.potential=-70", "fibers.direction=[0, 1, 0]"})
    EXPECT_TRUE(places.insert(place_of({setting})).second) << setting;
}

TEST_F(PrepaceCache, SharesAStateBetweenRunsThatDifferInWhatItDoesNotDependOn) {
  const fs::path place = place_of({});
  for (const std::string setting :
       {"time.end=7", "output.interval=2", "output.directory=elsewhere", "output.format=ensight",
        "output.fields=[potential]", "output.maps=[apd90]", "stimuli.1.amplitude=61", "stimuli.1.start=3",
        "stimuli.0.period=9", "checkpoint={interval: 1}", "probes=[{name: p, point: [0.5, 0.5, 0.5]}]"})
    EXPECT_EQ(place_of({setting}), place) << setting;
  fs::rename(folder / "bar.msh", folder / "other.msh");
  EXPECT_EQ(place_of({"mesh.file=other.msh"}), place);
}

TEST_F(PrepaceCache, KeepsStatesApartByTheMeshTheTissueAndTheProgram) {
  const Case given = load();
  const auto with = [&](const std::function<void(Problem&, Mesh&)>& change) {
    Problem problem = given.problem;
    Mesh mesh = *problem.mesh;
    problem.mesh = borrowed(mesh);
    change(problem, mesh);
    return place_of(given.config, problem);
  };
  std::set<fs::path> places{with([](Problem&, Mesh&) {})};
  EXPECT_EQ(*places.begin(), place_of(given.config, given.problem));
  EXPECT_TRUE(places.insert(place_of(given.config, given.problem, "another commit")).second);
  const std::vector<std::pair<const char*, std::function<void(Problem&, Mesh&)>>> changes{
      {"a position", [](Problem&, Mesh& mesh) { mesh.nodes[3].y += 1e-9; }},
      {"a tetrahedron", [](Problem&, Mesh& mesh) { std::swap(mesh.tetrahedra[1][0], mesh.tetrahedra[1][1]); }},
      {"a tag", [](Problem&, Mesh& mesh) { mesh.element_tags[2] = 77; }},
      {"a fiber",
       [](Problem& problem, Mesh&) {
         problem.diffusivity[5].fiber = {0, 0, 1};
       }},
      {"a diffusivity", [](Problem& problem, Mesh&) { problem.diffusivity[5].isotropic *= 2; }},
      {"a potential", [](Problem& problem, Mesh&) { problem.phi[1] += 1e-9; }},
      {"a parameter set", [](Problem& problem, Mesh&) { problem.cell_model[4] = 1; }},
      {"a stimulated node", [](Problem& problem, Mesh&) { problem.stimuli[0].nodes.back() = 9; }},
      {"a share of a stimulus", [](Problem& problem, Mesh&) { problem.stimuli[0].share.back() = 0.125; }},
      {"a prescribed node", [](Problem& problem, Mesh&) { problem.prescribed = {2}; }},
      {"another prescribed node", [](Problem& problem, Mesh&) { problem.prescribed = {3}; }}};
  for (const auto& [name, change] : changes) EXPECT_TRUE(places.insert(with(change)).second) << name;
  // S2 does not pace.
  EXPECT_EQ(with([](Problem& problem, Mesh&) { problem.stimuli[1].share.back() = 0.125; }),
            place_of(given.config, given.problem));
}

/// How far the last beat is from the one before, as kept, and as told by the states after one beat fewer.
struct Change {
  Real potential_mv = 0, states = 0;
};

Change kept_change(const Prepaced& paced) {
  StateArchive archive(read_checkpoint_file(paced.source->origin.file));
  Change change;
  archive.value("prepace/potential_change_mv", change.potential_mv);
  archive.value("prepace/state_change", change.states);
  return change;
}

Change difference(const Prepaced& one, const Prepaced& other, const Problem& problem) {
  Change change;
  const Scaling scaling = problem.scaling();
  for (std::size_t node = 0; node < one.source->phi.size(); ++node)
    change.potential_mv = std::max(change.potential_mv, std::fabs(scaling.mv_from_phi(one.source->phi[node]) -
                                                                  scaling.mv_from_phi(other.source->phi[node])));
  const auto of_elements = [&](const Prepaced& paced) {
    return states_of_elements(paced.source->states, 1, *problem.mesh, problem.quadrature, {});
  };
  const std::vector<Real> states = of_elements(one), others = of_elements(other);
  for (std::size_t element = 0; element < states.size(); ++element)
    change.states = std::max(change.states, std::fabs(states[element] - others[element]));
  return change;
}

TEST_F(PrepaceCache, TellsHowFarTheLastBeatIsFromTheOneBefore) {
  // Beats that are far from each other, potential and states above the ones before and below. With adaptive steps none
  // ends where a beat begins.
  for (const std::string period : {"prepace.period=4", "prepace.period=6", "prepace.period=150"})
    for (const std::string adaptive : {"time.adaptive.enabled=false", "time.adaptive.enabled=true"}) {
      SCOPED_TRACE(test::text_of({period, " ", adaptive}));
      const Case three = load({adaptive, period, "prepace.beats=3"}), two = load({adaptive, period}),
                 one = load({adaptive, period, "prepace.beats=1"});
      const Prepaced after_three = pace(three), after_two = pace(two), after_one = pace(one);
      const Change expected = difference(after_three, after_two, three.problem);
      const Change of_two_beats = difference(after_three, after_one, three.problem);
      const Real near_mv = 0.02, near = 1e-5;
      ASSERT_GT(std::fabs(of_two_beats.potential_mv - expected.potential_mv), 10 * near_mv);
      ASSERT_GT(std::fabs(of_two_beats.states - expected.states), 10 * near);
      const Change kept = kept_change(after_three);
      EXPECT_NEAR(kept.potential_mv, expected.potential_mv, near_mv);
      EXPECT_NEAR(kept.states, expected.states, near);
    }
}

TEST_F(PrepaceCache, AStateOutsideTheRangeOfItsCellsIsNoBeginning) {
  const Case given = load();
  const Prepaced paced = pace(given);
  const RunIdentity now = identity_of(given.config, given.problem);
  EXPECT_EQ(fitted(*paced.source, now, given.problem).phi, paced.source->phi);
  SourceState outside = *paced.source;
  outside.phi[3] = -1000;
  const std::string refusal = test::input_error_of([&] { fitted(outside, now, given.problem); });
  EXPECT_NE(refusal.find("potential of node 3 in '" + paced.source->origin.file + "': expected more than "),
            std::string::npos)
      << refusal;
  outside.phi.pop_back();
  EXPECT_NE(test::input_error_of([&] { fitted(outside, now, given.problem); }).find("it has not the nodes of its mesh"),
            std::string::npos);
}

TEST_F(PrepaceCache, AStateOfAnotherPacingIsMadeAnewWithAWord) {
  const Case two = load(), three = load({"prepace.beats=3"});
  const Prepaced after_two = pace(two), after_three = pace(three);
  EXPECT_NE(after_two.source->origin.checksum, after_three.source->origin.checksum);
  const fs::path of_two = after_two.source->origin.file, of_three = after_three.source->origin.file;
  const std::string expected = test::read_text(of_two);
  fs::copy_file(of_three, of_two, fs::copy_options::overwrite_existing);
  EXPECT_NE(describe_prepace(two.config, two.problem, "commit").find("not yet in the cache"), std::string::npos);
  const std::string messages = messages_of(two);
  EXPECT_NE(messages.find("checkpoint '" + of_two.string() +
                          "': it is not the state that is kept under this name; it "
                          "is made anew"),
            std::string::npos)
      << messages;
  EXPECT_TRUE(test::read_text(of_two) == expected);
  EXPECT_EQ(messages_of(two).find("made anew"), std::string::npos);
}

TEST_F(PrepaceCache, WhatIsNoStateIsMadeAnewAndNotWaitedFor) {
  const Case given = load();
  const Prepaced first = pace(given);
  const fs::path file = first.source->origin.file;
  const std::string whole = test::read_text(file);
  const auto expect_anew = [&](bool is_replaced) {
    const std::string messages = messages_of(given);
    EXPECT_NE(messages.find("'" + file.string() + "'"), std::string::npos) << messages;
    const std::size_t told = messages.find("it is made anew");
    EXPECT_NE(told, std::string::npos) << messages;
    EXPECT_EQ(messages.find("it is made anew", told + 1), std::string::npos) << "told twice: " << messages;
    EXPECT_EQ(pace(given).source->phi, first.source->phi);
    EXPECT_EQ(fs::is_regular_file(fs::symlink_status(file)) && test::read_text(file) == whole, is_replaced);
    fs::remove_all(file);
  };
  write_checkpoint_file(file, {});  // a checkpoint of something else
  expect_anew(true);
  test::write_text(file, whole.substr(0, whole.size() / 2));
  expect_anew(true);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  expect_anew(false);
  fs::create_directory(file);
  expect_anew(false);
  fs::create_symlink("/dev/zero", file);
  expect_anew(false);
  fs::create_symlink("nowhere", file);
  expect_anew(false);
}

TEST_F(PrepaceCache, ProgressIsGoneOnWithOnceAndIsNoState) {
  const Case given = load();
  const Prepaced whole = pace(given);
  const fs::path state = whole.source->origin.file, progress = state.parent_path() / "progress.checkpoint";
  const auto interrupt = [&] {
    fs::remove(state);
    const Prepaced stopped = pace(given, 0.0);
    EXPECT_FALSE(stopped.source.has_value());
    EXPECT_EQ(stopped.exit_code, ExitCode::stopped);
    EXPECT_FALSE(fs::exists(state));
    ASSERT_TRUE(fs::exists(progress));
  };
  interrupt();
  const std::string messages = messages_of(given);
  EXPECT_NE(messages.find("the pacing goes on from t = 0.25 ms"), std::string::npos) << messages;
  EXPECT_FALSE(fs::exists(progress));
  EXPECT_EQ(pace(given).source->phi, whole.source->phi);
  interrupt();
  fs::copy_file(progress, state);
  EXPECT_NE(messages_of(given).find(state.string() + "': it is not the state"), std::string::npos);
  EXPECT_EQ(pace(given).source->phi, whole.source->phi);
  // That of another pacing does not count.
  EXPECT_FALSE(pace(load({"prepace.period=20"}), 0.0).source.has_value());
  const fs::path foreign = place_of({"prepace.period=20"}).parent_path() / "progress.checkpoint";
  fs::remove(state);
  fs::copy_file(foreign, progress);
  EXPECT_NE(messages_of(given).find(progress.string() + "': it is not the state"), std::string::npos);
  EXPECT_EQ(pace(given).source->phi, whole.source->phi);
}

TEST_F(PrepaceCache, ProgressKnowsWhereTheLastBeatBegan) {
  const Case given = load({"prepace.beats=1"});
  const Prepaced whole = pace(given);
  const Change expected = kept_change(whole);
  fs::remove(whole.source->origin.file);
  EXPECT_FALSE(pace(given, 0.0).source.has_value());  // after a step of the last beat
  const Change again = kept_change(pace(given));
  EXPECT_EQ(again.potential_mv, expected.potential_mv);
  EXPECT_EQ(again.states, expected.states);
}

}  // namespace
}  // namespace cardiowarp
