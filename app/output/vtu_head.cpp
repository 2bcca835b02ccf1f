#include "app/output/vtu_head.hpp"

#include <fmt/format.h>

namespace cardiowarp {
namespace {

/// An array by VTK's names; `more` are attributes of it alone.
std::string line_of(const VtuArrayHead& array, std::string_view more = "") {
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\"{}{} format=\"appended\" offset=\"{}\"/>\n", array.type, array.name,
      array.components == 1 ? "" : fmt::format(" NumberOfComponents=\"{}\"", array.components), more, array.offset);
}

std::string section(std::string_view name, std::string_view attributes, const std::vector<VtuArrayHead>& arrays) {
  std::string text = fmt::format("      <{}{}>\n", name, attributes);
  for (const VtuArrayHead& array : arrays) text += "        " + line_of(array);
  return text + fmt::format("      </{}>\n", name);
}

/// Fills up to the end of a block of VTK's with the word, and the tag to its length.
void add_appended_data(std::string& text) {
  constexpr std::size_t block = 4096, tag_bytes = 46;  // in the middle of those that work
  constexpr std::string_view word = "<AppendedData", encoding = "encoding=\"raw\"";
  const std::size_t end = (text.size() + word.size() + 2 + block - 1) / block * block;
  text.append(end - word.size() - text.size() - 2, ' ');
  text += "\n ";
  text += word;
  text.append(tag_bytes - word.size() - encoding.size(), ' ');
  text += encoding;
  text += ">\n   _";
}

}  // namespace

std::string vtu_head(const VtuContents& contents) {
  std::string text =
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
      "compressor=\"vtkZLibDataCompressor\">\n  <UnstructuredGrid>\n";
  if (!contents.of_file.empty()) {
    text += "    <FieldData>\n";
    for (const VtuArrayHead& array : contents.of_file) text += "      " + line_of(array, " NumberOfTuples=\"1\"");
    text += "    </FieldData>\n";
  }
  text += fmt::format("    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n", contents.nodes, contents.elements);
  const std::string active =
      contents.of_points.empty() ? "" : fmt::format(" Scalars=\"{}\"", contents.of_points.front().name);
  text += section("PointData", active, contents.of_points) + section("CellData", "", contents.of_cells) +
          section("Points", "", {contents.points}) +
          section("Cells", "", {contents.connectivity, contents.offsets, contents.types});
  text += "    </Piece>\n  </UnstructuredGrid>\n";
  add_appended_data(text);
  return text;
}

}  // namespace cardiowarp
