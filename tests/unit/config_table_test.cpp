// One description a key: what is read, written, explained and documented is the same.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/config/config_names.hpp"
#include "app/config/explain.hpp"
#include "app/config/sections.hpp"
#include "app/config/value_meanings.hpp"
#include "app/config/yaml_tree.hpp"
#include "tests/support/configuration.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::every_key;
using test::minimal;

using Keys = std::vector<KeyDescription>;

/// Each key with its name as YamlReader reports it: `stimuli[].start`. Also those for measurements.
void for_each_key(const Keys& keys, const std::string& prefix,
                  const std::function<void(const std::string& name, const KeyDescription& key)>& show) {
  for (const KeyDescription& key : keys) {
    show(prefix + key.name, key);
    for_each_key(key.shape.keys, prefix + key.name + (key.shape.is_list ? "[]." : "."), show);
  }
}

/// Configurations that ask for every key between them.
std::vector<std::string> all_keys_are_read_by() {
  const std::string more =
      "accuracy: {activation: 0.5 %}\n"
      "linear_solver: {preconditioner: {degree: 3}}\n"
      "stimuli:\n  - {where: {tag: 1}, duration: 1, amplitude: 2, period: 9}\n"
      "  - {where: {sphere: {center: [0, 0, 0], radius: 1}}, duration: 1, amplitude: 2}\n"
      "prepace: {beats: 2}\n"
      "output:\n  fields: [phi_e]\n  phi_e: {intracellular: {longitudinal: 1}, extracellular: {transverse: 1}}\n"
      "  ecg:\n    electrodes: [{name: V1, point: [1, 2, 3]}]\n"
      "    bipolar: [{name: a, point: [1, 2, 3], direction: [0, 0, 1], spacing: 1}]\n"
      "boundary:\n";
  std::string boundary, regions = "regions:\n", initial = "initial:\n  steady: {beats: 1, period: 9}\n  regions:\n";
  for (const std::string place :
       {"box: {min: [0, 0, 0], max: [1, 1, 1]}", "sphere: {center: [0, 0, 0], radius: 1}", "tag: 1",
        "transmural: [0, 0.3], apicobasal: [0, 1], rotational: [9, -9], ventricle: lv, endocardium: 1", "nodes: a.vtx",
        "surface: base"}) {
    boundary += "  - {where: {" + place + "}, potential: 1}\n";
    if (place.starts_with("nodes") || place.starts_with("surface")) continue;
    regions += "  - {where: {" + place + "}, diffusivity: {isotropic: 1}}\n";
    initial += "    - {where: {" + place + "}, potential: 1}\n";
  }
  const std::string rule =
      "fibers: {source: rule, sheet: {endocardium: 0}, right: {sheet: {endocardium: 0}}, surfaces: {epi: 2}}\n";
  std::vector<std::string> all{
      every_key,
      minimal + more + boundary + regions + initial,
      minimal + rule,
      minimal +
          "coordinates: {zero: [1, 2, 3], surfaces: {epi: 2}}\nprobes: [{name: a, where: {transmural: 1, "
          "apicobasal: 1, rotational: 0, ventricle: lv}}]\n",
      minimal +
          "conductivity:\n  intracellular: {isotropic: 1}\n  extracellular: {longitudinal: 1, transverse: 2}\n"
          "  surface_to_volume: 100\n  capacitance: 1\nregions:\n  - where: {tag: 1}\n    conductivity: "
          "{monodomain: {isotropic: 1}, capacitance: 2}\nstimuli:\n  - {where: {tag: 1}, duration: 1, amplitude: 2, "
          "periods: {from: 9, to: 5, step: 2}, intervals: [4], repeats: 2, pause: 99}\n",
      minimal + "stimuli:\n  - {network: {grow: {ventricle: lv}}, duration: 1, amplitude: 2}\n",
      minimal + "velocity: {isotropic: 1}\nregions:\n  - {where: {tag: 1}, velocity: {isotropic: 1}}\n"};
  for (const std::string& model : cell_model_names())
    all.push_back(fmt::format("{}cell_model: {{name: {}}}\n{}{}probes: []\n", minimal, model, regions, initial));
  return all;
}

TEST_F(Configuration, EveryKeyThatIsDescribedIsReadAndTheOtherWayRound) {
  std::set<std::string> asked, described;
  for (const std::string& text : all_keys_are_read_by()) {
    const YamlNode root = parse_yaml(text, "heart.yaml");
    read_configuration(YamlReader(root, directory.path(), &asked), directory / "heart.yaml");
  }
  for_each_key(configuration_keys(), "",
               [&](const std::string& name, const KeyDescription&) { described.insert(name); });
  for (const std::string& name : described) EXPECT_TRUE(asked.contains(name)) << name << " is described and not read";
  for (const std::string& name : asked) EXPECT_TRUE(described.contains(name)) << name << " is read and not described";
}

/// The value at `a.b` of the resolved text; empty where there is none.
std::string value_in(const YamlNode& root, const std::string& name) {
  const YamlNode* node = &root;
  std::stringstream parts(name);
  for (std::string part; node && std::getline(parts, part, '.');) node = node->find(part);
  if (!node) return "";
  if (node->kind == YamlNode::Kind::scalar) return node->text;
  std::string list;
  for (const YamlNode& child : node->children) list += (list.empty() ? "" : ", ") + child.text;
  return "[" + list + "]";
}

TEST_F(Configuration, EveryDefaultThatIsAValueIsTheOneOfTheShortestConfiguration) {
  const YamlNode resolved =
      parse_yaml(resolved_yaml(load(minimal + "checkpoint: {interval: 1}\ninitial: {steady: {beats: 1, period: "
                                              "1}}\nlinear_solver: {preconditioner: {degree: 4}}")),
                 "resolved");
  int values = 0;
  for_each_key(configuration_keys(), "", [&](const std::string& name, const KeyDescription& key) {
    if (!key.default_is_value || name.find("[]") != std::string::npos || name == "linear_solver.preconditioner") return;
    if (name == "boundary") return;  // left out where it is empty
    EXPECT_EQ(value_in(resolved, name), key.default_value) << name;
    ++values;
  });
  EXPECT_GT(values, 25);
}

TEST_F(Configuration, EveryKeyHasAMeaningAndEitherAValueOrADefault) {
  for_each_key(configuration_keys(), "", [&](const std::string& name, const KeyDescription& key) {
    EXPECT_FALSE(key.meaning.empty()) << name;
    EXPECT_FALSE(in_words(key.shape).empty()) << name;
    const bool is_value = key.shape.kind != KeyKind::map || key.shape.is_list;
    const bool is_a_place = name.find("where.") != std::string::npos;
    EXPECT_TRUE(!is_value || is_a_place || !key.default_value.empty()) << name << " has no default";
  });
}

/// The names that have no meaning of their own.
template <class Value>
std::vector<std::string> meant_but_not_taken(const Names<Value>& names, const NamedValues& meanings) {
  std::vector<std::string> missing;
  for (const NamedValue& meaning : meanings)
    if (std::none_of(names.begin(), names.end(), [&](const auto& name) { return name.first == meaning.name; }))
      missing.push_back(meaning.name);
  return missing;
}

TEST(ConfigurationKeys, EveryMeaningIsThatOfAWordWhichIsTaken) {
  const std::vector<std::string> none;
  EXPECT_EQ(meant_but_not_taken(time_scheme_names, time_scheme_meanings), none);
  EXPECT_EQ(meant_but_not_taken(quadrature_names, quadrature_meanings), none);
  EXPECT_EQ(meant_but_not_taken(solver_path_names, solver_path_meanings), none);
  EXPECT_EQ(meant_but_not_taken(operator_names, operator_meanings), none);
  EXPECT_EQ(meant_but_not_taken(solver_precision_names, solver_precision_meanings), none);
  EXPECT_EQ(meant_but_not_taken(preconditioner_names, preconditioner_meanings), none);
  EXPECT_EQ(meant_but_not_taken(named_formats(), matrix_format_meanings), none);
  EXPECT_EQ(meant_but_not_taken(named_strategies(), strategy_meanings), none);
  EXPECT_EQ(meant_but_not_taken(output_format_names, output_format_meanings), none);
}

TEST(ConfigurationKeys, AKeyIsExplainedByItsFullNameWithOrWithoutNumbers) {
  EXPECT_EQ(explained_key("time.step"),
            "time.step\n  The length of a time step; with adaptive steps of the first.\n  takes    ms, positive, at "
            "most `end`, at least `end` / 10⁹\n  default  required\n");
  const std::string period = explained_key("stimuli.period");
  EXPECT_NE(period.find("The time from beat to beat."), std::string::npos) << period;
  EXPECT_EQ(explained_key("stimuli[3].period"), period);
  EXPECT_EQ(explained_key("stimuli.3.period"), period);
  const std::string time = explained_key("time");
  for (const char* key : {"time.end\n", "time.scheme\n", "    bdf2", "time.adaptive.max_step\n"})
    EXPECT_NE(time.find(key), std::string::npos) << time;
  EXPECT_NE(explained_key("cell_model.parameters.alpha").find("Of `aliev_panfilov`"), std::string::npos);
}

TEST(ConfigurationKeys, AnUnknownKeyIsAnsweredWithTheNearestOrWithItsSections) {
  const auto answer = [](const std::string& key) -> std::string {
    try {
      return explained_key(key);
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(answer("time.stpe"), "KEY: expected a key of the YAML file, got 'time.stpe'; did you mean 'time.step'?");
  EXPECT_EQ(answer("keep"), "KEY: expected a key of the YAML file, got 'keep'; there is checkpoint.keep");
  EXPECT_EQ(answer("qqqqqqqqqqqqqqqq"), "KEY: expected a key of the YAML file, got 'qqqqqqqqqqqqqqqq'");
}

TEST(ConfigurationKeys, WhatIsForMeasurementsIsTakenAndNamedNowhere) {
  const std::string solver = explained_key("linear_solver"), assembly = explained_key("assembly"),
                    table = key_table("assembly") + key_table("linear_solver"), everything = solver + assembly + table;
  for (const std::string name : {"matrix_free", "ssor", "cusparse", "lazy_ell", "shared_nz", "linear_solver.method",
                                 "assembly.order", "sorting_window"})
    EXPECT_EQ(everything.find(name), std::string::npos) << name;
  EXPECT_NE(assembly.find("others, for measurements, are in docs/papers"), std::string::npos) << assembly;
}

TEST(ConfigurationKeys, TheTablesOfThePageAreThoseOfTheProgram) {
  const std::string file = CARDIOWARP_DOCS "/configuration.md";
  std::ifstream stream(file);
  std::stringstream content;
  content << stream.rdbuf();
  const std::string page = content.str();
  std::string right;
  std::set<std::string> sections;
  const std::string begin_mark = "<!-- keys of ", end_mark = "<!-- end of keys -->";
  std::size_t at = 0;
  for (std::size_t mark = 0; (mark = page.find(begin_mark, at)) != std::string::npos;) {
    const std::size_t name = mark + begin_mark.size(), line_end = page.find('\n', name) + 1;
    const std::string section = page.substr(name, page.find(' ', name) - name);
    sections.insert(section);
    right += page.substr(at, line_end - at) + "\n" + key_table(section) + "\n";
    at = page.find(end_mark, line_end);
    ASSERT_NE(at, std::string::npos) << section;
  }
  right += page.substr(at);
  EXPECT_TRUE(page == right) << "the tables of docs/configuration.md are not those of the program; with "
                                "CARDIOWARP_WRITE_TABLES=1 this test writes them";
  if (std::getenv("CARDIOWARP_WRITE_TABLES")) std::ofstream(file) << right;
  for (const KeyDescription& section : configuration_keys())
    EXPECT_TRUE(sections.contains(section.name)) << section.name << " has no table";
}

/// What the schema has to take, behind the shortest configuration: keys of each section, in each of their forms.
const std::vector<std::string> sound_yaml{
    "cell_model: {name: ten_tusscher_2006, precision: single, parameters: {g_Kr: {array: a, scale: true}}}\n",
    "cell_model: {name: ten_tusscher_2006, parameters: {g_Ks: {through_wall: [1, 0.25, 1], scale: true}}}\n",
    "cell_model: {name: mine.cellml, potential: V, parameters: {sodium: {g_Na: 380}}}\n",
    "velocity: {longitudinal: 0.6 m/s, transverse: 0.3 m/s}\n",
    "regions: [{where: {tag: lv, transmural: [0, 0.3]}, velocity: {isotropic: 0.5 m/s}}]\n",
    "coordinates: {zero: [50, 0, 0], surfaces: {base: top}}\n",
    "probes: [{name: wall, where: {transmural: 0.5, apicobasal: 0.5, rotational: 90 deg, ventricle: rv}}]\n",
    "output: {precision: single, ecg: {electrodes: [{name: V1, point: [1, 2, 3]}], interval: 1 ms}}\n",
    "output: {beats: all, maps: [conduction_velocity], ecg: {file: electrodes.json}}\n",
    "initial: {steady: {beats: 4, period: 500 ms, cache: cache}}\n",
    "fibers: {source: rule, endocardium: 60 deg, right: {sheet: {epicardium: 10}}, surfaces: {epi: [1, outer]}}\n",
    "linear_solver: {operator: split, preconditioner: {polynomial: chebyshev, degree: 3}, spmv: cusparse}\n",
    "assembly: {strategy: atomics, repeatable: false}\n"};

/// What it has to refuse: a word, a number, a list or a key that the program refuses, too.
const std::vector<std::string> wrong_yaml{"tmie: 1\n",
                                          "checkpoint: {interval: 0}\n",
                                          "stimuli: [{where: {tag: 1, nodes: a.vtx}, duration: 1, amplitude: 2}]\n",
                                          "stimuli: [{where: {ventricle: left}, duration: 1, amplitude: 2}]\n",
                                          "stimuli: [{where: {transmural: [0, 2]}, duration: 1, amplitude: 2}]\n",
                                          "cell_model: {name: ten_tusscher_2006, parameters: {g_Kr: {scale: true}}}\n",
                                          "cell_model: {name: ten_tusscher_2006, precision: half}\n",
                                          "velocity: {isotropic: 0}\n",
                                          "velocity: {along: 0.5 m/s}\n",
                                          "coordinates: {zero: [50, 0]}\n",
                                          "coordinates: {surfaces: {top: 14}}\n",
                                          "probes: [{name: wall, where: {transmural: [0, 1]}}]\n",
                                          "output: {precision: half}\n",
                                          "output: {ecg: {interval: 0}}\n",
                                          "output: {ecg: {electrodes: [{name: V1}]}}\n",
                                          "initial: {steady: {beats: 0, period: 500 ms}}\n",
                                          "fibers: {source: rule, endocardium: 100}\n",
                                          "time: {end: 1, step: 0.1, scheme: euler}\n"};

TEST_F(Configuration, TheSchemaTakesWhatTheProgramTakesAndRefusesWhatItRefuses) {
  if (std::system("python3 -c 'import jsonschema, yaml' 2>/dev/null") != 0)
    GTEST_SKIP() << "python3-jsonschema or python3-yaml is not installed";
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "schema.json") << key_schema();
  std::ofstream(folder / "sound_every_key.yaml") << every_key;
  for (std::size_t i = 0; i < sound_yaml.size(); ++i)
    std::ofstream(folder / fmt::format("sound_{}.yaml", i)) << minimal << sound_yaml[i];
  for (std::size_t i = 0; i < wrong_yaml.size(); ++i) {
    const bool has_time = wrong_yaml[i].starts_with("time:");
    const std::string text = (has_time ? "mesh: {file: a.msh}\n" : minimal) + wrong_yaml[i];
    std::ofstream(folder / fmt::format("wrong_{}.yaml", i)) << text;
    EXPECT_NE(error(text), "accepted") << wrong_yaml[i];
  }
  std::ofstream(folder / "check.py") << R"(
import glob, json, sys, yaml, jsonschema
folder, root = sys.argv[1:]
schema = json.load(open(folder + "/schema.json"))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
sound = lambda file: validator.is_valid(yaml.safe_load(open(file)))
ours = [file for place in ("configs/*", "docs/guide/**/*") for file in glob.glob(f"{root}/{place}.yaml", recursive=True)]
assert len(ours) > 12, ours
refused = [file for file in ours + glob.glob(folder + "/sound_*.yaml") if not sound(file)]
taken = [file for file in glob.glob(folder + "/wrong_*.yaml") if sound(file)]
for file in refused + taken:
    print(open(file).read(), *(error.message for error in validator.iter_errors(yaml.safe_load(open(file)))), sep="\n")
sys.exit(f"refused: {refused}, taken: {taken}" if refused or taken else 0)
)";
  const std::string command = fmt::format("python3 {0}/check.py {0} {1}/..", folder.path().string(), CARDIOWARP_DOCS);
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace cardiowarp
