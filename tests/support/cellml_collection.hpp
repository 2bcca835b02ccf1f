#pragma once
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {

/// The published cell models in an archive of `../shared`, unpacked for as long as the process lives. No files where
/// the archive is not there or cannot be unpacked.
class CellMlCollection {
 public:
  explicit CellMlCollection(const std::filesystem::path& archive) {
    if (!std::filesystem::exists(archive)) return;
    const std::string command = "tar -xf '" + archive.string() + "' -C '" + folder_.path().string() + "' 2>/dev/null";
    if (std::system(command.c_str()) != 0) return;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      if (entry.path().extension() == ".cellml") files_.push_back(entry.path());
    std::ranges::sort(files_);
  }

  const std::vector<std::filesystem::path>& files() const { return files_; }

  /// The file of this name without its suffix; empty where there is none.
  std::filesystem::path file(const std::string& stem) const {
    for (const std::filesystem::path& file : files_)
      if (file.stem() == stem) return file;
    return {};
  }

 private:
  TemporaryDirectory folder_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace cardiowarp::test
