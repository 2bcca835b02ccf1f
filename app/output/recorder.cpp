#include "app/output/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "app/measure/stopwatch.hpp"
#include "app/output/frame_files.hpp"
#include "app/output/frame_writer.hpp"
#include "app/output/maps_file.hpp"
#include "app/process/threads.hpp"
#include "app/simulation/error_estimate.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/simulation.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

constexpr const char* probes_file = "probes.csv";

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
  for (const char* name : {"summary.json", "resolved.yaml", probes_file}) require_replaceable(directory / name);
  require_frames_replaceable(directory);
}

void WrittenResults::exchange(StateArchive& archive) {
  frames.exchange(archive);
  archive.value("output/probe_bytes", probe_rows.bytes);
  archive.value("output/probe_checksum", probe_rows.checksum);
}

ResultCheck::ResultCheck(const Config& config)
    : config_(config), layout_(frame_layout(config)), frames_(config.output.directory, *layout_) {}

std::string ResultCheck::first_changed(const WrittenResults& written) {
  if (std::string changed = frames_.first_changed(written.frames); !changed.empty()) return changed;
  if (config_.probes.empty()) return "";
  const std::filesystem::path probes = config_.output.directory / probes_file;
  const std::string reason = why_no_probe_rows(probes, written.probe_rows);
  return reason.empty() ? ""
                        : fmt::format("'{}', which was written before the checkpoint: {}", probes.string(), reason);
}

int frame_threads(const std::string& backend, std::size_t bytes_a_frame) {
  if (backend == "cpu") return 0;
  const std::size_t frames = (std::size_t{2} << 30) / std::max<std::size_t>(bytes_a_frame, 1);
  const auto most = static_cast<int>(std::clamp<std::size_t>(frames, 1, 64));
  return std::clamp(threads_in_use().number - 1, 1, most);
}

int frame_threads(const std::string& backend, const Config& config, const Mesh& mesh) {
  return frame_threads(
      backend, frame_bytes(config.output.format, fields_in_frames(config), mesh.nodes.size(), mesh.tetrahedra.size()));
}

Recorder::Recorder(const Config& config, const Problem& problem, Simulation& simulation, int threads, bool goes_on)
    : config_(config),
      simulation_(simulation),
      nodes_(problem.mesh->nodes.size()),
      grid_(*problem.mesh, problem.diffusivity),
      frames_(begun_frames(config, problem, grid_, threads, goes_on)),
      frame_clock_(config.output.interval_ms),
      probe_mv_(problem.probes.size()) {
  if (!goes_on) remove_file(config.output.directory / probes_file);
  write_file_atomically(config.output.directory / "resolved.yaml", resolved_yaml(config));
  if (!goes_on && !config.probes.empty()) probe_file_.emplace(config.output.directory / probes_file, config.probes);
}

void Recorder::go_on(StateArchive& archive) {
  const Stopwatch watch;
  WrittenResults written;
  written.exchange(archive);
  if (frames_.needs_first_frame_anew(written.frames)) write_frame(simulation_.time_ms());
  exchange(archive, written);
  if (!config_.probes.empty())
    probe_file_.emplace(config_.output.directory / probes_file, config_.probes, written.probe_rows);
  frames_.go_on_after(std::move(written.frames));
  seconds_ += watch.seconds();
}

void Recorder::save(StateArchive& archive) {
  WrittenResults written{frames_.written(), probe_file_ ? probe_file_->rows() : FileMark()};
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
  frames_.list_complete_frames();
  if (frame_clock_.due(now_ms)) write_frame(now_ms);
  seconds_ += watch.seconds();
}

void Recorder::finish() {
  const Stopwatch watch;
  if (last_frame_ms_ != simulation_.time_ms()) write_frame(simulation_.time_ms());
  frames_.finish();
  if (config_.output.activation_time || config_.output.apd90) {
    maps_ = beat_times(simulation_, nodes_);
    write_maps(grid_, config_.output, maps_, {});
  }
  if (probe_file_) probe_file_->flush();
  seconds_ += watch.seconds();
}

void Recorder::write_errors(const MapErrors& errors) {
  const Stopwatch watch;
  write_maps(grid_, config_.output, maps_, errors);
  seconds_ += watch.seconds();
}

void Recorder::write_probes(Real time_ms) {
  if (!probe_file_) return;
  simulation_.probe_mv(probe_mv_);
  probe_file_->write(time_ms, probe_mv_);
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
