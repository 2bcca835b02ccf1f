#pragma once
#include <filesystem>
#include <string>

namespace cardiowarp {

/// A page about the run whose results are in `folder`, HTML with all pictures in it, so that it opens without a network
/// and can be sent as one file: how the run ended, its warnings, what it computed, maps of activation and APD90 from
/// two sides, a film strip of the potential, potentials of probes, the ECG, histograms, seconds by phase, and
/// iterations over time. What the run has not written is left out. Costs some seconds and the memory of the mesh.
/// Throws InputError where the folder has no summary, or a file that it names cannot be read.
std::string report_of(const std::filesystem::path& folder);

}  // namespace cardiowarp
