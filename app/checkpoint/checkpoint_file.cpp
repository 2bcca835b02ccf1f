#include "app/checkpoint/checkpoint_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>

#include "app/checkpoint/checksum.hpp"
#include "fem/input_error.hpp"
#include "meshes/atomic_file.hpp"
#include "meshes/file_kind.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> magic{'C', 'W', 'C', 'K', 'P', 'T', '\r', '\n'};
constexpr std::uint32_t byte_order = 0x01020304;

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version, byte_order;
  std::uint64_t table_bytes, data_bytes;
};
static_assert(sizeof(Header) == 32);

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  Checksum checksum;
  checksum.add(bytes);
  return checksum.value();
}

std::uint64_t checksum_of(std::string_view text) { return checksum_of(std::as_bytes(std::span(text))); }

template <class T>
void append(std::string& text, const T& value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Header and table with their checksums: all that stands before the data.
std::string front_of(const CheckpointSections& sections) {
  std::string table;
  Header header{magic, checkpoint_version, byte_order, 0, 0};
  for (const auto& [name, bytes] : sections) {
    append(table, std::uint64_t{bytes.size()});
    append(table, checksum_of(std::span<const std::byte>(bytes)));
    append(table, static_cast<std::uint32_t>(name.size()));
    table += name;
    header.data_bytes += bytes.size();
  }
  header.table_bytes = table.size();
  std::string front;
  append(front, header);
  append(front, checksum_of(std::string_view(front)));
  front += table;
  append(front, checksum_of(std::string_view(table)));
  return front;
}

/// File systems without synchronization say EINVAL or the like, which is no failure.
void synchronize(int descriptor, const fs::path& file) {
  if (::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP && errno != ENOSYS)
    throw_cannot_write(file, errno);
}

void synchronize_folder_of(const fs::path& file) {
  const int descriptor = ::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  [[maybe_unused]] const int ignored = ::fsync(descriptor);  // the file is there for all who ask the system
  ::close(descriptor);
}

/// A file that is being read: never beyond its end.
class Source {
 public:
  explicit Source(const fs::path& file)
      : file_(file), descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status {};
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
      const int reason = errno;
      close();
      fail(std::generic_category().message(reason));
    }
    if (!S_ISREG(status.st_mode)) {
      close();
      fail(fmt::format("it is no regular file but {}", file_kind(status.st_mode)));
    }
    left_ = static_cast<std::uint64_t>(status.st_size);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() { close(); }

  const fs::path& file() const { return file_; }
  std::uint64_t left() const { return left_; }

  void read(void* to, std::uint64_t bytes) {
    if (bytes > left_) fail("it is cut off");
    auto* at = static_cast<char*>(to);
    for (std::uint64_t rest = bytes; rest > 0;) {
      const ssize_t got = ::read(descriptor_, at, rest);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) fail(got < 0 ? std::generic_category().message(errno) : "it is cut off");
      at += got;
      rest -= static_cast<std::uint64_t>(got);
    }
    left_ -= bytes;
  }
  template <class T>
  T read() {
    T value;
    read(&value, sizeof value);
    return value;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("checkpoint '{}': {}", file_.string(), what));
  }

 private:
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

  fs::path file_;
  int descriptor_;
  std::uint64_t left_ = 0;
};

Header read_header(Source& in) {
  Header header{};
  in.read(&header, sizeof header);
  if (header.magic != magic) {
    const std::string reason = why_no_regular_file(in.file());  // a pointer of Git LFS is one
    in.fail(reason.empty() ? "it does not begin as a checkpoint does" : reason);
  }
  if (in.read<std::uint64_t>() != checksum_of(std::as_bytes(std::span(&header, 1)))) in.fail("its header is damaged");
  if (header.byte_order != byte_order) in.fail("it is of a machine with another order of bytes");
  if (header.version != checkpoint_version)
    in.fail(fmt::format("it has version {} of the format, this program reads version {}", header.version,
                        checkpoint_version));
  return header;
}

/// An entry of the table.
struct Entry {
  std::string name;
  std::uint64_t bytes, checksum;
};

std::vector<Entry> read_table(Source& in, std::uint64_t table_bytes) {
  if (table_bytes > in.left()) in.fail("it is cut off");
  std::string table(table_bytes, '\0');
  in.read(table.data(), table_bytes);
  if (in.read<std::uint64_t>() != checksum_of(std::string_view(table))) in.fail("its table is damaged");
  std::vector<Entry> entries;
  std::string_view left = table;
  const auto take = [&](void* to, std::size_t bytes) {
    if (bytes > left.size()) in.fail("its table is damaged");
    std::memcpy(to, left.data(), bytes);
    left.remove_prefix(bytes);
  };
  while (!left.empty()) {
    Entry entry{};
    std::uint32_t length = 0;
    take(&entry.bytes, sizeof entry.bytes);
    take(&entry.checksum, sizeof entry.checksum);
    take(&length, sizeof length);
    if (length > left.size()) in.fail("its table is damaged");
    entry.name.assign(left.substr(0, length));
    left.remove_prefix(length);
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

void write_checkpoint_file(const fs::path& file, const CheckpointSections& sections) {
  PendingFile pending(file);
  write_all(pending.descriptor(), front_of(sections), file);
  for (const auto& [name, bytes] : sections) write_all(pending.descriptor(), text_of(bytes), file);
  synchronize(pending.descriptor(), file);
  pending.commit();
  synchronize_folder_of(file);
  synchronize_folder_of(file.parent_path());  // the folder may be new
}

CheckpointSections read_checkpoint_file(const fs::path& file) {
  Source in(file);
  const Header header = read_header(in);
  const std::vector<Entry> table = read_table(in, header.table_bytes);
  if (in.left() != header.data_bytes) in.fail(in.left() < header.data_bytes ? "it is cut off" : "it is too long");
  CheckpointSections sections;
  for (const Entry& entry : table) {
    if (entry.bytes > in.left()) in.fail("its table is damaged");
    std::vector<std::byte> bytes(entry.bytes);
    in.read(bytes.data(), entry.bytes);
    if (checksum_of(std::span<const std::byte>(bytes)) != entry.checksum)
      in.fail(fmt::format("its section '{}' is damaged", entry.name));
    sections[entry.name] = std::move(bytes);
  }
  if (in.left() > 0) in.fail("its table is damaged");
  return sections;
}

}  // namespace cardiowarp
