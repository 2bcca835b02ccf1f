#include "cellml/tissue/tissue_model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cellml/number_text.hpp"
#include "cellml/tissue/cellml_lanes.hpp"
#include "cellml/tissue/stage_text.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

/// A checksum of 64 bits that changes with each number or text that is added; no protection against somebody who means
/// to deceive.
class ModelChecksum {
 public:
  void add(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15u;
    hash_ ^= hash_ >> 29;
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    add(static_cast<std::uint64_t>(text.size()));
  }
  std::string in_digits() const {
    std::string digits(16, '0');
    for (std::size_t k = 0; k < digits.size(); ++k) digits[k] = "0123456789abcdef"[hash_ >> (60 - 4 * k) & 15u];
    return digits;
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

/// Of the equations, the names and the initial values.
std::string checksum_of(const CellMlModel& model) {
  ModelChecksum checksum;
  const auto add_index = [&](TermIndex index) { checksum.add(static_cast<std::uint64_t>(index + 1)); };
  for (const Term& term : model.graph.terms()) {
    checksum.add(static_cast<std::uint64_t>(term.operation));
    for (const TermIndex argument : {term.a, term.b, term.c}) add_index(argument);
    checksum.add(term.value);
  }
  for (const std::string* text : {&model.potential}) checksum.add(std::string_view(*text));
  checksum.add(model.initial_potential_mv);
  add_index(model.potential_rate);
  for (const CellMlState& state : model.states) {
    checksum.add(std::string_view(state.name));
    checksum.add(std::string_view(state.unit));
    checksum.add(state.initial);
    for (const TermIndex term : {state.rate, state.open, state.speed}) add_index(term);
  }
  for (const CellMlParameter& parameter : model.parameters) checksum.add(std::string_view(parameter.name));
  return checksum.in_digits();
}

std::string_view behind_dot(std::string_view name) { return name.substr(name.rfind('.') + 1); }

std::string_view short_name(const CellMlModel& model, const CellMlState& state) {
  const std::string_view name = behind_dot(state.name);
  const auto has_it = [&](const CellMlState& other) { return behind_dot(other.name) == name; };
  // Keys beside the states, and arrays that frames have beside them.
  constexpr std::array taken{"potential", "regions", "region", "fiber", "conducts"};
  const bool is_free =
      std::ranges::find(taken, name) == taken.end() && std::ranges::count_if(model.states, has_it) == 1;
  return is_free ? name : std::string_view(state.name);
}

std::vector<CellState> states_of_model(const CellMlModel& model) {
  std::vector<CellState> states;
  for (const CellMlState& state : model.states)
    states.push_back({short_name(model, state), state.unit, state.initial, any_number});
  return states;
}

std::vector<ParameterDescription> parameters_of_model(const CellMlModel& model) {
  std::vector<ParameterDescription> parameters;
  for (const CellMlParameter& parameter : model.parameters)
    parameters.push_back({parameter.name, parameter.unit, "of the CellML file", any_number});
  return parameters;
}

IonicModel::Set set_of_model(const CellMlModel& model) {
  return {"default", model.parameter_values(), model.initial_potential_mv, model.initial_states()};
}

class CellMlTissueModel final : public RunTimeModel {
 public:
  /// The base keeps views of names in `model`, which is not moved.
  CellMlTissueModel(std::unique_ptr<const CellMlModel> model, const ModelOrigin& origin)
      : RunTimeModel(origin.file.filename().string(), states_of_model(*model), parameters_of_model(*model),
                     set_of_model(*model), origin),
        model_(std::move(model)) {}

  std::unique_ptr<LaneStage> lane_stage(std::span<const IonicCell> cells) const override {
    return cellml_lane_stage(*model_, parameters_of(cells));
  }
  StageText stage_text(std::span<const IonicCell> cells) const override {
    return cellml_stage_text(*model_, parameters_of(cells));
  }

  Real rates(const IonicCell& cell, Real V, const Real* states, Real* rates) const override {
    const std::vector<double> values = evaluate(
        model_->graph, {.potential_mv = V, .states = {states, model_->states.size()}, .parameters = cell.parameters});
    for (std::size_t k = 0; k < model_->states.size(); ++k)
      rates[k] = values[static_cast<std::size_t>(model_->states[k].rate)];
    return -values[static_cast<std::size_t>(model_->potential_rate)];
  }

  std::string_view parameter_called(std::string_view word) const override {
    std::string_view found;
    for (const CellMlParameter& parameter : model_->parameters) {
      if (parameter.name == word) return parameter.name;
      if (behind_dot(parameter.name) != word &&
          std::ranges::find(parameter.annotations, word) == parameter.annotations.end())
        continue;
      if (!found.empty()) return {};
      found = parameter.name;
    }
    return found;
  }

 private:
  /// [cell] a cell of another model has those of one of this.
  std::vector<std::vector<double>> parameters_of(std::span<const IonicCell> cells) const {
    const auto mine = std::ranges::find(cells, this, &IonicCell::model);
    std::vector<std::vector<double>> parameters;
    for (const IonicCell& cell : cells) parameters.push_back(cell.model == this ? cell.parameters : mine->parameters);
    return parameters;
  }

  std::unique_ptr<const CellMlModel> model_;
};

/// Throws InputError that names the first state whose rate is not a number where the cell begins.
void require_rates(const CellMlModel& model) {
  const std::vector<double> states = model.initial_states(), parameters = model.parameter_values();
  const std::vector<double> values =
      evaluate(model.graph, {.potential_mv = model.initial_potential_mv, .states = states, .parameters = parameters});
  const auto require = [&](const std::string& name, TermIndex rate) {
    if (!std::isfinite(values[static_cast<std::size_t>(rate)]))
      throw InputError("the rate of " + name +
                       " is not a number where the cell begins, with all initial values and "
                       "parameters as they are: expected a finite one");
  };
  require(model.potential, model.potential_rate);
  for (const CellMlState& state : model.states) require(state.name, state.rate);
}

std::string warning_of(const CellMlModel& model, const std::filesystem::path& file) {
  const std::vector<double> singular = potentials_without_rates(model);
  if (singular.empty()) return "";
  return file.string() + ": rates are not numbers at " + std::to_string(singular.size()) +
         " of the potentials from -120 to 60 mV in steps of 0.5 mV, first at " + number_text(singular.front()) + " mV";
}

}  // namespace

const RunTimeModel& cellml_tissue_model(const std::filesystem::path& file, const CellMlOptions& options,
                                        std::vector<std::string>& warnings) {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<const CellMlTissueModel>> all;
  auto model = std::make_unique<CellMlModel>(read_cellml(file, options));
  try {
    if (model->depends_on_time)
      throw InputError(
          "the equations depend on time, beside a stimulus: expected cell_model.stimulus to name the "
          "current that does");
    require_rates(*model);
  } catch (const InputError& error) {
    throw InputError(file.string() + ": " + error.what());
  }
  const ModelOrigin origin{file, options.potential, options.stimulus, checksum_of(*model)};
  const IonicModel::Set set = set_of_model(*model);
  const std::lock_guard lock(mutex);
  const auto known = std::ranges::find_if(all, [&](const auto& other) {
    const ModelOrigin& of = other->origin();
    return of.file == origin.file && of.potential == origin.potential && of.stimulus == origin.stimulus &&
           of.checksum == origin.checksum && other->sets().front().parameters == set.parameters;
  });
  if (known != all.end()) return **known;
  if (std::string warning = warning_of(*model, file); !warning.empty()) warnings.push_back(std::move(warning));
  return *all.emplace_back(std::make_unique<CellMlTissueModel>(std::move(model), origin));
}

}  // namespace cardiowarp
