#include "app/compare/field_difference.hpp"

#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>

#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

[[noreturn]] void throw_no_room(const char* what) {
  throw InputError(std::string("temporary file for the frames of the comparison: cannot ") + what + ": " +
                   std::strerror(errno));
}

}  // namespace

void FieldDifference::add(Real difference) {
  if (std::isnan(difference)) difference = std::numeric_limits<Real>::infinity();
  largest_ = std::fmax(largest_, difference);
  sum_of_squares_ += difference * difference;
  ++count_;
}

void FieldDifference::add(std::span<const Real> a, std::span<const Real> b) {
  assert(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) add(std::fabs(a[i] - b[i]));
}

void FieldDifference::add_times(std::span<const Real> a, std::span<const Real> b) {
  assert(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    add((a[i] < 0) == (b[i] < 0) ? std::fabs(a[i] - b[i]) : std::numeric_limits<Real>::infinity());
}

void FieldDifference::add(const FieldDifference& other) {
  largest_ = std::fmax(largest_, other.largest_);
  sum_of_squares_ += other.sum_of_squares_;
  count_ += other.count_;
}

Real FieldDifference::rms() const { return count_ == 0 ? 0 : std::sqrt(sum_of_squares_ / static_cast<Real>(count_)); }

FrameStore::FrameStore() : file_(std::tmpfile()) {
  if (!file_) throw_no_room("open one");
}

void FrameStore::append(std::span<const Real> frame) {
  if (std::fseek(file_.get(), 0, SEEK_END) != 0 ||
      std::fwrite(frame.data(), sizeof(Real), frame.size(), file_.get()) != frame.size())
    throw_no_room("write it");
  ++frames_;
}

std::vector<Real> FrameStore::read(std::int64_t k, std::size_t size) const {
  assert(k < frames_);
  std::vector<Real> frame(size);
  if (std::fseek(file_.get(), static_cast<long>(k * static_cast<std::int64_t>(size * sizeof(Real))), SEEK_SET) != 0 ||
      std::fread(frame.data(), sizeof(Real), size, file_.get()) != size)
    throw_no_room("read it");
  return frame;
}

}  // namespace cardiowarp
