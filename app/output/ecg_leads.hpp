#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// From the potentials of electrodes to the columns of `ecg.csv`. Where there are electrodes RA, LA and LL, the leads
//   I = LA − RA,  II = LL − RA,  III = LL − LA,
//   aVR = RA − (LA + LL)/2,  aVL = LA − (RA + LL)/2,  aVF = LL − (RA + LA)/2
// come first, then each of V1 to V6 against Wilson's terminal (RA + LA + LL)/3. All other electrodes, and these three,
// follow as they are, and at last the differences of two points, the bipolar electrograms.

struct EcgConfig;

/// The difference of the potentials of two points, the first minus the second.
struct BipolarLead {
  std::string name;
  std::array<std::size_t, 2> points;  ///< by number; those from the number of the electrodes on have no column
};

class EcgLeads {
 public:
  explicit EcgLeads(const std::vector<std::string>& electrodes, const std::vector<BipolarLead>& bipolar = {});
  /// The columns of a configuration, for the potentials at points_of().
  explicit EcgLeads(const EcgConfig& ecg);

  const std::vector<std::string>& names() const { return names_; }
  /// [leads] of the potentials of all points, in their order and unit.
  std::vector<Real> values(std::span<const Real> potentials) const;
  /// [leads] whether a lead is made of a point of which `is_of` is true, [points].
  std::vector<bool> made_of(const std::vector<bool>& is_of) const;

 private:
  struct Part {
    std::size_t electrode;
    Real weight;
  };
  void add(const std::string& name, std::vector<Part> parts);

  std::vector<std::string> names_;
  std::vector<std::vector<Part>> parts_;
};

}  // namespace cardiowarp
