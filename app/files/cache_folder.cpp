#include "app/files/cache_folder.hpp"

#include <cstdlib>

namespace cardiowarp {

std::string cache_folder(const std::string& name) {
  const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (cache && *cache == '/') return std::string(cache) + "/cardiowarp/" + name;
  return home && *home == '/' ? std::string(home) + "/.cache/cardiowarp/" + name : std::string();
}

}  // namespace cardiowarp
