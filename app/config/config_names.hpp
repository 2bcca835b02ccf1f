#pragma once
#include <string>
#include <utility>
#include <vector>

#include "app/config/config.hpp"

namespace cardiowarp {

/// The values of a key and the names they have in YAML.
template <class Value>
using Names = std::vector<std::pair<std::string, Value>>;

template <class Value>
std::string name_of(Value value, const Names<Value>& names) {
  for (const auto& [name, named] : names)
    if (named == value) return name;
  return {};
}

inline const Names<LengthUnit> length_unit_names{{"m", LengthUnit::metre},
                                                 {"cm", LengthUnit::centimetre},
                                                 {"mm", LengthUnit::millimetre},
                                                 {"um", LengthUnit::micrometre}};

inline const Names<FiberSource> fiber_source_names{
    {"none", FiberSource::none}, {"constant", FiberSource::constant}, {"mesh", FiberSource::mesh}};

inline const Names<BackendChoice> backend_names{
    {"auto", BackendChoice::automatic}, {"cpu", BackendChoice::cpu}, {"gpu", BackendChoice::gpu}};

inline const Names<PreconditionerChoice> preconditioner_names{{"jacobi", PreconditionerChoice::jacobi},
                                                              {"block_jacobi", PreconditionerChoice::block_jacobi}};

inline const Names<SolverPath> solver_path_names(solver_paths.begin(), solver_paths.end());

inline const Names<ForcingChoice> forcing_names{{"eisenstat_walker", ForcingChoice::eisenstat_walker},
                                                {"fixed", ForcingChoice::fixed}};

/// `order`: whether the sums go through CSR.
inline const Names<bool> assembly_order_names{{"slices", false}, {"csr", true}};

}  // namespace cardiowarp
