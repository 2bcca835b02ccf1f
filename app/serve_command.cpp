#include "app/serve_command.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/march.hpp"
#include "app/process/commit.hpp"
#include "app/process/standard_streams.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/time_stepper.hpp"
#include "app/start/backend.hpp"
#include "app/start/load.hpp"
#include "app/start/tolerance_cache.hpp"
#include "fem/cells/any_cell.hpp"
#include "fem/cells/cell_model.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"

namespace cardiowarp {
namespace {

using nlohmann::json;

void reply(const json& words) {
  write_report(words.dump() + "\n");
  flush_report();
}

template <class T>
void reply(const std::vector<T>& values, const std::vector<std::size_t>& shape) {
  static_assert(std::endian::native == std::endian::little);
  const char* type = std::is_floating_point_v<T> ? "<f" : "<i";
  const std::size_t bytes = values.size() * sizeof(T);
  write_report(json{{"dtype", fmt::format("{}{}", type, sizeof(T))}, {"shape", shape}, {"bytes", bytes}}.dump() + "\n");
  write_report({reinterpret_cast<const char*>(values.data()), bytes});
  flush_report();
}

/// Whether the program that is to read the replies has ended, or closed its end of the pipe.
bool is_left_alone() {
  pollfd output{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

/// A simulation that is advanced and looked at by requests.
class ServedSimulation {
 public:
  ServedSimulation(const Case& given, StartedSimulation started) : given_(given), started_(std::move(started)) {
    for (const CellState& state : states_of(given.problem.cell_models)) states_.emplace_back(state.name);
    std::vector<std::string> probes;
    for (const ProbeConfig& probe : given.config.probes) probes.push_back(probe.name);
    reply(json{{"nodes", given.mesh().nodes.size()},
               {"elements", given.mesh().tetrahedra.size()},
               {"states", states_},
               {"probes", probes},
               {"end_ms", given.config.time.end_ms},
               {"backend", started_.backend},
               {"device", started_.device}});
  }

  /// Answers one request. Returns whether the simulation can go on.
  bool answer(const std::string& line) {
    const json request = json::parse(line, nullptr, false);
    if (request.is_object() && request.contains("advance") && request["advance"].is_number())
      return advance(request["advance"]);
    if (!request.is_object() || !request.contains("array") || !request["array"].is_string())
      throw InputError(fmt::format(
          R"(standard input: expected a line {{"advance": TIME}} or {{"array": "NAME"}}, got '{:.200}')", line));
    send(request["array"].get<std::string>());
    return true;
  }

  const March& march() const { return march_; }
  Real time_ms() const { return started_.simulation->time_ms(); }

 private:
  bool advance(Real until_ms) {
    Simulation& simulation = *started_.simulation;
    const std::int64_t before = march_.steps().accepted;
    const Real end_ms = std::min(until_ms, given_.config.time.end_ms);
    march_in_time(march_, end_ms, simulation,
                  {[&] {
                     return Outlook{0, end_ms};
                   },
                   [] {}, [&] { return simulation.time_ms() >= end_ms || is_left_alone(); }, Progress::hidden});
    if (march_.failure) return false;
    if (simulation.interpolates()) simulation.look_at(std::max(end_ms, looked_at_ms_));
    looked_at_ms_ = simulation.interpolates() ? std::max(end_ms, looked_at_ms_) : simulation.time_ms();
    reply(json{{"time_ms", looked_at_ms_},
               {"steps", march_.steps().accepted - before},
               {"finished", march_.finished() && looked_at_ms_ >= simulation.time_ms()}});
    return true;
  }

  void send(const std::string& name) {
    Simulation& simulation = *started_.simulation;
    const Mesh& mesh = given_.mesh();
    const std::size_t nodes = mesh.nodes.size();
    std::vector<Real> values(nodes);
    if (name == "points") return send_points(mesh);
    if (name == "tetrahedra") return send_tetrahedra(mesh);
    if (name == "potential") {
      simulation.potential_mv(values);
    } else if (name == "activation_time") {
      read_activation(values);
    } else if (name == "apd90") {
      read_apd90(values);
    } else if (name == "probes") {
      values.resize(given_.problem.probes.size());
      simulation.probe_mv(values);
    } else {
      values.resize(mesh.tetrahedra.size());
      simulation.state(number_of_state(name), values);
    }
    reply(values, {values.size()});
  }

  /// [nodes] −1 also where a node was activated in the last step, but after the time that is looked at.
  void read_activation(std::span<Real> nodes) {
    started_.simulation->activation_time_ms(nodes);
    if (looked_at_ms_ >= time_ms()) return;
    for (Real& activation_ms : nodes)
      if (activation_ms > looked_at_ms_) activation_ms = -1;
  }
  /// [nodes] −1 also where an action potential ended in the last step, but after the time that is looked at.
  void read_apd90(std::span<Real> nodes) {
    started_.simulation->apd90_ms(nodes);
    if (looked_at_ms_ >= time_ms()) return;
    std::vector<Real> activation_ms(nodes.size());
    started_.simulation->activation_time_ms(activation_ms);
    for (std::size_t node = 0; node < nodes.size(); ++node)
      if (activation_ms[node] + nodes[node] > looked_at_ms_) nodes[node] = -1;
  }

  static void send_points(const Mesh& mesh) {
    std::vector<Real> points;
    points.reserve(3 * mesh.nodes.size());
    for (const Vector3& p : mesh.nodes) points.insert(points.end(), {p.x, p.y, p.z});
    reply(points, {mesh.nodes.size(), 3});
  }

  static void send_tetrahedra(const Mesh& mesh) {
    std::vector<std::int32_t> corners;
    corners.reserve(4 * mesh.tetrahedra.size());
    for (const Tetrahedron& element : mesh.tetrahedra) corners.insert(corners.end(), element.begin(), element.end());
    reply(corners, {mesh.tetrahedra.size(), 4});
  }

  /// The number of the state that the name `state:NAME` of an array means. Throws InputError where there is none.
  std::size_t number_of_state(const std::string& name) const {
    std::vector<std::string> valid{"points", "tetrahedra", "potential", "activation_time", "apd90", "probes"};
    for (const std::string& state : states_) valid.push_back("state:" + state);
    const auto found = std::ranges::find(valid.begin() + 6, valid.end(), name);
    if (found == valid.end())
      throw InputError(fmt::format("expected the name of an array, got '{:.200}'{}", name, suggestion(name, valid)));
    return static_cast<std::size_t>(found - valid.begin()) - 6;
  }

  const Case& given_;
  StartedSimulation started_;
  March march_{TimeStepper(given_.config.time, given_.config.output.interval_ms, given_.problem.stimuli)};
  std::vector<std::string> states_;
  Real looked_at_ms_ = 0;
};

}  // namespace

ServeCommand::ServeCommand(Command& program)
    : command_(
          program.add_command("serve", "Let another program make the steps and look at the arrays, as Python does")) {
  words_.add_to(command_);
}

ExitCode ServeCommand::run() const {
  Config asked = words_.configuration();
  if (asked.prepace)
    throw InputError(asked.file.string() +
                     ": prepace: only `run` paces a heart beforehand; give the beats as stimuli, "
                     "or begin with `initial: {steady: ..}`");
  asked.output.ecg.reset();  // what no request asks for is not recorded
  asked.output.beats = BeatChoice::first;
  asked.output.more_maps.clear();
  const Case given = load_case(asked, true, usual_tolerance_cache(commit()), SteadyCache{commit()});
  ServedSimulation served(given, start_simulation(possible_backend(given.config), given.problem));
  for (std::string line; std::getline(std::cin, line);)
    if (!served.answer(line)) {
      print_error(failure_in_words(served.march(), given.config, given.problem, served.time_ms()));
      return ExitCode::not_converged;
    }
  return ExitCode::done;
}

}  // namespace cardiowarp
