#include "app/output/vtu_grid.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "app/output/finite_values.hpp"
#include "app/output/vtu_head.hpp"
#include "fem/diffusivity.hpp"
#include "fem/mesh.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "the files say so");

/// Values of a mesh are compressed better in longer blocks; of a wave, where some blocks are at rest, in shorter ones.
constexpr std::size_t mesh_block = std::size_t{1} << 18, value_block = std::size_t{1} << 15;

template <class Value>
constexpr std::string_view name_of_type() {
  if constexpr (std::is_same_v<Value, double>) return "Float64";
  if constexpr (std::is_same_v<Value, float>) return "Float32";
  if constexpr (std::is_same_v<Value, std::int64_t>) return "Int64";
  if constexpr (std::is_same_v<Value, std::int32_t>) return "Int32";
  if constexpr (std::is_same_v<Value, std::uint8_t>) return "UInt8";
}

/// An array on its way into a file.
struct ArrayToWrite {
  VtuArrayHead head;
  ArrayBytes bytes;
};

template <class Value>
ArrayToWrite array_of(std::string name, std::size_t components, std::span<const Value> values, std::size_t block,
                      Deflation deflation) {
  return {{name_of_type<Value>(), std::move(name), components},
          bytes_in_memory(std::as_bytes(values), block, deflation)};
}

/// An array of the mesh whose values are value_of(i) for i in [0, count).
template <class Value, class ValueOf>
ArrayToWrite made_array(std::string name, std::size_t components, std::size_t count, Deflation deflation,
                        ValueOf value_of) {
  const auto read = [value_of](std::size_t first, std::span<std::byte> room) -> std::span<const std::byte> {
    auto* const value = reinterpret_cast<Value*>(room.data());
    for (std::size_t i = 0; i < room.size() / sizeof(Value); ++i) value[i] = value_of(first / sizeof(Value) + i);
    return room;
  };
  return {{name_of_type<Value>(), std::move(name), components}, {count * sizeof(Value), mesh_block, deflation, read}};
}

std::size_t nodes_of_element(const Mesh& mesh) { return mesh.is_quadratic() ? quadratic_nodes : 4; }

/// Nodes and ends of elements; the ten nodes of quadratic tetrahedra have VTK's order.
template <class Number>
std::vector<ArrayToWrite> cell_arrays(const Mesh& mesh) {
  const std::size_t nodes = nodes_of_element(mesh), elements = mesh.tetrahedra.size();
  std::vector<ArrayToWrite> arrays;
  if (mesh.is_quadratic())
    arrays.push_back(
        made_array<Number>("connectivity", 1, nodes * elements, Deflation::fast, [&mesh](std::size_t i) -> Number {
          const std::size_t element = i / quadratic_nodes, k = i % quadratic_nodes;
          return k < 4 ? mesh.tetrahedra[element][k] : mesh.edge_nodes[element][k - 4];
        }));
  else
    arrays.push_back(made_array<Number>("connectivity", 1, nodes * elements, Deflation::fast,
                                        [&mesh](std::size_t i) -> Number { return mesh.tetrahedra[i / 4][i % 4]; }));
  arrays.push_back(made_array<Number>("offsets", 1, elements, Deflation::thorough, [nodes](std::size_t element) {
    return static_cast<Number>(nodes * (element + 1));
  }));
  return arrays;
}

/// Whether tissue conducts in some elements and not in all.
bool conducts_in_part(std::span<const Diffusivity> tissue) {
  const auto elements = static_cast<std::int64_t>(tissue.size());
  const auto conducts = [&](std::int64_t element) { return tissue[element].isotropic > 0; };
  return elements > 0 && first_index(elements, [&](std::int64_t e) { return conducts(e) != conducts(0); }) < elements;
}

/// `fiber`, `region` and `conducts`.
std::vector<ArrayToWrite> tissue_arrays(const Mesh& mesh, std::span<const Diffusivity> tissue) {
  std::vector<ArrayToWrite> arrays;
  arrays.push_back(made_array<float>("fiber", 3, 3 * tissue.size(), Deflation::fast, [tissue](std::size_t i) {
    const Vector3& f = tissue[i / 3].fiber;
    return static_cast<float>(i % 3 == 0 ? f.x : i % 3 == 1 ? f.y : f.z);
  }));
  arrays.push_back(
      array_of<std::int32_t>("region", 1, std::span<const int>(mesh.element_tags), mesh_block, Deflation::fast));
  if (conducts_in_part(tissue))
    arrays.push_back(made_array<std::int32_t>("conducts", 1, tissue.size(), Deflation::fast,
                                              [tissue](std::size_t e) { return tissue[e].isotropic > 0 ? 1 : 0; }));
  return arrays;
}

/// What all files have in common.
struct CommonPart {
  VtuBlocks blocks = {};
  VtuContents contents = {};

  VtuArrayHead append(const ArrayToWrite& array) {
    VtuArrayHead head = array.head;
    head.offset = blocks.size();
    blocks.append(array.bytes);
    return head;
  }

  void make(const Mesh& mesh, std::span<const Diffusivity> tissue) {
    blocks.clear();
    contents = {};
    contents.nodes = mesh.nodes.size();
    contents.elements = mesh.tetrahedra.size();
    static_assert(sizeof(Vector3) == 3 * sizeof(double));
    const double* const coordinates = mesh.nodes.empty() ? nullptr : &mesh.nodes.front().x;
    contents.points =
        append(array_of<double>("Points", 3, {coordinates, 3 * mesh.nodes.size()}, mesh_block, Deflation::fast));
    const bool is_short = nodes_of_element(mesh) * mesh.tetrahedra.size() <= std::numeric_limits<std::int32_t>::max();
    const std::vector<ArrayToWrite> cells =
        is_short ? cell_arrays<std::int32_t>(mesh) : cell_arrays<std::int64_t>(mesh);
    contents.connectivity = append(cells[0]);
    contents.offsets = append(cells[1]);
    constexpr std::uint8_t tetrahedron = 10, quadratic_tetrahedron = 24;  // VTK's numbers of these cells
    const std::uint8_t type = mesh.is_quadratic() ? quadratic_tetrahedron : tetrahedron;
    contents.types = append(made_array<std::uint8_t>("types", 1, mesh.tetrahedra.size(), Deflation::fast,
                                                     [type](std::size_t) { return type; }));
    for (const ArrayToWrite& array : tissue_arrays(mesh, tissue)) contents.of_cells.push_back(append(array));
    blocks.fit();
  }
};

ArrayToWrite array_of(const VtuArray& array, std::size_t components) {
  return std::visit(
      [&]<class Value>(std::span<const Value> values) {
        return array_of<Value>(array.name, components, values, value_block, Deflation::where_worth);
      },
      array.values);
}

/// Appends the arrays of a file to `blocks`, which follow `common`, and adds them to what it says of its contents.
VtuContents append_arrays(const VtuArrays& arrays, const CommonPart& common, VtuBlocks& blocks) {
  VtuContents contents = common.contents;
  const auto append = [&](const ArrayToWrite& array, std::vector<VtuArrayHead>& heads) {
    heads.push_back(array.head);
    heads.back().offset = common.blocks.size() + blocks.size();
    blocks.append(array.bytes);
  };
  blocks.clear();
  if (arrays.time_ms)
    append(array_of<Real>("TimeValue", 1, {&*arrays.time_ms, 1}, value_block, Deflation::where_worth),
           contents.of_file);
  for (const VtuArray& array : arrays.of_points) append(array_of(array, 1), contents.of_points);
  const std::size_t elements = std::max<std::size_t>(contents.elements, 1);
  for (const VtuArray& array : arrays.of_cells) {
    const std::size_t values = std::visit([](const auto& each) { return each.size(); }, array.values);
    append(array_of(array, std::max<std::size_t>(values / elements, 1)), contents.of_cells);
  }
  return contents;
}

void require_finite_values(const VtuArrays& arrays) {
  for (const std::vector<VtuArray>* some : {&arrays.of_points, &arrays.of_cells})
    for (const VtuArray& array : *some)
      std::visit([&](auto values) { require_finite(array.name, values); }, array.values);
}

}  // namespace

struct VtuGrid::State {
  const Mesh& mesh;
  std::span<const Diffusivity> tissue;
  std::once_flag is_common_made = {};
  CommonPart common = {};
};

VtuGrid::VtuGrid(const Mesh& mesh, std::span<const Diffusivity> tissue) : state_(new State{mesh, tissue}) {
  if (tissue.size() != mesh.tetrahedra.size() || mesh.element_tags.size() != mesh.tetrahedra.size())
    throw std::logic_error("output: one fiber and one tag an element expected");
}

VtuGrid::~VtuGrid() = default;

const Mesh& VtuGrid::mesh() const { return state_->mesh; }

FileMark VtuGrid::write(const fs::path& file, const VtuArrays& arrays, VtuBlocks& blocks) {
  require_finite_values(arrays);
  std::call_once(state_->is_common_made, [this] { state_->common.make(state_->mesh, state_->tissue); });
  const CommonPart& common = state_->common;
  const std::string head = vtu_head(append_arrays(arrays, common, blocks));
  const std::array<std::string_view, 4> parts{head, common.blocks.bytes(), blocks.bytes(), vtu_tail};
  PendingFile pending(file);
  ByteSum sum;
  // One thread writes while another one sums up.
  parallel_ranges(2, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t task = first; task < last; ++task)
      for (const std::string_view part : parts) {
        if (task == 0)
          write_all(pending.descriptor(), part, file);
        else
          sum.add(part);
      }
  });
  pending.commit();
  return sum.mark();
}

}  // namespace cardiowarp
