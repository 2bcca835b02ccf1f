#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/config/cell_model_config.hpp"
#include "app/config/diffusivity_config.hpp"
#include "app/config/where.hpp"

namespace cardiowarp {

/// A piece of the tissue that differs from what is outside the regions.
struct RegionConfig {
  Where where;                                   ///< not a NodeFile
  std::optional<DiffusivityConfig> diffusivity;  ///< absent: as outside
  CellModelOverride cell_model;
  Real velocity_factor = 1;  ///< fronts are so many times as fast as with the diffusivity that is there without it
};

/// The names of the tissue's models: that outside the regions first, then those that regions name, each once.
std::vector<std::string> cell_models_of(const CellModelConfig& model, const std::vector<RegionConfig>& regions);

}  // namespace cardiowarp
