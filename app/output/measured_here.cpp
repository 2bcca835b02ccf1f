#include "app/output/measured_here.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <string>

#include "app/output/summary.hpp"
#include "app/process/commit.hpp"
#include "app/process/threads.hpp"
#include "app/simulation/gpu.hpp"

namespace cardiowarp {
namespace {

/// The name that Linux gives the processor, where it gives one.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t name = line.find_first_not_of(" \t", line.find(':') + 1); name != std::string::npos)
        return line.substr(name);
  return "unknown";
}

}  // namespace

Provenance measured_here() {
  const GpuInUse gpu = gpu_in_use();
  return {.commit = commit(),
          .gpu = gpu.name,
          .driver = gpu.driver,
          .cuda = gpu.cuda,
          .processor = fmt::format("{}, {} threads", processor_name(), threads_in_use().number),
          .date = iso_time(std::chrono::system_clock::now())};
}

}  // namespace cardiowarp
