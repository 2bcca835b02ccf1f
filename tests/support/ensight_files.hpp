#pragma once
#include <gtest/gtest.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkDataArrayCollection.h>
#include <vtkEnSightGoldBinaryReader.h>
#include <vtkInformation.h>
#include <vtkMultiBlockDataSet.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkStreamingDemandDrivenPipeline.h>
#include <vtkUnstructuredGrid.h>

#include <filesystem>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp::test {

/// A run's potential.case read by VTK's own reader.
class EnsightCase {
 public:
  explicit EnsightCase(const std::filesystem::path& file) {
    EXPECT_TRUE(std::filesystem::is_regular_file(file)) << file;
    reader_->SetCaseFileName(file.c_str());
    reader_->ReadAllVariablesOn();
    reader_->UpdateInformation();
  }
  std::vector<Real> times_ms() const {
    std::vector<Real> times;
    vtkDataArrayCollection* const sets = reader_->GetTimeSets();
    if (sets == nullptr || sets->GetNumberOfItems() != 1) return times;
    vtkDataArray* const set = sets->GetItem(0);
    for (vtkIdType i = 0; i < set->GetNumberOfTuples(); ++i) times.push_back(set->GetComponent(i, 0));
    return times;
  }
  /// The one part at a time; null where it cannot be read.
  vtkUnstructuredGrid* at(Real time_ms) {
    reader_->SetTimeValue(static_cast<float>(time_ms));
    reader_->Update();
    EXPECT_EQ(reader_->GetOutput()->GetNumberOfBlocks(), 1u);
    return vtkUnstructuredGrid::SafeDownCast(reader_->GetOutput()->GetBlock(0));
  }
  vtkDataArray* point_array(Real time_ms, const char* name) { return at(time_ms)->GetPointData()->GetArray(name); }
  vtkDataArray* cell_array(Real time_ms, const char* name) { return at(time_ms)->GetCellData()->GetArray(name); }

 private:
  vtkNew<vtkEnSightGoldBinaryReader> reader_;
};

}  // namespace cardiowarp::test
