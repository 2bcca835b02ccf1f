#include "app/vtk_output.hpp"

#include <fmt/format.h>
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
#include <future>
#include <limits>
#include <regex>
#include <stdexcept>
#include <system_error>

#include "app/atomic_file.hpp"
#include "fem/input_error.hpp"
#include "meshes/vtu_encoding.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

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

/// Offsets 0, 4, 8, ...: 32-bit where they fit, which halves the memory.
template <class Offsets, class Connectivity>
void set_tetrahedra(vtkCellArray& cells, Connectivity* connectivity) {
  vtkNew<Offsets> offsets;
  const vtkIdType count = connectivity->GetNumberOfValues() / 4;
  offsets->SetNumberOfValues(count + 1);
  for (vtkIdType element = 0; element <= count; ++element)
    offsets->SetValue(element, static_cast<typename Offsets::ValueType>(4 * element));
  cells.SetData(offsets, connectivity);
}

vtkNew<vtkCellArray> tetrahedra(const Mesh& mesh) {
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

using Fibers = std::vector<std::array<float, 3>>;

/// Points, cells, `fiber` and `region`: what all files have in common. Nodes, tetrahedra and fibres are views.
vtkNew<vtkUnstructuredGrid> static_grid(const Mesh& mesh, const Fibers& fibers) {
  static_assert(sizeof(Vector3) == 3 * sizeof(double));
  vtkNew<vtkUnstructuredGrid> grid;
  vtkNew<vtkPoints> points;
  const Real* coordinates = mesh.nodes.empty() ? nullptr : &mesh.nodes.front().x;
  points->SetData(view<vtkDoubleArray>(coordinates, 3 * mesh.nodes.size(), 3));
  grid->SetPoints(points);
  grid->SetCells(VTK_TETRA, tetrahedra(mesh));

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
void write_grid(vtkUnstructuredGrid* grid, const fs::path& file) {
  PendingFile pending(file);
  forget_ranges(*grid);
  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  vtkNew<vtkCallbackCommand> silence;  // an observed error is not printed
  silence->SetCallback([](vtkObject*, unsigned long, void*, void*) {});
  writer->AddObserver(vtkCommand::ErrorEvent, silence);
  writer->GetExecutive()->AddObserver(vtkCommand::ErrorEvent, silence);
  writer->SetInputData(grid);
  writer->SetFileName(pending.temporary().c_str());
  set_vtu_encoding(*writer);
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

void remove_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) throw InputError(fmt::format("cannot remove '{}': {}", file.string(), error.message()));
}

/// The .pvd goes first: it never lists a frame that is not there.
void remove_earlier_run(const fs::path& directory) {
  remove_file(directory / "potential.pvd");
  remove_file(directory / "maps.vtu");
  const std::regex frame_name("potential_[0-9]{6,}\\.vtu");
  std::vector<fs::path> frames;
  std::error_code error;
  const fs::directory_iterator entries(directory / "frames", error);
  if (error)
    throw InputError(fmt::format("cannot read folder '{}': {}", (directory / "frames").string(), error.message()));
  for (const fs::directory_entry& entry : entries)
    if (entry.is_regular_file() && std::regex_match(entry.path().filename().string(), frame_name))
      frames.push_back(entry.path());
  for (const fs::path& frame : frames) remove_file(frame);
}

/// One frame: its own copy of the values where it is written while others are made. VTK's arrays are not shared between
/// threads, as a writer keeps notes in them.
struct Frame {
  vtkNew<vtkUnstructuredGrid> grid;  ///< without the values
  std::vector<Real> potential_mv, recovery;
};

struct FrameUnderWay {
  std::unique_ptr<Frame> frame;
  Real time_ms;
  std::string name;  ///< of its file in the output folder
  std::future<void> written;
};

}  // namespace

struct VtkOutput::Writer {
  const Mesh& mesh;
  OutputConfig config;
  std::size_t writers;
  Fibers fibers;
  std::vector<std::unique_ptr<Frame>> spare;
  std::deque<FrameUnderWay> under_way;  ///< in the order of their times
  std::string collection;               ///< the lines of the .pvd, one a frame
  int listed = 0;

  std::unique_ptr<Frame> spare_frame() {
    if (spare.empty()) return std::make_unique<Frame>(static_grid(mesh, fibers));
    std::unique_ptr<Frame> frame = std::move(spare.back());
    spare.pop_back();
    return frame;
  }

  void write(vtkUnstructuredGrid* static_grid, Real time_ms, std::span<const Real> potential_mv,
             std::span<const Real> recovery, const fs::path& file) const {
    // A shallow copy shares the static arrays; the views of this frame end with it.
    vtkNew<vtkUnstructuredGrid> grid;
    grid->ShallowCopy(static_grid);
    if (config.potential) {
      grid->GetPointData()->AddArray(view("potential", potential_mv));
      grid->GetPointData()->SetActiveScalars("potential");
    }
    if (config.recovery) grid->GetCellData()->AddArray(view("recovery", recovery));
    grid->GetFieldData()->AddArray(view("TimeValue", {&time_ms, 1}));
    write_grid(grid, file);
  }

  void list(const std::string& name, Real time_ms) {
    // 15 digits: 3 steps of 0.1 ms are 0.3, not 0.30000000000000004.
    const std::string line = fmt::format("    <DataSet timestep=\"{:.15g}\" file=\"{}\"/>\n", time_ms, name);
    write_file_atomically(config.directory / "potential.pvd",
                          "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n" +
                              collection + line + "  </Collection>\n</VTKFile>\n");
    collection += line;
    ++listed;
  }

  /// Waits for the oldest frame and lists it. Where it failed, none after it is left on disk.
  void list_oldest() {
    FrameUnderWay& oldest = under_way.front();
    try {
      oldest.written.get();
      list(oldest.name, oldest.time_ms);
    } catch (...) {
      drop_frames_under_way();
      throw;
    }
    spare.push_back(std::move(oldest.frame));
    under_way.pop_front();
  }

  void drop_frames_under_way() {
    for (FrameUnderWay& dropped : under_way) {
      if (dropped.written.valid()) dropped.written.wait();
      std::error_code ignored;
      fs::remove(config.directory / dropped.name, ignored);
    }
    under_way.clear();
  }
};

VtkOutput::VtkOutput(const Mesh& mesh, std::span<const Vector3> fibers, const OutputConfig& config, int writers) {
  if (fibers.size() != mesh.tetrahedra.size() || mesh.element_tags.size() != mesh.tetrahedra.size())
    throw std::logic_error("output: one fibre and one tag an element expected");
  create_folder(config.directory / "frames");
  remove_earlier_run(config.directory);
  Fibers components;
  for (const Vector3 f : fibers)
    components.push_back({static_cast<float>(f.x), static_cast<float>(f.y), static_cast<float>(f.z)});
  writer_.reset(new Writer{mesh, config, static_cast<std::size_t>(writers), std::move(components), {}, {}, {}});
}

VtkOutput::~VtkOutput() {
  try {
    finish();
  } catch (const std::exception&) {  // a run that wants to know calls finish; another error has ended this one
  }
}

void VtkOutput::write_frame(Real time_ms, std::span<const Real> potential_mv, std::span<const Real> recovery) {
  check_values("time", {&time_ms, 1}, 1);
  check_values("potential", potential_mv, writer_->mesh.nodes.size());
  check_values("recovery", recovery, writer_->mesh.tetrahedra.size());

  std::unique_ptr<Frame> frame = writer_->spare_frame();
  if (writer_->writers > 0) {
    frame->potential_mv.assign(potential_mv.begin(), potential_mv.end());
    frame->recovery.assign(recovery.begin(), recovery.end());
    potential_mv = frame->potential_mv;
    recovery = frame->recovery;
  }
  const std::string name = fmt::format("frames/potential_{:06}.vtu", frames() + writer_->under_way.size());
  // Without writers, or where the system has no more threads, the frame is written when it is waited for.
  const std::launch when = writer_->writers > 0 ? std::launch::async | std::launch::deferred : std::launch::deferred;
  std::future<void> written = std::async(when, [=, writer = writer_.get(), grid = frame->grid.Get()] {
    writer->write(grid, time_ms, potential_mv, recovery, writer->config.directory / name);
  });
  writer_->under_way.push_back({std::move(frame), time_ms, name, std::move(written)});
  while (writer_->under_way.size() > writer_->writers) writer_->list_oldest();
}

void VtkOutput::list_complete_frames() {
  while (!writer_->under_way.empty() &&
         writer_->under_way.front().written.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    writer_->list_oldest();
}

void VtkOutput::finish() {
  while (!writer_->under_way.empty()) writer_->list_oldest();
}

void VtkOutput::write_maps(std::span<const Real> activation_time_ms, std::span<const Real> apd90_ms) {
  check_values("activation_time", activation_time_ms, writer_->mesh.nodes.size());
  check_values("apd90", apd90_ms, writer_->mesh.nodes.size());
  if (!writer_->config.activation_time && !writer_->config.apd90) return;

  std::unique_ptr<Frame> frame = writer_->spare_frame();
  vtkNew<vtkUnstructuredGrid> grid;
  grid->ShallowCopy(frame->grid);
  vtkPointData* maps = grid->GetPointData();
  if (writer_->config.activation_time) maps->AddArray(view("activation_time", activation_time_ms));
  if (writer_->config.apd90) maps->AddArray(view("apd90", apd90_ms));
  maps->SetActiveScalars(maps->GetArrayName(0));
  write_grid(grid, writer_->config.directory / "maps.vtu");
  writer_->spare.push_back(std::move(frame));
}

int VtkOutput::frames() const { return writer_->listed; }

}  // namespace cardiowarp
