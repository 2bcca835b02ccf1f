#include "app/recorder.hpp"

#include <filesystem>

#include "app/atomic_file.hpp"
#include "app/stopwatch.hpp"

namespace cardiowarp {
namespace {

std::vector<Vector3> fibers(const Problem& problem) {
  std::vector<Vector3> fibers;
  fibers.reserve(problem.diffusivity.size());
  for (const Diffusivity& diffusivity : problem.diffusivity) fibers.push_back(diffusivity.fiber);
  return fibers;
}

}  // namespace

Recorder::Recorder(const Config& config, const Problem& problem, Simulation& simulation, int threads)
    : config_(config),
      simulation_(simulation),
      files_(*problem.mesh, fibers(problem), config.output, threads),
      frame_clock_(config.output.interval_ms),
      potential_(problem.mesh->nodes.size()),
      recovery_(problem.mesh->tetrahedra.size()),
      probe_mv_(problem.probes.size()) {
  for (const char* earlier : {"probes.csv", "summary.json"}) std::filesystem::remove(config.output.directory / earlier);
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
  files_.write_frame(simulation_.time_ms(), potential_, recovery_);
  if (probe_file_) probe_file_->flush();
  last_frame_ms_ = simulation_.time_ms();
}

}  // namespace cardiowarp
