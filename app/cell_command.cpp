#include "app/cell_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <system_error>
#include <utility>

#include "app/cell_trace.hpp"
#include "app/config/quantity.hpp"
#include "app/files/removed_at_signal.hpp"
#include "app/files/result_file.hpp"
#include "app/measure/table.hpp"
#include "app/process/log.hpp"
#include "app/process/standard_streams.hpp"
#include "cellml/model.hpp"
#include "cellml/restitution.hpp"
#include "cellml/single_cell.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

constexpr int most_beats = 100'000, traced_beats = 5;
/// The pulse where neither the user nor the file describes one.
constexpr CellPulse usual_pulse{40, 1};

double parsed(const char* option, const std::string& text, const QuantityKind& kind) {
  const auto quantity = parse_quantity(text);
  if (!quantity || quantity->dimension.value_or(kind.dimension) != kind.dimension)
    throw InputError(fmt::format("{}: expected a {} ({}), got '{}'", option, kind.noun, kind.units, text));
  return quantity->value;
}

double parsed_time_ms(const char* option, const std::string& text, double least, double most) {
  const double time_ms = parsed(option, text, time_quantity);
  if (!(time_ms >= least && time_ms <= most))
    throw InputError(fmt::format("{}: expected a time from {:g} to {:g} ms, got '{}'", option, least, most, text));
  return time_ms;
}

std::pair<std::string, double> parsed_setting(const std::string& word) {
  const std::size_t mark = word.find('=');
  const auto value = parse_quantity(mark == word.npos ? "" : std::string_view(word).substr(mark + 1));
  if (mark == 0 || !value || value->dimension)
    throw InputError(fmt::format("--set: expected name=number, in the unit of the file, got '{}'", word));
  return {word.substr(0, mark), value->value};
}

std::string pulse_in_words(const CellPulse& pulse) {
  return fmt::format("{:.6g} mV/ms for {:g} ms", pulse.amplitude_mv_per_ms, pulse.duration_ms);
}

void print_model(const CellMlModel& model) {
  print_report("model: {} (CellML {}), {} states beside the potential, {} parameters\n", model.name, model.version,
               model.states.size(), model.parameters.size());
  print_report("potential: {}, {:.8g} mV at the beginning\n", model.potential, model.initial_potential_mv);
  if (model.stimulus)
    print_report("stimulus: {} is switched off; 1 {} of it is {:.6g} mV/ms\n", model.stimulus->name,
                 model.stimulus->unit, model.stimulus->mv_per_ms);
  else
    print_report("stimulus: the model has none\n");
  Table states{{"state", "unit", "initial", "kind"}, {}};
  for (const CellMlState& state : model.states)
    states.rows.push_back(
        {state.name, state.unit, state.initial,
         state.chain < 0 ? std::string(name_of(state.kind)) : fmt::format("chain {}", state.chain + 1)});
  if (!states.rows.empty()) print_report("\n{}", aligned_text(states));
  Table parameters{{"parameter", "unit", "value"}, {}};
  for (const CellMlParameter& parameter : model.parameters)
    parameters.rows.push_back({parameter.name, parameter.unit, fmt::format("{:.8g}", parameter.value)});
  if (!parameters.rows.empty()) print_report("\n{}", aligned_text(parameters));
}

void warn_of(const CellMlModel& model, const std::filesystem::path& file) {
  if (model.depends_on_time)
    log_warn("{}: the equations depend on time, beside a stimulus: --stimulus-current names the current that does",
             file.string());
  const std::vector<double> singular = potentials_without_rates(model);
  if (!singular.empty())
    log_warn(
        "{}: rates are not numbers at {} of the potentials from -120 to 60 mV in steps of 0.5 mV, first at {:g} mV",
        file.string(), singular.size(), singular.front());
}

constexpr const char* files_of_beats[] = {"cell_trace.csv", "cell_beats.csv", "cell_potential.svg"};
constexpr const char* files_of_restitution[] = {"cell_restitution.csv", "cell_restitution.svg"};

/// Refuses a folder into which the results could not be written. Throws InputError.
void require_folder(const std::filesystem::path& folder, const std::filesystem::path& input,
                    std::span<const char* const> names) {
  std::error_code ignored;
  if (const std::string reason = why_not_writable(folder); !reason.empty()) throw InputError("--output: " + reason);
  if (std::filesystem::is_directory(folder, ignored))
    for (const char* name : names) require_writable("--output", folder / name, {input});
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError(fmt::format("--output: cannot make '{}': {}", folder.string(), error.message()));
}

void write_beats(const std::filesystem::path& folder, const CellTrace& trace, const std::vector<BeatReport>& beats,
                 const std::string& title) {
  make_folder(folder);
  write_file_atomically(folder / files_of_beats[0], trace.csv());
  write_file_atomically(folder / files_of_beats[1], csv_text(beat_table(beats)));
  write_file_atomically(folder / files_of_beats[2], trace.figure(title));
  print_report("{}: {}\n", folder.string(), fmt::join(files_of_beats, ", "));
}

void write_restitution(const std::filesystem::path& folder, const std::vector<RestitutionPoint>& points,
                       const std::string& title) {
  make_folder(folder);
  write_file_atomically(folder / files_of_restitution[0], csv_text(restitution_table(points)));
  const std::string figure = restitution_figure(title, points);
  if (!figure.empty()) write_file_atomically(folder / files_of_restitution[1], figure);
  print_report("{}: {}{}\n", folder.string(), files_of_restitution[0],
               figure.empty() ? "" : std::string(", ") + files_of_restitution[1]);
}

/// The intervals of a protocol, longest first, in place of ones that the user gives.
std::vector<double> usual_intervals_ms(double longest_ms) {
  std::vector<double> intervals_ms{longest_ms};
  for (const double ms : {1000, 900, 800, 700, 600, 500, 450, 400, 380, 360, 340, 320, 300, 280, 260, 240, 220, 200})
    if (ms < longest_ms) intervals_ms.push_back(ms);
  return intervals_ms;
}

}  // namespace

CellCommand::CellCommand(Command& program)
    : command_(program.add_command("cell", "Check a cell model in a CellML file, and let a single cell beat")) {
  command_.add_option("FILE", file_, "CellML 1.0, 1.1 or 2.0", {.is_required = true});
  command_.add_option("--set", settings_, "A parameter, in the unit of the file (repeatable)",
                      {.type = "NAME=VALUE", .is_repeatable = true});
  command_.add_option("--beats", beats_, "0: only check the file", {.type = "N", .shows_default = true});
  command_.add_option("--period", period_, "From beat to beat", {.type = "T", .shows_default = true});
  command_.add_option("--amplitude", amplitude_,
                      "Of the pulse, positive depolarizes; default: that of the file, or 40 mV/ms", {.type = "RATE"});
  command_.add_option("--duration", duration_, "Of the pulse; default: that of the file, or 1 ms", {.type = "T"});
  command_.add_option("--potential", potential_, "The variable that is the potential, where the file does not tell",
                      {.type = "NAME"});
  command_.add_option("--stimulus-current", stimulus_current_,
                      "The variable that is the stimulus, where the file does not tell", {.type = "NAME"});
  command_.add_option(
      "--protocol", protocol_,
      "Restitution: s1s2 (--beats at --period, then a pulse early) or dynamic (--beats at each interval)",
      {.type = "NAME"});
  command_.add_option("--intervals", intervals_ms_, "Of the protocol, in ms; default: from --period to 200",
                      {.type = "T,T,..", .has_commas = true});
  command_.add_option("--output", output_,
                      "Write cell_trace.csv, cell_beats.csv and cell_potential.svg, or cell_restitution.csv and .svg",
                      {.type = "DIR"});
}

bool CellCommand::is_restitution() const { return protocol_ == "s1s2" || protocol_ == "dynamic"; }

void CellCommand::require_arguments() const {
  if (beats_ < (is_restitution() ? 1 : 0) || beats_ > most_beats)
    throw InputError(fmt::format("--beats: expected {} to {}, got {}", is_restitution() ? 1 : 0, most_beats, beats_));
  const std::vector<std::string> protocols{"s1s2", "dynamic"};
  if (!protocol_.empty() && !is_restitution())
    throw InputError(fmt::format("--protocol: expected {}, got '{}'{}", fmt::join(protocols, ", "), protocol_,
                                 suggestion(protocol_, protocols)));
  if (!intervals_ms_.empty() && !is_restitution()) throw InputError("--intervals: expected with --protocol alone");
  for (const double interval_ms : intervals_ms_)
    if (!(interval_ms >= 1 && interval_ms <= 1e6))
      throw InputError(fmt::format("--intervals: expected times from 1 to 1e6 ms, got {:g}", interval_ms));
  if (output_.empty()) return;
  if (is_restitution())
    require_folder(output_, file_, files_of_restitution);
  else
    require_folder(output_, file_, files_of_beats);
}

CellPulse CellCommand::pulse_for(const CellMlModel& model, double period_ms) const {
  CellPulse pulse = model.stimulus ? usual_pulse : CellPulse{0, usual_pulse.duration_ms};
  if (model.stimulus && model.stimulus->amplitude)
    pulse.amplitude_mv_per_ms = *model.stimulus->amplitude * model.stimulus->mv_per_ms;
  if (model.stimulus && model.stimulus->duration_ms)
    pulse.duration_ms = std::clamp(*model.stimulus->duration_ms, 0.0, period_ms);
  if (!amplitude_.empty()) pulse.amplitude_mv_per_ms = parsed("--amplitude", amplitude_, potential_rate_quantity);
  if (!duration_.empty()) pulse.duration_ms = parsed_time_ms("--duration", duration_, 0, period_ms);
  return pulse;
}

void CellCommand::beat(const CellMlModel& model, const CellPulse& pulse, double period_ms) const {
  std::vector<std::string> names;
  for (const CellMlState& state : model.states) names.push_back(state.name);
  CellTrace trace(std::move(names));
  const auto add = [&](double time_ms, double potential_mv, std::span<const double> states) {
    trace.add(time_ms, potential_mv, states);
  };
  SingleCell cell(model);
  std::vector<BeatReport> beats;
  for (int beat = 0; beat < beats_; ++beat) {
    const bool is_traced = !output_.empty() && beat + traced_beats >= beats_;
    beats.push_back(cell.beat(period_ms, pulse, is_traced ? SingleCell::OnPoint(add) : SingleCell::OnPoint()));
  }
  print_report("{}", aligned_text(beat_table(beats)));
  if (!output_.empty()) write_beats(output_, trace, beats, model.name);
}

void CellCommand::measure_restitution(const CellMlModel& model, const CellPulse& pulse, double period_ms) const {
  const std::vector<double> intervals_ms = intervals_ms_.empty() ? usual_intervals_ms(period_ms) : intervals_ms_;
  const std::vector<RestitutionPoint> points = protocol_ == "s1s2"
                                                   ? s1s2_restitution(model, pulse, beats_, period_ms, intervals_ms)
                                                   : dynamic_restitution(model, pulse, beats_, intervals_ms);
  print_report("{}", aligned_text(restitution_table(points)));
  if (!output_.empty()) write_restitution(output_, points, model.name);
}

ExitCode CellCommand::run() const {
  const RemovedAtSignal at_signal;
  require_arguments();
  const double period_ms = parsed_time_ms("--period", period_, 1, 1e6);
  CellMlOptions options{potential_, stimulus_current_, {}};
  for (const std::string& word : settings_) {
    const auto [name, value] = parsed_setting(word);
    options.parameters.insert_or_assign(name, value);
  }
  const CellMlModel model = read_cellml(file_, options);
  const CellPulse pulse = pulse_for(model, period_ms);
  print_model(model);
  warn_of(model, file_);
  if (beats_ == 0) return ExitCode::done;
  print_report("\npulse: {}, every {:g} ms\n", pulse_in_words(pulse), period_ms);
  try {
    if (is_restitution())
      measure_restitution(model, pulse, period_ms);
    else
      beat(model, pulse, period_ms);
  } catch (const NumericalFailure& failure) {
    print_error(fmt::format("{}: {}", file_.string(), failure.what()));
    return ExitCode::not_converged;
  }
  return ExitCode::done;
}

}  // namespace cardiowarp
