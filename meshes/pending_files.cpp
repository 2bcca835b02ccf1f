#include "meshes/pending_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

void remove_if_possible(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_regular_file(fs::symlink_status(file, ignored))) fs::remove(file, ignored);
}

/// The older files while the new ones come: where that fails they are put back.
class OlderFiles {
 public:
  explicit OlderFiles(std::size_t files) {
    aside_.reserve(files);
    replaced_.reserve(files);
  }
  OlderFiles(const OlderFiles&) = delete;
  OlderFiles& operator=(const OlderFiles&) = delete;
  ~OlderFiles() { put_back(); }

  /// The one that names the result, which went first, comes back last. Returns the first file that could not, where it
  /// is now.
  const PendingName* put_back() {
    for (const PendingName* name : replaced_) remove_if_possible(name->file);
    const PendingName* kept = nullptr;
    for (auto name = aside_.rbegin(); name != aside_.rend(); ++name)
      if (std::rename((*name)->aside.c_str(), (*name)->file.c_str()) != 0) kept = *name;
    forget();
    return kept;
  }

  void move_aside(const PendingName& name) {
    require_replaceable(name.file, name.aside);
    if (std::rename(name.file.c_str(), name.aside.c_str()) == 0)
      aside_.push_back(&name);
    else if (errno != ENOENT)
      throw_cannot_write(name.file, errno);
  }

  /// A new file has this name now.
  void add_new(const PendingName& name) { replaced_.push_back(&name); }

  void forget() {
    replaced_.clear();
    aside_.clear();
  }

 private:
  std::vector<const PendingName*> aside_, replaced_;
};

}  // namespace

PendingFiles::PendingFiles(std::vector<PendingName> names) : names_(std::move(names)) {
  for (const PendingName& name : names_)
    if (name.is_written) pending_.emplace_back(name.file, name.temporary);
}

void PendingFiles::commit() {
  if (names_.size() == 1) return pending_.front().commit();  // one rename replaces one file
  OlderFiles older(names_.size());
  try {
    for (auto name = names_.rbegin(); name != names_.rend(); ++name) older.move_aside(*name);
    auto next = pending_.begin();
    for (const PendingName& name : names_) {
      if (!name.is_written) continue;
      (next++)->commit();
      older.add_new(name);
    }
  } catch (const InputError& error) {
    const PendingName* kept = older.put_back();
    if (!kept) throw;
    throw InputError(fmt::format("{}; the older file stays under the name '{}'", error.what(), kept->aside.string()));
  }
  older.forget();
  for (const PendingName& name : names_) remove_if_possible(name.aside);
}

void require_replaceable(const std::vector<PendingName>& names) {
  for (const PendingName& name : names) {
    require_replaceable(name.file, name.temporary);
    if (names.size() > 1) require_replaceable(name.file, name.aside);
  }
}

}  // namespace cardiowarp
