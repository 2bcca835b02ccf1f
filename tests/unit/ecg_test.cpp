// The ECG of a simulation: when samples are due, what they are, the leads and the picture that are made of them, and
// the files that electrodes come from.

#include "app/simulation/ecg.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "app/config/electrode_file.hpp"
#include "app/output/ecg_leads.hpp"
#include "app/output/ecg_picture.hpp"
#include "app/simulation/simulation.hpp"
#include "fem/lead_field.hpp"
#include "tests/support/configuration.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/paced_bar.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

TEST(SampleTimes, AreTheMultiplesOfTheIntervalWhateverRoundingDoes) {
  const SampleTimes times{0.1};
  for (std::int64_t number = 0; number < 5000; ++number) {
    EXPECT_EQ(times.last_by(times.time_ms(number)), number);
    EXPECT_EQ(times.last_by(times.time_ms(number) - 1e-9), number) << "the same to rounding";
    EXPECT_EQ(times.last_by(times.time_ms(number) + 0.09), number);
  }
  EXPECT_EQ(times.last_by(-0.05), -1);
}

class EcgOfABar : public testing::TestWithParam<TimeScheme> {
 protected:
  EcgOfABar() { problem.ecg = {{{2, 3, 1}, {9, 0.5, 0.5}, {1, -4, 2}, {3.1, 0.4, 0.7}}, {0.3}, 0.2, 20}; }

  /// What the electrodes have while the simulation looks at a time.
  std::vector<Real> values(Simulation& simulation) const {
    std::vector<Real> potential(mesh.nodes.size()), result;
    simulation.potential_mv(potential);
    for (const Vector3& electrode : problem.ecg.electrodes) {
      const std::vector<Real> lead = lead_vector(mesh, problem.diffusivity, electrode, problem.ecg.scale);
      Real sum = 0;
      for (std::size_t i = 0; i < lead.size(); ++i) sum += lead[i] * potential[i];
      result.push_back(sum);
    }
    return result;
  }

  const Mesh mesh = random_mesh({7, 1, 1}, 0.5, 3);
  Problem problem = test::paced_bar(mesh, GetParam(), {0, 2});
};
INSTANTIATE_TEST_SUITE_P(Schemes, EcgOfABar, test::second_order_schemes(), test::name_of_scheme_in_test);

TEST_P(EcgOfABar, HasTheLeadsOfThePotentialAtEachMultipleOfTheInterval) {
  const std::unique_ptr<Simulation> simulation = make_cpu_simulation(problem);
  std::vector<Real> expected = values(*simulation);
  std::int64_t next = 1;
  for (const Real end_ms : {0.1, 0.3, 0.75, 1.0, 2.0, 2.95, 3.0}) {
    ASSERT_FALSE(simulation->step_to(end_ms).failure);
    for (; static_cast<Real>(next) * 0.3 <= end_ms + 1e-9; ++next) {
      simulation->look_at(static_cast<Real>(next) * 0.3);
      for (const Real value : values(*simulation)) expected.push_back(value);
    }
    simulation->look_at(end_ms);
  }
  const EcgSamples samples = simulation->take_ecg();
  EXPECT_EQ(samples.first, 0);
  ASSERT_EQ(samples.electrodes, 4);
  ASSERT_EQ(samples.size(), 11);
  ASSERT_EQ(expected.size(), 44);
  Real largest = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(samples.value_mv[k], expected[k], 1e-11) << k;
    largest = std::max(largest, std::fabs(expected[k]));
  }
  EXPECT_GT(largest, 0.01);
  EXPECT_EQ(simulation->take_ecg().size(), 0) << "they are given once";
  ASSERT_FALSE(simulation->step_to(3.31).failure);
  const EcgSamples later = simulation->take_ecg();
  EXPECT_EQ(later.first, 11);
  EXPECT_EQ(later.size(), 1);
}

TEST(EcgLeads, AreTheTwelveInTheirOrderAndWhatIsLeft) {
  const std::vector<std::string> electrodes{"V3", "LA", "free", "RA", "V1", "LL"};
  const EcgLeads leads(electrodes);
  EXPECT_EQ(leads.names(),
            (std::vector<std::string>{"I", "II", "III", "aVR", "aVL", "aVF", "V1", "V3", "LA", "free", "RA", "LL"}));
  const std::vector<Real> values = leads.values(std::vector<Real>{0.7, 0.11, -5, -0.23, 0.9, 0.37});
  EXPECT_NEAR(values[1], 0.6, 1e-15) << "II";
  EXPECT_NEAR(values[1], values[0] + values[2], 1e-15) << "II = I + III";
  EXPECT_NEAR(values[3] + values[4] + values[5], 0, 1e-15);
  const Real terminal = (0.11 - 0.23 + 0.37) / 3;
  EXPECT_NEAR(values[3], 1.5 * (-0.23 - terminal), 1e-15) << "aVR";
  EXPECT_NEAR(values[7], 0.7 - terminal, 1e-15) << "V3";
  EXPECT_EQ(values[9], -5);
}

TEST(EcgLeads, AreTheElectrodesWhereALimbIsMissing) {
  EXPECT_EQ(EcgLeads({"LA", "V1", "RA"}).names(), (std::vector<std::string>{"LA", "V1", "RA"}));
}

TEST(EcgPicture, HasATraceForEachColumnAndKeepsExtremesOfManySamples) {
  std::string table = "time_ms,I,\"a<b\"\n";
  for (int k = 0; k < 100'000; ++k)
    table += std::to_string(k) + "," + (k == 777 ? "5" : k == 50'001 ? "-3" : "0") + ",1\n";
  const std::string svg = ecg_picture(table);
  EXPECT_LT(svg.size(), 100'000);
  std::size_t traces = 0;
  for (std::size_t at = svg.find("<polyline"); at != std::string::npos; at = svg.find("<polyline", at + 1)) ++traces;
  EXPECT_EQ(traces, 2);
  EXPECT_NE(svg.find(">a&lt;b</text>"), std::string::npos);
  // Values of −3 to 5 with a margin of a twentieth over 64 units from 26 on: the largest is at 28.9, the least at 87.1.
  EXPECT_NE(svg.find(",28.9"), std::string::npos) << svg.substr(0, 2000);
  EXPECT_NE(svg.find(",87.1"), std::string::npos);
  EXPECT_NE(ecg_picture("time_ms,I\n0,0\n").find("<polyline"), std::string::npos) << "of a single sample";
}

class Electrodes : public test::Configuration {
 protected:
  std::string refused(const std::string& name, const std::string& text) const {
    test::write_text(directory / name, text);
    std::string message = test::input_error_of([&] { read_electrodes(directory / name, "here"); });
    if (const std::size_t at = message.find(directory.path().string()); at != std::string::npos)
      message.erase(at, directory.path().string().size() + 1);
    return message;
  }
  std::string resolved_ecg(const std::string& keys) const {
    const std::string text = resolved_yaml(load(test::minimal + "output:\n  ecg: {" + keys + "}\n"));
    const std::size_t begin = text.find("  ecg:\n");
    return begin == std::string::npos ? "" : text.substr(begin, text.find("probes:") - begin);
  }
};

TEST_F(Electrodes, AreTypedInOrInFilesAndAllResolved) {
  test::write_text(directory / "two.json", R"({"RA": [-197, -2.5, 154], "V1": [1, 2, 3e1]})");
  test::write_text(directory / "more.csv", "name,x,y,z\n# a comment\nLL, 175.6 ,32.2,-20.9 cm\n\nx1,0,0,0\r\n");
  const std::vector<ElectrodeConfig> csv = read_electrodes(directory / "more.csv", "here");
  ASSERT_EQ(csv.size(), 2);
  EXPECT_EQ(csv[0].name, "LL");
  EXPECT_EQ(csv[0].point, (Vector3{175.6, 32.2, -209}));
  EXPECT_EQ(csv[1].name, "x1");
  const std::string resolved =
      resolved_ecg("file: two.json, electrodes: [{name: back, point: [0, 9 cm, 0]}], bath_conductivity: 600 mS/m");
  EXPECT_EQ(resolved,
            "  ecg:\n"
            "    electrodes:\n"
            "      - {name: \"back\", point: [0, 90, 0]}\n"
            "      - {name: \"RA\", point: [-197, -2.5, 154]}\n"
            "      - {name: \"V1\", point: [1, 2, 30]}\n"
            "    interval: 1\n"
            "    intracellular_conductivity: 0.17\n"
            "    bath_conductivity: 0.6\n");
}

TEST_F(Electrodes, ThatCannotBeReadAreRefusedWithFileAndLine) {
  EXPECT_EQ(refused("a.csv", "V1,1,2\n"),
            "here: 'a.csv': line 1: expected name,x,y,z with coordinates in mm, got 'V1,1,2'");
  EXPECT_EQ(refused("a.csv", "V1,1,2,3\nname,x,y,z\n"),
            "here: 'a.csv': line 2: expected name,x,y,z with coordinates in mm, got 'name,x,y,z'");
  EXPECT_EQ(refused("a.csv", "name,x,y,z\n"), "here: 'a.csv': expected at least one electrode");
  EXPECT_EQ(refused("a.csv", "a;b,1,2,3\n"),
            "here: 'a.csv': expected names without commas, semicolons, quotes and control characters, got 'a;b'");
  EXPECT_EQ(refused("a.json", "[1, 2, 3]"), "here: 'a.json': expected {\"V1\": [x, y, z], ..}, coordinates in mm");
  EXPECT_EQ(refused("a.json", R"({"V1": [1, 2]})"),
            "here: 'a.json': expected {\"V1\": [x, y, z], ..}, coordinates in mm, got [1,2] for 'V1'");
  EXPECT_EQ(test::input_error_of([&] { read_electrodes("/dev/null", "here"); }),
            "here: '/dev/null': expected a regular file, got a device");
}

TEST_F(Electrodes, KeysThatMakeNoEcgAreRefused) {
  const auto refused_keys = [&](const std::string& keys) {
    return error(test::minimal + "output: {ecg: {" + keys + "}}\n");
  };
  const std::string one = "electrodes: [{name: V1, point: [1, 2, 3]}]";
  EXPECT_EQ(refused_keys(""),
            "heart.yaml:3:15: output.ecg.electrodes: expected at least one electrode, here or in a file, got nothing");
  EXPECT_EQ(refused_keys(one + ", interval: 0.000001"),
            "heart.yaml:3:70: output.ecg.interval: expected at most 1000000 values, at least 1e-05 ms, got 1e-06 ms");
  EXPECT_NE(refused_keys(one + ", bath_conductivity: 2 mV")
                .find("bath_conductivity: expected a positive conductivity, in S/m, got '2 mV'"),
            std::string::npos);
  EXPECT_NE(refused_keys("electrodes: [{name: aVR, point: [1, 2, 3]}]").find("output.ecg.electrodes[0].name"),
            std::string::npos);
}

}  // namespace
}  // namespace cardiowarp
