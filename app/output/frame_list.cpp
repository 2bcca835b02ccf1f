#include "app/output/frame_list.hpp"

#include <utility>

#include "meshes/atomic_file.hpp"

namespace cardiowarp {

FrameList::FrameList(const std::filesystem::path& directory, const FrameLayout& layout, bool is_held)
    : file_(directory / layout.list_file()), layout_(layout), is_held_(is_held) {}

void FrameList::add(Real time_ms) {
  const std::size_t length = lines_.size(), number = times_ms_.size();
  times_ms_.push_back(time_ms);
  try {
    lines_ += layout_.line_of(number, time_ms);
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
  for (std::size_t number = 0; number < times_ms.size(); ++number) lines += layout_.line_of(number, times_ms[number]);
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
  write_file_atomically(file_, layout_.list_of(times_ms_.size(), lines_));
  in_file_ = times_ms_.size();
  written_at_ = std::chrono::steady_clock::now();
}

}  // namespace cardiowarp
