#pragma once
#include <string>
#include <vector>

namespace cardiowarp {

struct Config;
struct Mesh;
struct Problem;

/// A line for each region of the configuration, and for the rest of the mesh, with its elements, volume, diffusivity
/// and, where they differ from those of `cell_model`, parameters. An element counts for the last region that holds it;
/// where such elements differ, because earlier regions hold some of them, each kind gets a line.
std::vector<std::string> describe_tissue(const Config& config, const Problem& problem);

/// One sentence for each of the regions some or all of whose elements are in later ones that give anew what it gives:
/// how many, in which, and what to do.
std::vector<std::string> covered_regions(const Config& config, const Mesh& mesh);

}  // namespace cardiowarp
