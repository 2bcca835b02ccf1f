#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/config/bidomain_conductivity.hpp"
#include "app/config/ecg_config.hpp"
#include "app/config/map_kind.hpp"
#include "app/config/output_format.hpp"
#include "fem/anatomy/heart_coordinates.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The sections `output` and `probes`.

struct OutputConfig {
  std::filesystem::path directory;
  OutputFormat format = OutputFormat::vtu;
  std::optional<OutputPrecision> precision = {};  ///< of the frames; absent: that of the format
  Real interval_ms = 5;
  bool potential = true;
  bool phi_e = false;                                   ///< in the frames, the extracellular potential
  BidomainConductivity bidomain = {};                   ///< of which it is computed
  std::optional<std::vector<std::string>> states = {};  ///< of the cell model, in the frames; absent: all
  bool activation_time = true, apd90 = true;            ///< maps
  std::vector<MapKind> more_maps = {};                  ///< beside these two, in the order of map_traits
  BeatChoice beats = BeatChoice::first;                 ///< that the maps show
  std::optional<EcgConfig> ecg = {};
  bool report = false;  ///< whether the run ends with a page of its results, `report.html`

  bool has(MapKind kind) const;
  /// Whether the values of frames are in single precision; the potential is then sent so by a GPU.
  bool in_single() const {
    return precision.value_or(traits_of(format).precision) == OutputPrecision::single_precision;
  }
};

struct ProbeConfig {
  std::string name;
  Vector3 point;
  std::string place = {};                   ///< of `point` or `where`
  std::optional<HeartPlace> in_heart = {};  ///< `where`, by coordinates of the heart, from which `point` is found later
};

}  // namespace cardiowarp
