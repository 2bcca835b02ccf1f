#include "app/cell_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <system_error>

#include "app/cell_trace.hpp"
#include "app/config/quantity.hpp"
#include "app/files/removed_at_signal.hpp"
#include "app/files/result_file.hpp"
#include "app/measure/table.hpp"
#include "app/process/log.hpp"
#include "app/process/standard_streams.hpp"
#include "fem/cells/beats/restitution.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

constexpr int most_beats = 100'000, traced_beats = 5;

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

std::string pulse_in_words(const CellPulse& pulse) {
  return fmt::format("{:.6g} mV/ms for {:g} ms", pulse.amplitude_mv_per_ms, pulse.duration_ms);
}

constexpr const char* files_of_beats[] = {"cell_trace.csv", "cell_beats.csv", "cell_potential.svg"};
constexpr const char* files_of_s1s2[] = {"cell_restitution.csv", "cell_restitution.svg"};
constexpr const char* files_of_dynamic[] = {"cell_dynamic.csv", "cell_dynamic.svg"};

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

/// A table and, where there is one, its picture.
void write_results(const std::filesystem::path& folder, const char* const (&names)[2], const Table& table,
                   const std::string& figure) {
  make_folder(folder);
  write_file_atomically(folder / names[0], csv_text(table));
  if (!figure.empty()) write_file_atomically(folder / names[1], figure);
  print_report("{}: {}{}\n", folder.string(), names[0], figure.empty() ? "" : std::string(", ") + names[1]);
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
    : command_(program.add_command("cell", "Let a single cell beat, of a model of the program or of a CellML file")) {
  command_.add_option("MODEL", wishes_.model, "As of cell_model.name, or a file in CellML 1.0, 1.1 or 2.0",
                      {.is_required = true});
  command_.add_option("--set", wishes_.set, "The kind of cell, as of cell_model.set; default: the first",
                      {.type = "NAME"});
  command_.add_option("--precision", wishes_.precision, "As of cell_model.precision, double or single; default: double",
                      {.type = "NAME"});
  command_.add_option("--parameters", wishes_.parameters, "In the units of the model",
                      {.type = "NAME=VALUE,..", .has_commas = true});
  command_.add_option("--beats", beats_, "0: only print the model; default: 1, of a protocol 10", {.type = "N"});
  command_.add_option("--period", period_, "From beat to beat", {.type = "T", .shows_default = true});
  command_.add_option("--amplitude", amplitude_,
                      "Of the pulse, positive depolarizes; default: that of the file, or 40 mV/ms", {.type = "RATE"});
  command_.add_option("--duration", duration_, "Of the pulse; default: that of the file, or 1 ms", {.type = "T"});
  command_.add_option("--potential", wishes_.potential,
                      "The variable that is the potential, where a file does not tell", {.type = "NAME"});
  command_.add_option("--stimulus-current", wishes_.stimulus_current,
                      "The variable that is the stimulus, where a file does not tell", {.type = "NAME"});
  command_.add_option("--protocol", protocol_,
                      "s1s2 (--beats at --period, then a pulse early), dynamic (--beats at each interval) or "
                      "restitution (both)",
                      {.type = "NAME"});
  command_.add_option("--intervals", intervals_ms_, "Of the protocol, in ms; default: from --period to 200",
                      {.type = "T,T,..", .has_commas = true});
  command_.add_option("--output", output_,
                      "Write cell_trace.csv, cell_beats.csv and cell_potential.svg, or cell_restitution.csv and .svg "
                      "of s1s2, cell_dynamic.csv and .svg of dynamic",
                      {.type = "DIR"});
}

/// The files that the command may write.
std::vector<const char*> CellCommand::files() const {
  if (!is_restitution()) return {std::begin(files_of_beats), std::end(files_of_beats)};
  std::vector<const char*> names;
  if (protocol_ != "dynamic") names.assign(std::begin(files_of_s1s2), std::end(files_of_s1s2));
  if (protocol_ != "s1s2") names.insert(names.end(), std::begin(files_of_dynamic), std::end(files_of_dynamic));
  return names;
}

void CellCommand::require_arguments() const {
  const std::vector<std::string> protocols{"s1s2", "dynamic", "restitution"};
  if (is_restitution() && std::ranges::find(protocols, protocol_) == protocols.end())
    throw InputError(fmt::format("--protocol: expected {}, got '{}'{}", fmt::join(protocols, ", "), protocol_,
                                 suggestion(protocol_, protocols)));
  const int fewest = is_restitution() ? 1 : 0;
  if (beats() < fewest || beats() > most_beats)
    throw InputError(fmt::format("--beats: expected {} to {}, got {}", fewest, most_beats, beats()));
  if (!intervals_ms_.empty() && !is_restitution()) throw InputError("--intervals: expected with --protocol alone");
  for (const double interval_ms : intervals_ms_)
    if (!(interval_ms >= 1 && interval_ms <= 1e6))
      throw InputError(fmt::format("--intervals: expected times from 1 to 1e6 ms, got {:g}", interval_ms));
  if (!output_.empty()) {
    const auto names = files();
    require_writable_folder("--output", output_, {names.begin(), names.end()}, {cellml_file_of(wishes_.model)});
  }
}

CellPulse CellCommand::pulse_for(const CellSource& source, double period_ms) const {
  CellPulse pulse = source.usual_pulse(period_ms);
  if (!amplitude_.empty()) pulse.amplitude_mv_per_ms = parsed("--amplitude", amplitude_, potential_rate_quantity);
  if (!duration_.empty()) pulse.duration_ms = parsed_time_ms("--duration", duration_, 0, period_ms);
  return pulse;
}

void CellCommand::beat(const CellSource& source, const CellPulse& pulse, double period_ms) const {
  CellTrace trace(source.states());
  const auto add = [&](double time_ms, double potential_mv, std::span<const double> states) {
    trace.add(time_ms, potential_mv, states);
  };
  const std::unique_ptr<SingleCell> cell = source.make();
  std::vector<BeatReport> reports;
  for (int beat = 0; beat < beats(); ++beat) {
    const bool is_traced = !output_.empty() && beat + traced_beats >= beats();
    reports.push_back(cell->beat(period_ms, pulse, is_traced ? SingleCell::OnPoint(add) : SingleCell::OnPoint()));
  }
  print_report("{}", aligned_text(beat_table(reports)));
  if (!output_.empty()) write_beats(output_, trace, reports, source.name());
}

void CellCommand::measure_restitution(const CellSource& source, const CellPulse& pulse, double period_ms) const {
  const std::vector<double> intervals_ms = intervals_ms_.empty() ? usual_intervals_ms(period_ms) : intervals_ms_;
  if (protocol_ != "dynamic") {
    const auto points = s1s2_restitution(*source.make(), pulse, beats(), period_ms, intervals_ms);
    print_report("{}{}", aligned_text(restitution_table(points)), in_words(points));
    if (!output_.empty())
      write_results(output_, files_of_s1s2, restitution_table(points), restitution_figure(source.name(), points));
  }
  if (protocol_ != "s1s2") {
    const auto periods = dynamic_restitution(*source.make(), pulse, beats(), intervals_ms);
    print_report("{}{}", aligned_text(dynamic_table(periods)), in_words(periods));
    if (!output_.empty())
      write_results(output_, files_of_dynamic, dynamic_table(periods), dynamic_figure(source.name(), periods));
  }
}

ExitCode CellCommand::run() const {
  const RemovedAtSignal at_signal;
  require_arguments();
  const double period_ms = parsed_time_ms("--period", period_, 1, 1e6);
  const std::unique_ptr<CellSource> source = cell_source(wishes_);
  const CellPulse pulse = pulse_for(*source, period_ms);
  source->print();
  source->warn();
  if (beats() == 0) return ExitCode::done;
  print_report("\npulse: {}, every {:g} ms\n", pulse_in_words(pulse), period_ms);
  try {
    if (is_restitution())
      measure_restitution(*source, pulse, period_ms);
    else
      beat(*source, pulse, period_ms);
  } catch (const NumericalFailure& failure) {
    print_error(fmt::format("{}: {}", wishes_.model, failure.what()));
    return ExitCode::not_converged;
  }
  return ExitCode::done;
}

}  // namespace cardiowarp
