#include "app/output/recorder.hpp"

#include <filesystem>

#include "app/measure/stopwatch.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

std::vector<Vector3> fibers(const Problem& problem) {
  std::vector<Vector3> fibers;
  fibers.reserve(problem.diffusivity.size());
  for (const Diffusivity& diffusivity : problem.diffusivity) fibers.push_back(diffusivity.fiber);
  return fibers;
}

/// The summary says of the other files that they are complete, so that it is the first to go; the probes' rows, which
/// the frames come with, are the last.
VtkOutput files_of_a_new_run(const Config& config, const Problem& problem, int threads) {
  remove_file(config.output.directory / "summary.json");
  return {*problem.mesh, fibers(problem), config.output, threads};
}

}  // namespace

void require_results_replaceable(const std::filesystem::path& directory) {
  for (const char* name : {"summary.json", "resolved.yaml", "probes.csv"}) require_replaceable(directory / name);
  require_frames_replaceable(directory);
}

Recorder::Recorder(const Config& config, const Problem& problem, Simulation& simulation, int threads)
    : config_(config),
      simulation_(simulation),
      files_(files_of_a_new_run(config, problem, threads)),
      frame_clock_(config.output.interval_ms),
      potential_(problem.mesh->nodes.size()),
      recovery_(problem.mesh->tetrahedra.size()),
      probe_mv_(problem.probes.size()) {
  remove_file(config.output.directory / "probes.csv");
  write_file_atomically(config.output.directory / "resolved.yaml", resolved_yaml(config));
  if (!config.probes.empty()) probe_file_.emplace(config.output.directory / "probes.csv", config.probes);
}

bool Recorder::record() {
  const Stopwatch watch;
  if (probe_file_) {
    simulation_.probe_mv(probe_mv_);
    probe_file_->write(simulation_.time_ms(), probe_mv_);
  }
  files_.list_complete_frames();
  const bool due = frame_clock_.due(simulation_.time_ms());
  if (due) write_frame();
  seconds_ += watch.seconds();
  return due;
}

bool Recorder::finish() {
  const Stopwatch watch;
  const bool due = last_frame_ms_ != simulation_.time_ms();
  if (due) write_frame();
  files_.finish();
  if (config_.output.activation_time || config_.output.apd90) {
    std::vector<Real> activation_ms(potential_.size()), apd90_ms(potential_.size());
    simulation_.activation_time_ms(activation_ms);
    simulation_.apd90_ms(apd90_ms);
    files_.write_maps(activation_ms, apd90_ms);
  }
  if (probe_file_) probe_file_->flush();
  seconds_ += watch.seconds();
  return due;
}

void Recorder::write_frame() {
  simulation_.potential_mv(potential_);
  simulation_.recovery(recovery_);
  if (probe_file_) probe_file_->flush();  // no frame is listed before its row is in the file
  files_.write_frame(simulation_.time_ms(), potential_, recovery_);
  last_frame_ms_ = simulation_.time_ms();
}

}  // namespace cardiowarp
