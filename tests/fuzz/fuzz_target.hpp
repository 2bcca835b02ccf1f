#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "fem/input_error.hpp"

/// What a fuzzer calls with every input; each .cpp here whose name ends in _target has one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace cardiowarp::fuzz {

// What the targets of the fuzzers share. A target gives its input to one parser. The parser may read it or refuse it
// with an InputError that says why; anything else, another exception too, ends the process, which a fuzzer counts as a
// crash. Where a parser reads a file, the target writes it into a folder of the process, in memory where the system has
// a place for that.

/// What the target was given last.
inline std::string_view input;

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return input = {reinterpret_cast<const char*>(data), size};
}

/// Ends the process with words: a target has found what must not be.
[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

inline void require(bool holds, const char* what) {
  if (!holds) fail(what);
}

/// Calls `read`, which may throw an InputError with a message. Whether it did not.
template <class Read>
bool is_read(const Read& read) {
  try {
    read();
    return true;
  } catch (const InputError& error) {
    const std::string_view message = error.what();
    require(message.size() > 3, "an InputError without a message");
    // A library may break down in the process that reads, and the program goes on: that is a find all the same, but
    // not where the message cites these words from the input.
    for (const char* end : {"reading it ended early", "reading it ended with a crash"})
      require(message.find(end) == std::string_view::npos || input.find("reading it ended") != std::string_view::npos,
              "the process that reads has broken down");
    return false;
  }
}

/// A folder of this process, removed at its end unless it crashes.
class Folder {
 public:
  Folder() {
    std::error_code absent;
    const char* place = std::filesystem::is_directory("/dev/shm", absent) ? "/dev/shm" : "/tmp";
    std::string name = std::string(place) + "/cardiowarp_fuzz_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) fail("no folder for files could be made");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  /// Writes a file anew and returns its path.
  std::filesystem::path write(const std::string& name, std::string_view content) const {
    const std::filesystem::path file = path_ / name;
    std::FILE* stream = std::fopen(file.c_str(), "wb");
    if (stream == nullptr || std::fwrite(content.data(), 1, content.size(), stream) != content.size() ||
        std::fclose(stream) != 0)
      fail("a file for the target could not be written");
    return file;
  }

 private:
  std::filesystem::path path_;
};

inline const Folder& folder() {
  static const Folder of_process;
  return of_process;
}

/// Several files in one input stand behind each other with this byte between them, which is a control character.
constexpr char separator = '\x1d';

/// The input cut at its first `parts` - 1 separators; fewer parts where it has fewer.
inline std::vector<std::string_view> split(std::string_view text, std::size_t parts) {
  std::vector<std::string_view> result;
  while (result.size() + 1 < parts && text.find(separator) != std::string_view::npos) {
    const std::size_t end = text.find(separator);
    result.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  result.push_back(text);
  return result;
}

}  // namespace cardiowarp::fuzz
