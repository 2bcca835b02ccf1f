#include "meshes/msh_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "meshes/mapped_file.hpp"
#include "meshes/msh_cursor.hpp"
#include "meshes/msh_elements.hpp"
#include "meshes/msh_groups.hpp"
#include "meshes/msh_nodes.hpp"

namespace cardiowarp {
namespace {

/// Goes through the sections of a file: which may stand where and how often, and who reads each.
class MshReader {
 public:
  MshReader(const std::string& file, std::string_view text) : in_(file, text) {}

  Mesh read() {
    header();
    std::set<std::string_view> passed_over;
    while (!in_.at_end()) {
      const std::string_view name = in_.word();
      if (!name.starts_with('$') || name.starts_with("$End"))
        in_.fail(fmt::format("expected the next section, got '{}'", MshCursor::printable(name)));
      if (!section(name)) passed_over.insert(name);
      end_of(name);
    }
    if (!read_.contains("$Nodes")) in_.fail("the file has no $Nodes section (truncated?)");
    if (!read_.contains("$Elements")) in_.fail("the file has no $Elements section (truncated?)");
    Mesh mesh = elements_.take_mesh();
    for (std::string& remark : groups_.remarks(mesh)) mesh.remarks.push_back(std::move(remark));
    if (!passed_over.empty()) mesh.remarks.push_back(in_words(passed_over));
    return mesh;
  }

 private:
  void header() {
    std::string_view first = in_.word();
    while (first != "$MeshFormat" && first != "$NOD" && first.starts_with('$') && !first.starts_with("$End")) {
      pass_over(first);
      end_of(first);
      first = in_.word();
    }
    if (first == "$NOD") unsupported_version("1");
    if (first != "$MeshFormat") in_.fail("is not a Gmsh mesh: expected $MeshFormat");
    const std::string_view version = in_.word();
    double number = 0;
    const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), number);
    const bool is_number = error == std::errc() && end == version.data() + version.size();
    // Some programs write a number of single precision.
    const auto is = [&](double expected) { return is_number && std::abs(number - expected) < 1e-6; };
    version_2_ = is(2) || is(2.1) || is(2.2);
    if (!version_2_ && !is(4.1)) unsupported_version(version);
    names_have_dimensions_ = !is(2);
    const int kind = in_.number<int>("0 for ASCII or 1 for binary"), bytes = in_.number<int>("the data size 8");
    if ((kind != 0 && kind != 1) || bytes != 8)
      in_.fail(fmt::format("expected '{} 0 8' or '{} 1 8'", version, version));
    if (kind == 1) {
      in_.rest_of_line();
      in_.begin_binary();
      if (in_.value<std::int32_t>("1") != 1) in_.fail("binary numbers have the byte order of another machine");
    }
    end_of("$MeshFormat");
  }

  /// Whether the section means something here; its numbers have been read, or else it has been passed over.
  bool section(std::string_view name) {
    if (name == "$NodeData" || name == "$ElementData" || name == "$ElementNodeData") return data(name), false;
    const bool parametric = name == "$ParametricNodes";
    const bool groups = name == "$PhysicalNames" || name == "$Entities" || name == "$PartitionedEntities";
    if (!groups && !parametric && name != "$Nodes" && name != "$Elements" && name != "$MeshFormat")
      return pass_over(name), name == "$Comments";
    if (name == "$MeshFormat" || !read_.insert(parametric ? "$Nodes" : name).second)
      in_.fail(fmt::format("the section {} is given twice", name));
    if ((name == "$Entities" || name == "$PartitionedEntities") && version_2_)
      in_.fail(fmt::format("the section {} has no place in version 2.2", name));
    if (parametric && !version_2_) in_.fail(fmt::format("the section {} has no place in version 4.1", name));
    if (name == "$PhysicalNames")
      groups_.read_names(names_have_dimensions_);
    else if (name == "$Nodes" || parametric)
      version_2_ ? nodes_.read_2(parametric) : nodes_.read_4();
    else if (name == "$Elements")
      elements();
    else
      entities(name);
    return true;
  }

  void elements() {
    if (!read_.contains("$Nodes")) in_.fail("expected the section $Nodes before $Elements");
    version_2_ ? elements_.read_2() : elements_.read_4();
  }

  void entities(std::string_view name) {
    if (read_.contains("$Elements")) in_.fail(fmt::format("expected the section {} before $Elements", name));
    if (in_.is_binary()) in_.rest_of_line();
    name == "$Entities" ? groups_.read_entities() : groups_.read_partitioned_entities();
  }

  static std::string in_words(const std::set<std::string_view>& sections) {
    std::vector<std::string> names;
    for (const std::string_view name : sections) names.push_back(MshCursor::printable(name));
    constexpr std::size_t most = 8;
    const std::size_t others = names.size() > most ? names.size() - most : 0;
    names.resize(names.size() - others);
    return fmt::format("passed over {}{}, which nothing here needs", fmt::join(names, ", "),
                       others == 0 ? "" : fmt::format(" and {} more sections", others));
  }

  /// Results, which are not read; their numbers must be there. The head is text in binary files too.
  void data(std::string_view name) {
    const auto strings = in_.number<std::size_t>("the number of string tags");
    in_.rest_of_line();
    for (std::size_t i = 0; i < strings && in_.bytes_left() > 0; ++i) in_.rest_of_line();
    const auto reals = in_.number<std::size_t>("the number of real tags");
    for (std::size_t i = 0; i < reals; ++i) in_.number<double>("a real tag");
    const auto integers = in_.number<std::size_t>("the number of integer tags");
    std::array<std::int32_t, 3> head{};  // time step, components, rows
    for (std::size_t i = 0; i < integers; ++i) {
      const auto tag = in_.number<std::int32_t>("an integer tag");
      if (i < head.size()) head[i] = tag;
    }
    if (in_.is_binary()) in_.rest_of_line();
    if (integers < head.size() || head[1] < 1 || head[2] < 0)
      in_.fail(fmt::format("{}: expected a time step, a number of components and a number of rows", name));
    const auto components = static_cast<std::size_t>(head[1]);
    for (std::int32_t row = 0; row < head[2]; ++row) {
      in_.value<std::int32_t>("the tag of a row");
      const auto nodes = name == "$ElementNodeData" ? in_.value<std::int32_t>("a number of nodes") : 1;
      if (nodes < 0) in_.fail(fmt::format("expected a number of nodes, got {}", nodes));
      in_.skip<double>(static_cast<std::size_t>(nodes), components, "a value");
    }
  }

  void pass_over(std::string_view section) {
    const std::string end = fmt::format("\n$End{}", section.substr(1));
    const std::size_t found = in_.text().find(end, in_.position());
    if (found == std::string_view::npos)
      in_.fail(fmt::format("section {} has no end (truncated file?)", MshCursor::printable(section)));
    in_.move_to(found);
  }

  void end_of(std::string_view section) {
    const std::string end = fmt::format("$End{}", section.substr(1));
    const std::string_view found = in_.word();
    if (found != end)
      in_.fail(fmt::format("expected {}, got '{}'{}", MshCursor::printable(end), MshCursor::printable(found),
                           found.empty() ? " (truncated file?)" : ""));
  }

  [[noreturn]] void unsupported_version(std::string_view version) {
    in_.fail(
        fmt::format("Gmsh format '{}' is not supported: expected 2, 2.1, 2.2 or 4.1 (open and save the file with Gmsh)",
                    MshCursor::printable(version)));
  }

  MshCursor in_;
  bool version_2_ = false;  ///< 2, 2.1 or 2.2, whose elements are alike; otherwise 4.1
  bool names_have_dimensions_ = true;
  std::set<std::string_view> read_;  ///< sections, of those that may stand once
  MshGroups groups_{in_};
  MshNodes nodes_{in_};
  MshElements elements_{in_, nodes_.nodes(), groups_};
};

}  // namespace

Mesh read_msh_file(const std::filesystem::path& file) {
  const MappedFile content(file);
  return read_msh_text(file.string(), content.text());
}

Mesh read_msh_text(const std::string& file, std::string_view text) {
  if (text.find('\n') != std::string_view::npos) return MshReader(file, text).read();
  std::string lines(text);  // of a system that ends them with carriage returns
  std::ranges::replace(lines, '\r', '\n');
  return MshReader(file, lines).read();
}

}  // namespace cardiowarp
