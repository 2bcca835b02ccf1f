// A human Purkinje network with the arrivals that another program has computed.

#include <gtest/gtest.h>
#include <vtkDataArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>

#include <cmath>
#include <filesystem>

#include "fem/network.hpp"
#include "meshes/network_file.hpp"

namespace cardiowarp {
namespace {

TEST(HumanNetwork, HasTheArrivalsOfAnotherProgramWhereTissueDoesNotComeFirst) {
  const std::filesystem::path file = CARDIOWARP_SHARED_DATA "/biventricle_ecg/True_LVtree.vtu";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  const Network network = read_network(file, LengthUnit::millimetre);
  const vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  vtkDataArray* const activation = reader->GetOutput()->GetPointData()->GetArray("activation");
  ASSERT_NE(activation, nullptr);
  ASSERT_EQ(network.points.size(), 1141u);
  EXPECT_EQ(network.segments.size(), 1140u);
  EXPECT_EQ(ends_of(network, {0}).size(), 89u);
  const std::vector<Real> way = lengths_from(network, {0});
  const Real velocity = std::sqrt(2.0), start = activation->GetComponent(0, 0);
  std::size_t alike = 0;
  for (std::size_t point = 0; point < way.size(); ++point) {
    const Real theirs = activation->GetComponent(static_cast<vtkIdType>(point), 0),
               ours = start + way[point] / velocity;
    EXPECT_LT(theirs, ours + 1e-4) << point << ": a beat through the tissue only comes sooner";
    alike += std::fabs(theirs - ours) < 1e-4 ? 1 : 0;
  }
  EXPECT_GT(alike, 1030u);
}

}  // namespace
}  // namespace cardiowarp
