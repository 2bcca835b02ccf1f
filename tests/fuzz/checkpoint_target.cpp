// A checkpoint whose checksums are put right, which nobody's damage is: what is behind them must hold out, too.

#include <cstring>
#include <optional>

#include "app/checkpoint/checkpoint_file.hpp"
#include "app/checkpoint/checksum.hpp"
#include "app/checkpoint/configuration_difference.hpp"
#include "app/checkpoint/state_archive.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace cardiowarp;

constexpr std::size_t header_bytes = 32, sum_bytes = 8;

std::uint64_t sum_of(const std::string& file, std::size_t begin, std::size_t bytes) {
  Checksum checksum;
  checksum.add(std::as_bytes(std::span(file.data() + begin, bytes)));
  return checksum.value();
}

/// Writes the sum of `bytes` bytes behind them.
void mend(std::string& file, std::size_t begin, std::size_t bytes) {
  const std::uint64_t sum = sum_of(file, begin, bytes);
  if (begin + bytes + sum_bytes <= file.size()) std::memcpy(file.data() + begin + bytes, &sum, sizeof sum);
}

/// Puts the sums of the header, the table and those sections right that are there.
void mend_all(std::string& file) {
  if (file.size() < header_bytes + sum_bytes) return;
  std::uint64_t table_bytes = 0;
  std::memcpy(&table_bytes, &file[16], sizeof table_bytes);
  mend(file, 0, header_bytes);
  const std::size_t table = header_bytes + sum_bytes;
  if (table_bytes > file.size() - table) return;
  std::size_t data = table + table_bytes + sum_bytes;
  for (std::size_t entry = table; entry + 20 <= table + table_bytes;) {
    std::uint64_t bytes = 0;
    std::uint32_t name = 0;
    std::memcpy(&bytes, &file[entry], sizeof bytes);
    std::memcpy(&name, &file[entry + 16], sizeof name);
    if (data > file.size() || bytes > file.size() - data) break;
    const std::uint64_t sum = sum_of(file, data, bytes);
    std::memcpy(&file[entry + 8], &sum, sizeof sum);
    data += bytes;
    entry += 20 + std::size_t{name};
  }
  mend(file, table, table_bytes);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string content(fuzz::text_of(data, size));
  mend_all(content);
  const auto file = fuzz::folder().write("input.ckpt", content);
  fuzz::is_read([&] {
    StateArchive archive(read_checkpoint_file(file));
    std::string before;
    std::vector<double> values;
    std::optional<double> maybe;
    std::int64_t number = 0;
    fuzz::is_read([&] { archive.values("values", values); });
    fuzz::is_read([&] { archive.value("maybe", maybe); });
    fuzz::is_read([&] { archive.value("number", number); });
    archive.text("configuration", before);
    configuration_difference(before, "time: {end: 10, step: 0.1}\nstimuli: [{count: 2, period: 5}]\n", 3);
  });
  return 0;
}
