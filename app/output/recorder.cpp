#include "app/output/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "app/advice/resolution.hpp"
#include "app/config/config.hpp"
#include "app/measure/stopwatch.hpp"
#include "app/output/ecg_picture.hpp"
#include "app/output/frame_files.hpp"
#include "app/output/frame_writer.hpp"
#include "app/output/maps_file.hpp"
#include "app/output/probe_beats.hpp"
#include "app/output/series_table.hpp"
#include "app/process/threads.hpp"
#include "app/simulation/error_estimate.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/simulation.hpp"
#include "fem/lead_field.hpp"
#include "fem/mesh.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

constexpr const char *probes_file = "probes.csv", *ecg_file = "ecg.csv", *ecg_picture_file = "ecg.svg",
                     *beats_file = "beats.csv", *probe_beats_file = "probe_beats.csv", *report_file = "report.html";

std::vector<std::string> names_of(const std::vector<ProbeConfig>& probes) {
  std::vector<std::string> names;
  for (const ProbeConfig& probe : probes) names.push_back(probe.name);
  return names;
}

/// [points] whether the ECG has it in the tissue or near to it.
std::vector<bool> points_in_tissue(const Ecg& ecg, const Mesh& mesh) {
  const std::vector<Real> longest_mm = longest_edges(mesh);
  std::vector<bool> in_tissue;
  for (const Vector3& point : ecg.electrodes) in_tissue.push_back(too_near(mesh, longest_mm, point).has_value());
  return in_tissue;
}

/// Samples are taken at the latest when there are so many of them.
constexpr Real most_samples = 256;

/// The summary says of the other files that they are complete, so that it is the first to go; the probes' rows, which
/// the frames come with, are the last.
FrameOutput begun_frames(const Config& config, const Problem& problem, VtuGrid& grid, int threads, bool goes_on) {
  remove_file(config.output.directory / "summary.json");
  create_frames_folder(config.output.directory);
  if (!goes_on) remove_earlier_run(config.output.directory);
  return {make_frame_writer(config, problem, grid), config.output.directory, threads, goes_on};
}

}  // namespace

void require_results_replaceable(const std::filesystem::path& directory) {
  for (const char* name : {"summary.json", "resolved.yaml", probes_file, ecg_file, ecg_picture_file, beats_file,
                           probe_beats_file, report_file})
    require_replaceable(directory / name);
  require_frames_replaceable(directory);
}

void WrittenResults::exchange(StateArchive& archive) {
  frames.exchange(archive);
  archive.value("output/probe_bytes", probe_rows.bytes);
  archive.value("output/probe_checksum", probe_rows.checksum);
  if (archive.is_loading() && archive.sections().contains("output/ecg_bytes")) ecg_rows.emplace();
  if (!ecg_rows) return;
  archive.value("output/ecg_bytes", ecg_rows->bytes);
  archive.value("output/ecg_checksum", ecg_rows->checksum);
}

ResultCheck::ResultCheck(const Config& config)
    : config_(config), layout_(frame_layout(config)), frames_(config.output.directory, *layout_) {}

std::string ResultCheck::first_changed(const WrittenResults& written) {
  if (std::string changed = frames_.first_changed(written.frames); !changed.empty()) return changed;
  const auto changed = [&](const char* name, const FileMark& rows) {
    const std::filesystem::path file = config_.output.directory / name;
    const std::string reason = why_no_rows(file, rows);
    return reason.empty() ? ""
                          : fmt::format("'{}', which was written before the checkpoint: {}", file.string(), reason);
  };
  std::string reason = config_.probes.empty() ? "" : changed(probes_file, written.probe_rows);
  if (reason.empty() && written.ecg_rows) reason = changed(ecg_file, *written.ecg_rows);
  return reason;
}

int frame_threads(const std::string& backend, std::size_t bytes_a_frame) {
  if (backend == "cpu") return 0;
  const std::size_t frames = (std::size_t{2} << 30) / std::max<std::size_t>(bytes_a_frame, 1);
  const auto most = static_cast<int>(std::clamp<std::size_t>(frames, 1, 64));
  return std::clamp(threads_in_use().number - 1, 1, most);
}

int frame_threads(const std::string& backend, const Config& config, const Mesh& mesh) {
  return frame_threads(backend,
                       frame_bytes(config.output, fields_in_frames(config), mesh.nodes.size(), mesh.tetrahedra.size()));
}

Recorder::Recorder(const Config& config, const Problem& problem, Simulation& simulation, int threads, bool goes_on)
    : config_(config),
      problem_(problem),
      simulation_(simulation),
      nodes_(problem.mesh->nodes.size()),
      scaling_(problem.scaling()),
      has_tables_(!problem.beats.empty()),
      grid_(*problem.mesh, problem.diffusivity),
      frames_(begun_frames(config, problem, grid_, threads, goes_on)),
      frame_clock_(config.output.interval_ms),
      leads_(config.output.ecg.value_or(EcgConfig())),
      next_ecg_ms_(config.output.ecg ? most_samples * config.output.ecg->interval_ms
                                     : std::numeric_limits<Real>::infinity()),
      probe_mv_(problem.probes.size()) {
  for (const char* name : {ecg_picture_file, beats_file, probe_beats_file, report_file})
    remove_file(config.output.directory / name);
  if (!goes_on)
    for (const char* name : {probes_file, ecg_file}) remove_file(config.output.directory / name);
  write_file_atomically(config.output.directory / "resolved.yaml", resolved_yaml(config));
  if (goes_on) return;
  if (!config.probes.empty()) probe_file_.emplace(config.output.directory / probes_file, names_of(config.probes));
  if (config.output.ecg) ecg_file_.emplace(config.output.directory / ecg_file, leads_.names());
}

void Recorder::go_on(StateArchive& archive) {
  const Stopwatch watch;
  WrittenResults written;
  written.exchange(archive);
  if (frames_.needs_first_frame_anew(written.frames)) write_frame(simulation_.time_ms());
  exchange(archive, written);
  if (!config_.probes.empty())
    probe_file_.emplace(config_.output.directory / probes_file, names_of(config_.probes), written.probe_rows);
  if (written.ecg_rows) ecg_file_.emplace(config_.output.directory / ecg_file, leads_.names(), *written.ecg_rows);
  frames_.go_on_after(std::move(written.frames));
  seconds_ += watch.seconds();
}

void Recorder::save(StateArchive& archive) {
  WrittenResults written{frames_.written(), probe_file_ ? probe_file_->rows() : FileMark()};
  if (ecg_file_) written.ecg_rows = ecg_file_->rows();
  exchange(archive, written);
}

void Recorder::exchange(StateArchive& archive, WrittenResults& written) {
  Real next_frame = frame_clock_.next();
  archive.value("output/next_frame", next_frame);
  frame_clock_.go_on_from(next_frame);
  archive.value("output/last_frame_ms", last_frame_ms_);
  written.exchange(archive);
}

void Recorder::complete() {
  const Stopwatch watch;
  if (probe_file_) probe_file_->flush();
  write_ecg();
  frames_.finish();
  seconds_ += watch.seconds();
}

void Recorder::record() {
  const Stopwatch watch;
  const Real now_ms = simulation_.time_ms();
  if (simulation_.interpolates()) {
    while (const std::optional<Real> time_ms = frame_clock_.due_before(now_ms)) {
      simulation_.look_at(*time_ms);
      write_probes(*time_ms);
      write_frame(*time_ms);
    }
    simulation_.look_at(now_ms);
  }
  write_probes(now_ms);
  if (now_ms >= next_ecg_ms_) write_ecg();
  frames_.list_complete_frames();
  if (frame_clock_.due(now_ms)) write_frame(now_ms);
  seconds_ += watch.seconds();
}

void Recorder::finish() {
  const Stopwatch watch;
  if (last_frame_ms_ != simulation_.time_ms()) write_frame(simulation_.time_ms());
  maps_ = beat_times(simulation_, nodes_);
  write_beats();
  if (probe_file_) write_probe_beats();
  write_ecg();
  if (ecg_file_)
    write_ecg_picture(config_.output.directory / ecg_file, config_.output.directory / ecg_picture_file,
                      leads_.made_of(points_in_tissue(problem_.ecg, grid_.mesh())));
  frames_.finish();  // last: threads may still be writing them
  seconds_ += watch.seconds();
}

void Recorder::write_errors(const MapErrors& errors) {
  const Stopwatch watch;
  write_maps(grid_, config_.output, beat_maps_, errors, front_velocity_errors_);
  seconds_ += watch.seconds();
}

void Recorder::write_beats() {
  beats_.records = simulation_.beats();
  beat_maps_ = maps_of_beats(config_.output, grid_.mesh(), maps_, beats_.records);
  if (!beat_maps_.empty()) front_velocity_errors_ = front_velocity_errors(problem_);
  write_maps(grid_, config_.output, beat_maps_, {}, front_velocity_errors_);
  for (const BeatMap& map : beat_maps_) beats_.maps.push_back(summary_of(map));
  if (has_tables_) write_file_atomically(config_.output.directory / beats_file, table_of(beats_.maps));
}

void Recorder::write_probe_beats() {
  probe_file_->flush();
  beats_.probes = names_of(config_.probes);
  beats_.of_probes = beats_of_series(series_table(text_of_series(config_.output.directory / probes_file)), scaling_);
  if (has_tables_)
    write_file_atomically(config_.output.directory / probe_beats_file, probe_table(beats_.probes, beats_.of_probes));
}

void Recorder::write_probes(Real time_ms) {
  if (!probe_file_) return;
  simulation_.probe_mv(probe_mv_);
  probe_file_->write(time_ms, probe_mv_);
}

/// All samples so far, completely.
void Recorder::write_ecg() {
  if (!ecg_file_) return;
  const Real interval_ms = config_.output.ecg->interval_ms;
  const EcgSamples samples = simulation_.take_ecg();
  for (std::size_t k = 0; k < samples.size(); ++k)
    ecg_file_->write(SampleTimes{interval_ms}.time_ms(samples.first + static_cast<std::int64_t>(k)),
                     leads_.values(std::span(samples.value_mv).subspan(k * samples.electrodes, samples.electrodes)));
  ecg_file_->flush();
  next_ecg_ms_ = simulation_.time_ms() + most_samples * interval_ms;
}

void Recorder::write_frame(Real time_ms) {
  if (probe_file_) probe_file_->flush();  // no frame is listed before its row is in the file
  frames_.write_frame(time_ms, simulation_);
  last_frame_ms_ = time_ms;
  const Stopwatch after;
  after_frame_();
  seconds_ -= after.seconds();  // all that calls this counts it
}

}  // namespace cardiowarp
