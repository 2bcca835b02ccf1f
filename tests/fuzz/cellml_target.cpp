#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "cellml/model.hpp"
#include "cellml/term_tape.hpp"
#include "cellml/tissue/cellml_lanes.hpp"
#include "cellml/tissue/stage_text.hpp"
#include "cellml/tissue/term_text.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace cardiowarp {
namespace {

/// A stage of cells of a model: in lanes that are alike it has the same bits.
void hold_stage(const CellMlModel& model) {
  const auto stage = cellml_lane_stage(model, std::vector<std::vector<double>>{model.parameter_values()});
  stage->potential_mv.fill(model.initial_potential_mv);
  for (std::size_t k = 0; k < model.states.size(); ++k) stage->old[k * LaneStage::lanes] = model.states[k].initial;
  stage->fill_from_first_lane();
  stage->run(0.01);
  for (const double current : stage->current)
    fuzz::require(current == stage->current[0] || std::isnan(current), "a lane that is not as its neighbor");
}

/// The text of a stage, which may have nothing of the file in it.
void hold_text(const CellMlModel& model) {
  const StageText stage = cellml_stage_text(model, std::vector<std::vector<double>>{model.parameter_values()});
  for (const char letter : stage.text.substr(std::string(term_functions).size()))
    fuzz::require(letter == '\n' || (letter >= ' ' && letter <= '~' && letter != '"' && letter != '\''),
                  "a letter of the file in the text of a stage");
}

/// What every model that is read must have, and what is made of it.
void hold(const CellMlModel& model) {
  fuzz::require(!model.potential.empty() && model.potential_rate >= 0, "a model without a potential");
  std::vector<TermIndex> rates{model.potential_rate};
  for (const CellMlState& state : model.states) {
    fuzz::require(state.rate >= 0, "a state without a rate");
    fuzz::require((state.kind == StateKind::chain) == (state.chain >= 0), "a chain without a number");
    fuzz::require((state.kind == StateKind::gate || state.kind == StateKind::follower) == (state.open >= 0),
                  "a gate without what opens it");
    rates.push_back(state.rate);
  }
  const std::vector<double> parameters = model.parameter_values(), states = model.initial_states();
  const TermTape tape(model.graph, rates, parameters);
  std::vector<double> registers = tape.registers<double, 1>();
  tape.run<double, 1>(registers);
  evaluate(model.graph, {.potential_mv = model.initial_potential_mv, .states = states, .parameters = parameters});
  potentials_without_rates(model);
  if (model.depends_on_time) return;
  constexpr std::size_t most_states = 60, most_terms_of_stage = 5000;  // what is larger takes long
  if (model.states.size() > most_states || model.graph.terms().size() > most_terms_of_stage) return;
  hold_stage(model);
  hold_text(model);
}

}  // namespace
}  // namespace cardiowarp

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  const std::string text(fuzz::text_of(data, size));
  fuzz::is_read([&] { hold(parse_cellml(text)); });
  return 0;
}
