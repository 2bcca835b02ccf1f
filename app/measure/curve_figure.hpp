#pragma once
#include <string>
#include <vector>

namespace cardiowarp {

/// Points of a curve; NaN in `y` interrupts its line.
struct Curve {
  std::string name = {};  ///< in the legend; no legend where no curve has one
  std::vector<double> x, y;
  bool has_marks = false;  ///< a mark at each point
  bool has_line = true;    ///< a line from point to point
};

/// Curves over the same axes, with a grid.
struct CurvePanel {
  std::string below, beside;  ///< words at the axes, with units
  std::vector<Curve> curves;
  bool begins_at_zero = false;  ///< x, where all of it is positive
};

/// The panels one above the other, as SVG. A panel without any point says so.
std::string curve_figure(const std::string& title, const std::vector<CurvePanel>& panels);

}  // namespace cardiowarp
