#include "app/output/vtk_output.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <vtkCallbackCommand.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkDoubleArray.h>
#include <vtkErrorCode.h>
#include <vtkExecutive.h>
#include <vtkFieldData.h>
#include <vtkFloatArray.h>
#include <vtkInformation.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
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
#include <chrono>
#include <cmath>
#include <deque>
#include <exception>
#include <future>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>

#include "app/output/frame_files.hpp"
#include "app/output/frame_list.hpp"
#include "app/output/remembering_compressor.hpp"
#include "fem/input_error.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"
#include "meshes/atomic_file.hpp"
#include "meshes/file_kind.hpp"
#include "meshes/vtu_encoding.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

using Fibers = std::vector<std::array<float, 3>>;

void check_values(const char* name, std::span<const Real> values, std::size_t expected) {
  if (values.size() != expected)
    throw std::logic_error(fmt::format("output of {}: expected {} values, got {}", name, expected, values.size()));
  const auto bad = std::ranges::find_if_not(values, [](Real value) { return std::isfinite(value); });
  if (bad != values.end())
    throw std::logic_error(fmt::format("output of {}: value {} is {}", name, bad - values.begin(), *bad));
}

/// An array that reads `data` in place. VTK has no arrays of const values; a writer does not change them.
template <class Array, class Value>
vtkNew<Array> view(const Value* data, std::size_t values, int components = 1) {
  vtkNew<Array> array;
  array->SetNumberOfComponents(components);
  constexpr int keep = 1;  // VTK does not free `data`
  array->SetArray(const_cast<Value*>(data), static_cast<vtkIdType>(values), keep);
  return array;
}

vtkNew<vtkDoubleArray> view(const char* name, std::span<const Real> values) {
  vtkNew<vtkDoubleArray> array = view<vtkDoubleArray>(values.data(), values.size());
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
vtkNew<vtkUnstructuredGrid> static_grid(const Mesh& mesh, vtkCellArray& cells, const Fibers& fibers) {
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
  return grid;
}

/// VTK keeps the range of an array it has written and adds it to the next file; frames are to be alike.
void forget_ranges(vtkUnstructuredGrid& grid) {
  grid.GetPoints()->GetData()->GetInformation()->Clear();
  for (const char* name : {"fiber", "region"}) grid.GetCellData()->GetArray(name)->GetInformation()->Clear();
}

/// Fails with the system's reason. VTK reports a failed write late and loses errno on some ways out, so that the
/// reason is the errno it leaves or, failing that, its own code.
void write_grid(vtkUnstructuredGrid* grid, const fs::path& file, vtkDataCompressor& compressor) {
  PendingFile pending(file);
  forget_ranges(*grid);
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

void create_folder(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error)
    throw InputError(
        fmt::format("output.directory: cannot create folder '{}': {}", directory.string(), error.message()));
}

/// A frame, and what its thread alone uses.
struct Frame {
  vtkNew<vtkUnstructuredGrid> grid;                         ///< without the values
  std::vector<Real> potential_copy = {}, states_copy = {};  ///< where a thread writes
  Real time_ms = 0;
  std::span<const Real> potential_mv = {}, states = {};
  std::string name = {};  ///< of its file in the output folder
  vtkSmartPointer<RememberingCompressor> compressor = {};
};

/// A point array of maps.vtu.
struct NodeMap {
  const char* name;
  std::span<const Real> values;
  bool wanted;
};

struct FrameUnderWay {
  std::unique_ptr<Frame> frame;
  std::future<void> written;  ///< last: it is destroyed first and waits for its thread
};

std::future_status status(const FrameUnderWay& frame) { return frame.written.wait_for(std::chrono::seconds(0)); }

}  // namespace

struct VtkOutput::State {
  const Mesh& mesh;
  OutputConfig config;
  std::vector<std::string> state_names;
  std::size_t threads;
  Fibers fibers;
  vtkNew<vtkCellArray> cells;
  std::vector<std::unique_ptr<Frame>> spare = {};
  FrameList list;                            ///< held until go_on_after(): until then the .pvd is the earlier run's
  CompressedBlocks blocks = {};              ///< of the first frame; nothing is added once that is listed
  std::deque<FrameUnderWay> under_way = {};  ///< in the order of their times; last, as its threads use the others

  std::unique_ptr<Frame> spare_frame() {
    if (spare.empty()) return std::unique_ptr<Frame>(new Frame{.grid = static_grid(mesh, *cells, fibers)});
    std::unique_ptr<Frame> frame = std::move(spare.back());
    spare.pop_back();
    return frame;
  }

  /// The first frame's adds to the blocks; those that are begun before it is listed can neither add nor look.
  vtkSmartPointer<RememberingCompressor> compressor() {
    auto compressor = vtkSmartPointer<RememberingCompressor>::New();
    if (listed() > 0)
      compressor->known = &blocks;
    else if (under_way.empty())
      compressor->learned = &blocks;
    return compressor;
  }

  /// Begins to write a frame: in a thread if `in_thread` and the system has one left, else when it is waited for.
  std::future<void> begin(const Frame& frame, bool in_thread) {
    const auto write_this = [this, &frame] { write(frame); };
    try {
      if (in_thread) return std::async(std::launch::async, write_this);
    } catch (const std::system_error&) {
    }
    return std::async(std::launch::deferred, write_this);
  }

  void write(const Frame& frame) const {
    // A shallow copy shares the static arrays; the views of this frame end with it.
    vtkNew<vtkUnstructuredGrid> grid;
    grid->ShallowCopy(frame.grid);
    if (config.potential) {
      grid->GetPointData()->AddArray(view("potential", frame.potential_mv));
      grid->GetPointData()->SetActiveScalars("potential");
    }
    const std::size_t elements = mesh.tetrahedra.size();
    for (std::size_t i = 0; i < state_names.size(); ++i)
      grid->GetCellData()->AddArray(view(state_names[i].c_str(), frame.states.subspan(i * elements, elements)));
    grid->GetFieldData()->AddArray(view("TimeValue", {&frame.time_ms, 1}));
    write_grid(grid, config.directory / frame.name, *frame.compressor);
  }

  void write_maps(const std::vector<NodeMap>& maps) {
    for (const NodeMap& map : maps) check_values(map.name, map.values, mesh.nodes.size());
    if (std::ranges::none_of(maps, &NodeMap::wanted)) return;

    const vtkNew<vtkUnstructuredGrid> grid = static_grid(mesh, *cells, fibers);
    vtkPointData* points = grid->GetPointData();
    for (const NodeMap& map : maps)
      if (map.wanted) points->AddArray(view(map.name, map.values));
    points->SetActiveScalars(points->GetArrayName(0));
    write_grid(grid, config.directory / "maps.vtu", *compressor());
  }

  /// Waits for the oldest frame and lists it. Where that fails it may be for want of room that later ones took: all
  /// under way are then written again in turn, which keeps as many as there is room for.
  void list_oldest() {
    const bool in_turn = status(under_way.front()) == std::future_status::deferred;
    try {
      under_way.front().written.get();
      list.add(under_way.front().frame->time_ms, under_way.front().frame->name);
    } catch (const std::exception&) {
      remove_what_threads_wrote();
      if (in_turn) {
        under_way.clear();
        throw;
      }
      for (FrameUnderWay& again : under_way) again.written = begin(*again.frame, false);
      list_oldest();
      return;
    }
    FrameUnderWay oldest = std::move(under_way.front());
    under_way.pop_front();
    spare.push_back(std::move(oldest.frame));
  }

  void list_all() {
    while (!under_way.empty()) list_oldest();
  }

  std::size_t listed() const { return list.times_ms().size(); }

  /// Waits for all of them.
  void remove_what_threads_wrote() {
    for (FrameUnderWay& frame : under_way) {
      if (!frame.written.valid() || status(frame) == std::future_status::deferred) continue;
      frame.written.wait();
      const fs::path file = config.directory / frame.frame->name;
      std::error_code ignored;
      if (fs::is_regular_file(fs::symlink_status(file, ignored))) fs::remove(file, ignored);
    }
  }
};

void require_frames_replaceable(const fs::path& directory) {
  require_replaceable(directory / "potential.pvd");
  require_replaceable(directory / "maps.vtu");
  const fs::path frames = directory / "frames";
  struct stat status {};
  const bool exists = ::lstat(frames.c_str(), &status) == 0;
  if (exists && !S_ISDIR(status.st_mode))
    throw InputError(fmt::format("cannot write '{}': expected a directory or nothing, got {}", frames.string(),
                                 file_kind(status.st_mode)));
  require_replaceable(frames / "potential_000000.vtu");
  if (!exists) return;
  for (const fs::path& frame : frame_files(frames)) require_replaceable(frame);
}

VtkOutput::VtkOutput(const Mesh& mesh, std::span<const Vector3> fibers, const OutputConfig& config,
                     std::vector<std::string> states, int threads, bool goes_on) {
  if (fibers.size() != mesh.tetrahedra.size() || mesh.element_tags.size() != mesh.tetrahedra.size())
    throw std::logic_error("output: one fibre and one tag an element expected");
  create_folder(config.directory / "frames");
  if (!goes_on) remove_earlier_run(config.directory);
  Fibers components;
  resize_by_team(components, fibers.size());
  parallel_for(fibers.size(), [&](std::size_t element) {
    const Vector3& f = fibers[element];
    components[element] = {static_cast<float>(f.x), static_cast<float>(f.y), static_cast<float>(f.z)};
  });
  state_.reset(new State{mesh,
                         config,
                         std::move(states),
                         static_cast<std::size_t>(threads),
                         std::move(components),
                         tetrahedra(mesh),
                         {},
                         FrameList(config.directory / "potential.pvd", goes_on)});
}

VtkOutput::~VtkOutput() {
  // A run that wants to know calls finish; another error has ended this one.
  const auto attempt = [](const auto& action) {
    try {
      action();
    } catch (...) {
    }
  };
  attempt([&] { state_->list_all(); });
  attempt([&] { state_->list.write_all(); });
}

void VtkOutput::write_frame(Real time_ms, std::span<const Real> potential_mv, std::span<const Real> states) {
  check_values("time", {&time_ms, 1}, 1);
  check_values("potential", potential_mv, state_->mesh.nodes.size());
  check_values("states", states, state_->state_names.size() * state_->mesh.tetrahedra.size());

  while (!state_->under_way.empty() && state_->under_way.size() >= state_->threads) state_->list_oldest();
  std::unique_ptr<Frame> frame = state_->spare_frame();
  frame->time_ms = time_ms;
  frame->potential_mv = potential_mv;
  frame->states = states;
  const bool in_thread = state_->threads > 0;
  if (in_thread) {
    frame->potential_copy.assign(potential_mv.begin(), potential_mv.end());
    frame->states_copy.assign(states.begin(), states.end());
    frame->potential_mv = frame->potential_copy;
    frame->states = frame->states_copy;
  }
  frame->name = frame_name(state_->listed() + state_->under_way.size());
  frame->compressor = state_->compressor();
  FrameUnderWay next{std::move(frame), {}};
  next.written = state_->begin(*next.frame, in_thread);
  state_->under_way.push_back(std::move(next));
  if (!in_thread) state_->list_all();
}

void VtkOutput::list_complete_frames() {
  while (!state_->under_way.empty() && status(state_->under_way.front()) != std::future_status::timeout)
    state_->list_oldest();
  state_->list.write_if_late();
}

void VtkOutput::finish() {
  state_->list_all();
  state_->list.write_all();
}

void VtkOutput::write_maps(std::span<const Real> activation_time_ms, std::span<const Real> apd90_ms) {
  state_->write_maps({{"activation_time", activation_time_ms, state_->config.activation_time},
                      {"apd90", apd90_ms, state_->config.apd90}});
}

void VtkOutput::write_maps(const BeatTimes& times, const MapErrors& errors) {
  const bool activation = state_->config.activation_time, apd90 = state_->config.apd90;
  std::vector<NodeMap> maps{{"activation_time", times.activation_ms, activation}, {"apd90", times.apd90_ms, apd90}};
  const auto add = [&](const std::optional<BeatTimes>& of, const char* activation_name, const char* apd90_name) {
    if (of)
      maps.insert(maps.end(), {{activation_name, of->activation_ms, activation}, {apd90_name, of->apd90_ms, apd90}});
  };
  add(errors.in_time, "activation_time_error", "apd90_error");
  add(errors.of_mesh, "activation_time_mesh_error", "apd90_mesh_error");
  state_->write_maps(maps);
}

void VtkOutput::go_on_after(std::vector<Real> times_ms) {
  finish();
  require_frames(state_->config.directory, times_ms.size());
  const std::size_t count = times_ms.size();
  remove_file(state_->config.directory / "maps.vtu");
  state_->list.go_on_after(std::move(times_ms));
  remove_frames_from(state_->config.directory, count);
}

int VtkOutput::frames() const { return static_cast<int>(state_->listed()); }

const std::vector<Real>& VtkOutput::times_ms() const { return state_->list.times_ms(); }

}  // namespace cardiowarp
