#include "app/restitution_command.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "app/config/config.hpp"
#include "app/files/result_file.hpp"
#include "app/measure/curve_figure.hpp"
#include "app/measure/table.hpp"
#include "app/process/log.hpp"
#include "app/process/standard_streams.hpp"
#include "app/study/restitution.hpp"
#include "fem/input_error.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

constexpr const char *table_name = "restitution.csv", *figure_name = "restitution.svg";

using Waves = std::map<Real, WaveAfterPulse>;

/// A line for each interval, the longest first.
Table table_of(const Waves& waves, PacedBy paced_by) {
  Table table{{paced_by == PacedBy::interval ? "interval_ms" : "period_ms", "captured", "diastolic_ms", "apd90_ms",
               "speed_m_per_s", "not_judged"},
              {}};
  for (auto paced = waves.rbegin(); paced != waves.rend(); ++paced) {
    const WaveAfterPulse& wave = paced->second;
    table.rows.push_back({paced->first, wave.captured ? TableCell(*wave.captured) : TableCell(),
                          cell_of(wave.diastolic_ms), cell_of(wave.apd90_ms), cell_of(wave.speed_m_per_s),
                          wave.not_judged.empty() ? TableCell() : TableCell(wave.not_judged)});
  }
  return table;
}

std::string figure_of(const Waves& waves, PacedBy paced_by, const std::string& stimulus) {
  const std::string below = paced_by == PacedBy::interval ? "interval in ms" : "period in ms";
  Curve apd90{.x = {}, .y = {}, .has_marks = true}, speed = apd90;
  for (const auto& [time_ms, wave] : waves) {
    apd90.x.push_back(time_ms);
    speed.x.push_back(time_ms);
    const bool captured = wave.captured.value_or(false);
    apd90.y.push_back(captured ? wave.apd90_ms.value_or(NAN) : NAN);
    speed.y.push_back(captured ? wave.speed_m_per_s.value_or(NAN) : NAN);
  }
  return curve_figure("restitution, " + stimulus, {{below, "APD90 in ms", {apd90}}, {below, "speed in m/s", {speed}}});
}

void tell(const WaveAfterPulse& wave) {
  std::string words = !wave.captured ? "not judged: " + wave.not_judged : *wave.captured ? "captured" : "not captured";
  if (wave.speed_m_per_s) words += fmt::format(", {:.4g} m/s", *wave.speed_m_per_s);
  if (wave.apd90_ms) words += fmt::format(", APD90 {:.4g} ms", *wave.apd90_ms);
  log_info("{:g} ms: {}", wave.interval_ms, words);
}

void report(const RefractoryPeriod& period, const RestitutionProtocol& protocol) {
  if (period.missed_ms && period.captured_ms && *period.captured_ms - *period.missed_ms <= 1)
    print_report("ERP: {:g} ms ({} captures at {:g} ms)\n", *period.missed_ms, protocol.stimulus(),
                 *period.captured_ms);
  else if (period.captured_ms && !period.missed_ms)
    print_report("ERP: below {:g} ms\n", *period.captured_ms);
  else if (period.captured_ms)
    print_report("ERP: from {:g} to {:g} ms\n", *period.missed_ms, *period.captured_ms);
  if (period.missed_ms && protocol.waves().contains(*period.missed_ms))
    if (const WaveAfterPulse& wave = protocol.waves().at(*period.missed_ms); !wave.captured)
      log_warn("at {:g} ms the pulse could not be judged, which is taken for a miss: {}", wave.interval_ms,
               wave.not_judged);
}

void require_positive(const char* option, const std::vector<double>& times_ms) {
  for (const double time_ms : times_ms)
    if (!(time_ms > 0 && std::isfinite(time_ms)))
      throw InputError(fmt::format("{}: expected positive times in ms, got {}", option, time_ms));
}

/// The ERP, where it is looked for: between what is known, or, for `erp`, from the interval of the file downwards.
RefractoryPeriod refractory_period(RestitutionProtocol& protocol, RestitutionCommand::Kind kind) {
  const Study& study = protocol.study();
  if (kind == RestitutionCommand::Kind::erp) {
    if (!protocol.measure({protocol.given_ms()}, tell)) return {};
    const WaveAfterPulse& wave = protocol.waves().at(protocol.given_ms());
    if (!wave.captured.value_or(false))
      throw InputError(fmt::format("{}: expected {} to capture at the interval of the file, {:g} ms, got {}",
                                   study.file.string(), protocol.stimulus(), wave.interval_ms,
                                   wave.captured ? "no capture: give it a later start" : wave.not_judged));
  } else if (const RefractoryPeriod known = bracket_of(protocol.waves()); !known.missed_ms || !known.captured_ms) {
    return {};
  }
  const int jobs = study.jobs ? *study.jobs : usual_jobs(load_config(study.file, study.settings));
  return find_refractory_period(protocol, jobs, tell);
}

}  // namespace

RestitutionCommand::RestitutionCommand(Command& program, Kind kind)
    : kind_(kind),
      command_(
          kind == Kind::erp
              ? program.add_command("erp",
                                    "Find the effective refractory period: the longest interval at which a "
                                    "stimulus does not capture")
              : program.add_command("restitution",
                                    "Measure APD90 and speed of a stimulus' wave at several intervals or periods")) {
  words_.add_to(command_, kind == Kind::erp ? "_erp" : "_restitution");
  command_.add_option("--stimulus", stimulus_, "Name of the stimulus that is varied (default: the last one)",
                      {.type = "NAME"});
  if (kind == Kind::erp) return;
  command_.add_option("--intervals", intervals_ms_,
                      "From the last pulse of the other stimuli to this one, ms: 500,400,300",
                      {.type = "MS,MS", .has_commas = true});
  command_.add_option("--periods", periods_ms_,
                      "Of the stimulus, and of prepace, ms (dynamic restitution): 800,600,400",
                      {.type = "MS,MS", .has_commas = true, .excludes = "--intervals"});
}

ExitCode RestitutionCommand::run() const {
  require_positive("--intervals", intervals_ms_);
  require_positive("--periods", periods_ms_);
  if (kind_ == Kind::restitution && intervals_ms_.empty() && periods_ms_.empty())
    throw InputError("restitution: expected --intervals MS,MS or --periods MS,MS, got neither");
  const PacedBy paced_by = periods_ms_.empty() ? PacedBy::interval : PacedBy::period;
  RestitutionProtocol protocol(words_.study(), paced_by, stimulus_);
  const Study& study = protocol.study();
  require_writable_folder("--output", study.folder, {table_name, figure_name}, {study.file});

  const bool is_whole = protocol.measure(periods_ms_.empty() ? intervals_ms_ : periods_ms_, tell);
  RefractoryPeriod period;
  if (is_whole && paced_by == PacedBy::interval) period = refractory_period(protocol, kind_);
  if (!protocol.waves().empty()) {
    const Table table = table_of(protocol.waves(), paced_by);
    write_file_atomically(study.folder / table_name, csv_text(table));
    write_file_atomically(study.folder / figure_name, figure_of(protocol.waves(), paced_by, protocol.stimulus()));
    print_report("{}", aligned_text(table));
    report(period, protocol);
    print_report("{}: {}, {}\n", study.folder.string(), table_name, figure_name);
  }
  if (protocol.failure()) {
    log_error("{}", protocol.failure()->reason);
    return ExitCode(protocol.failure()->exit_code);
  }
  if (!protocol.is_stopped()) return ExitCode::done;
  log_warn("interrupted: --resume goes on with it");
  return ExitCode::interrupted;
}

}  // namespace cardiowarp
