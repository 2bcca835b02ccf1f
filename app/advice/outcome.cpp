#include "app/advice/outcome.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/config/config.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/pulse_surroundings.hpp"
#include "app/simulation/selection.hpp"
#include "fem/cells/models.hpp"
#include "fem/components.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

/// `1 node`, `2 nodes`
std::string counted(Index number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

/// `part 2 of 3 of the mesh, 120 nodes around (1, 2, 3) mm,`
std::string name_of_component(const Components& components, std::size_t component) {
  const auto& [nodes, centre] = components.all[component];
  return fmt::format("part {} of {} of the mesh, {} around ({:.3g}, {:.3g}, {:.3g}) mm,", component + 1,
                     components.all.size(), counted(nodes, "node"), centre.x, centre.y, centre.z);
}

/// A sentence for each of some components of the mesh; a mesh whose elements share no nodes has very many.
template <class Sentence>
void say_of_components(std::vector<std::string>& warnings, const std::vector<std::size_t>& which,
                       const Sentence& sentence) {
  constexpr std::size_t most = 3;
  for (std::size_t k = 0; k < std::min(which.size(), most); ++k) warnings.push_back(sentence(which[k]));
  if (which.size() > most) warnings.back() += fmt::format("; so are {} more parts", which.size() - most);
}

/// Size of the box around some points, mm, and its longest side.
struct Extent {
  Vector3 least{limit, limit, limit}, most{-limit, -limit, -limit};

  void add(Vector3 p) {
    least = {std::min(least.x, p.x), std::min(least.y, p.y), std::min(least.z, p.z)};
    most = {std::max(most.x, p.x), std::max(most.y, p.y), std::max(most.z, p.z)};
  }
  Vector3 size() const { return most - least; }
  Real longest() const { return std::max({size().x, size().y, size().z}); }

 private:
  static constexpr Real limit = std::numeric_limits<Real>::max();
};

Extent extent_of(const Mesh& mesh) {
  Extent extent;
  for (const Vector3& p : mesh.nodes) extent.add(p);
  return extent;
}

bool depolarizes(const StimulusConfig& stimulus) { return stimulus.amplitude_mv_per_ms > 0; }

std::string in_words(const StimulusOutcome& stimulus) {
  const PulseCaptures& pulses = stimulus.pulses;
  const std::optional<bool> captured = stimulus.captured();
  if (!captured)
    return pulses.pulses == 0 ? fmt::format("stimulus {} did not begin", stimulus.name)
                              : fmt::format("stimulus {} not judged ({})", stimulus.name, stimulus.why_not_judged());
  if (pulses.captured == 0) return fmt::format("stimulus {} did not capture", stimulus.name);
  return fmt::format("stimulus {} captured{}", stimulus.name,
                     pulses.pulses == 1 ? "" : fmt::format(" with {} of {} pulses", pulses.captured, pulses.pulses));
}

/// How strong and large a stimulus was, and what of it is small.
std::string why_not_captured(const StimulusConfig& config, const Stimulus& stimulus, const StimulusOutcome& outcome,
                             const Problem& problem) {
  if (outcome.pulses.captured > 0)
    return "tissue that was activated shortly before a pulse does not answer, nor does it to one that is too weak";
  Extent extent;
  for (const Index node : stimulus.nodes) extent.add(problem.mesh->nodes[node]);
  const Real raise_mv = config.amplitude_mv_per_ms * config.duration_ms;
  const auto [thinnest_mm, thickest_mm] = front_thickness_mm(problem);
  const bool small = extent.longest() < front_width_mm(thickest_mm), weak = raise_mv < -problem.scaling().rest_mv;
  std::string words = fmt::format(
      "{:.4g} mV/ms for {:.4g} ms raise the potential by {:.4g} mV at most, and its {} span {:.3g} mm where a front is "
      "{:.3g} mm wide",
      config.amplitude_mv_per_ms, config.duration_ms, raise_mv, counted(outcome.nodes, "node"), extent.longest(),
      front_width_mm(thickest_mm));
  if (outcome.activated_before > 0)
    return words + fmt::format("; {} of them had been activated before it began, and tissue has to recover first",
                               outcome.activated_before);
  std::vector<std::string> remedies;
  if (weak) remedies.push_back("a larger amplitude or duration");
  if (small) remedies.push_back("a larger region or a smaller diffusivity");
  if (!remedies.empty()) words += fmt::format(": {} may help", fmt::join(remedies, ", "));
  return words;
}

/// Which entry of initial.regions set the potential of each node; −1: initial.potential.
std::vector<int> setters(const InitialConfig& initial, const Mesh& mesh) {
  std::vector<int> setter(mesh.nodes.size(), -1);
  for (std::size_t k = 0; k < initial.regions.size(); ++k)
    if (initial.regions[k].potential_mv)
      for (const Index node : select_nodes(mesh, initial.regions[k].where)) setter[node] = static_cast<int>(k);
  return setter;
}

/// Whether a cell raises its potential by itself.
template <CellModel Cell>
bool raises(const Cell& cell, Real phi, const Scaling& /*scaling*/, const Real* states) {
  return cell.rates(phi, states).f > 0;
}
bool raises(const IonicCell& cell, Real phi, const Scaling& scaling, const Real* states) {
  std::vector<Real> rates(cell.model->states().size());
  return cell.model->rates(cell, scaling.mv_from_phi(phi), states, rates.data()) < 0;
}

/// [nodes] whether all elements around a node raise its potential from where it begins.
std::vector<bool> nodes_that_activate_themselves(const Problem& problem) {
  std::vector<bool> rising(problem.phi.size(), true);
  std::visit(
      [&](const auto& cells) {
        const std::size_t elements = problem.cell_model.size();
        std::vector<Real> states(state_count(problem.cell_models));
        for (std::size_t element = 0; element < elements; ++element) {
          for (std::size_t i = 0; i < states.size(); ++i) states[i] = problem.states[i * elements + element];
          const auto look = [&](Index node) {
            const Real phi = problem.phi[node];
            rising[node] = rising[node] && phi > 0 &&
                           raises(cells[problem.cell_model[element]], phi, problem.scaling(), states.data());
          };
          std::ranges::for_each(problem.mesh->tetrahedra[element], look);
          if (problem.mesh->is_quadratic()) std::ranges::for_each(problem.mesh->edge_nodes[element], look);
        }
      },
      *problem.cell_models);
  return rising;
}

void warn_of_active_start(std::vector<std::string>& warnings, const Config& config, const Problem& problem) {
  if (std::none_of(problem.phi.begin(), problem.phi.end(), [](Real phi) { return phi > 0; })) return;
  const InitialConfig& initial = config.initial;
  const std::vector<int> setter = setters(initial, *problem.mesh);
  const Scaling scaling = problem.scaling();
  const Real activation_phi = scaling.phi_from_mv(0), potential_mv = initial.potential_mv.value_or(scaling.rest_mv);
  const std::vector<bool> rising = nodes_that_activate_themselves(problem);
  std::vector<Index> active(initial.regions.size(), 0);  // at 0 mV or above, by what set them
  Index base_active = 0, base_rising = 0;
  std::vector<bool> is_prescribed(setter.size(), false);  // by `boundary`, whatever `initial` says
  for (const Index node : problem.prescribed) is_prescribed[node] = true;
  for (std::size_t node = 0; node < setter.size(); ++node) {
    if (is_prescribed[node]) continue;
    const bool is_active = problem.phi[node] >= activation_phi;
    if (setter[node] >= 0)
      active[setter[node]] += is_active;
    else if (is_active)
      ++base_active;
    else
      base_rising += rising[node];
  }
  const std::string of_all = fmt::format(" of {}", counted(static_cast<Index>(setter.size()), "node"));
  const auto starts_active = [&](const std::string& key, Real start_mv, Index nodes) {
    return fmt::format("{} is {:.6g} mV: {}{} stand activated at t = 0, at 0 mV or above", key, start_mv, nodes,
                       of_all);
  };
  const std::string in_mv = fmt::format(" (potentials are in mV, rest is {:g})", scaling.rest_mv);
  if (base_active > 0) warnings.push_back(starts_active("initial.potential", potential_mv, base_active) + in_mv);
  if (base_rising > 0)
    warnings.push_back(
        fmt::format("initial.potential is {:.6g} mV: {}{} begin above the threshold of their cell model "
                    "and are activated without a stimulus{}",
                    potential_mv, base_rising, of_all, in_mv));
  for (std::size_t k = 0; k < active.size(); ++k)
    if (active[k] > 0)
      warnings.push_back(
          starts_active(fmt::format("initial.regions[{}].potential", k), *initial.regions[k].potential_mv, active[k]));
}

/// [components] whether a stimulus depolarizes a node of them.
std::vector<bool> stimulated_components(const Config& config, const Problem& problem, const Components& components) {
  std::vector<bool> stimulated(components.all.size(), false);
  for (std::size_t k = 0; k < problem.stimuli.size(); ++k)
    if (depolarizes(config.stimuli[k]))
      for (const Index node : problem.stimuli[k].nodes) stimulated[components.component_of_node[node]] = true;
  return stimulated;
}

Repolarization repolarization_of(Simulation& simulation, const std::vector<Real>& activation_ms,
                                 const std::vector<Index>& prescribed) {
  std::vector<Real> apd90_ms(activation_ms.size());
  simulation.apd90_ms(apd90_ms);
  std::vector<bool> is_prescribed(activation_ms.size(), false);
  for (const Index node : prescribed) is_prescribed[node] = true;
  Repolarization found;
  Real longest_ms = 0, last_ms = 0;
  for (std::size_t node = 0; node < activation_ms.size(); ++node) {
    if (activation_ms[node] < 0 || is_prescribed[node]) continue;
    const bool is_known = apd90_ms[node] >= 0;
    ++(is_known ? found.known : found.missing);
    if (is_known)
      longest_ms = std::max(longest_ms, apd90_ms[node]);
    else
      last_ms = std::max(last_ms, activation_ms[node]);
  }
  found.expected_ms = last_ms + longest_ms;
  return found;
}

/// Empty where nothing is to be said: also where no node has repolarized, as in a run that is to show activation alone.
std::string apd90_warning(const Outcome& outcome) {
  const auto [known, missing, expected_ms] = outcome.repolarization;
  if (known == 0 || missing == 0) return "";
  const Real about_ms = 10 * std::ceil(expected_ms / 10);
  std::string words = fmt::format(
      "apd90 is missing (-1) at {} of {} activated nodes, which had not repolarized by {:.6g} ms: ", missing,
      known + missing, outcome.simulated_ms);
  if (about_ms > outcome.simulated_ms)
    return words + fmt::format("a time.end of about {:.6g} ms would give them one", about_ms);
  return words + "that is later than the other nodes would let expect; a later time.end may give them one";
}

}  // namespace

std::optional<bool> StimulusOutcome::captured() const {
  if (pulses.missed > 0) return false;
  return pulses.captured > 0 ? std::optional(true) : std::nullopt;
}

std::string StimulusOutcome::why_not_judged() const {
  if (captured()) return "";
  if (pulses.pulses == 0) return "it did not begin";
  if (nodes == 0) return "the potential of its nodes is prescribed";
  if (!depolarizes) return "it does not depolarize";
  if (pulses.cramped > 0)
    return fmt::format("no tissue is more than {:g} widths of a front and {} edges away from it",
                       PulseSurroundings::far_widths, PulseSurroundings::far_edges - 1);
  if (pulses.met > 0) return "its front met another one nearby";
  return "the run ended too early to tell";
}

Outcome outcome_of(Simulation& simulation, const Config& config, const Problem& problem, const Components& components) {
  std::vector<Real> activation_ms(problem.mesh->nodes.size());
  simulation.activation_time_ms(activation_ms);
  Outcome outcome;
  outcome.simulated_ms = simulation.time_ms();
  outcome.activated_of_component.assign(components.all.size(), 0);
  Activation& activation = outcome.activation;
  for (const Component& component : components.all) activation.nodes += component.nodes;  // that have tissue
  for (std::size_t node = 0; node < activation_ms.size(); ++node) {
    const Real at = activation_ms[node];
    if (at < 0) continue;
    activation.first_ms = activation.activated == 0 ? at : std::min(activation.first_ms, at);
    activation.last_ms = std::max(activation.last_ms, at);
    ++activation.activated;
    ++outcome.activated_of_component[components.component_of_node[node]];
  }
  outcome.repolarization = repolarization_of(simulation, activation_ms, problem.prescribed);
  const std::vector<PulseCaptures> captures = simulation.captures();
  for (std::size_t k = 0; k < captures.size(); ++k) {
    const Stimulus& stimulus = problem.stimuli[k];
    Index earlier = 0;
    for (std::size_t i = 0; i < stimulus.nodes.size(); ++i) {
      const Real driven_ms = config.stimuli[k].start_ms + (stimulus.delay_ms.empty() ? 0 : stimulus.delay_ms[i]);
      if (const Real at_ms = activation_ms[stimulus.nodes[i]]; at_ms >= 0 && at_ms < driven_ms) ++earlier;
    }
    outcome.stimuli.push_back({config.stimuli[k].name, static_cast<Index>(stimulus.nodes.size()), captures[k], earlier,
                               depolarizes(config.stimuli[k])});
  }
  return outcome;
}

std::string in_words(const Outcome& outcome) {
  const Activation& activation = outcome.activation;
  std::string words = fmt::format("activated {} of {}", activation.activated, counted(activation.nodes, "node"));
  if (activation.activated > 0)
    words += fmt::format(" from {:.4g} to {:.4g} ms", activation.first_ms, activation.last_ms);
  constexpr std::size_t most_by_name = 3;
  const std::vector<StimulusOutcome>& stimuli = outcome.stimuli;
  if (stimuli.size() > most_by_name)
    return words + fmt::format("; {} of {} stimuli captured",
                               std::count_if(stimuli.begin(), stimuli.end(),
                                             [](const StimulusOutcome& s) { return s.captured().value_or(false); }),
                               stimuli.size());
  for (const StimulusOutcome& stimulus : stimuli) words += "; " + in_words(stimulus);
  return words;
}

std::vector<std::string> outcome_warnings(const Outcome& outcome, const Config& config, const Problem& problem,
                                          const Components& components) {
  std::vector<std::string> warnings;
  if (outcome.activation.activated == 0) {
    const Vector3 size = extent_of(*problem.mesh).size();
    warnings.push_back(
        fmt::format("nothing was activated: no node reached 0 mV in {:.6g} ms; the mesh measures {:.3g} × {:.3g} × "
                    "{:.3g} mm and a front is up to {:.3g} mm wide",
                    outcome.simulated_ms, size.x, size.y, size.z, front_width_mm(front_thickness_mm(problem).second)));
  }
  for (std::size_t k = 0; k < outcome.stimuli.size(); ++k) {
    const StimulusOutcome& stimulus = outcome.stimuli[k];
    if (stimulus.captured().value_or(true)) continue;  // a stimulus without nodes is not judged
    const PulseCaptures& pulses = stimulus.pulses;
    warnings.push_back(
        fmt::format("stimulus '{}' did not capture{}: {}", stimulus.name,
                    pulses.pulses == 1 ? "" : fmt::format(" with {} of {} pulses", pulses.missed, pulses.pulses),
                    why_not_captured(config.stimuli[k], problem.stimuli[k], stimulus, problem)));
  }
  std::vector<std::size_t> not_reached;
  if (outcome.activation.activated > 0)
    for (std::size_t component = 0; component < components.all.size(); ++component)
      if (outcome.activated_of_component[component] == 0) not_reached.push_back(component);
  say_of_components(warnings, not_reached, [&](std::size_t component) {
    return fmt::format("{} was never activated: it is not connected to the rest",
                       name_of_component(components, component));
  });
  if (const std::string warning = apd90_warning(outcome); config.output.apd90 && !warning.empty())
    warnings.push_back(warning);
  return warnings;
}

std::vector<std::string> start_warnings(const Config& config, const Problem& problem, const Components& components) {
  std::vector<std::string> warnings;
  const std::vector<bool> stimulated = stimulated_components(config, problem, components);
  std::vector<std::size_t> further;
  for (std::size_t component = 1; component < components.all.size(); ++component) further.push_back(component);
  say_of_components(warnings, further, [&](std::size_t component) {
    return fmt::format("{} is not connected to the rest{}", name_of_component(components, component),
                       stimulated[component] ? "" : " and has no stimulus of its own");
  });
  warn_of_active_start(warnings, config, problem);
  const Real width_mm = front_width_mm(front_thickness_mm(problem).first),
             longest_mm = extent_of(*problem.mesh).longest();
  if (width_mm > longest_mm)
    warnings.push_back(fmt::format(
        "the diffusivity is large for this mesh: a front is {:.3g} mm wide (10 to 90 %), the mesh {:.3g} mm "
        "long; what is stimulated spreads over all of it and no wave travels (mm²/ms, mesh.length_unit)",
        width_mm, longest_mm));
  return warnings;
}

}  // namespace cardiowarp
