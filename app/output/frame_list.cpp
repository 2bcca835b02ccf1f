#include "app/output/frame_list.hpp"

#include <utility>

#include "meshes/atomic_file.hpp"

namespace cardiowarp {

FrameList::FrameList(const std::filesystem::path& directory, const FrameLayout& layout, bool is_held)
    : file_(directory / layout.list_file()), layout_(layout), is_held_(is_held) {}

void FrameList::add(Real time_ms, const std::vector<FileMark>& marks) {
  const std::size_t length = lines_.size(), number = frames(), marks_before = written_.marks.size();
  try {
    written_.times_ms.push_back(time_ms);
    written_.marks.insert(written_.marks.end(), marks.begin(), marks.end());
    lines_ += layout_.line_of(number, time_ms);
    constexpr std::size_t frames_a_missing_one = 256;
    const std::size_t missing = frames() - in_file_;
    if (!is_held_ && (missing * frames_a_missing_one >= frames() || is_late())) write();
  } catch (...) {
    lines_.resize(length);
    written_.times_ms.resize(number);
    written_.marks.resize(marks_before);
    throw;
  }
}

void FrameList::write_if_late() {
  if (lacks_frames() && is_late()) write();
}

void FrameList::write_all() {
  if (lacks_frames()) write();
}

void FrameList::go_on_after(WrittenFrames earlier) {
  std::string lines;
  for (std::size_t number = 0; number < earlier.times_ms.size(); ++number)
    lines += layout_.line_of(number, earlier.times_ms[number]);
  lines_.swap(lines);
  std::swap(written_, earlier);
  try {
    write();
  } catch (...) {
    lines_.swap(lines);
    std::swap(written_, earlier);
    throw;
  }
  is_held_ = false;
}

bool FrameList::is_late() const { return std::chrono::steady_clock::now() - written_at_ >= std::chrono::seconds(1); }

void FrameList::write() {
  write_file_atomically(file_, layout_.list_of(frames(), lines_));
  in_file_ = frames();
  written_at_ = std::chrono::steady_clock::now();
}

}  // namespace cardiowarp
