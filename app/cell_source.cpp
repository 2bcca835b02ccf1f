#include "app/cell_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include "app/cells/sdirk2_cell.hpp"
#include "app/cells/small_models.hpp"
#include "app/config/quantity.hpp"
#include "app/measure/table.hpp"
#include "app/process/log.hpp"
#include "app/process/standard_streams.hpp"
#include "cellml/model.hpp"
#include "cellml/single_cell.hpp"
#include "fem/cells/any_cell.hpp"
#include "fem/cells/cell_precision.hpp"
#include "fem/cells/ionic_model.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"

namespace cardiowarp {
namespace {

/// The pulse where neither the user nor a file describes one. All models of the program fire from it.
constexpr CellPulse common_pulse{40, 1};

/// `name=value`, where `name` is what the value is to be of and the value a number with or without a unit.
std::pair<std::string, Quantity> parsed_setting(const std::string& word) {
  const std::size_t mark = word.find('=');
  const auto value = parse_quantity(mark == word.npos ? "" : std::string_view(word).substr(mark + 1));
  if (mark == 0 || !value) throw InputError(fmt::format("--parameters: expected NAME=NUMBER, got '{}'", word));
  return {word.substr(0, mark), *value};
}

void print_tables(const Table& states, const Table& parameters) {
  for (const Table* table : {&states, &parameters})
    if (!table->rows.empty()) print_report("\n{}", aligned_text(*table));
}

class CellMlSource final : public CellSource {
 public:
  explicit CellMlSource(const CellWishes& wishes) : file_(wishes.model), model_(read(wishes)) {}

  std::string name() const override { return model_.name; }
  std::vector<std::string> states() const override {
    std::vector<std::string> names;
    for (const CellMlState& state : model_.states) names.push_back(state.name);
    return names;
  }
  std::unique_ptr<SingleCell> make() const override { return std::make_unique<CellMlCell>(model_); }

  CellPulse usual_pulse(double period_ms) const override {
    if (!model_.stimulus) return {0, common_pulse.duration_ms};
    CellPulse pulse = common_pulse;
    if (model_.stimulus->amplitude)
      pulse.amplitude_mv_per_ms = *model_.stimulus->amplitude * model_.stimulus->mv_per_ms;
    if (model_.stimulus->duration_ms) pulse.duration_ms = std::clamp(*model_.stimulus->duration_ms, 0.0, period_ms);
    return pulse;
  }

  void print() const override {
    print_report("model: {} (CellML {}), {} states beside the potential, {} parameters\n", model_.name, model_.version,
                 model_.states.size(), model_.parameters.size());
    print_report("potential: {}, {:.8g} mV at the beginning\n", model_.potential, model_.initial_potential_mv);
    if (model_.stimulus)
      print_report("stimulus: {} is switched off; 1 {} of it is {:.6g} mV/ms\n", model_.stimulus->name,
                   model_.stimulus->unit, model_.stimulus->mv_per_ms);
    else
      print_report("stimulus: the model has none\n");
    Table states{{"state", "unit", "initial", "kind"}, {}};
    for (const CellMlState& state : model_.states)
      states.rows.push_back(
          {state.name, state.unit, state.initial,
           state.chain < 0 ? std::string(name_of(state.kind)) : fmt::format("chain {}", state.chain + 1)});
    Table parameters{{"parameter", "unit", "value"}, {}};
    for (const CellMlParameter& parameter : model_.parameters)
      parameters.rows.push_back({parameter.name, parameter.unit, fmt::format("{:.8g}", parameter.value)});
    print_tables(states, parameters);
  }

  void warn() const override {
    if (model_.depends_on_time)
      log_warn("{}: the equations depend on time, beside a stimulus: --stimulus-current names the current that does",
               file_.string());
    const std::vector<double> singular = potentials_without_rates(model_);
    if (!singular.empty())
      log_warn(
          "{}: rates are not numbers at {} of the potentials from -120 to 60 mV in steps of 0.5 mV, first at {:g} mV",
          file_.string(), singular.size(), singular.front());
  }

 private:
  static CellMlModel read(const CellWishes& wishes) {
    if (!wishes.set.empty())
      throw InputError(
          fmt::format("--set: expected none, as a CellML file has no sets of parameters, got '{}'{}", wishes.set,
                      wishes.set.find('=') != wishes.set.npos ? ": --parameters NAME=VALUE changes one" : ""));
    if (!wishes.precision.empty() && wishes.precision != "double")
      throw InputError(fmt::format("--precision: expected double of a CellML file, got '{}'", wishes.precision));
    CellMlOptions options{wishes.potential, wishes.stimulus_current, {}};
    for (const std::string& word : wishes.parameters) {
      const auto [name, value] = parsed_setting(word);
      if (value.dimension)
        throw InputError(fmt::format("--parameters: expected NAME=NUMBER in the unit of the file, got '{}'", word));
      options.parameters.insert_or_assign(name, value.value);
    }
    return read_cellml(wishes.model, options);
  }

  std::filesystem::path file_;
  CellMlModel model_;
};

std::string in_words(const Range& range) {
  if (!std::isfinite(range.high) && range.low == 0) return range.low_included ? "not negative" : "positive";
  return fmt::format("in {}{:g}, {:g}{}", range.low_included ? '[' : '(', range.low, range.high,
                     range.high_included ? ']' : ')');
}

class BuiltInSource final : public CellSource {
 public:
  explicit BuiltInSource(const CellWishes& wishes) : cell_(cell_model_named(wishes.model)) {
    for (const auto& [option, word] :
         {std::pair("--potential", wishes.potential), std::pair("--stimulus-current", wishes.stimulus_current)})
      if (!word.empty())
        throw InputError(
            fmt::format("{}: expected with a CellML file alone, got '{}' with {}", option, word, wishes.model));
    choose_set(wishes.set);
    for (const std::string& word : wishes.parameters) change_parameter(word);
    view_ = ionic_view(cell_);
    choose_precision(wishes.precision);
  }

  std::string name() const override {
    return set_.empty() ? std::string(name_of(cell_)) : fmt::format("{}, {}", name_of(cell_), set_);
  }
  std::vector<std::string> states() const override {
    std::vector<std::string> names;
    for (const CellState& state : states_of(cell_)) names.emplace_back(state.name);
    return names;
  }
  std::unique_ptr<SingleCell> make() const override { return std::make_unique<Sdirk2Cell>(view_); }
  CellPulse usual_pulse(double period_ms) const override {
    return {common_pulse.amplitude_mv_per_ms, std::min(common_pulse.duration_ms, period_ms)};
  }

  void print() const override {
    const auto parameters = parameters_of(cell_);
    print_report("model: {}, {} states beside the potential, {} parameters\n", name(), states_of(cell_).size(),
                 parameters.size());
    print_report("potential: {:.8g} mV at the beginning\n", view_.start().potential_mv);
    Table states{{"state", "initial", "meaning"}, {}}, values{{"parameter", "unit", "value", "meaning"}, {}};
    for (std::size_t k = 0; k < view_.start().states.size(); ++k)
      states.rows.push_back(
          {std::string(states_of(cell_)[k].name), view_.start().states[k], std::string(states_of(cell_)[k].meaning)});
    for (const ParameterDescription& of : parameters)
      values.rows.push_back({std::string(of.name), std::string(of.unit),
                             fmt::format("{:.8g}", parameter(cell_, of.name)), std::string(of.meaning)});
    print_tables(states, values);
  }

 private:
  void choose_set(const std::string& wish) {
    const std::vector<std::string> sets = parameter_sets_of(cell_);
    if (!sets.empty()) set_ = sets.front();
    if (wish.empty()) return;
    if (std::ranges::find(sets, wish) == sets.end())
      throw InputError(fmt::format(
          "--set: expected {} of {}, got '{}'{}",
          sets.empty() ? "none, as there is one kind" : fmt::format("{}", fmt::join(sets, ", ")), name_of(cell_), wish,
          wish.find('=') != wish.npos ? ": --parameters NAME=VALUE changes one" : suggestion(wish, sets)));
    set_ = wish;
    cell_ = with_parameter_set(cell_, wish);
  }

  void choose_precision(const std::string& wish) {
    if (wish.empty() || wish == "double") return;
    if (wish != "single" || !is_ionic(cell_))
      throw InputError(fmt::format("--precision: expected double{} of {}, got '{}'",
                                   is_ionic(cell_) ? " or single" : "", name_of(cell_), wish));
    view_ = in_precision(view_, CellPrecision::single);
  }

  void change_parameter(const std::string& word) {
    const auto [name, value] = parsed_setting(word);
    std::vector<std::string> names;
    for (const ParameterDescription& of : parameters_of(cell_)) names.emplace_back(of.name);
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      throw InputError(fmt::format("--parameters: expected one of {} of {}, got '{}'{}", fmt::join(names, ", "),
                                   name_of(cell_), name, suggestion(name, names)));
    const ParameterDescription& of = parameters_of(cell_)[static_cast<std::size_t>(found - names.begin())];
    const QuantityKind& kind = of.unit == "ms" ? time_quantity : plain_number;
    if (value.dimension.value_or(kind.dimension) != kind.dimension)
      throw InputError(fmt::format("--parameters: {}: expected a {} ({}), got '{}'", name, kind.noun,
                                   of.unit.empty() || of.unit == "ms" ? kind.units : of.unit,
                                   word.substr(name.size() + 1)));
    if (!of.range.contains(value.value))
      throw InputError(
          fmt::format("--parameters: {}: expected a number {}, got {:g}", name, in_words(of.range), value.value));
    set_parameter(cell_, name, value.value);
  }

  AnyCell cell_;
  std::string set_;
  IonicCell view_;
};

bool is_built_in(const std::string& model) {
  const std::vector<std::string> names = cell_model_names();
  return std::ranges::find(names, model) != names.end();
}

}  // namespace

std::filesystem::path cellml_file_of(const std::string& model) {
  return is_built_in(model) ? std::filesystem::path() : std::filesystem::path(model);
}

std::unique_ptr<CellSource> cell_source(const CellWishes& wishes) {
  if (is_built_in(wishes.model)) return std::make_unique<BuiltInSource>(wishes);
  const std::filesystem::path file = wishes.model;
  std::error_code ignored;
  // A word that can be no file, as it has neither a folder nor an ending, is a mistyped name.
  if (!std::filesystem::exists(file, ignored) && !file.has_extension() && !file.has_parent_path()) {
    const std::vector<std::string> names = cell_model_names();
    throw InputError(fmt::format("MODEL: expected {}, or a CellML file, got '{}'{}", fmt::join(names, ", "),
                                 wishes.model, suggestion(wishes.model, names)));
  }
  return std::make_unique<CellMlSource>(wishes);
}

}  // namespace cardiowarp
