#include "app/config/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/configuration.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::ConfigurationMistake;
using test::minimal;

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
      "heart.yaml:2:33: time.scheme: expected one of backward_euler, sdirk2, trbdf2, bdf2, rkc2, got 'forward_euler'; "
      "did you mean 'backward_euler'?");
  EXPECT_EQ(
      error(mesh + "time: {end: 1, step: 1, scheme: sdrik2}"),
      "heart.yaml:2:33: time.scheme: expected one of backward_euler, sdirk2, trbdf2, bdf2, rkc2, got 'sdrik2'; did you "
      "mean 'sdirk2'?");
  EXPECT_EQ(
      error(mesh + "time: {end: 1, step: 1, scheme: sdirk2, adaptive: {tolerance: 1e-11}}"),
      "heart.yaml:2:63: time.adaptive.tolerance: expected at least 1e-10 with time.scheme: sdirk2, above rounding "
      "errors, got '1e-11'");
  EXPECT_EQ(error(mesh + "time: {end: 1, step: 1, scheme: rkc2}\nquadrature: vertices_and_centroid"),
            "heart.yaml:3:13: quadrature: expected vertices with time.scheme: rkc2, which needs a lumped mass, got "
            "'vertices_and_centroid'");
  EXPECT_EQ(error(mesh + "time: {end: 1, step: 1, scheme: bdf2, adaptive: {tolerance: 1e-11}}"),
            "heart.yaml:2:61: time.adaptive.tolerance: expected at least 1e-10 with time.scheme: bdf2, above rounding "
            "errors, got '1e-11'");
  EXPECT_EQ(error(mesh + "time: {end: 1, step: 1, scheme: sdirk2}\nnewton: {tolerance: automatic}"),
            "heart.yaml:3:21: newton.tolerance: expected a positive number (without unit, or auto), got 'automatic'");
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
  EXPECT_EQ(adaptive_error("tolerance: auto"),
            "heart.yaml:2:66: time.adaptive.tolerance: expected a number (without unit) in (0, 1), got 'auto'");
  EXPECT_EQ(adaptive_error("max_step: auto"),
            "heart.yaml:2:65: time.adaptive.max_step: expected a positive time (ms, s, us), got 'auto'");
  EXPECT_EQ(
      error(mesh + "time: {end: 1, step: 1}\nnewton: {forcing: fixd}"),
      "heart.yaml:3:19: newton.forcing: expected one of eisenstat_walker, fixed, got 'fixd'; did you mean 'fixed'?");
}

TEST_F(Configuration, MistakesOfAnAccuracyAreNamed) {
  const std::string mesh = "mesh: {file: a.msh}\n";
  const std::string time = "time: {end: 10, step: 1, adaptive: {";
  const auto accuracy_error = [&](const std::string& adaptive, const std::string& accuracy) {
    return error(mesh + time + adaptive + "}}\naccuracy: {" + accuracy + "}");
  };
  EXPECT_EQ(accuracy_error("", "activation: 0.5 %, apd90: 1 ms"), "accepted");
  EXPECT_EQ(accuracy_error("enabled: true, tolerance: auto, max_step: auto", "activation: 10 %"), "accepted");
  EXPECT_EQ(accuracy_error("max_step: 3", "apd90: 0.5"), "accepted");
  EXPECT_EQ(accuracy_error("", ""), "heart.yaml:3:11: accuracy: expected activation, apd90 or both, got none");
  EXPECT_EQ(accuracy_error("", "activation: 0.5 ms"),
            "heart.yaml:3:24: accuracy.activation: expected a percentage (%) in (0, 10], got '0.5 ms'");
  EXPECT_EQ(accuracy_error("", "activation: 11 %"),
            "heart.yaml:3:24: accuracy.activation: expected a percentage (%) in (0, 10], got '11 %'");
  EXPECT_EQ(accuracy_error("", "activation: 0 %"),
            "heart.yaml:3:24: accuracy.activation: expected a percentage (%) in (0, 10], got '0 %'");
  EXPECT_EQ(accuracy_error("", "apd90: 1 %"),
            "heart.yaml:3:19: accuracy.apd90: expected a positive time (ms, s, us), got '1 %'");
  EXPECT_EQ(accuracy_error("", "activatoin: 1 %"),
            "heart.yaml:3:12: accuracy.activatoin: expected one of the keys activation, apd90, got 'activatoin'; did "
            "you mean 'activation'?");
  EXPECT_EQ(accuracy_error("enabled: false", "apd90: 1"),
            "heart.yaml:2:46: time.adaptive.enabled: expected true, or no such key, as accuracy is given, whose steps "
            "are adaptive, got 'false'");
  EXPECT_EQ(accuracy_error("tolerance: 1e-3", "apd90: 1"),
            "heart.yaml:2:48: time.adaptive.tolerance: expected auto, or no such key, as accuracy is given, from which "
            "the tolerance is found, got '1e-3'");
  EXPECT_EQ(accuracy_error("max_step: 0.5", "apd90: 1"),
            "heart.yaml:2:47: time.adaptive.max_step: expected at least time.step, 1 ms, got 0.5 ms");
}

TEST_F(ConfigurationMistake, InTheTissueIsNamed) {
  expect_messages({
      {"cell_model: {name: fitzhugh}",
       fmt::format("3:20: cell_model.name: expected one of {}, got 'fitzhugh'", fmt::join(cell_model_names(), ", "))},
      {"cell_model: {name: ten_tusscher_2006}\nquadrature: centroid",
       "4:13: quadrature: expected vertices with cell_model: ten_tusscher_2006, whose cells are at the nodes, got "
       "'centroid'"},
      {"cell_model: {name: luo_rudy_1991}\nlinear_solver: {operator: split}",
       "4:27: linear_solver.operator: expected auto or assembled with cell_model: luo_rudy_1991, whose cells are at "
       "the "
       "nodes, got 'split'"},
      {"cell_model: {name: ten_tusscher_2006, set: epi}",
       "3:44: cell_model.set: expected one of epicardial, endocardial, midmyocardial, got 'epi'; did you mean "
       "'epicardial'?"},
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
      {"fibers: {source: file}", "3:18: fibers.source: expected one of none, constant, mesh, rule, got 'file'"},
      {"fibers: {source: constant, direction: [0, 0, 0]}",
       "3:39: fibers.direction: expected a direction of non-zero, finite length, got [0, 0, 0]"},
      {"fibers: {direction: [1, 0]}",
       "3:21: fibers.direction: expected a list [x, y, z], each a number, got a list of length 2"},
      {"fibers: {direction: [1, 0, inf]}", "3:28: fibers.direction[2]: expected a number (without unit), got 'inf'"},
      {"regions: {where: {tag: 1}}", "3:10: regions: expected a list, got a map"},
      {"regions:\n  - where: {tag: 1}",
       "4:5: regions[0]: expected a diffusivity, a velocity, a velocity_factor, a conductivity or "
       "cell_model.parameters that differ here, "
       "got none"},
      {"regions:\n  - diffusivity: {isotropic: 1}",
       "4:5: regions[0].where: expected one of the keys box, sphere, tag, or coordinates of the heart (transmural, "
       "apicobasal, rotational, ventricle, endocardium), got nothing"},
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
       "5:24: regions[0].cell_model.name: expected none with cell_model.name: aliev_panfilov, as only ionic models can "
       "be "
       "mixed, got 'aliev_panfilov'"},
  });
}

TEST_F(ConfigurationMistake, InAWhereIsNamed) {
  const auto stimulus = [](const std::string& where) {
    return "stimuli:\n  - duration: 1\n    amplitude: 1\n    where: " + where;
  };
  expect_messages({
      {stimulus("apex"),
       "6:12: stimuli[0].where: expected a map with the keys box, sphere, tag, surface, nodes, got 'apex'"},
      {stimulus("{spere: 1}"),
       "6:13: stimuli[0].where.spere: expected one of the keys box, sphere, tag, surface, nodes, got 'spere'; "
       "did you mean 'sphere'?"},
      {stimulus("{tag: 1, nodes: a.vtx}"),
       "6:12: stimuli[0].where: expected at most one of the keys box, sphere, tag, surface, nodes, got tag and nodes"},
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
       "5:7: initial.regions[0]: expected a value of potential, recovery, got none"},
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
       "4:6: stimuli[0].amplitud: expected one of the keys name, where, network, start, duration, amplitude, period, "
       "periods, "
       "count, intervals, repeats, pause, edge, "
       "got 'amplitud'; did you mean 'amplitude'?"},
      {"stimuli:\n  - {where: {tag: 1}, amplitude: 1}",
       "4:5: stimuli[0].duration: expected a positive time (ms, s, us), got nothing"},
      {"stimuli:\n  - {where: {tag: 1}, duration: 1}",
       "4:5: stimuli[0].amplitude: expected a rate of potential (mV/ms, V/s), got nothing"},
      {"stimuli:\n  - {start: -1" + rest, "4:13: stimuli[0].start: expected a non-negative time (ms, s, us), got '-1'"},
      {"stimuli:\n  - {period: 1" + rest, "4:14: stimuli[0].period: expected at least the duration, 2 ms, got '1'"},
      {"stimuli:\n  - {count: 3" + rest,
       "4:5: stimuli[0].period: expected a positive time (ms, s, us) to go with count, got nothing"},
      {"stimuli:\n  - {edge: weigted" + rest,
       "4:12: stimuli[0].edge: expected one of weighted, nodes, got 'weigted'; did you mean 'weighted'?"},
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

TEST_F(ConfigurationMistake, InTheOutputIsNamed) {
  expect_messages({
      {"output: {directory: ''}", "3:21: output.directory: expected the path of a directory, got ''"},
      {"output: {directory: {a: b}}", "3:21: output.directory: expected the path of a directory, got a map"},
      {"output: {interval: 0 ms}", "3:20: output.interval: expected a positive time (ms, s, us), got '0 ms'"},
      {"output: {format: ensigth}",
       "3:18: output.format: expected one of vtu, ensight, got 'ensigth'; did you mean 'ensight'?"},
      {"output: {precision: half}", "3:21: output.precision: expected one of double, single, got 'half'"},
      {"output: {format: ensight, precision: double}",
       "3:38: output.precision: expected single, which `format: ensight` always has, got 'double'"},
      {"output: {format: [vtu]}", "3:18: output.format: expected one of vtu, ensight, got a list of length 1"},
      {"output: {fields: potential}", "3:18: output.fields: expected a list, got 'potential'"},
      {"output: {fields: [potental]}",
       "3:19: output.fields[0]: expected one of potential, phi_e, recovery, got 'potental'; did you mean 'potential'?"},
      {"output: {maps: [apd90, apd70]}",
       "3:24: output.maps[1]: expected one of activation_time, apd90, apd30, apd50, apd80, repolarization_time, peak, "
       "upstroke_velocity, cycle_length, diastolic_interval, conduction_velocity, got 'apd70'; did you mean 'apd90'?"},
      {"output: {beats: each}", "3:17: output.beats: expected one of first, last, all, got 'each'"},
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
      {"checkpoint: {}", "3:13: checkpoint.interval: expected a positive time (ms, s, us), got nothing"},
      {"checkpoint: {interval: 0 ms}", "3:24: checkpoint.interval: expected a positive time (ms, s, us), got '0 ms'"},
      {"checkpoint: {interval: 1 ms, keep: 0}", "3:36: checkpoint.keep: expected a whole number in [1, 1000], got '0'"},
      {"checkpoint: {intervall: 1 ms}",
       "3:14: checkpoint.intervall: expected one of the keys interval, keep, got 'intervall'; did you mean "
       "'interval'?"},
  });
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
  // Equal steps of backward Euler make no more frames than steps, all others one at each multiple of the interval.
  EXPECT_EQ(error(mesh + "time: {end: 10, step: 0.1, scheme: backward_euler}\noutput: {interval: 1e-8}"), "accepted");
  const std::string adaptive =
      error(mesh + "time: {end: 10, step: 0.1, adaptive: {enabled: true}}\noutput: {interval: 1e-8}");
  EXPECT_NE(adaptive.find("output.interval: expected at most 1000000 frames"), std::string::npos) << adaptive;
}

TEST_F(Configuration, LongValuesAreCutInMessagesBetweenCharacters) {
  const std::string long_name = "a" + std::string(59, 'b') + "\u00b5";
  EXPECT_EQ(error(minimal + "backend: " + long_name),
            "heart.yaml:3:10: backend: expected one of auto, cpu, gpu, got 'a" + std::string(59, 'b') + "...'");
  EXPECT_EQ(error(minimal + "backend: b" + long_name.substr(2)),
            "heart.yaml:3:10: backend: expected one of auto, cpu, gpu, got '" + std::string(59, 'b') + "\u00b5'");
}

}  // namespace
}  // namespace cardiowarp
