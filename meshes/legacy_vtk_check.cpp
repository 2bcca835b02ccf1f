#include "meshes/legacy_vtk_check.hpp"

#include <fmt/format.h>
#include <vtkDataArray.h>
#include <vtkType.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "fem/input_error.hpp"
#include "meshes/number_words.hpp"
#include "meshes/suffix.hpp"
#include "meshes/text_cursor.hpp"
#include "meshes/vtu_text.hpp"

namespace cardiowarp {
namespace {

std::string printable(std::string_view text) {
  std::string result(text.substr(0, 40));
  for (char& c : result)
    if (c < ' ' || c > '~') c = '?';
  return result;
}

/// A type of numbers in a file.
struct NumberType {
  std::string_view word;
  std::size_t bytes;  ///< in a binary file; a bit is an eighth of one
  int in_vtk;         ///< what VTK reads a text's numbers as
  bool whole_word = false;
};

/// VTK goes by the beginning of a word, so that FreeFem's `int1` is an int, but for char.
const NumberType* type_of_word(std::string_view word) {
  static constexpr NumberType types[] = {{"bit", 0, VTK_ID_TYPE},
                                         {"char", 1, VTK_INT, true},
                                         {"signed_char", 1, VTK_INT, true},
                                         {"unsigned_char", 1, VTK_UNSIGNED_CHAR},
                                         {"short", 2, VTK_SHORT},
                                         {"unsigned_short", 2, VTK_UNSIGNED_SHORT},
                                         {"vtkidtype", 4, VTK_INT},
                                         {"int", 4, VTK_INT},
                                         {"unsigned_int", 4, VTK_UNSIGNED_INT},
                                         {"long", 8, VTK_LONG},
                                         {"unsigned_long", 8, VTK_UNSIGNED_LONG},
                                         {"vtktypeint64", 8, VTK_LONG},
                                         {"vtktypeuint64", 8, VTK_UNSIGNED_LONG},
                                         {"float", 4, VTK_FLOAT},
                                         {"double", 8, VTK_DOUBLE}};
  for (const NumberType& type : types)
    if (type.whole_word ? word == type.word : word.starts_with(type.word)) return &type;
  return nullptr;
}

class LegacyWalk {
 public:
  LegacyWalk(const std::string& file, std::string_view text) : file_(file), cursor_(file, text) {}

  void walk() {
    require_beginning();
    header();
    while (!cursor_.at_end()) section(in_small_letters(cursor_.word()));
    // A number that has lost its last digits is a number, too.
    if (!binary_ && cursor_.text().back() != '\n')
      fail_as_a_whole("expected a line break at the end (truncated file?)");
    if (!points_ || !cells_ || !types_)
      fail_as_a_whole("expected POINTS, CELLS and CELL_TYPES of an unstructured grid (truncated file?)");
    if (*types_ != *cells_) fail(fmt::format("CELL_TYPES are {}, CELLS are {}", *types_, *cells_));
  }

 private:
  void require_beginning() const {
    if (!cursor_.text().starts_with("# vtk DataFile"))
      fail_as_a_whole("is not a legacy VTK file: expected '# vtk DataFile'");
  }

  void header() {
    constexpr std::string_view expected = "# vtk DataFile Version";
    std::string_view first = cursor_.rest_of_line();
    if (!first.starts_with(expected)) fail("expected '# vtk DataFile Version' and a number");
    first.remove_prefix(expected.size());
    first.remove_prefix(std::min(first.find_first_not_of(" \t"), first.size()));
    // VTK takes a version that is not two numbers with a point between them for the oldest.
    const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), version_);
    const bool has_minor = error == std::errc{} && first.data() + first.size() - end > 1 && end[0] == '.' &&
                           end[1] >= '0' && end[1] <= '9';
    if (!has_minor) version_ = 0;
    cursor_.rest_of_line();  // the title
    const std::string kind = in_small_letters(cursor_.word());
    if (kind != "ascii" && kind != "binary") fail(fmt::format("expected ASCII or BINARY, got '{}'", printable(kind)));
    binary_ = kind == "binary";
  }

  void section(const std::string& name) {
    if (name == "dataset") {
      const std::string kind = in_small_letters(cursor_.word());
      if (kind != "unstructured_grid") fail(fmt::format("expected UNSTRUCTURED_GRID, got '{}'", printable(kind)));
    } else if (name == "metadata") {
      metadata();
    } else if (name == "field") {
      field();
    } else if (name == "points") {
      expect_first(points_, "POINTS");
      points_ = count("the number of points");
      array_ = "POINTS";
      values(type(), *points_, 3);
    } else if (name == "cells") {
      expect_first(cells_, "CELLS");
      version_ >= 5 ? cells_with_offsets() : cells_in_rows();
    } else if (name == "cell_types") {
      expect_first(types_, "CELL_TYPES");
      cell_types();
    } else if (name == "cell_data" || name == "point_data") {
      data_of(name == "cell_data");
    } else if (tuples_) {
      attribute(name);
    } else {
      fail(fmt::format("expected the next section, got '{}'", printable(name)));
    }
  }

  void expect_first(const std::optional<std::size_t>& known, const char* name) const {
    if (known) fail(fmt::format("{} is given twice", name));
  }

  /// Rows of a count and so many node numbers; the second number of the head counts the numbers of all rows.
  void cells_in_rows() {
    array_ = "CELLS";
    cells_ = count("the number of cells");
    const std::size_t numbers = count("the numbers of all rows");
    const Data data = begin_data("int", numbers, 1);
    std::size_t used = 0;
    for (std::size_t row = 0; row < *cells_; ++row) {
      if (used == numbers) fail(fmt::format("CELLS: expected {} rows, got {} in {} numbers", *cells_, row, numbers));
      const std::int64_t corners = integer(data, used, "a number of nodes");
      const std::size_t left = numbers - used - 1;
      if (corners < 0 || static_cast<std::size_t>(corners) > left)
        fail(fmt::format("CELLS: row {} has {} nodes, but {} of the {} numbers of CELLS are left{}", row, corners, left,
                         numbers, of_byte_order(data, used, left)));
      if (!binary_) skip_numbers(static_cast<std::size_t>(corners), VTK_ID_TYPE, "a node number");
      used += 1 + static_cast<std::size_t>(corners);
    }
    if (used != numbers) fail(fmt::format("CELLS: the {} rows have {} numbers: expected {}", *cells_, used, numbers));
    end_data(data);
  }

  /// Version 5: where each row ends among the node numbers, then these; both counts stand in the head.
  void cells_with_offsets() {
    const std::size_t offsets = count("the number of offsets"), numbers = count("the number of node numbers");
    expect_word("offsets");
    columns_ = 1;
    const Data data = begin_data(type(), offsets, 1);
    std::int64_t last = 0;
    for (std::size_t i = 0; i < offsets; ++i) {
      const std::int64_t offset = integer(data, i, "an offset");
      if (offset < last || (i == 0 && offset != 0))
        fail(fmt::format("CELLS: offset {} is {}: expected {}{}", i, offset,
                         i == 0 ? "0" : fmt::format("{} or more", last), of_byte_order(data, i, numbers)));
      last = offset;
    }
    if (static_cast<std::size_t>(last) != numbers)
      fail(fmt::format("CELLS: the last offset is {}: expected the number of node numbers, {}{}", last, numbers,
                       offsets > 0 ? of_byte_order(data, offsets - 1, numbers) : ""));
    end_data(data);
    cells_ = offsets == 0 ? 0 : offsets - 1;
    expect_word("connectivity");
    array_ = "CELLS";
    values(type(), numbers, 1);
  }

  void cell_types() {
    types_ = count("the number of cell types");
    const Data data = begin_data("int", *types_, 1);
    for (std::size_t cell = 0; cell < *types_; ++cell)
      if (const std::int64_t value = integer(data, cell, "a cell type"); value < 0 || value > 255)
        fail(fmt::format("CELL_TYPES: cell {} has the type {}: expected 0 to 255{}", cell, value,
                         of_byte_order(data, cell, 255)));
    end_data(data);
  }

  void data_of(bool cells) {
    const char* name = cells ? "CELL_DATA" : "POINT_DATA";
    tuples_ = count("the number of values");
    const std::optional<std::size_t>& expected = cells ? cells_ : points_;
    if (!expected) fail(fmt::format("expected {} before {}", cells ? "CELLS" : "POINTS", name));
    if (*tuples_ != *expected)
      fail(fmt::format("{} is for {}: expected {}, the number of {}", name, *tuples_, *expected,
                       cells ? "cells" : "points"));
    names_.clear();
  }

  /// An array of CELL_DATA or POINT_DATA.
  void attribute(const std::string& kind) {
    static const std::map<std::string, std::size_t> components{{"vectors", 3},     {"normals", 3},    {"tensors", 9},
                                                               {"tensors6", 6},    {"global_ids", 1}, {"edge_flags", 1},
                                                               {"pedigree_ids", 1}};
    const bool of_colors = kind == "color_scalars", of_texture = kind == "texture_coordinates";
    const bool is_table = kind == "lookup_table";
    if (!components.contains(kind) && kind != "scalars" && !of_colors && !of_texture && !is_table)
      fail(fmt::format("expected the next array or section, got '{}'", printable(kind)));
    const std::string name(cursor_.word());
    array_ = fmt::format("{} '{}'", is_table ? "lookup table" : "array", printable(name));
    if (is_table) return values(color_type(), count("the number of colors"), 4);
    note_name(name);
    if (of_colors) return values(color_type(), *tuples_, count("the number of values a tuple"));
    if (of_texture) {
      const std::size_t dimension = count("the dimension");
      return values(type(), *tuples_, dimension);
    }
    const std::string type_name = type();
    if (components.contains(kind)) return values(type_name, *tuples_, components.at(kind));
    // The number of components may be left out.
    std::size_t width = 1;
    if (const std::string_view next = cursor_.peek(); !next.empty() && next[0] >= '0' && next[0] <= '9')
      width = count("the number of components");
    if (in_small_letters(cursor_.word()) != "lookup_table") fail("expected LOOKUP_TABLE after SCALARS");
    cursor_.word();
    values(type_name, *tuples_, width);
  }

  /// Arrays with names of their own: of the file or, as many tuples each as there are, of CELL_DATA or POINT_DATA.
  void field() {
    cursor_.word();  // the field's name
    const std::size_t arrays = count("the number of arrays");
    for (std::size_t array = 0; array < arrays; ++array) {
      while (in_small_letters(cursor_.peek()) == "metadata") {
        cursor_.word();
        metadata();
      }
      const std::string name(cursor_.word());
      if (name.empty()) fail("expected the name of an array, got the end of the file (truncated?)");
      if (name == "NULL_ARRAY") continue;
      note_name(name);
      array_ = fmt::format("array '{}'", printable(name));
      const std::size_t components = count("the number of components"), rows = count("the number of tuples");
      if (tuples_ && rows != *tuples_)
        fail(fmt::format("array '{}' has {} tuples: expected {}", printable(name), rows, *tuples_));
      values(type(), rows, components);
    }
  }

  void note_name(const std::string& name) {
    if (!names_.insert(name).second) fail(fmt::format("array '{}' is given twice", printable(name)));
  }

  /// Lines up to an empty one or, where the last of them is whole, the end of the file. Among the names of components,
  /// which take a line each, empty lines are names.
  void metadata() {
    cursor_.rest_of_line();
    while (cursor_.position() < cursor_.text().size()) {
      const std::string_view line = cursor_.rest_of_line();
      for (const char* section : {"cell_data", "point_data"})  // which VTK would pass over
        if (in_small_letters(line).starts_with(section))
          fail(fmt::format("METADATA does not end with an empty line before '{}'", printable(line)));
      if (in_small_letters(line).starts_with("component_names")) {
        const std::size_t size = cursor_.text().size();
        for (std::size_t name = 0; name < columns_ && cursor_.position() < size; ++name) cursor_.rest_of_line();
        continue;
      }
      if (std::all_of(line.begin(), line.end(), [](char c) { return c == ' ' || c == '\r'; })) return;
    }
    if (cursor_.text().back() != '\n') fail("METADATA does not end with an empty line (truncated file?)");
  }

  std::size_t count(std::string_view what) {
    const auto value = cursor_.number<std::size_t>(what);
    if (value > std::size_t{std::numeric_limits<std::int64_t>::max()}) fail(fmt::format("{} is {}", what, value));
    return value;
  }

  void expect_word(const char* expected) {
    if (const std::string_view word = cursor_.word(); in_small_letters(word) != expected)
      fail(fmt::format("expected {}, got '{}'", expected, printable(word)));
  }

  std::string type() { return in_small_letters(cursor_.word()); }
  /// The type of colors, which is not written down.
  std::string color_type() const { return binary_ ? "unsigned_char" : "float"; }

  /// Numbers of one kind, in a binary file with the place where they begin.
  struct Data {
    std::size_t begin = 0, width = 0, bytes = 0;
    int in_vtk = VTK_INT;
  };

  /// Makes sure that so many numbers can be there.
  Data begin_data(const std::string& type_name, std::size_t rows, std::size_t columns) {
    const NumberType* known = type_of_word(type_name);
    if (known == nullptr) fail(fmt::format("unknown type '{}' of numbers", printable(type_name)));
    if (binary_) cursor_.rest_of_line();
    const std::size_t left = cursor_.text().size() - cursor_.position(), width = known->bytes;
    // A number takes at least a bit in a binary file, two characters with the space after it in a text.
    const std::size_t most = binary_ ? (width == 0 ? 8 * left : left / width) : (left + 1) / 2;
    if (columns > 0 && rows > most / columns)
      fail(fmt::format("expected {} x {} numbers of type {}, got the end of the file (truncated?)", rows, columns,
                       type_name));
    const std::size_t numbers = rows * columns;
    return {cursor_.position(), width, width == 0 ? (numbers + 7) / 8 : width * numbers, known->in_vtk};
  }

  void end_data(const Data& data) {
    if (binary_) cursor_.move_to(data.begin + data.bytes);
  }

  /// The next whole number of a text, the one at `index` of binary data.
  std::int64_t integer(const Data& data, std::size_t index, std::string_view what) {
    return binary_ ? binary_integer(data, index, false) : cursor_.number<std::int64_t>(what);
  }

  /// The number at `index`, its first byte the most significant one, or the least where `reversed`.
  std::int64_t binary_integer(const Data& data, std::size_t index, bool reversed) const {
    std::uint64_t value = 0;
    const char* at = cursor_.text().data() + data.begin + index * data.width;
    for (std::size_t byte = 0; byte < data.width; ++byte)
      value = value << 8 | static_cast<unsigned char>(at[reversed ? data.width - 1 - byte : byte]);
    return data.width == 4 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
  }

  /// A guess for a binary number that does not fit, where it would fit with its bytes the other way round.
  std::string of_byte_order(const Data& data, std::size_t index, std::size_t most) const {
    const std::int64_t value = binary_ ? binary_integer(data, index, true) : -1;
    if (value < 0 || static_cast<std::size_t>(value) > most) return "";
    return fmt::format(
        " (read backwards it is {}: the file seems to have the least significant byte of a number first; legacy VTK "
        "files have the most significant one first)",
        value);
  }

  /// Passes numbers of a text, which VTK must be able to read: after one that it cannot, it reads none.
  void skip_numbers(std::size_t numbers, int type, const std::string& what) {
    for (std::size_t i = 0; i < numbers; ++i) {
      const std::string_view word = cursor_.word();
      if (word.empty()) cursor_.fail_at_word(word, what);
      if (!is_number(word, type))
        fail(fmt::format("{}: expected {}, got '{}'{}", array_, what, printable(word),
                         what_word_is(word, "VTK reads such from binary files, but not from text")));
    }
  }

  void values(const std::string& type_name, std::size_t rows, std::size_t columns) {
    columns_ = columns;
    if (type_name.starts_with("string") || type_name.starts_with("utf8_string")) return strings(rows, columns);
    if (type_name.starts_with("variant")) return variants(rows, columns);
    const Data data = begin_data(type_name, rows, columns);
    if (!binary_) skip_numbers(rows * columns, data.in_vtk, fmt::format("a number of the type {}", type_name));
    end_data(data);
  }

  /// A number for the type and a word, each, in binary files as well.
  void variants(std::size_t rows, std::size_t columns) {
    const std::size_t most = cursor_.text().size() - cursor_.position();
    if (columns > 0 && rows > most / columns)
      fail(fmt::format("expected {} x {} variants, got the end of the file (truncated?)", rows, columns));
    for (std::size_t i = 0; i < rows * columns; ++i) {
      cursor_.number<int>("the type of a variant");
      if (cursor_.word().empty()) cursor_.fail_at_word({}, "the value of a variant");
    }
  }

  /// One a line, in a binary file with its length in front.
  void strings(std::size_t rows, std::size_t columns) {
    cursor_.rest_of_line();
    const std::size_t size = cursor_.text().size();
    if (columns > 0 && rows > (size - cursor_.position()) / columns)
      fail(fmt::format("expected {} x {} strings, got the end of the file (truncated?)", rows, columns));
    for (std::size_t i = 0; i < rows * columns; ++i) {
      if (cursor_.position() >= size) fail("expected a string, got the end of the file (truncated?)");
      if (!binary_) {
        cursor_.rest_of_line();
        continue;
      }
      // The first two bits say how many bytes the length has: 11 one, 10 two, 01 four, 00 eight.
      const auto first = static_cast<unsigned char>(cursor_.text()[cursor_.position()]);
      const std::size_t width = std::size_t{8} >> (first >> 6);
      std::size_t length = first & 0x3f;
      if (width > size - cursor_.position()) fail("expected the length of a string, got the end of the file");
      for (std::size_t byte = 1; byte < width; ++byte)
        length = length << 8 | static_cast<unsigned char>(cursor_.text()[cursor_.position() + byte]);
      if (length > size - cursor_.position() - width)
        fail(fmt::format("expected a string of {} characters, got the end of the file (truncated?)", length));
      cursor_.move_to(cursor_.position() + width + length);
    }
  }

  [[noreturn]] void fail_as_a_whole(const std::string& message) const {
    throw InputError(fmt::format("{}: {}", file_, message));
  }
  [[noreturn]] void fail(const std::string& message) const {
    if (binary_) throw InputError(fmt::format("{}: byte {}: {}", file_, cursor_.position(), message));
    cursor_.fail(message);
  }

  std::string file_;
  TextCursor cursor_;
  bool binary_ = false;
  int version_ = 0;          ///< the number before the point
  std::string array_;        ///< what messages call the numbers at hand
  std::size_t columns_ = 1;  ///< of the array before
  std::optional<std::size_t> points_, cells_, types_;
  std::optional<std::size_t> tuples_;  ///< of CELL_DATA or POINT_DATA, once there is one
  std::set<std::string> names_;        ///< of the arrays of that section, before it of the file's fields
};

}  // namespace

void check_legacy_vtk(const std::string& file, std::string_view text) { LegacyWalk(file, text).walk(); }

}  // namespace cardiowarp
