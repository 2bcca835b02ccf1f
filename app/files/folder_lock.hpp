#pragma once
#include <filesystem>

namespace cardiowarp {

// Keeps two runs on one machine from writing into one output folder. `run` takes the lock before it writes its first
// file and holds it to its end; a second run into that folder ends with InputError before it has changed anything
// there. The lock is one of the system (flock) on the folder itself. It ends with its process, however that ends, and
// leaves no file behind.

/// Holds a folder for as long as it lives.
class FolderLock {
 public:
  /// Makes the folder where there is none. Throws InputError where that fails or another FolderLock holds it. A file
  /// system that knows no locks holds nothing.
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_ = -1;
};

}  // namespace cardiowarp
