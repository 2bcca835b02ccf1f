#include "app/bench_launcher.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/process/standard_streams.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {

void start_bench(const std::vector<std::string>& words) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string program = folder / "cardiowarp-bench";
  if (access(program.c_str(), X_OK) != 0)
    throw InputError(
        fmt::format("bench: no cardiowarp-bench in '{}': it is a program of its own, built by ./setup.sh "
                    "build",
                    folder.string()));
  std::vector<std::string> all{program};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  let_go_of_standard_streams();
  execv(program.c_str(), arguments.data());
  const int error = errno;
  hold_standard_streams();
  throw InputError(fmt::format("bench: cannot start '{}': {}", program, std::strerror(error)));
}

}  // namespace cardiowarp
