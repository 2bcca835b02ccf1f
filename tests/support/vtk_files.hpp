#pragma once
#include <gtest/gtest.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkErrorCode.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <regex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config.hpp"
#include "app/output/frame_files.hpp"
#include "app/output/frame_output.hpp"
#include "app/output/maps_file.hpp"
#include "app/output/vtu_frames.hpp"
#include "fem/diffusivity.hpp"
#include "tests/support/resting_simulation.hpp"
#include "tests/support/small_mesh.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {

/// A VTK file read by VTK's own reader.
class GridFile {
 public:
  explicit GridFile(const std::filesystem::path& file) {
    reader_->SetFileName(file.c_str());
    reader_->Update();
    EXPECT_EQ(reader_->GetErrorCode(), static_cast<unsigned long>(vtkErrorCode::NoError)) << file;
  }
  vtkUnstructuredGrid* grid() const { return reader_->GetOutput(); }
  vtkDataArray* point_array(const char* name) const { return grid()->GetPointData()->GetArray(name); }
  vtkDataArray* cell_array(const char* name) const { return grid()->GetCellData()->GetArray(name); }

 private:
  vtkNew<vtkXMLUnstructuredGridReader> reader_;
};

inline std::vector<Real> values_of(vtkDataArray* array) {
  std::vector<Real> values;
  for (vtkIdType tuple = 0; array != nullptr && tuple < array->GetNumberOfTuples(); ++tuple)
    for (int component = 0; component < array->GetNumberOfComponents(); ++component)
      values.push_back(array->GetComponent(tuple, component));
  return values;
}

/// Values that zlib cannot make much smaller.
inline std::vector<Real> noise(std::size_t count) {
  std::vector<Real> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = std::sin(static_cast<Real>(i));
  return values;
}

/// Frames and maps of given values, into a folder that is begun anew, as a Recorder has them written.
class VtkOutput {
 public:
  VtkOutput(const Mesh& mesh, std::span<const Diffusivity> tissue, OutputConfig config,
            const std::vector<std::string>& states, int threads = 0)
      : config_(std::move(config)), grid_(mesh, tissue), frames_(begun(states), config_.directory, threads) {}

  void write_frame(Real time_ms, const std::vector<Real>& potential_mv, const std::vector<Real>& states) {
    fields_.potential = potential_mv;
    fields_.states = states;
    frames_.write_frame(time_ms, fields_);
  }
  void list_complete_frames() { frames_.list_complete_frames(); }
  void finish() { frames_.finish(); }
  int frames() const { return frames_.frames(); }
  void write_maps(const std::vector<Real>& activation_ms, const std::vector<Real>& apd90_ms) {
    cardiowarp::write_maps(grid_, config_, maps_of_beats(config_, grid_.mesh(), {activation_ms, apd90_ms}, {}), {}, {});
  }

 private:
  std::unique_ptr<FrameWriter> begun(const std::vector<std::string>& states) {
    create_frames_folder(config_.directory);
    remove_earlier_run(config_.directory);
    std::vector<std::size_t> numbers(states.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return make_vtu_frames(grid_, {config_.potential, states}, numbers, config_.in_single());
  }

  OutputConfig config_;
  VtuGrid grid_;
  FrameOutput frames_;
  GivenFields fields_;
};

/// A small mesh with values, and a folder for its frames.
class VtkOutputTest : public testing::Test {
 protected:
  VtkOutputTest() { config.directory = directory / "out/run"; }

  Mesh with_nodes(std::size_t count) const {
    Mesh larger = mesh;
    larger.nodes.resize(count, {1, 2, 3});
    return larger;
  }
  /// The frames of the .pvd, by number.
  std::vector<std::string> listed() const {
    const std::string text = read_text(config.directory / "potential.pvd");
    const std::regex name("file=\"frames/potential_([0-9]+)\\.vtu\"");
    std::vector<std::string> numbers;
    for (std::sregex_iterator match(text.begin(), text.end(), name), end; match != end; ++match)
      numbers.push_back((*match)[1]);
    return numbers;
  }
  std::filesystem::path frame(const std::string& number) const {
    return config.directory / ("frames/potential_" + number + ".vtu");
  }

  const TemporaryDirectory directory;
  const Mesh mesh = small_mesh();
  const std::vector<Diffusivity> tissue{{1, 0, {0, 0.6, 0.8}}, {1, 0, {0, 0, 0}}};
  const std::vector<Real> potential{-80, 0.1, 1.0 / 3, -79.99999999999999, 5e-324};
  const std::vector<Real> recovery{0.25, 2.0 / 3};
  OutputConfig config;
};

}  // namespace cardiowarp::test
