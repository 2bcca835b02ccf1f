#include "app/output/vtu_grid.hpp"

#include <vtkCallbackCommand.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkDoubleArray.h>
#include <vtkErrorCode.h>
#include <vtkExecutive.h>
#include <vtkFieldData.h>
#include <vtkFloatArray.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkSmartPointer.h>
#include <vtkTypeInt32Array.h>
#include <vtkTypeInt64Array.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <type_traits>

#include "app/output/finite_values.hpp"
#include "app/output/remembering_compressor.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"
#include "meshes/atomic_file.hpp"
#include "meshes/vtu_encoding.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

using Fibers = std::vector<std::array<float, 3>>;

/// An array that reads `data` in place. VTK has no arrays of const values; a writer does not change them.
template <class Array, class Value>
vtkNew<Array> view(const Value* data, std::size_t values, int components = 1) {
  vtkNew<Array> array;
  array->SetNumberOfComponents(components);
  constexpr int keep = 1;  // VTK does not free `data`
  array->SetArray(const_cast<Value*>(data), static_cast<vtkIdType>(values), keep);
  return array;
}

vtkNew<vtkDoubleArray> view(const char* name, std::span<const Real> values, int components = 1) {
  vtkNew<vtkDoubleArray> array = view<vtkDoubleArray>(values.data(), values.size(), components);
  array->SetName(name);
  return array;
}

/// Offsets 0, 4, 8, ..., or of `nodes` a cell: 32-bit where they fit, which halves the memory.
template <class Offsets, class Connectivity>
void set_tetrahedra(vtkCellArray& cells, Connectivity* connectivity, vtkIdType nodes = 4) {
  using Offset = typename Offsets::ValueType;
  vtkNew<Offsets> offsets;
  const vtkIdType count = connectivity->GetNumberOfValues() / nodes;
  offsets->SetNumberOfValues(count + 1);
  auto* const offset = offsets->GetPointer(0);
  parallel_for(count + 1, [&](vtkIdType element) { offset[element] = static_cast<Offset>(nodes * element); });
  cells.SetData(offsets, connectivity);
}

/// The ten nodes of quadratic tetrahedra, whose order is VTK's.
template <class Numbers>
vtkNew<vtkCellArray> quadratic_tetrahedra(const Mesh& mesh) {
  using Number = typename Numbers::ValueType;
  vtkNew<vtkCellArray> cells;
  vtkNew<Numbers> connectivity;
  connectivity->SetNumberOfValues(static_cast<vtkIdType>(quadratic_nodes * mesh.tetrahedra.size()));
  Number* const number = connectivity->GetPointer(0);
  parallel_for(mesh.tetrahedra.size(), [&](std::size_t element) {
    std::ranges::copy(nodes_of(mesh, element), number + quadratic_nodes * element);
  });
  set_tetrahedra<Numbers>(*cells, connectivity.Get(), quadratic_nodes);
  return cells;
}

vtkNew<vtkCellArray> tetrahedra(const Mesh& mesh) {
  if (mesh.is_quadratic())
    return quadratic_nodes * mesh.tetrahedra.size() <= std::numeric_limits<vtkTypeInt32>::max()
               ? quadratic_tetrahedra<vtkTypeInt32Array>(mesh)
               : quadratic_tetrahedra<vtkTypeInt64Array>(mesh);
  static_assert(sizeof(Tetrahedron) == 4 * sizeof(vtkTypeInt32));
  vtkNew<vtkCellArray> cells;
  const std::size_t entries = 4 * mesh.tetrahedra.size();
  const Index* first = mesh.tetrahedra.empty() ? nullptr : mesh.tetrahedra.front().data();
  if (entries <= std::numeric_limits<vtkTypeInt32>::max()) {
    set_tetrahedra<vtkTypeInt32Array>(*cells, view<vtkTypeInt32Array>(first, entries).Get());
  } else {
    vtkNew<vtkTypeInt64Array> connectivity;
    connectivity->SetNumberOfValues(static_cast<vtkIdType>(entries));
    std::copy_n(first, entries, connectivity->GetPointer(0));
    set_tetrahedra<vtkTypeInt64Array>(*cells, connectivity.Get());
  }
  return cells;
}

/// VTK's objects are not shared between threads, as it keeps notes in them; what they hold is.
vtkNew<vtkCellArray> view(vtkCellArray& cells) {
  const auto view_of = [](auto* array) {
    return view<std::remove_pointer_t<decltype(array)>>(array->GetPointer(0), array->GetNumberOfValues());
  };
  vtkNew<vtkCellArray> same;
  if (cells.IsStorage64Bit())
    same->SetData(view_of(cells.GetOffsetsArray64()), view_of(cells.GetConnectivityArray64()));
  else
    same->SetData(view_of(cells.GetOffsetsArray32()), view_of(cells.GetConnectivityArray32()));
  return same;
}

/// Points, cells, `fiber` and `region`: what all files have in common, as views.
vtkNew<vtkUnstructuredGrid> static_grid(const Mesh& mesh, vtkCellArray& cells, const Fibers& fibers,
                                        const std::vector<int>& conducts) {
  static_assert(sizeof(Vector3) == 3 * sizeof(double));
  vtkNew<vtkUnstructuredGrid> grid;
  vtkNew<vtkPoints> points;
  const Real* coordinates = mesh.nodes.empty() ? nullptr : &mesh.nodes.front().x;
  points->SetData(view<vtkDoubleArray>(coordinates, 3 * mesh.nodes.size(), 3));
  grid->SetPoints(points);
  grid->SetCells(mesh.is_quadratic() ? VTK_QUADRATIC_TETRA : VTK_TETRA, view(cells));

  const float* components = fibers.empty() ? nullptr : fibers.front().data();
  const vtkNew<vtkFloatArray> fiber = view<vtkFloatArray>(components, 3 * fibers.size(), 3);
  fiber->SetName("fiber");
  grid->GetCellData()->AddArray(fiber);

  static_assert(sizeof(int) == sizeof(vtkTypeInt32));
  const vtkNew<vtkIntArray> region = view<vtkIntArray>(mesh.element_tags.data(), mesh.element_tags.size());
  region->SetName("region");
  grid->GetCellData()->AddArray(region);
  if (conducts.empty()) return grid;
  const vtkNew<vtkIntArray> mark = view<vtkIntArray>(conducts.data(), conducts.size());
  mark->SetName("conducts");
  grid->GetCellData()->AddArray(mark);
  return grid;
}

/// Fails with the system's reason. VTK reports a failed write late and loses errno on some ways out, so that the
/// reason is the errno it leaves or, failing that, its own code.
void write_grid(vtkUnstructuredGrid* grid, const fs::path& file, vtkDataCompressor& compressor) {
  PendingFile pending(file);
  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  vtkNew<vtkCallbackCommand> silence;  // an observed error is not printed
  silence->SetCallback([](vtkObject*, unsigned long, void*, void*) {});
  writer->AddObserver(vtkCommand::ErrorEvent, silence);
  writer->GetExecutive()->AddObserver(vtkCommand::ErrorEvent, silence);
  writer->SetInputData(grid);
  writer->SetFileName(pending.temporary().c_str());
  set_vtu_encoding(*writer);  // by zlib, as `compressor` does
  compressor.SetCompressionLevel(writer->GetCompressor()->GetCompressionLevel());
  writer->SetCompressor(&compressor);
  errno = 0;
  writer->Write();
  const int system_error = errno;
  if (const unsigned long code = writer->GetErrorCode(); code != vtkErrorCode::NoError) {
    if (system_error != 0) throw_cannot_write(file, system_error);
    throw_cannot_write(file, code == vtkErrorCode::OutOfDiskSpaceError ? ENOSPC : EIO);
  }
  pending.commit();
}

Fibers single_fibers(std::span<const Diffusivity> tissue) {
  Fibers fibers;
  resize_by_team(fibers, tissue.size());
  parallel_for(tissue.size(), [&](std::size_t element) {
    const Vector3& f = tissue[element].fiber;
    fibers[element] = {static_cast<float>(f.x), static_cast<float>(f.y), static_cast<float>(f.z)};
  });
  return fibers;
}

/// [elements] 1 where tissue conducts and 0 where it does not; empty where that is the same in all.
std::vector<int> conducting(std::span<const Diffusivity> tissue) {
  const auto elements = static_cast<std::int64_t>(tissue.size());
  const auto conducts = [&](std::int64_t element) { return tissue[element].isotropic > 0; };
  if (elements == 0 || first_index(elements, [&](std::int64_t e) { return conducts(e) != conducts(0); }) == elements)
    return {};
  std::vector<int> marks;
  for (std::int64_t element = 0; element < elements; ++element) marks.push_back(conducts(element) ? 1 : 0);
  return marks;
}

}  // namespace

struct VtuGrid::State {
  const Mesh& mesh;
  std::span<const Diffusivity> tissue;
  std::once_flag is_prepared = {};
  Fibers fibers = {};
  std::vector<int> conducts = {};
  vtkSmartPointer<vtkCellArray> cells = {};
  CompressedBlocks blocks = {};  ///< of the mesh; nothing is added once they are known
};

VtuGrid::VtuGrid(const Mesh& mesh, std::span<const Diffusivity> tissue) : state_(new State{mesh, tissue}) {
  if (tissue.size() != mesh.tetrahedra.size() || mesh.element_tags.size() != mesh.tetrahedra.size())
    throw std::logic_error("output: one fibre and one tag an element expected");
}

VtuGrid::~VtuGrid() = default;

const Mesh& VtuGrid::mesh() const { return state_->mesh; }

void VtuGrid::prepare() {
  std::call_once(state_->is_prepared, [this] {
    vtkObjectFactory::GetRegisteredFactories();  // VTK makes this list at the first use, without regard to threads
    state_->fibers = single_fibers(state_->tissue);
    state_->conducts = conducting(state_->tissue);
    state_->cells = tetrahedra(state_->mesh).Get();
  });
}

void VtuGrid::write(const fs::path& file, const std::vector<VtuArray>& of_points, const std::vector<VtuArray>& of_cells,
                    std::optional<Real> time_ms, MeshBlocks blocks) {
  for (const std::vector<VtuArray>& arrays : {of_points, of_cells})
    for (const VtuArray& array : arrays) require_finite(array.name, array.values);
  prepare();
  const vtkNew<vtkUnstructuredGrid> grid = static_grid(state_->mesh, *state_->cells, state_->fibers, state_->conducts);
  for (const VtuArray& array : of_points) grid->GetPointData()->AddArray(view(array.name.c_str(), array.values));
  if (!of_points.empty()) grid->GetPointData()->SetActiveScalars(of_points.front().name.c_str());
  const std::size_t cells = std::max<std::size_t>(state_->mesh.tetrahedra.size(), 1);
  for (const VtuArray& array : of_cells)
    grid->GetCellData()->AddArray(view(array.name.c_str(), array.values,
                                       static_cast<int>(std::max<std::size_t>(array.values.size() / cells, 1))));
  if (time_ms) grid->GetFieldData()->AddArray(view("TimeValue", {&*time_ms, 1}));
  const vtkNew<RememberingCompressor> compressor;
  if (blocks == MeshBlocks::learned) compressor->learned = &state_->blocks;
  if (blocks == MeshBlocks::known) compressor->known = &state_->blocks;
  write_grid(grid, file, *compressor);
}

}  // namespace cardiowarp
