// The way of `cardiowarp check` from its files to a problem: the suffix of the mesh, its configuration, then the file
// of the mesh (three of them for pts), with separators between them. The key `accuracy`, for which beats of a cable are
// computed, is read and then left out.

#include <spdlog/spdlog.h>

#include <algorithm>

#include "app/config/config.hpp"
#include "app/start/load.hpp"
#include "fem/components.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace cardiowarp;

/// Writes the files of a mesh. False where the input has none.
bool write_mesh_files(std::string_view suffix, std::string_view content) {
  const fuzz::Folder& folder = fuzz::folder();
  if (suffix == "msh" || suffix == "vtk" || suffix == "vtu") {
    folder.write("mesh." + std::string(suffix), content);
    return true;
  }
  if (suffix != "pts") return false;
  const auto parts = fuzz::split(content, 3);
  std::error_code ignored;
  for (const auto& [name, part] : {std::pair("mesh.pts", 0u), {"mesh.elem", 1u}, {"mesh.lon", 2u}}) {
    std::filesystem::remove(folder / name, ignored);
    if (part < parts.size()) folder.write(name, parts[part]);
  }
  return true;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool silent = [] {
    spdlog::set_level(spdlog::level::off);
    return true;
  }();
  static_cast<void>(silent);
  const auto parts = fuzz::split(fuzz::text_of(data, size), 3);
  if (parts.size() < 3 || !write_mesh_files(parts[0], parts[2])) return 0;
  const auto file = fuzz::folder().write("run.yaml", parts[1]);
  fuzz::is_read([&] {
    Config config = load_config(file);
    config.accuracy.reset();
    const CheckedMesh checked = load_mesh(config.mesh);
    const Components components = connected_components(checked.mesh);
    const Problem problem = load_problem(config, checked);
    fuzz::require(problem.phi.size() == checked.mesh.nodes.size(), "a problem without values for all nodes");
  });
  return 0;
}
