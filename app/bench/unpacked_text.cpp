#include "app/bench/unpacked_text.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>

#include "fem/input_error.hpp"
#include "meshes/file_kind.hpp"

namespace cardiowarp {
namespace {

/// A file of one megabyte may unpack to a gigabyte, all of one character. The numbers of a matrix are no smaller than a
/// thirtieth of themselves; with this share of the file, and some megabytes more, the rest is no matrix.
constexpr std::size_t most_times_larger = 64, always_allowed = std::size_t{16} << 20U;

struct CloseGzip {
  void operator()(gzFile file) const { gzclose(file); }
};

}  // namespace

std::string read_unpacked(const std::filesystem::path& file) {
  const auto fail = [&](std::string_view reason) { throw InputError(fmt::format("{}: {}", file.string(), reason)); };
  if (const std::string reason = why_no_regular_file(file); !reason.empty()) fail("cannot be read: " + reason);
  errno = 0;
  const std::unique_ptr<gzFile_s, CloseGzip> stream(gzopen(file.c_str(), "rb"));
  const auto fail_to_read = [&] { fail(fmt::format("cannot be read: {}", std::strerror(errno))); };
  if (!stream) fail_to_read();
  gzbuffer(stream.get(), 1U << 18U);

  std::error_code absent;
  const std::uintmax_t packed = std::filesystem::file_size(file, absent);
  const std::size_t most = always_allowed + most_times_larger * static_cast<std::size_t>(absent ? 0 : packed);
  std::string text;
  std::size_t size = 0;
  do {
    if (size > most) fail(fmt::format("unpacks to more than {} bytes, expected at most {}", size, most));
    text.resize(std::clamp<std::size_t>(2 * size, size + (1U << 20U), size + (1U << 30U)));
    const int read = gzread(stream.get(), &text[size], static_cast<unsigned>(text.size() - size));
    int status = Z_OK;
    gzerror(stream.get(), &status);
    if (status == Z_BUF_ERROR) fail("the gzip data end too early (truncated file?)");
    if (status == Z_ERRNO) fail_to_read();
    if (read < 0) fail("corrupt gzip data");
    size += static_cast<std::size_t>(read);
  } while (size == text.size());
  text.resize(size);
  if (text.empty()) fail("is empty");
  return text;
}

}  // namespace cardiowarp
