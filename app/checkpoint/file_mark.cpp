#include "app/checkpoint/file_mark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "app/files/regular_file.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

constexpr std::size_t word_bytes = sizeof(std::int64_t);

std::int64_t word_at(const char* bytes) {
  std::array<char, word_bytes> word{};
  std::copy_n(bytes, word_bytes, word.begin());
  return std::bit_cast<std::int64_t>(word);
}

FileMark mark_of(const RegularFile& file) {
  ByteSum sum;
  file.read(file.bytes(), [&](std::string_view piece) { sum.add(piece); });
  return sum.mark();
}

}  // namespace

void ByteSum::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t waiting = bytes_ % word_bytes;
    if (waiting == 0 && bytes.size() >= word_bytes) {
      words_.add(word_at(bytes.data()));
      bytes.remove_prefix(word_bytes);
      bytes_ += word_bytes;
      continue;
    }
    rest_[waiting] = bytes.front();
    bytes.remove_prefix(1);
    if (++bytes_ % word_bytes == 0) words_.add(std::bit_cast<std::int64_t>(rest_));
  }
}

FileMark ByteSum::mark() const {
  Checksum all = words_;
  std::array<char, word_bytes> last{};
  std::copy_n(rest_.begin(), bytes_ % word_bytes, last.begin());
  all.add(std::bit_cast<std::int64_t>(last));
  all.add(static_cast<std::int64_t>(bytes_));
  return {bytes_, all.value()};
}

FileMark mark_of(const std::filesystem::path& file) {
  try {
    return mark_of(RegularFile(file));
  } catch (const InputError& reason) {
    throw InputError(fmt::format("cannot read '{}': {}", file.string(), reason.what()));
  }
}

std::string why_changed(const std::filesystem::path& file, const FileMark& mark) {
  try {
    const RegularFile found(file);
    if (found.bytes() != mark.bytes) return fmt::format("expected {} bytes, got {}", mark.bytes, found.bytes());
    return mark_of(found) == mark ? "" : "its bytes are others than the run had written";
  } catch (const InputError& reason) {
    return reason.what();
  }
}

}  // namespace cardiowarp
