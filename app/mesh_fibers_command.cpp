#include "app/mesh_fibers_command.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "app/anatomy/rule_fibers.hpp"
#include "app/config/sections.hpp"
#include "app/config/yaml_reader.hpp"
#include "app/config/yaml_tree.hpp"
#include "app/given_mesh.hpp"
#include "app/heart_mesh.hpp"
#include "app/process/standard_streams.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/mesh_fields.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/opencarp_file.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {
namespace {

constexpr const char* option = "--rule";

FiberRuleConfig read_rule(const std::string& text) {
  FiberRuleConfig rule;
  if (text.empty()) return rule;
  const YamlNode root = parse_yaml(text, option);
  read_section(YamlReader(root, std::filesystem::current_path()),
               [&](KeyVisitor& keys) { visit_fiber_rule(keys, rule, true); });
  return rule;
}

MeshFields fields_of(const RuleFibers& made, const std::vector<Vector3>& sheets, const std::vector<Vector3>& normals) {
  MeshFields fields;
  fields.of_elements = {{"sheet", sheets}, {"sheet_normal", normals}};
  fields.of_nodes = {{"phi_epi", made.fields.epi}, {"psi", made.fields.to_base}};
  if (made.surfaces.kind() == HeartKind::two_ventricles) {
    fields.of_nodes.push_back({"phi_lv", made.fields.left});
    fields.of_nodes.push_back({"phi_rv", made.fields.right});
  }
  return fields;
}

}  // namespace

MeshFibersCommand::MeshFibersCommand(Command& mesh)
    : fibers_(mesh.add_command("fibers", "Fibers by rule (default: the mesh's name and _fibers.vtu)")) {
  fibers_.add_option("MESH", given_mesh_, one_of_suffixes(mesh_suffixes), {.is_required = true});
  fibers_.add_option(option, rule_, "Keys of fibers as in YAML: '{endocardium: 60 deg, surfaces: {base: top}}'",
                     {.type = "KEYS"});
  fibers_.add_option("--output", output_, "Ends in .vtu, or in .pts for the fibers alone", {.type = "FILE"});
  fibers_.add_option("--length-unit", length_unit_, length_unit_help("mesh"));
}

void MeshFibersCommand::run() const {
  const std::filesystem::path mesh_file = mesh_file_named(given_mesh_);
  const FiberRuleConfig rule = read_rule(rule_);
  const LengthUnit unit = given_length_unit(length_unit_, mesh_file);
  const std::filesystem::path output =
      output_.empty() ? std::filesystem::path(mesh_file.stem().string() + "_fibers.vtu") : output_;
  const bool has_fields = suffix_of(output) == ".vtu";
  if (!has_fields && suffix_of(output) != ".pts")
    throw InputError(
        fmt::format("--output: expected a file name that ends in .vtu or .pts, got '{}'", output.string()));
  require_beside_mesh(output, mesh_file);

  Mesh mesh = read_given_mesh(mesh_file, unit);
  const RuleFibers made = rule_fibers(mesh, rule, "mesh fibers");
  mesh.fibers.clear();
  std::vector<Vector3> sheets, normals;
  for (const Axes& axes : made.axes) {
    mesh.fibers.push_back(axes.fiber);
    sheets.push_back(axes.sheet);
    normals.push_back(axes.sheet_normal);
  }
  add_found_surfaces(made.surfaces, mesh);
  if (has_fields)
    write_mesh_with_fields(mesh, fields_of(made, sheets, normals), output);
  else
    write_mesh(mesh, output);
  for (const std::string& line : in_words(made, rule)) print_report("{}\n", line);
  print_report("{}: {} nodes, {} tetrahedra{}\n", output.string(), mesh.nodes.size(), mesh.tetrahedra.size(),
               has_fields ? "; cell arrays fiber, sheet and sheet_normal" : "");
}

}  // namespace cardiowarp
