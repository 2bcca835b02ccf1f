#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/config/ecg_config.hpp"

namespace cardiowarp {

/// The electrodes of a file, whose coordinates are in mm: `.json` has an object, `{"V1": [x, y, z], ..}`, and any other
/// name is read as CSV, a line `name,x,y,z` for each, with a first line of such words or without. Messages begin with
/// `place`, where the file was asked for. Throws InputError where the file cannot be read, is larger than a megabyte or
/// has something else.
std::vector<ElectrodeConfig> read_electrodes(const std::filesystem::path& file, const std::string& place);

}  // namespace cardiowarp
