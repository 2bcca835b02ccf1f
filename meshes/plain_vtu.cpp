#include "meshes/plain_vtu.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/plain_vtu_tags.hpp"
#include "meshes/reading_process.hpp"
#include "meshes/suffix.hpp"
#include "meshes/vtu_text.hpp"

namespace cardiowarp {
namespace {

using Count = std::uint64_t;

/// Ends the reading of a file that is not plain.
struct NotPlain {};

void require(bool plain) {
  if (!plain) throw NotPlain{};
}

/// The numbers of an array in their own type.
struct Numbers {
  std::string name;
  std::string_view type;
  int components = 1;
  TeamVector<char> bytes;

  /// f(begin), with a pointer to the first of the numbers.
  template <class F>
  void visit(const F& f) const {
    if (type == "Float64") return f(begin<double>());
    if (type == "Float32") return f(begin<float>());
    if (type == "Int64") return f(begin<std::int64_t>());
    if (type == "UInt64") return f(begin<std::uint64_t>());
    if (type == "Int32") return f(begin<std::int32_t>());
    if (type == "UInt32") return f(begin<std::uint32_t>());
    if (type == "Int16") return f(begin<std::int16_t>());
    if (type == "UInt16") return f(begin<std::uint16_t>());
    if (type == "Int8") return f(begin<std::int8_t>());
    if (type == "UInt8") return f(begin<std::uint8_t>());
    throw NotPlain{};
  }
  std::size_t width() const {
    std::size_t width = 0;
    visit([&](const auto* numbers) { width = sizeof(*numbers); });
    return width;
  }

 private:
  template <class T>
  const T* begin() const {
    return reinterpret_cast<const T*>(bytes.data());  // the memory of a TeamVector suits any number
  }
};

constexpr std::int64_t least = 1 << 14;  // numbers that are worth a thread

template <class Body>
void for_all(Count n, const Body& body) {
  parallel_ranges(static_cast<std::int64_t>(n), least, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<Count>(begin); i < static_cast<Count>(end); ++i) body(i);
  });
}

/// Whether a text has nothing but the characters of base64 and spaces.
bool is_base64(std::string_view text) {
  std::atomic<bool> good = true;
  for_all(text.size(), [&](Count i) {
    const char c = text[i];
    if (!((c >= '/' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '+' || c == '=' ||
          c == ' ' || c == '\n' || c == '\r' || c == '\t'))
      good = false;
  });
  return good;
}

int whole_number(std::string_view word) {
  std::int32_t value = 0;
  require(is_whole_number<std::int32_t>(word));
  std::from_chars(word.begin(), word.end(), value);
  return value;
}

/// Whether a cell of this type of VTK's is one that a mesh passes over: points and lines.
bool is_passed_over(int type) { return type >= 1 && type <= 4; }

/// Nodes of the cells that a mesh has: triangle, tetrahedron, and both of order 2; 0 of one that it passes over.
std::size_t nodes_of(int type) {
  switch (type) {
    case 5:
      return 3;
    case 10:
      return 4;
    case 22:
      return 6;
    case 24:
      return 10;
    default:
      require(is_passed_over(type));
      return 0;
  }
}

class PlainVtuReader {
 public:
  /// `most_bytes`: of all arrays together, once they are decoded.
  PlainVtuReader(const PlainVtuTags& tags, const VtkArrayNames& names, Count most_bytes)
      : tags_(tags), names_(names), bytes_left_(most_bytes) {}

  Mesh read() {
    require(tags_.points > 0 && tags_.points <= std::numeric_limits<Index>::max());
    require(tags_.cells > 0 && tags_.cells <= std::numeric_limits<Index>::max());
    read_points();
    const std::vector<Numbers> cell_data = arrays_of(tags_.cell_data, tags_.cells, false);
    const std::vector<Numbers> point_data = arrays_of(tags_.point_data, tags_.points, true);
    read_nodes_of_cells();
    read_tags(cell_data);
    read_fibers(cell_data, point_data);
    read_values(cell_data, point_data);
    read_names("volume", mesh_.volume_names);
    read_names("surface", mesh_.surface_names);
    return std::move(mesh_);
  }

 private:
  TeamVector<char> bytes_of(const VtuArrayTag& array) {
    const std::optional<std::string_view> offset = array.attribute("offset");
    const std::string_view format = array.attribute("format").value_or("");
    require(format == (offset ? "appended" : "binary"));
    Count begin = 0;
    if (offset) {
      require(is_whole_number<Count>(*offset));
      std::from_chars(offset->begin(), offset->end(), begin);
      require(begin <= tags_.appended.size());
    }
    require(offset || is_base64(array.content));
    const VtuStored stored = offset ? VtuStored(tags_.appended.substr(begin), tags_.appended_is_base64)
                                    : VtuStored(trimmed(array.content), true);
    const Count size = decoded_bytes(stored, tags_.encoding);
    require(size <= bytes_left_);
    bytes_left_ -= size;
    std::optional<TeamVector<char>> bytes = decoded(stored, tags_.encoding);
    require(bytes.has_value());
    return std::move(*bytes);
  }

  /// An array of numbers for each of `tuples` places.
  Numbers numbers_of(const VtuArrayTag& array, Count tuples) {
    require(array.kind == "DataArray" && !array.attribute("TimeStep"));
    Numbers numbers{.name = std::string(array.attribute("Name").value_or("")),
                    .type = array.attribute("type").value_or(""),
                    .bytes = bytes_of(array)};
    if (const auto components = array.attribute("NumberOfComponents")) numbers.components = whole_number(*components);
    require(!numbers.name.empty() && numbers.components > 0);
    const std::size_t width = numbers.width();
    require(numbers.bytes.size() % width == 0 &&
            numbers.bytes.size() / width == tuples * static_cast<Count>(numbers.components));
    return numbers;
  }

  /// All arrays of a section, which differ in their names; the mesh gets to know them.
  std::vector<Numbers> arrays_of(const std::vector<VtuArrayTag>& section, Count tuples, bool of_points) {
    std::vector<Numbers> arrays;
    std::set<std::string> known;
    for (const VtuArrayTag& tag : section) {
      const Numbers& array = arrays.emplace_back(numbers_of(tag, tuples));
      require(known.insert(array.name).second);
      require(!array.name.starts_with("vtkGhost") && !array.name.starts_with("group:"));
      mesh_.arrays.push_back({array.name, array.components, of_points});
    }
    return arrays;
  }

  static const Numbers* find(const std::vector<Numbers>& arrays, const std::string& name) {
    const auto found = std::ranges::find(arrays, name, &Numbers::name);
    return found == arrays.end() ? nullptr : &*found;
  }
  /// The first of the arrays with these names.
  static const Numbers* first_of(const std::vector<Numbers>& arrays, const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (const Numbers* array = find(arrays, name)) return array;
    return nullptr;
  }

  /// The name that is given, or the usual ones.
  static std::vector<std::string> wanted(const std::string& name, std::vector<std::string> usual) {
    if (!name.empty()) usual.assign(1, name);
    return usual;
  }

  void read_points() {
    require(tags_.point_places.size() == 1);
    const Numbers points = numbers_of(tags_.point_places[0], tags_.points);
    require(points.components == 3 && points.type.starts_with("Float"));
    resize_by_team(mesh_.nodes, tags_.points);
    points.visit([&](const auto* p) {
      for_all(tags_.points, [&](Count i) {
        mesh_.nodes[i] = {static_cast<Real>(p[3 * i]), static_cast<Real>(p[3 * i + 1]),
                          static_cast<Real>(p[3 * i + 2])};
      });
    });
  }

  void read_nodes_of_cells() {
    const std::vector<VtuArrayTag>& section = tags_.cell_nodes;
    const auto named = [&](std::string_view name) -> const VtuArrayTag& {
      const auto found =
          std::ranges::find_if(section, [&](const VtuArrayTag& array) { return array.attribute("Name") == name; });
      require(found != section.end());
      return *found;
    };
    require(section.size() == 3);
    const Numbers offsets = numbers_of(named("offsets"), tags_.cells), types = numbers_of(named("types"), tags_.cells);
    require(offsets.components == 1 && types.components == 1);
    types_ = small_numbers(types);
    place_cells();
    visit_whole(offsets, [&](const auto* ends) {
      const auto corners = static_cast<Count>(ends[tags_.cells - 1]);
      require(corners < std::numeric_limits<std::int64_t>::max() / 64);
      const Numbers nodes = numbers_of(named("connectivity"), corners);
      require(nodes.components == 1);
      visit_whole(nodes, [&](const auto* numbers) { fill_cells(ends, numbers, corners); });
    });
  }

  /// Numbers::visit() for whole numbers alone, but for Int8, which nobody numbers nodes or cells in.
  template <class F>
  static void visit_whole(const Numbers& numbers, const F& f) {
    numbers.visit([&](const auto* begin) {
      using Number = std::remove_cvref_t<decltype(*begin)>;
      if constexpr (std::is_integral_v<Number> && !std::is_same_v<Number, std::int8_t>)
        f(begin);
      else
        throw NotPlain{};
    });
  }

  /// The numbers of an array that are all from 0 to 255.
  static TeamVector<std::uint8_t> small_numbers(const Numbers& array) {
    TeamVector<std::uint8_t> small(array.bytes.size() / array.width());
    std::atomic<bool> plain = true;
    visit_whole(array, [&](const auto* numbers) {
      for_all(small.size(), [&](Count i) {
        if (numbers[i] < 0 || static_cast<Count>(numbers[i]) > 255) plain = false;
        small[i] = static_cast<std::uint8_t>(numbers[i]);
      });
    });
    require(plain);
    return small;
  }

  /// Finds where each cell stands among the tetrahedra or triangles, and makes room for them.
  void place_cells() {
    places_.resize(tags_.cells);
    Index tetrahedra = 0, triangles = 0;
    std::size_t of_order_2 = 0;
    for (Count cell = 0; cell < tags_.cells; ++cell) {
      const std::size_t nodes = nodes_of(types_[cell]);
      if (is_tetrahedron(cell)) places_[cell] = tetrahedra++;
      if (is_triangle(cell)) places_[cell] = triangles++;
      if (nodes >= 6) ++of_order_2;
    }
    require(tetrahedra > 0 && (of_order_2 == 0 || of_order_2 == static_cast<std::size_t>(tetrahedra + triangles)));
    resize_by_team(mesh_.tetrahedra, tetrahedra);
    resize_by_team(mesh_.element_tags, tetrahedra);
    mesh_.triangles.resize(triangles);
    mesh_.triangle_tags.resize(triangles);
    if (of_order_2 == 0) return;
    resize_by_team(mesh_.edge_nodes, tetrahedra);
    mesh_.triangle_edge_nodes.resize(triangles);
  }

  bool is_tetrahedron(Count cell) const { return types_[cell] == 10 || types_[cell] == 24; }
  bool is_triangle(Count cell) const { return types_[cell] == 5 || types_[cell] == 22; }

  template <class Ends, class Nodes>
  void fill_cells(const Ends* ends, const Nodes* nodes, Count corners) {
    std::atomic<bool> plain = true;
    for_all(tags_.cells, [&](Count cell) {
      const auto begin = cell == 0 ? Count{0} : static_cast<Count>(ends[cell - 1]);
      const auto end = static_cast<Count>(ends[cell]);
      if (begin > end || end > corners) return plain.store(false);
      if (is_passed_over(types_[cell])) return;
      if (end - begin != nodes_of(types_[cell])) return plain.store(false);
      for (Count k = begin; k < end; ++k)
        if (nodes[k] < 0 || static_cast<Count>(nodes[k]) >= tags_.points) return plain.store(false);
      fill_cell(cell, nodes + begin);
    });
    require(plain);
  }

  template <class Nodes>
  void fill_cell(Count cell, const Nodes* nodes) {
    const auto copy = [](auto& to, const Nodes* from) {
      for (std::size_t k = 0; k < to.size(); ++k) to[k] = static_cast<Index>(from[k]);
    };
    const Index place = places_[cell];
    const bool has_edges = nodes_of(types_[cell]) >= 6;
    if (is_tetrahedron(cell)) {
      copy(mesh_.tetrahedra[place], nodes);
      if (has_edges) copy(mesh_.edge_nodes[place], nodes + 4);
    } else {
      copy(mesh_.triangles[place], nodes);
      if (has_edges) copy(mesh_.triangle_edge_nodes[place], nodes + 3);
    }
  }

  void read_tags(const std::vector<Numbers>& cell_data) {
    const Numbers* array = first_of(cell_data, wanted(names_.tags, usual_tag_arrays()));
    if (array == nullptr) return;
    require(array->components == 1);
    std::atomic<bool> plain = true;
    array->visit([&](const auto* numbers) {
      for_all(tags_.cells, [&](Count cell) {
        if (!is_tetrahedron(cell) && !is_triangle(cell)) return;
        const auto tag = static_cast<double>(numbers[cell]);
        if (!(std::trunc(tag) == tag && std::abs(tag) <= std::numeric_limits<int>::max())) return plain.store(false);
        (is_tetrahedron(cell) ? mesh_.element_tags : mesh_.triangle_tags)[places_[cell]] = static_cast<int>(tag);
      });
    });
    require(plain);
  }

  void read_fibers(const std::vector<Numbers>& cell_data, const std::vector<Numbers>& point_data) {
    const std::vector<std::string> names = wanted(names_.fibers, usual_fiber_arrays());
    const Numbers* array = first_of(cell_data, names);
    if (array == nullptr) return require(first_of(point_data, names) == nullptr);
    require(array->components == 3);
    resize_by_team(mesh_.fibers, mesh_.tetrahedra.size());
    array->visit([&](const auto* f) {
      for_all(tags_.cells, [&](Count cell) {
        if (!is_tetrahedron(cell)) return;
        const auto* const fiber = f + 3 * cell;
        mesh_.fibers[places_[cell]] = {static_cast<Real>(fiber[0]), static_cast<Real>(fiber[1]),
                                       static_cast<Real>(fiber[2])};
      });
    });
  }

  void read_values(const std::vector<Numbers>& cell_data, const std::vector<Numbers>& point_data) {
    for (const std::string& name : names_.values) {
      const Numbers* const of_cells = find(cell_data, name);
      const Numbers* const array = of_cells != nullptr ? of_cells : find(point_data, name);
      if (array == nullptr) continue;
      require(array->components == 1);
      MeshValues& values = mesh_.values.emplace_back(MeshValues{name, of_cells == nullptr, {}});
      values.values.resize(of_cells != nullptr ? mesh_.tetrahedra.size() : mesh_.nodes.size());
      array->visit([&](const auto* numbers) {
        for_all(of_cells != nullptr ? tags_.cells : tags_.points, [&](Count i) {
          if (of_cells == nullptr)
            values.values[i] = static_cast<Real>(numbers[i]);
          else if (is_tetrahedron(i))
            values.values[places_[i]] = static_cast<Real>(numbers[i]);
        });
      });
    }
  }

  /// The names of regions or surfaces, which are strings with a 0 at the end of each.
  void read_names(const std::string& kind, std::map<std::string, int>& names) {
    const VtuArrayTag* keys = nullptr;
    const VtuArrayTag* numbers = nullptr;
    for (const VtuArrayTag& array : tags_.field_data) {
      if (array.attribute("Name") == kind + "_names") require(std::exchange(keys, &array) == nullptr);
      if (array.attribute("Name") == kind + "_tags") require(std::exchange(numbers, &array) == nullptr);
    }
    if (keys == nullptr && numbers == nullptr) return;
    require(keys != nullptr && numbers != nullptr && keys->kind == "Array" && keys->attribute("type") == "String");
    require(numbers->attribute("type") == "Int32" && !numbers->attribute("NumberOfComponents"));
    const TeamVector<char> text = bytes_of(*keys), tags = bytes_of(*numbers);
    require(text.empty() || text.back() == 0);
    const auto count = static_cast<Count>(std::ranges::count(text, 0));
    for (const VtuArrayTag* array : {keys, numbers}) {
      const std::optional<std::string_view> tuples = array->attribute("NumberOfTuples");
      require(tuples && static_cast<Count>(whole_number(*tuples)) == count);
    }
    require(tags.size() == count * sizeof(std::int32_t));
    const char* name = text.data();
    for (Count i = 0; i < count; ++i, name += std::strlen(name) + 1) {
      std::int32_t tag = 0;
      std::memcpy(&tag, tags.data() + i * sizeof tag, sizeof tag);
      names[name] = tag;
    }
  }

  const PlainVtuTags& tags_;
  const VtkArrayNames& names_;
  Count bytes_left_;
  Mesh mesh_;
  TeamVector<std::uint8_t> types_;  ///< [cells] VTK's
  TeamVector<Index> places_;        ///< [cells] among the tetrahedra, or among the triangles
};

}  // namespace

std::optional<Mesh> read_plain_vtu(const std::filesystem::path& file, const VtkArrayNames& names) {
  if (suffix_of(file) != ".vtu") return {};
  const MappedFile content(file);
  return plain_vtu_mesh(content.text(), names);
}

std::optional<Mesh> plain_vtu_mesh(std::string_view text, const VtkArrayNames& names) {
  const std::optional<PlainVtuTags> tags = plain_vtu_tags(text);
  if (!tags) return {};
  try {
    return PlainVtuReader(*tags, names, limits_for(text.size()).bytes / 2).read();
  } catch (const NotPlain&) {
    return {};
  } catch (const InputError&) {  // which VTK's way says with the name of the array
    return {};
  }
}

}  // namespace cardiowarp
