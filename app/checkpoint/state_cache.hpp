#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "app/checkpoint/checkpoint_file.hpp"

namespace cardiowarp {

// States that take long to compute and are kept for later runs, each in a folder that is named by a checksum of all
// that it depends on:
//
//   CACHE/0123456789abcdef/state.checkpoint       the state
//   CACHE/0123456789abcdef/progress.checkpoint    what a computation that was ended goes on from
//
// Each file has in it, too, what it was made of, and a file that says something else, as it was put there by somebody
// or two have one checksum, counts as none, as a damaged one does. A file is written whole or not at all, and while one
// process computes a state another one that needs it waits. Nothing else is ever removed: whoever wants a state
// computed anew removes its folder.

/// The place of a state in a cache. Nothing on disk is touched by its construction.
class CachedState {
 public:
  /// `made_of` is a text of all that the state depends on.
  CachedState(const std::filesystem::path& cache, std::string made_of);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path state() const { return folder_ / "state.checkpoint"; }
  std::filesystem::path progress() const { return folder_ / "progress.checkpoint"; }

  /// The sections with what they were made of, as the file state() or progress() has to have them.
  CheckpointSections as_state(CheckpointSections sections) const;
  CheckpointSections as_progress(CheckpointSections sections) const;

  /// The sections of that file; nothing where there is none, or it is damaged, of another version or made of something
  /// else, the reason then being in `unusable`, which is empty otherwise.
  std::optional<CheckpointSections> read_state(std::string& unusable) const;
  std::optional<CheckpointSections> read_progress(std::string& unusable) const;

 private:
  std::filesystem::path folder_;
  std::string made_of_;
};

/// Holds the folder of a state for the process that computes it, with a lock of the system (flock) that ends with the
/// process. A file system that knows no locks holds nothing; files stay whole there, too.
class CacheLock {
 public:
  /// Makes the folder where there is none, and waits while another process holds it, or until `stop`, which is asked
  /// every tenth of a second. Throws InputError where the folder cannot be made.
  CacheLock(const CachedState& cached, const std::function<bool()>& stop);
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;
  ~CacheLock();

  /// False where `stop` has ended the waiting.
  bool is_held() const { return is_held_; }

 private:
  int descriptor_ = -1;
  bool is_held_ = true;
};

}  // namespace cardiowarp
