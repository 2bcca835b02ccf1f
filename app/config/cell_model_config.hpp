#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/config/mesh_config.hpp"
#include "fem/cells/any_cell.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The section `cell_model` and what regions change of it: models with numbers for their parameters, by name, and arrays
// of the mesh in place of numbers.

/// A parameter that an array of the mesh gives: its values are the parameter's, or what it is multiplied by.
struct ParameterArray {
  ArrayChoice array;
  bool scales = false;
  std::vector<Real> through_wall = {};  ///< in place of an array of the file: values at equal steps from endocardium to
                                        ///< epicardium, linear by the transmural coordinate between
};
using ParameterArrays = std::map<std::string, ParameterArray>;  ///< by the parameter's name

/// The cells of a region where they differ: the model, all parameters by those of a set, then single ones.
struct CellModelOverride {
  std::optional<AnyCell> model = {};  ///< with its defaults; none: as outside
  std::string set = {};               ///< empty: none
  std::map<std::string, Real> parameters = {};
  ParameterArrays arrays = {};

  bool empty() const { return !model && set.empty() && parameters.empty() && arrays.empty(); }
};

/// The cells outside the regions.
struct CellModelConfig {
  AnyCell cell;
  std::string set = {};  ///< where its parameters began; empty where the model has no sets
  ParameterArrays arrays = {};
};

/// `cell` with what a region changes.
AnyCell overridden(AnyCell cell, const CellModelOverride& change);

}  // namespace cardiowarp
