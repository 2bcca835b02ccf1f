#include "app/output/series_file.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/files/regular_file.hpp"
#include "fem/input_error.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

/// Quoted as RFC 4180 asks where the name holds a comma, a quote or a line break.
std::string csv_field(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == name.npos) return name;
  std::string quoted = "\"";
  for (const char letter : name) quoted.append(letter == '"' ? 2 : 1, letter);
  return quoted + "\"";
}

/// A file that begins with `rows`, which `sum` is then of. Throws InputError with the reason.
RegularFile open_rows(const std::filesystem::path& file, const FileMark& rows, ByteSum& sum) {
  RegularFile found(file, RegularFile::Access::reading_and_writing);
  if (found.bytes() < rows.bytes)
    throw InputError(fmt::format("expected at least {} bytes, got {}", rows.bytes, found.bytes()));
  found.read(rows.bytes, [&](std::string_view piece) { sum.add(piece); });
  if (sum.mark() != rows)
    throw InputError(fmt::format("its first {} bytes are others than the run had written", rows.bytes));
  return found;
}

}  // namespace

std::string why_no_rows(const std::filesystem::path& file, const FileMark& rows) {
  try {
    ByteSum ignored;
    open_rows(file, rows, ignored);
    return "";
  } catch (const InputError& reason) {
    return reason.what();
  }
}

SeriesFile::SeriesFile(const std::filesystem::path& file, const std::vector<std::string>& columns)
    : path_(file), columns_(columns.size()), descriptor_(create_file(file)), lines_("time_ms") {
  for (const std::string& name : columns) lines_.append(",").append(csv_field(name));
  lines_ += '\n';
  try {
    flush();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

SeriesFile::SeriesFile(const std::filesystem::path& file, const std::vector<std::string>& columns, const FileMark& rows)
    : path_(file), columns_(columns.size()) {
  try {
    RegularFile found = open_rows(file, rows, written_);
    if (::ftruncate(found.descriptor(), static_cast<off_t>(rows.bytes)) != 0 ||
        ::lseek(found.descriptor(), 0, SEEK_END) < 0)
      throw InputError(std::generic_category().message(errno));
    descriptor_ = found.release();
  } catch (const InputError& reason) {
    throw InputError(
        fmt::format("--resume: '{}', which was written before the checkpoint: {}", file.string(), reason.what()));
  }
}

void SeriesFile::write(Real time_ms, std::span<const Real> values) {
  if (values.size() != columns_)
    throw std::logic_error(fmt::format("series file: expected {} values, got {}", columns_, values.size()));
  std::string line = fmt::format("{}", time_ms);
  for (const Real value : values) {
    if (!std::isfinite(value)) throw std::logic_error(fmt::format("series file: value {} at {} ms", value, time_ms));
    line += fmt::format(",{}", value);
  }
  lines_ += line + "\n";
  constexpr std::size_t many = 8192;
  if (lines_.size() > many) flush();
}

void SeriesFile::flush() {
  const std::string lines = std::exchange(lines_, {});
  try {
    write_all(descriptor_, lines, path_);
  } catch (const InputError&) {
    // A full disk may have cut a line in two. Where that cannot be mended, either, the first error says why.
    const auto complete = static_cast<off_t>(written_.mark().bytes);
    [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, complete);
    ::lseek(descriptor_, complete, SEEK_SET);
    throw;
  }
  written_.add(lines);
}

SeriesFile::~SeriesFile() {
  try {
    flush();
  } catch (...) {  // a run that wants to know flushes; a message, too, takes memory
  }
  ::close(descriptor_);
}

}  // namespace cardiowarp
