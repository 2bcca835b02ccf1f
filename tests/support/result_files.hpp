#pragma once
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkPointData.h>
#include <vtkSmartPointer.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>

#include <filesystem>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/backend/types.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {

inline vtkSmartPointer<vtkUnstructuredGrid> read_vtu(const std::filesystem::path& file) {
  const auto reader = vtkSmartPointer<vtkXMLUnstructuredGridReader>::New();
  reader->SetFileName(file.c_str());
  reader->Update();
  return reader->GetOutput();
}

inline std::vector<Real> values(vtkDataArray* array) {
  if (!array) throw std::runtime_error("no such array");
  std::vector<Real> result;
  for (vtkIdType i = 0; i < array->GetNumberOfTuples(); ++i) result.push_back(array->GetTuple1(i));
  return result;
}

inline std::vector<Real> point_values(const std::filesystem::path& file, const char* name) {
  return values(read_vtu(file)->GetPointData()->GetArray(name));
}

inline std::vector<Real> cell_values(const std::filesystem::path& file, const char* name) {
  return values(read_vtu(file)->GetCellData()->GetArray(name));
}

/// A frame of a .pvd file.
struct PvdFrame {
  Real time_ms;
  std::filesystem::path file;
};

inline std::vector<PvdFrame> read_pvd(const std::filesystem::path& pvd) {
  const std::string text = read_text(pvd);
  const std::regex entry("timestep=\"([^\"]*)\"[^>]*file=\"([^\"]*)\"");
  std::vector<PvdFrame> frames;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), entry); match != std::sregex_iterator(); ++match)
    frames.push_back({std::stod((*match)[1]), pvd.parent_path() / (*match)[2].str()});
  return frames;
}

}  // namespace cardiowarp::test
