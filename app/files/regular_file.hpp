#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace cardiowarp {

// A file that the program reads back of its own: what it keeps in a cache, or has written before a run goes on. Whoever
// may have put something else in its place, a FIFO, a device, a folder or a link, nothing is waited for or followed,
// and no more is read than is asked for.

/// A regular file that is open for as long as this lives.
class RegularFile {
 public:
  enum class Access { reading, reading_and_writing };

  /// Throws InputError with the reason alone: that of the system, or what the name stands for.
  explicit RegularFile(const std::filesystem::path& file, Access access = Access::reading);
  RegularFile(RegularFile&& other) noexcept : descriptor_(other.release()), bytes_(other.bytes_) {}
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;
  ~RegularFile();

  /// Its length when it was opened.
  std::uint64_t bytes() const { return bytes_; }
  int descriptor() const { return descriptor_; }
  /// The descriptor, which the caller closes.
  int release();

  /// Its first `bytes` bytes, or all where there are fewer, in pieces of up to 64 KiB. Throws InputError with the
  /// system's reason.
  void read(std::uint64_t bytes, const std::function<void(std::string_view)>& take) const;

 private:
  int descriptor_;
  std::uint64_t bytes_ = 0;
};

/// The whole content of a file of the program's own; empty where it cannot be read.
std::string content_or_nothing(const std::filesystem::path& file);

}  // namespace cardiowarp
