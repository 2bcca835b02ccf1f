#include "app/output/summary.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cardiowarp {
namespace {

TEST(Summary, HoldsEveryValueUnderItsKey) {
  RunSummary summary;
  summary.build = {"0.1.0", "Release", "GCC 12.2.0", {{"VTK", "9.1.0"}, {"Gmsh", "4.8.4"}}};
  summary.backend = "cpu";
  summary.device = "2 threads";
  summary.preconditioner = "jacobi";
  summary.methods = {
      "k2rs",  12, 1024, 512, "row_gather", "direct", "plain", "it was asked for", "mixed", "single holds less",
      "split", 7,  64,   96,  23,           false};
  summary.threads = {2, "all processors"};
  summary.mesh = {5, 2, 1, 4, 0.5};
  summary.components = 3;
  summary.prescribed_nodes = 6;
  summary.outcome.activation = {5, 4, 0.5, 78.25};
  summary.outcome.stimuli = {{"apex", 2, {3, 2, 1}}, {"late", 1, {1, 0, 0}}, {"base", 1, {2, 1, 0}}};
  summary.beats.maps = {{"apd90_2", MapKind::apd90, 1, 4, 1, 231, 240, 260.5}, {"peak", MapKind::peak, 0, 0, 5}};
  summary.beats.probes = {"apex"};
  summary.beats.of_probes = {.points = 1, .kept = 1, .beats = {1}, .activation_ms = {12.5}, .peak_mv = {20}};
  summary.resolution.mean_along = -0.125;
  summary.resolution.mean_across = -0.25;
  summary.resolution.worst_error = -0.5;
  summary.steps = {4000, 17, 2, 0.05, 1.5};
  summary.newton_iterations = 8001;
  summary.linear_iterations = 3000000000;
  summary.frames = 81;
  summary.outcome.simulated_ms = 400.1;
  summary.started = "2025-01-31T13:05:09Z";
  summary.seconds = {1, 2, 3, 4, 5, 6, 21.5};
  summary.work = WorkOverTime(0, 400, {});
  summary.work.add(399, {7, 15, 31});
  summary.warnings = {"the mesh is coarse"};

  nlohmann::ordered_json json = nlohmann::ordered_json::parse(summary_json(summary));
  const nlohmann::ordered_json work = json["work"];
  ASSERT_EQ(work["steps"].size(), 50U);
  EXPECT_EQ(work["until_ms"][48], 392);
  EXPECT_EQ(work["steps"][48], 0);
  EXPECT_EQ(work["steps"][49], 7);
  EXPECT_EQ(work["newton_iterations"][49], 15);
  EXPECT_EQ(work["linear_iterations"][49], 31);
  json.erase("work");
  EXPECT_EQ(
      json.dump(),
      R"({"status":"completed","version":"0.1.0","build_type":"Release","compiler":"GCC 12.2.0",)"
      R"("libraries":{"VTK":"9.1.0","Gmsh":"4.8.4"},"backend":"cpu","device":"2 threads","spmv":"k2rs","threshold":12,"sorting_window":1024,"block_size":512,"preconditioner":"jacobi","precision":"mixed","precision_reason":"single holds less","solver":"plain","solver_reason":"it was asked for","operator":"split","assembly":"row_gather","assembly_order":"direct","assembly_threshold":7,"assembly_sorting_window":64,"assembly_block_size":96,"repeatable":false,"threads":2,"threads_from":"all processors",)"
      R"("mesh":{"nodes":5,"elements":2,"nonzeros":23,"inverted_elements":1,"unreferenced_nodes":4,)"
      R"("volume_mm3":0.5},"components":3,"prescribed_nodes":6,)"
      R"("activation":{"nodes":5,"activated":4,"first_ms":0.5,"last_ms":78.25},)"
      R"("stimuli":[{"name":"apex","nodes":2,"captured":false,"pulses":3,"captured_pulses":2,"missed_pulses":1},)"
      R"({"name":"late","nodes":1,"captured":null,"pulses":1,"captured_pulses":0,"missed_pulses":0,"not_judged":"the run ended too early to tell"},)"
      R"({"name":"base","nodes":1,"captured":true,"pulses":2,"captured_pulses":1,"missed_pulses":0}],)"
      R"("maps":[{"name":"apd90_2","unit":"ms","known":4,"missing":1,"minimum":231.0,"median":240.0,"maximum":260.5},)"
      R"({"name":"peak","unit":"mV","known":0,"missing":5,"minimum":null,"median":null,"maximum":null}],)"
      R"("probes":[{"name":"apex","beats":[{"activation_time":12.5,"peak":20.0}]}],)"
      R"("mesh_velocity_error":{"along_percent":-12.5,"across_percent":-25.0,"worst_percent":-50.0},"steps":4000,"rejected_steps":17,"steps_above_tolerance":2,"shortest_step_ms":0.05,)"
      R"("longest_step_ms":1.5,"newton_iterations":8001,"linear_iterations":3000000000,"frames":81,)"
      R"("simulated_ms":400.1,"started":"2025-01-31T13:05:09Z","seconds":{"setup":1.0,"element":2.0,)"
      R"("assembly":3.0,"linear_solve":4.0,"update":5.0,"output":6.0,"total":21.5},"warnings":["the mesh is coarse"]})");
}

TEST(Summary, HasNoErrorOfAVelocityThatIsNotKnown) {
  RunSummary summary;
  summary.resolution.mean_along = -0.125;
  summary.resolution.knows_across = false;
  const nlohmann::json error = nlohmann::json::parse(summary_json(summary))["mesh_velocity_error"];
  EXPECT_EQ(error["along_percent"], -12.5);
  EXPECT_TRUE(error["across_percent"].is_null());
}

TEST(Summary, OfARunWithoutActivationAndStimuliHasNoTimes) {
  const nlohmann::json json = nlohmann::json::parse(summary_json({}));
  EXPECT_TRUE(json["activation"]["first_ms"].is_null());
  EXPECT_TRUE(json["activation"]["last_ms"].is_null());
  EXPECT_EQ(json["stimuli"], nlohmann::json::array());
}

TEST(Summary, HasNoKeysForParametersThatTheFormatHasNot) {
  RunSummary summary;
  summary.methods.format = "csr";
  const nlohmann::json json = nlohmann::json::parse(summary_json(summary));
  for (const char* key : {"threshold", "sorting_window", "block_size"}) EXPECT_FALSE(json.contains(key)) << key;
}

TEST(Summary, SaysWhyARunEndedEarly) {
  RunSummary summary;
  summary.status = RunStatus::failed;
  summary.reason = "step 7 did not converge";
  EXPECT_EQ(nlohmann::json::parse(summary_json(summary))["status"], "failed");
  EXPECT_EQ(nlohmann::json::parse(summary_json(summary))["reason"], "step 7 did not converge");
  summary.status = RunStatus::interrupted;
  EXPECT_EQ(nlohmann::json::parse(summary_json(summary))["status"], "interrupted");
}

TEST(Summary, IsValidJsonForTextThatIsNotUtf8) {
  RunSummary summary;
  summary.reason = "cannot write 'caf\xE9.vtu'";
  EXPECT_EQ(nlohmann::json::parse(summary_json(summary))["reason"], "cannot write 'caf\xEF\xBF\xBD.vtu'");
}

TEST(Summary, WritesTimesInUtc) {
  EXPECT_EQ(iso_time(std::chrono::system_clock::from_time_t(0)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso_time(std::chrono::system_clock::from_time_t(1738328709)), "2025-01-31T13:05:09Z");
}

}  // namespace
}  // namespace cardiowarp
