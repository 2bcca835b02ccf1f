#pragma once
#include <filesystem>

namespace cardiowarp {

/// Holds a folder against other runs on this machine for as long as it lives; it ends with its process, and leaves no
/// file.
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
