#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "app/config/coordinates_config.hpp"
#include "app/config/key_visitor.hpp"
#include "fem/anatomy/heart_coordinates.hpp"

namespace cardiowarp {

struct ProbeConfig;

// Coordinates of the heart in the YAML file: `where: {transmural: [0, 0.3], ventricle: lv}`, beside the other keys of a
// `where`, and the section `coordinates`. Angles are in degrees there.

/// The keys of a `where` that are coordinates.
const std::vector<std::string>& coordinate_names();
bool is_coordinate(std::string_view key);

/// Their descriptions.
std::vector<KeyDescription> described_coordinates();

/// The coordinates among the keys of a `where`. Throws InputError with file, line and column.
HeartRange read_heart_range(const YamlReader& where);

/// `transmural: [0, 0.3], ventricle: lv`; empty where the range is everything.
std::string heart_range_text(const HeartRange& range);

void visit_coordinates(KeyVisitor& keys, CoordinatesConfig& coordinates);

/// Where a probe is: the keys `point` and `where`, one of which is given.
void visit_probe_place(KeyVisitor& keys, ProbeConfig& probe);

}  // namespace cardiowarp
