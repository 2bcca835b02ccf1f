#include "meshes/vtu_check.hpp"

#include <fmt/format.h>
#include <vtkDataArray.h>
#include <vtkLZ4DataCompressor.h>
#include <vtkLZMADataCompressor.h>
#include <vtkNew.h>
#include <vtkSmartPointer.h>
#include <vtkXMLDataElement.h>
#include <vtkXMLDataParser.h>
#include <vtkZLibDataCompressor.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <istream>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fem/input_error.hpp"
#include "meshes/number_words.hpp"
#include "meshes/vtk_messages.hpp"
#include "meshes/vtu_stored.hpp"
#include "meshes/vtu_text.hpp"

namespace cardiowarp {
namespace {

using Count = std::uint64_t;

std::string attribute(vtkXMLDataElement& element, const char* name) {
  const char* value = element.GetAttribute(name);
  return value == nullptr ? "" : value;
}

/// A whole number from 0 on; `absent` where there is no such attribute.
Count count_of(vtkXMLDataElement& element, const char* name, std::optional<Count> absent = {}) {
  const char* text = element.GetAttribute(name);
  if (text == nullptr && absent) return *absent;
  const std::string_view word = trimmed(text == nullptr ? "" : text);
  Count value = 0;
  const auto [end, error] = std::from_chars(word.begin(), word.end(), value);
  if (word.empty() || error != std::errc{} || end != word.end())
    throw InputError(fmt::format("{}: {}: expected a whole number from 0 on, got '{}'", element.GetName(), name,
                                 word.substr(0, 40)));
  return value;
}

vtkSmartPointer<vtkDataCompressor> compressor(const std::string& name) {
  if (name == "vtkZLibDataCompressor") return vtkSmartPointer<vtkZLibDataCompressor>::New();
  if (name == "vtkLZ4DataCompressor") return vtkSmartPointer<vtkLZ4DataCompressor>::New();
  if (name == "vtkLZMADataCompressor") return vtkSmartPointer<vtkLZMADataCompressor>::New();
  throw InputError(
      fmt::format("compressor: expected vtkZLibDataCompressor, vtkLZ4DataCompressor or vtkLZMADataCompressor, got '{}'",
                  name.substr(0, 40)));
}

class VtuCheck {
 public:
  explicit VtuCheck(std::string_view text) : text_(text), buffer_(text), stream_(&buffer_) {
    const std::string_view whole = without_epilogue(text);
    if (whole.substr(0, 4096).find("<VTKFile") == std::string_view::npos)
      throw InputError("is not a VTK XML file: expected <VTKFile>");
    if (!whole.ends_with('>') || !trimmed(whole.substr(0, whole.size() - 1)).ends_with("</VTKFile"))
      throw InputError("expected </VTKFile> at the end (truncated file?)");
    parser_->SetStream(&stream_);
    parser_->SetIgnoreCharacterData(1);
    if (parser_->Parse() == 0 || parser_->GetRootElement() == nullptr) fail_with_message();
    vtkXMLDataElement& root = *parser_->GetRootElement();
    if (const std::string type = attribute(root, "type"); type != "UnstructuredGrid")
      throw InputError(fmt::format("expected a file of the type UnstructuredGrid, got '{}'", type));
    encoding_.compressed = root.GetAttribute("compressor") != nullptr;
    if (encoding_.compressed) parser_->SetCompressor(compressor(attribute(root, "compressor")));
    encoding_.swapped = attribute(root, "byte_order") == "BigEndian";
    encoding_.header_bytes = attribute(root, "header_type") == "UInt64" ? 8 : 4;
    if (vtkXMLDataElement* appended = root.FindNestedElementWithName("AppendedData")) {
      raw_ = attribute(*appended, "encoding") == "raw";
      const std::size_t begin = std::min<std::size_t>(parser_->GetAppendedDataPosition(), text_.size());
      const std::size_t end = text_.rfind("</AppendedData");
      if (end == std::string_view::npos || end < begin) throw InputError("expected </AppendedData> (truncated file?)");
      appended_ = text_.substr(begin, end - begin);
    }
  }

  /// The number of points.
  Count check() {
    Count points = 0;
    vtkXMLDataElement* grid = parser_->GetRootElement()->FindNestedElementWithName("UnstructuredGrid");
    if (grid == nullptr) throw InputError("expected the element UnstructuredGrid");
    std::vector<vtkXMLDataElement*> pieces;
    for (int i = 0; i < grid->GetNumberOfNestedElements(); ++i) {
      vtkXMLDataElement& element = *grid->GetNestedElement(i);
      if (element.GetName() == std::string_view("Piece")) pieces.push_back(&element);
      if (element.GetName() == std::string_view("FieldData")) check_field_data(element);
    }
    if (pieces.empty()) throw InputError("expected the element Piece");
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
      piece_ = pieces.size() > 1 ? fmt::format("piece {}: ", piece) : "";
      points += check_piece(*pieces[piece]);
    }
    return points;
  }

 private:
  struct Array {
    vtkXMLDataElement* element;
    std::string name;  ///< with the section, for messages
    Count components;
    int type;
  };

  [[noreturn]] void fail_with_message() const {
    throw InputError(messages_.first().empty() ? "is not well-formed XML"
                                               : fmt::format("VTK says: {}", messages_.first()));
  }
  [[noreturn]] void fail(const Array& array, const std::string& message) const {
    throw InputError(fmt::format("{}{} {}", piece_, array.name, message));
  }

  /// `word` is a part of the text.
  [[noreturn]] void fail_at_word(const Array& array, std::string_view word) const {
    const auto line = 1 + std::count(text_.data(), word.data(), '\n');
    fail(array, fmt::format("holds '{}' in line {}: expected a number of the type {}{}", word.substr(0, 40), line,
                            attribute(*array.element, "type"),
                            what_word_is(word, "VTK reads such from binary arrays, but not from text")));
  }

  /// The arrays of a section, whose names must differ.
  std::vector<Array> arrays_of(vtkXMLDataElement& section) const {
    std::vector<Array> arrays;
    std::set<std::string> known;
    for (int i = 0; i < section.GetNumberOfNestedElements(); ++i) {
      vtkXMLDataElement& element = *section.GetNestedElement(i);
      const std::string_view kind = element.GetName();
      if (kind != "DataArray" && kind != "Array") continue;
      Array array{&element, fmt::format("{}: array '{}'", section.GetName(), attribute(element, "Name")),
                  count_of(element, "NumberOfComponents", 1), 0};
      if (element.GetWordTypeAttribute("type", array.type) == 0)
        fail(array, fmt::format("is of the unknown type '{}'", attribute(element, "type")));
      if (array.components == 0) fail(array, "has 0 components");
      // One name may stand for several points of time, of which VTK takes the first.
      if (!known.insert(fmt::format("{} {}", attribute(element, "Name"), attribute(element, "TimeStep"))).second)
        fail(array, "is given twice");
      arrays.push_back(std::move(array));
    }
    return arrays;
  }

  /// Numbers that are stored for an array; of strings their characters, with a 0 at the end of each.
  Count stored_values(const Array& array) const {
    if (is_ascii(array)) {
      Count words = 0;
      for (std::string_view text = inline_text(array), word; !(word = next_word(text)).empty(); ++words)
        if (!is_number(word, array.type)) fail_at_word(array, word);
      return words;
    }
    const Count width = std::max(1, vtkDataArray::GetDataTypeSize(array.type));  // VTK gives strings 0
    Count bytes = 0;
    try {
      bytes = decoded_bytes(is_appended(array) ? appended_bytes(array) : VtuStored(trimmed(inline_text(array)), true),
                            encoding_);
    } catch (const InputError& error) {
      fail(array, error.what());
    }
    if (bytes % width != 0) fail(array, fmt::format("holds {} bytes: expected a multiple of {}", bytes, width));
    return bytes / width;
  }

  static bool is_appended(const Array& array) { return array.element->GetAttribute("offset") != nullptr; }
  static bool is_ascii(const Array& array) {
    return !is_appended(array) && attribute(*array.element, "format") != "binary";
  }

  /// Throws InputError that does not name the array.
  VtuStored appended_bytes(const Array& array) const {
    const Count offset = count_of(*array.element, "offset");
    if (offset > appended_.size())
      throw InputError(fmt::format("begins at byte {} of the appended data, which have {}", offset, appended_.size()));
    return {appended_.substr(offset), !raw_};
  }

  std::string_view inline_text(const Array& array) const {
    const std::size_t tag = static_cast<std::size_t>(array.element->GetXMLByteIndex());
    const std::size_t begin = std::min(text_.find('>', tag), text_.size() - 1) + 1;
    return text_.substr(begin, text_.find('<', begin) - begin);
  }

  /// Numbers `first` to `first + count` of a binary array, decompressed; they must be stored.
  vtkSmartPointer<vtkDataArray> values(const Array& array, Count first, Count count) {
    const auto data = vtkSmartPointer<vtkDataArray>::Take(vtkDataArray::CreateDataArray(array.type));
    if (data == nullptr) fail(array, "is of a type that holds no numbers");
    data->SetNumberOfValues(static_cast<vtkIdType>(count));
    stream_.clear();
    const Count read =
        is_appended(array)
            ? parser_->ReadAppendedData(static_cast<vtkTypeInt64>(count_of(*array.element, "offset")),
                                        data->GetVoidPointer(0), first, count, array.type)
            : parser_->ReadInlineData(array.element, 0, data->GetVoidPointer(0), first, count, array.type);
    if (read != count) fail(array, fmt::format("holds {} readable values: expected {}", read, count));
    return data;
  }

  Count stored_strings(Array array) {
    Count strings = 0;
    if (is_ascii(array)) {
      for (std::string_view text = inline_text(array), word; !(word = next_word(text)).empty();)
        if (word == "0") ++strings;
    } else if (const Count characters = stored_values(array); characters > 0) {
      array.type = VTK_UNSIGNED_CHAR;
      const auto text = values(array, 0, characters);
      for (vtkIdType i = 0; i < text->GetNumberOfValues(); ++i)
        if (text->GetComponent(i, 0) == 0) ++strings;
    }
    return strings;
  }

  void expect_values(const Array& array, Count tuples, const char* of_what) {
    if (array.type == VTK_BIT) return;  // stored in another way, and of no use here
    if (array.type == VTK_STRING) {
      if (const Count found = stored_strings(array); found != tuples * array.components)
        fail(array, fmt::format("holds {} strings: expected {}", found, tuples * array.components));
      return;
    }
    const Count found = stored_values(array);
    const bool possible = tuples <= std::numeric_limits<Count>::max() / array.components;
    if (!possible || found != tuples * array.components)
      fail(array, array.components == 1
                      ? fmt::format("holds {} values: expected {}, one for each of the {}", found, tuples, of_what)
                      : fmt::format("holds {} values: expected {} for each of the {} {}", found, array.components,
                                    tuples, of_what));
  }

  void check_field_data(vtkXMLDataElement& section) {
    for (const Array& array : arrays_of(section))
      if (array.element->GetAttribute("NumberOfTuples") != nullptr)
        expect_values(array, count_of(*array.element, "NumberOfTuples"), "tuples");
  }

  /// The number of its points.
  Count check_piece(vtkXMLDataElement& piece) {
    const Count points = count_of(piece, "NumberOfPoints"), cells = count_of(piece, "NumberOfCells");
    bool has_points = false, has_cells = false;
    for (int i = 0; i < piece.GetNumberOfNestedElements(); ++i) {
      vtkXMLDataElement& section = *piece.GetNestedElement(i);
      const std::string_view name = section.GetName();
      const auto expect_once = [&](bool& seen) {
        if (seen) throw InputError(fmt::format("{}the element {} is given twice", piece_, name));
        seen = true;
      };
      if (name == "PointData" || name == "CellData") {
        const bool of_points = name == "PointData";
        for (const Array& array : arrays_of(section))
          expect_values(array, of_points ? points : cells, of_points ? "points" : "cells");
      } else if (name == "Points") {
        expect_once(has_points);
        check_points(section, points);
      } else if (name == "Cells") {
        expect_once(has_cells);
        check_cells(section, cells);
      }
    }
    if (points > 0 && !has_points) throw InputError(fmt::format("{}expected the element Points", piece_));
    if (cells > 0 && !has_cells) throw InputError(fmt::format("{}expected the element Cells", piece_));
    return points;
  }

  void check_points(vtkXMLDataElement& section, Count points) {
    const std::vector<Array> arrays = arrays_of(section);
    if (points > 0 && arrays.empty()) throw InputError(fmt::format("{}Points: expected an array", piece_));
    for (const Array& array : arrays) {
      if (array.components != 3) fail(array, fmt::format("has {} components: expected 3", array.components));
      expect_values(array, points, "points");
    }
  }

  void check_cells(vtkXMLDataElement& section, Count cells) {
    const std::vector<Array> arrays = arrays_of(section);
    const auto named = [&](const char* name) -> const Array& {
      for (const Array& array : arrays)
        if (attribute(*array.element, "Name") == name) return array;
      throw InputError(fmt::format("{}Cells: expected an array '{}'", piece_, name));
    };
    if (cells == 0 && arrays.empty()) return;
    const Array &connectivity = named("connectivity"), &offsets = named("offsets"), &types = named("types");
    for (const Array* array : {&connectivity, &offsets, &types})
      if (array->components != 1) fail(*array, fmt::format("has {} components: expected 1", array->components));
    expect_values(offsets, cells, "cells");
    expect_values(types, cells, "cells");
    const Count corners = cells == 0 ? 0 : last_value(offsets, cells);
    if (const Count found = stored_values(connectivity); found != corners)
      fail(connectivity,
           fmt::format("holds {} node numbers: expected {}, where the last of the offsets ends", found, corners));
    check_types(types, cells);
  }

  /// The last of `count` numbers, which is not negative.
  Count last_value(const Array& array, Count count) {
    double value = -1;
    if (is_ascii(array)) {
      std::string_view text = trimmed(inline_text(array));
      const auto space = std::find_if(text.rbegin(), text.rend(), is_space);
      text = {space.base(), text.end()};
      std::from_chars(text.begin(), text.end(), value);
    } else {
      value = values(array, count - 1, 1)->GetComponent(0, 0);
    }
    constexpr double most = 1e15;
    if (!(value >= 0 && value < most)) fail(array, fmt::format("ends with {}: expected the number of corners", value));
    return static_cast<Count>(value);
  }

  void check_types(const Array& array, Count cells) {
    const auto fail_at = [&](Count cell, auto value) {
      fail(array, fmt::format("gives cell {} the type {}: expected 0 to 255", cell, value));
    };
    if (is_ascii(array)) {
      std::string_view text = inline_text(array);
      for (Count cell = 0; cell < cells; ++cell) {
        const std::string_view word = next_word(text);
        unsigned char type = 0;
        const auto [end, error] = std::from_chars(word.begin(), word.end(), type);
        if (error != std::errc{} || end != word.end()) fail_at(cell, word.substr(0, 40));
      }
    } else if (vtkDataArray::GetDataTypeSize(array.type) > 1) {
      const auto types = values(array, 0, cells);
      for (vtkIdType cell = 0; cell < types->GetNumberOfValues(); ++cell)
        if (const double type = types->GetComponent(cell, 0);
            !(type >= 0 && type <= 255 && type == static_cast<int>(type)))
          fail_at(static_cast<Count>(cell), type);
    }
  }

  const VtkMessages messages_;
  std::string_view text_, appended_;
  TextBuffer buffer_;
  std::istream stream_;
  vtkNew<vtkXMLDataParser> parser_;
  VtuEncoding encoding_;
  bool raw_ = false;  ///< appended data, otherwise base64
  std::string piece_;
};

}  // namespace

std::uint64_t check_vtu(std::string_view text) { return VtuCheck(text).check(); }

}  // namespace cardiowarp
