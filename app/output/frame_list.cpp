#include "app/output/frame_list.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/output/frame_files.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

/// 15 digits: 3 steps of 0.1 ms are 0.3, not 0.30000000000000004.
std::string line_of(Real time_ms, const std::string& name) {
  return fmt::format("    <DataSet timestep=\"{:.15g}\" file=\"{}\"/>\n", time_ms, name);
}

}  // namespace

FrameList::FrameList(std::filesystem::path file, bool is_held) : file_(std::move(file)), is_held_(is_held) {}

void FrameList::add(Real time_ms, const std::string& name) {
  const std::size_t length = lines_.size();
  times_ms_.push_back(time_ms);
  try {
    lines_ += line_of(time_ms, name);
    constexpr std::size_t frames_a_missing_one = 256;
    const std::size_t missing = times_ms_.size() - in_file_;
    if (!is_held_ && (missing * frames_a_missing_one >= times_ms_.size() || is_late())) write();
  } catch (...) {
    lines_.resize(length);
    times_ms_.pop_back();
    throw;
  }
}

void FrameList::write_if_late() {
  if (lacks_frames() && is_late()) write();
}

void FrameList::write_all() {
  if (lacks_frames()) write();
}

void FrameList::go_on_after(std::vector<Real> times_ms) {
  std::string lines;
  for (std::size_t number = 0; number < times_ms.size(); ++number)
    lines += line_of(times_ms[number], frame_name(number));
  lines_.swap(lines);
  times_ms_.swap(times_ms);
  try {
    write();
  } catch (...) {
    lines_.swap(lines);
    times_ms_.swap(times_ms);
    throw;
  }
  is_held_ = false;
}

bool FrameList::is_late() const { return std::chrono::steady_clock::now() - written_at_ >= std::chrono::seconds(1); }

void FrameList::write() {
  write_file_atomically(
      file_, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n" + lines_ +
                 "  </Collection>\n</VTKFile>\n");
  in_file_ = times_ms_.size();
  written_at_ = std::chrono::steady_clock::now();
}

}  // namespace cardiowarp
