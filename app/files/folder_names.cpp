#include "app/files/folder_names.hpp"

#include <dirent.h>

#include <algorithm>
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

std::optional<std::string_view> number_in_name(std::string_view name, std::string_view first) {
  const std::size_t begin = std::min(first.find("00"), first.size());
  const std::size_t end = std::min(first.find_first_not_of('0', begin), first.size());
  const std::string_view before = first.substr(0, begin), after = first.substr(end);
  if (name.size() < first.size() || !name.starts_with(before) || !name.ends_with(after)) return std::nullopt;
  const std::string_view number = name.substr(begin, name.size() - before.size() - after.size());
  const bool has_other = number.find_first_not_of("0123456789") != std::string_view::npos;
  return has_other || (begin == end && !number.empty()) ? std::nullopt : std::optional(number);
}

}  // namespace cardiowarp
