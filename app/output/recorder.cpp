#include "app/output/recorder.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>

#include "app/measure/stopwatch.hpp"
#include "app/output/frame_files.hpp"
#include "app/process/threads.hpp"
#include "kernels/backend/thread_team.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

std::vector<Vector3> fibers(const Problem& problem) {
  std::vector<Vector3> fibers;
  resize_by_team(fibers, problem.diffusivity.size());
  parallel_for(fibers.size(), [&](std::size_t element) { fibers[element] = problem.diffusivity[element].fiber; });
  return fibers;
}

/// Names of the cell states that the frames are to have.
std::vector<std::string> states_in_frames(const Config& config, const Problem& problem) {
  if (config.output.states) return *config.output.states;
  std::vector<std::string> all;
  for (const CellState& state : states_of(problem.cell_models)) all.emplace_back(state.name);
  return all;
}

std::vector<std::size_t> state_numbers(const std::vector<std::string>& names, const Problem& problem) {
  std::vector<std::size_t> numbers;
  for (const std::string& name : names) numbers.push_back(state_number(states_of(problem.cell_models), name));
  return numbers;
}

/// What of the frames and of `probes.csv` was written.
void exchange_written(StateArchive& archive, std::vector<Real>& frame_times_ms, std::int64_t& probe_bytes) {
  archive.values("output/frame_times_ms", frame_times_ms);
  archive.value("output/probe_bytes", probe_bytes);
}

/// The summary says of the other files that they are complete, so that it is the first to go; the probes' rows, which
/// the frames come with, are the last.
VtkOutput begun_files(const Config& config, const Problem& problem, int threads, bool goes_on) {
  remove_file(config.output.directory / "summary.json");
  return {*problem.mesh, fibers(problem), config.output, states_in_frames(config, problem), threads, goes_on};
}

}  // namespace

void require_results_replaceable(const std::filesystem::path& directory) {
  for (const char* name : {"summary.json", "resolved.yaml", "probes.csv"}) require_replaceable(directory / name);
  require_frames_replaceable(directory);
}

void require_written(const Config& config, StateArchive& archive) {
  std::vector<Real> frame_times_ms;
  std::int64_t probe_bytes = 0;
  exchange_written(archive, frame_times_ms, probe_bytes);
  require_frames(config.output.directory, frame_times_ms.size());
  if (!config.probes.empty()) require_probe_rows(config.output.directory / "probes.csv", probe_bytes);
}

int frame_threads(const std::string& backend, const Mesh& mesh) {
  if (backend == "cpu") return 0;
  const std::size_t bytes = sizeof(Real) * (mesh.nodes.size() + mesh.tetrahedra.size());
  const auto most = static_cast<int>(std::clamp<std::size_t>((std::size_t(2) << 30) / bytes, 1, 64));
  return std::clamp(threads_in_use().number - 1, 1, most);
}

Recorder::Recorder(const Config& config, const Problem& problem, Simulation& simulation, int threads, bool goes_on)
    : config_(config),
      simulation_(simulation),
      files_(begun_files(config, problem, threads, goes_on)),
      frame_clock_(config.output.interval_ms),
      state_numbers_(state_numbers(states_in_frames(config, problem), problem)),
      potential_(problem.mesh->nodes.size()),
      states_(state_numbers_.size() * problem.mesh->tetrahedra.size()),
      probe_mv_(problem.probes.size()) {
  if (!goes_on) remove_file(config.output.directory / "probes.csv");
  write_file_atomically(config.output.directory / "resolved.yaml", resolved_yaml(config));
  if (!goes_on && !config.probes.empty()) probe_file_.emplace(config.output.directory / "probes.csv", config.probes);
}

void Recorder::go_on(StateArchive& archive) {
  const Stopwatch watch;
  write_frame(simulation_.time_ms());
  std::vector<Real> frame_times_ms;
  std::int64_t probe_bytes = 0;
  exchange(archive, frame_times_ms, probe_bytes);
  if (!config_.probes.empty())
    probe_file_.emplace(config_.output.directory / "probes.csv", config_.probes, probe_bytes);
  files_.go_on_after(std::move(frame_times_ms));
  seconds_ += watch.seconds();
}

void Recorder::save(StateArchive& archive) {
  std::vector<Real> frame_times_ms = files_.times_ms();
  std::int64_t probe_bytes = probe_file_ ? probe_file_->complete_bytes() : 0;
  exchange(archive, frame_times_ms, probe_bytes);
}

void Recorder::exchange(StateArchive& archive, std::vector<Real>& frame_times_ms, std::int64_t& probe_bytes) {
  Real next_frame = frame_clock_.next();
  archive.value("output/next_frame", next_frame);
  frame_clock_.go_on_from(next_frame);
  archive.value("output/last_frame_ms", last_frame_ms_);
  exchange_written(archive, frame_times_ms, probe_bytes);
}

void Recorder::complete() {
  const Stopwatch watch;
  if (probe_file_) probe_file_->flush();
  files_.finish();
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
  files_.list_complete_frames();
  if (frame_clock_.due(now_ms)) write_frame(now_ms);
  seconds_ += watch.seconds();
}

void Recorder::finish() {
  const Stopwatch watch;
  if (last_frame_ms_ != simulation_.time_ms()) write_frame(simulation_.time_ms());
  files_.finish();
  if (config_.output.activation_time || config_.output.apd90) {
    maps_ = beat_times(simulation_, potential_.size());
    files_.write_maps(maps_.activation_ms, maps_.apd90_ms);
  }
  if (probe_file_) probe_file_->flush();
  seconds_ += watch.seconds();
}

void Recorder::write_errors(const MapErrors& errors) {
  const Stopwatch watch;
  files_.write_maps(maps_, errors);
  seconds_ += watch.seconds();
}

void Recorder::write_probes(Real time_ms) {
  if (!probe_file_) return;
  simulation_.probe_mv(probe_mv_);
  probe_file_->write(time_ms, probe_mv_);
}

void Recorder::write_frame(Real time_ms) {
  simulation_.potential_mv(potential_);
  const std::size_t elements = state_numbers_.empty() ? 0 : states_.size() / state_numbers_.size();
  for (std::size_t i = 0; i < state_numbers_.size(); ++i)
    simulation_.state(state_numbers_[i], std::span(states_).subspan(i * elements, elements));
  if (probe_file_) probe_file_->flush();  // no frame is listed before its row is in the file
  files_.write_frame(time_ms, potential_, states_);
  last_frame_ms_ = time_ms;
  after_frame_();
}

}  // namespace cardiowarp
