#include "app/mesh_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "app/advice/mesh_remarks.hpp"
#include "app/advice/mesh_size.hpp"
#include "app/config/quantity.hpp"
#include "app/files/removed_at_signal.hpp"
#include "app/files/result_file.hpp"
#include "app/given_mesh.hpp"
#include "app/process/log.hpp"
#include "app/process/standard_streams.hpp"
#include "fem/components.hpp"
#include "fem/elements_of_groups.hpp"
#include "fem/further_tags.hpp"
#include "fem/input_error.hpp"
#include "fem/length_range.hpp"
#include "fem/mesh_check.hpp"
#include "fem/mesh_parts.hpp"
#include "fem/nearest_name.hpp"
#include "meshes/generate.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/opencarp_file.hpp"
#include "meshes/refine_long_edges.hpp"
#include "meshes/replaced_mesh.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {
namespace {

/// Throws InputError where it is no length, or one that no edge can have (fem/length_range.hpp).
Real parse_length_mm(const std::string& option, const std::string& text) {
  const auto quantity = parse_quantity(text);
  if (!quantity || quantity->dimension.value_or(length_quantity.dimension) != length_quantity.dimension ||
      !(quantity->value > 0))
    throw InputError(fmt::format("{}: expected a length above 0 ({}), got '{}'", option, length_quantity.units, text));
  if (quantity->value < shortest_length_mm || quantity->value > longest_length_mm)
    throw InputError(fmt::format("{}: expected a length from {:g} to {:g} mm, got '{}'", option, shortest_length_mm,
                                 longest_length_mm, text));
  return quantity->value;
}

Vector3 parse_size_mm(const std::string& option, const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream list(text + ",");
  for (std::string part; std::getline(list, part, ',');) parts.push_back(part);
  if (parts.size() != 3)
    throw InputError(fmt::format("{}: expected three lengths like 20,7,3, got '{}'", option, text));
  return {parse_length_mm(option, parts[0]), parse_length_mm(option, parts[1]), parse_length_mm(option, parts[2])};
}

/// The folder that `file` goes into.
std::filesystem::path folder_of(const std::filesystem::path& file) {
  return canonical_path(file.has_parent_path() ? file.parent_path() : ".");
}

/// Refuses an output that could not be written before minutes are spent on making it.
void check_output(const std::filesystem::path& output) {
  const std::vector<std::string> suffixes(written_mesh_suffixes.begin(), written_mesh_suffixes.end());
  const std::string suffix = suffix_of(output);
  if (std::find(suffixes.begin(), suffixes.end(), suffix) == suffixes.end()) {
    throw InputError(fmt::format("--output: expected a file name that ends in {}, got '{}'{}",
                                 fmt::join(suffixes, ", "), output.string(), suggestion(suffix, suffixes)));
  }
  const auto folder = folder_of(output);
  if (const std::string reason = why_not_writable(folder); !reason.empty())
    throw InputError("--output: cannot be written: " + reason);
  try {
    require_mesh_writable(output);
  } catch (const InputError& reason) {
    throw InputError(fmt::format("--output: {}", reason.what()));
  }
}

/// Judges the number of tetrahedra before minutes and memory are spent on them; warns of many. Throws InputError with
/// the edge that would do.
void judge_tetrahedra(const char* option, Real tetrahedra, Real edge_mm, Real bytes_each) {
  if (const std::string warning = judge_number_of_tetrahedra(option, tetrahedra, edge_mm, bytes_each, memory_bytes());
      !warning.empty())
    log_warn("{}", warning);
}

void print_tags(std::string_view kind, const std::map<std::string, int>& names, const std::vector<int>& tags,
                const FurtherTags& further) {
  std::map<int, std::string> name_of_tag;
  for (const auto& [name, tag] : names) name_of_tag[tag] = name;
  for (const auto& [tag, count] : cells_of_tags(tags, further))
    print_report("  {:<8} {:>4}  {:<12} {:>10} {}\n", kind, tag, name_of_tag[tag], count,
                 kind == "volume" ? "tetrahedra" : "triangles");
}

void print_repairs(const MeshReport& report) {
  if (report.inverted_elements > 0)
    print_report("{} inverted tetrahedra were turned round\n", report.inverted_elements);
  if (report.unreferenced_nodes > 0)
    print_report("{} nodes of no tetrahedron were dropped\n", report.unreferenced_nodes);
}

/// Writes a mesh and prints its size, which is judged where the unit is known in which the input was read.
void write_and_summarise(Mesh mesh, const std::filesystem::path& output, std::optional<LengthUnit> unit = {}) {
  const MeshReport report = check_mesh(mesh);
  if (unit)
    if (const std::string warning = size_warning(report, *unit, "--length-unit"); !warning.empty())
      log_warn("{}", warning);
  std::error_code error;
  const auto folder = folder_of(output);
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError(fmt::format("--output: cannot create folder '{}': {}", folder.string(), error.message()));
  if (suffix_of(output) == ".pts" && !(mesh.further_element_tags.empty() && mesh.further_triangle_tags.empty()))
    log_warn(
        "--output: openCARP's .pts has one tag an element: of several the first is written (.msh and .vtu keep all)");
  write_mesh(mesh, output);
  print_repairs(report);
  print_report("{}: {} nodes, {} {}tetrahedra\n", output.string(), mesh.nodes.size(), mesh.tetrahedra.size(),
               mesh.is_quadratic() ? "quadratic " : "");
  print_report("  edge     mean {:.3g} mm, {:.3g} to {:.3g} mm\n", report.mean_edge_mm, report.shortest_edge_mm,
               report.longest_edge_mm);
  print_report("  volume   {:.6g} cm3\n", report.volume_mm3 / 1000);
  print_tags("volume", mesh.volume_names, mesh.element_tags, mesh.further_element_tags);
  print_tags("surface", mesh.surface_names, mesh.triangle_tags, mesh.further_triangle_tags);
}

/// The mesh with elements of an order, 1 or 2.
Mesh of_order(Mesh mesh, int order) { return order == 2 ? quadratic_mesh(std::move(mesh)) : mesh; }

}  // namespace

MeshCommand::MeshCommand(Command& program)
    : mesh_(program.add_command("mesh",
                                "Make a mesh: a heart, a slab, the inside of a surface; refine or convert one; its "
                                "shapes, fibers, coordinates")),
      biventricle_(mesh_.add_command("biventricle", "Idealized left and right ventricle (default heart.msh)")),
      slab_(mesh_.add_command("slab", "Box from the origin (default slab.msh)")),
      fill_(mesh_.add_command("fill", "Tetrahedra inside a closed surface (default: the surface's name, .msh)")),
      refine_(mesh_.add_command("refine", "Each tetrahedron into eight (default: the mesh's name and _refined)")),
      convert_(mesh_.add_command("convert", "Another format, and parts of a mesh (default: the mesh's name, .msh)")),
      quality_(mesh_),
      fibers_(mesh_),
      coordinates_(mesh_),
      purkinje_(mesh_) {
  const OptionTraits required_length{.type = "LENGTH", .is_required = true};
  biventricle_.add_option("--edge", edge_, "Mean edge length, e.g. 3mm", required_length);
  slab_.add_option("--size", size_, "e.g. 20,7,3", {.type = "X,Y,Z", .is_required = true});
  slab_.add_option("--edge", edge_, "Edge of the cells, or mean edge when unstructured", required_length);
  slab_.add_flag("--unstructured", unstructured_, "Made by Gmsh instead of regular cells");
  fill_.add_option("SURFACE", surfaces_, ".vtp, .stl, .ply or .obj; several that close one another are joined",
                   {.is_required = true});
  fill_.add_option("--edge", edge_, "Mean edge length inside; without it the surface's own", {.type = "LENGTH"});
  refine_.add_option("MESH", input_, one_of_suffixes(mesh_suffixes), {.is_required = true});
  refine_.add_option("--levels", levels_, "How many times", {.shows_default = true});
  refine_.add_option("--below", below_, "In place of that, cut edges above this length alone, e.g. 1mm",
                     {.type = "LENGTH", .excludes = "--levels"});
  refine_.add_option("--in", in_, "With --below: only in these groups, and next to them: scar,30-33",
                     {.type = "GROUPS"});
  for (Command* command : {&biventricle_, &slab_})
    command->add_option("--order", order_,
                        "1: linear tetrahedra of 4 nodes; 2: quadratic ones of 10, with straight edges of this length",
                        {.shows_default = true});
  convert_.add_option("MESH", input_, one_of_suffixes(mesh_suffixes), {.is_required = true});
  convert_.add_option("--keep", keep_, "Only the elements of these groups: lv,30-33", {.type = "GROUPS"});
  convert_.add_option("--drop", drop_, "Not the elements of these groups", {.type = "GROUPS"});
  convert_.add_flag("--merge-nodes", merges_nodes_, "Make one node of those at one place");
  convert_.add_flag("--largest-part", takes_largest_part_, "Only the largest of the connected parts");
  for (Command* command : {&fill_, &refine_, &convert_})
    command->add_option("--length-unit", length_unit_, length_unit_help("input"));
  for (Command* command : {&biventricle_, &slab_, &fill_, &refine_, &convert_})
    command->add_option("--output", output_, "Ends in " + one_of_suffixes(written_mesh_suffixes), {.type = "FILE"});
}

void MeshCommand::run() const {
  const RemovedAtSignal at_signal;
  if (order_ != 1 && order_ != 2) throw InputError(fmt::format("--order: expected 1 or 2, got {}", order_));
  if (biventricle_.is_chosen()) make_biventricle();
  if (slab_.is_chosen()) make_slab();
  if (fill_.is_chosen()) fill();
  if (refine_.is_chosen()) refine(mesh_file_named(input_));
  if (convert_.is_chosen()) convert(mesh_file_named(input_));
  if (quality_.is_chosen()) quality_.run();
  if (fibers_.is_chosen()) fibers_.run();
  if (coordinates_.is_chosen()) coordinates_.run();
  if (purkinje_.is_chosen()) purkinje_.run();
}

std::filesystem::path MeshCommand::output_or(const std::filesystem::path& standard,
                                             const std::filesystem::path& input) const {
  std::filesystem::path output = output_.empty() ? standard : output_;
  if (output_.empty() && standard.extension() == input.extension() && !has_mesh_suffix(standard))
    throw InputError(
        fmt::format("MESH: expected a file that ends in {}, got '{}'", one_of_suffixes(mesh_suffixes), input.string()));
  check_output(output);
  if (!input.empty() && replaces_mesh(output, input))
    throw InputError(fmt::format("--output: '{}' is the file to be read, '{}': expected another name", output.string(),
                                 input.string()));
  if (order_ == 2 && suffix_of(output) == ".pts")
    throw InputError("--output: openCARP's .pts has no quadratic tetrahedra (--order 2): expected .msh or .vtu");
  return output;
}

void MeshCommand::make_biventricle() const {
  const auto output = output_or("heart.msh");
  const Real edge_mm = parse_length_mm("--edge", edge_);
  const MeshMaker maker = biventricle_gmsh_edge_mm(edge_mm) == edge_mm ? MeshMaker::gmsh : MeshMaker::program;
  judge_tetrahedra("--edge", estimated_tetrahedra(biventricle_volume_mm3, edge_mm), edge_mm,
                   bytes_of_tetrahedron(maker, order_, suffix_of(output)));
  write_and_summarise(of_order(biventricle_mesh(edge_mm), order_), output);
}

void MeshCommand::make_slab() const {
  const auto output = output_or("slab.msh");
  const Vector3 size_mm = parse_size_mm("--size", size_);
  const Real edge_mm = parse_length_mm("--edge", edge_);
  const auto side_mm = [&](Real length_mm) { return std::max(length_mm, edge_mm); };  // one cell at least
  const Real volume_mm3 = side_mm(size_mm.x) * side_mm(size_mm.y) * side_mm(size_mm.z);
  const MeshMaker maker = unstructured_ ? MeshMaker::gmsh : MeshMaker::program;
  const Real tetrahedra =
      unstructured_ ? estimated_tetrahedra(volume_mm3, edge_mm) : 6 * volume_mm3 / (edge_mm * edge_mm * edge_mm);
  judge_tetrahedra("--edge", tetrahedra, edge_mm, bytes_of_tetrahedron(maker, order_, suffix_of(output)));
  write_and_summarise(of_order(slab_mesh(size_mm, edge_mm, !unstructured_), order_), output);
}

void MeshCommand::fill() const {
  const std::filesystem::path& first = surfaces_.front();
  const LengthUnit unit = given_length_unit(length_unit_, first);
  const std::string name = surfaces_.size() == 1 ? first.stem().string() : "filled";
  const auto output = output_or(name + ".msh", first);
  const Real edge_mm = edge_.empty() ? 0 : parse_length_mm("--edge", edge_);
  const SurfaceSize size = surface_size(surfaces_, unit);
  const Real used_mm = edge_mm > 0 ? edge_mm : size.mean_edge_mm;
  judge_tetrahedra(edge_.empty() ? "SURFACE (--edge of its own edges)" : "--edge",
                   estimated_tetrahedra(size.volume_mm3, used_mm), used_mm,
                   bytes_of_tetrahedron(MeshMaker::gmsh, order_, suffix_of(output)));
  const auto warn = [](const std::string& remark) { log_warn("{}", remark); };
  write_and_summarise(fill_surface(surfaces_, edge_mm, unit, warn), output, unit);
}

void MeshCommand::refine(const std::filesystem::path& input) const {
  const LengthUnit unit = given_length_unit(length_unit_, input);
  // Formats that are only read have nothing that the XML one of VTK could not hold.
  const bool is_written = std::ranges::find(written_mesh_suffixes, suffix_of(input)) != written_mesh_suffixes.end();
  const std::string suffix = has_mesh_suffix(input) && !is_written ? ".vtu" : suffix_of(input);
  const auto output = output_or(input.stem().string() + "_refined" + suffix, input);
  if (below_.empty() && !in_.empty()) throw InputError("--in: expected --below LENGTH beside it");
  const Real below_mm = below_.empty() ? 0 : parse_length_mm("--below", below_);
  Mesh mesh = read_mesh(input, unit);
  print_repairs(check_mesh_of(input, mesh));
  log_remarks(mesh, input);
  require_linear(mesh, input.string());
  const Real bytes = bytes_of_tetrahedron(MeshMaker::program, order_, suffix_of(output));
  if (below_.empty()) {
    judge_tetrahedra("--levels", static_cast<Real>(mesh.tetrahedra.size()) * std::pow(8, levels_), 0, bytes);
    return write_and_summarise(refine_mesh(mesh, levels_), output, unit);
  }
  const std::vector<std::uint8_t> wanted = in_.empty() ? std::vector<std::uint8_t>() : elements_in(mesh, "--in", in_);
  judge_tetrahedra("--below", estimated_pieces(mesh, below_mm, wanted), below_mm, bytes);
  write_and_summarise(refine_long_edges(mesh, below_mm, wanted), output, unit);
}

void MeshCommand::convert(const std::filesystem::path& input) const {
  const LengthUnit unit = given_length_unit(length_unit_, input);
  const auto output = output_or(input.stem().string() + ".msh", input);
  Mesh mesh = read_mesh(input, unit);
  const MeshReport report = check_mesh_of(input, mesh);
  print_repairs(report);
  log_remarks(mesh, input);
  if (suffix_of(output) == ".pts" && mesh.is_quadratic())
    throw InputError("--output: openCARP's .pts has no quadratic tetrahedra: expected .msh or .vtu");
  if (merges_nodes_) {
    constexpr Real share_of_shortest_edge = 1e-3;
    print_report("{} nodes were merged with others\n",
                 merge_coinciding_nodes(mesh, share_of_shortest_edge * report.shortest_edge_mm));
  }
  if (!keep_.empty() || !drop_.empty()) mesh = part_of_mesh(mesh, elements_of_groups(mesh, keep_, drop_));
  if (takes_largest_part_) {
    check_mesh_of(input, mesh);
    const Components components = connected_components(mesh);
    std::vector<std::uint8_t> keeps;
    for (const Tetrahedron& nodes : mesh.tetrahedra)
      keeps.push_back(components.component_of_node[static_cast<std::size_t>(nodes[0])] == 0);
    print_report("{} connected parts\n", components.all.size());
    mesh = part_of_mesh(mesh, keeps);
  }
  write_and_summarise(std::move(mesh), output, unit);
}

}  // namespace cardiowarp
