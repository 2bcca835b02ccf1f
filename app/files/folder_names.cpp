#include "app/files/folder_names.hpp"

#include <dirent.h>

#include <cerrno>
#include <memory>
#include <string_view>

namespace cardiowarp {
namespace {

struct Close {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

std::vector<std::string> names_in(const std::filesystem::path& folder, std::error_code& error) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, Close> open(::opendir(folder.c_str()));
  if (!open) {
    error = {errno, std::generic_category()};
    return names;
  }
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(open.get());
    error = {errno, std::generic_category()};
    if (entry == nullptr) return names;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
}

}  // namespace cardiowarp
