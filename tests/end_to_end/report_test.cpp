// `cardiowarp report`: one page of a run, from its files.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {
namespace {

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t number = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++number;
  return number;
}

class Report : public testing::Test {
 protected:
  void make_results(const std::vector<std::string>& words = {}) const {
    ASSERT_EQ(
        run_program({"mesh", "slab", "--size", "9,3,1", "--edge", "1mm", "--output", folder / "bar.msh"}, folder.path())
            .exit_code,
        0);
    write_text(folder / "bar.yaml", R"(mesh: {file: bar.msh}
stimuli:
  - {name: "a<b>", where: {box: {min: [0, 0, 0], max: [1, 9, 9]}}, duration: 2 ms, amplitude: 50 mV/ms}
time: {end: 450 ms, step: 0.1 ms, adaptive: {enabled: true}}
output: {directory: out, interval: 25 ms}
probes: [{name: middle, point: [4, 1, 0.5]}]
)");
    std::vector<std::string> all{"run", folder / "bar.yaml", "--backend", "cpu"};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramResult done = run_program(all, folder.path());
    ASSERT_EQ(done.exit_code, 0) << done.errors;
  }
  ProgramResult report(std::vector<std::string> words) const {
    words.insert(words.begin(), "report");
    return run_program(std::move(words), folder.path());
  }

  const TemporaryDirectory folder;
};

TEST_F(Report, HasWhatTheRunHasWrittenInOneFile) {
  make_results({"--set", "output.ecg.electrodes=[{name: V1, point: [4, 20, 0]}, {name: V2, point: [20, 1, 0]}]"});
  const ProgramResult made = report({folder / "out"});
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  const std::string page = read_text(folder / "out/report.html");
  EXPECT_EQ(count(page, "<img "), 2 + 2 + 10);  // two maps from two sides, and the film strip
  EXPECT_EQ(count(page, "<li>"), 0) << "it warned of nothing";
  EXPECT_EQ(count(page, "src=\"data:image/png;base64,iVBORw0KGgo"), 14);
  EXPECT_EQ(count(page, "http://"), count(page, "xmlns=\"http://www.w3.org/2000/svg\"")) << "nothing from a network";
  for (const char* piece : {"Activation time</h2>", "APD90</h2>", "Potential</h2>", "Probes</h2>", "ECG</h2>",
                            ">middle<", "200 ms</figcaption>", "80 of 80 nodes were activated", "Distribution</h2>",
                            ">Conduction velocity in m/s<", "Steps and iterations</h2>", ">CG iterations a step<"})
    EXPECT_NE(page.find(piece), std::string::npos) << piece;
  EXPECT_NE(page.find("Stimulus a&lt;b&gt; "), std::string::npos);
  EXPECT_EQ(page.find("a<b>"), std::string::npos);
}

TEST_F(Report, HasTheSameFilmOfFramesOfEitherFormat) {
  make_results({"--set", "output.precision=single"});
  ASSERT_EQ(report({folder / "out"}).exit_code, 0);
  make_results({"--set", "output.format=ensight", "--output", folder / "ensight"});
  ASSERT_EQ(report({folder / "ensight"}).exit_code, 0);
  const auto film = [&](const char* page) {
    const std::string html = read_text(folder / page);
    return html.substr(html.find("<h2>Potential</h2>"), html.find("<h2>Probes</h2>") - html.find("<h2>Potential</h2>"));
  };
  EXPECT_EQ(count(film("out/report.html"), "<img "), 10);
  EXPECT_EQ(film("ensight/report.html"), film("out/report.html"));
  write_text(folder / "ensight/frames/potential_000018.node", "short");
  const ProgramResult refused = report({folder / "ensight"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("potential_000018.node: expected the potential at 80 nodes, as maps.vtu has, got 5"),
            std::string::npos)
      << refused.errors;
}

TEST_F(Report, IsMadeAtTheEndOfARunThatAsksForIt) {
  make_results();
  EXPECT_FALSE(std::filesystem::exists(folder / "out/report.html"));
  make_results({"--set", "output.report=true", "--estimate-error"});
  const std::string page = read_text(folder / "out/report.html");
  EXPECT_NE(page.find("Estimated error of the steps in time"), std::string::npos) << "it is the last that is made";
  EXPECT_EQ(read_text(folder / "out/resolved.yaml").find("report: false"), std::string::npos);
  EXPECT_NE(read_text(folder / "out/resolved.yaml").find("report: true"), std::string::npos);
  make_results();
  EXPECT_FALSE(std::filesystem::exists(folder / "out/report.html")) << "that was of an earlier run";
}

TEST_F(Report, LeavesOutWhatIsNotThere) {
  make_results({"--set", "output.maps=[activation_time]", "--set", "output.fields=[recovery]", "--set",
                "output.format=ensight", "--set", "probes=[]", "--set", "time.end=17 ms", "--output",
                folder / "short"});
  const ProgramResult made = report({folder / "short", "--output", folder / "page.html"});
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  const std::string page = read_text(folder / "page.html");
  for (const char* piece : {"APD90</h2>", "Probes</h2>", "ECG</h2>", "Potential</h2>"})
    EXPECT_EQ(page.find(piece), std::string::npos) << piece;
  EXPECT_NE(page.find("Gray: "), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "short/report.html"));
  make_results({"--set", "output.fields=[recovery]", "--set", "time.end=3 ms", "--set", "stimuli[0].amplitude=0.01",
                "--log-level", "error"});
  EXPECT_EQ(report({folder / "out"}).exit_code, 0);
  EXPECT_NE(read_text(folder / "out/report.html").find("<li>stimulus 'a&lt;b&gt;' changes the potential by 0.02 mV"),
            std::string::npos)
      << "a warning is there that was not shown";
  EXPECT_EQ(read_text(folder / "out/report.html").find("Potential</h2>"), std::string::npos);
}

TEST_F(Report, RefusesAFolderThatHasNoResults) {
  const auto refusal = [&](const std::string& argument) {
    const ProgramResult refused = report({argument});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(folder / "report.html"));
    return refused.errors;
  };
  EXPECT_NE(refusal(folder.path()).find("expected a folder with the results of a run, got no summary.json in it"),
            std::string::npos);
  for (const char* text : {"{", "[]", "{\"status\": 3}", "{\"status\": \"completed\"}"}) {
    write_text(folder / "summary.json", text);
    EXPECT_NE(refusal(folder.path()).find("summary.json: expected the summary of a run"), std::string::npos) << text;
  }
}

TEST_F(Report, NamesAFrameThatIsNotThere) {
  make_results();
  std::filesystem::remove(folder / "out/frames/potential_000018.vtu");
  const ProgramResult refused = report({folder / "out"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("potential_000018.vtu"), std::string::npos) << refused.errors;
  EXPECT_FALSE(std::filesystem::exists(folder / "out/report.html"));
}

}  // namespace
}  // namespace cardiowarp::test
