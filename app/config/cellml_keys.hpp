#pragma once
#include <map>
#include <string>
#include <string_view>

#include "app/config/yaml_reader.hpp"
#include "fem/cells/run_time_model.hpp"

namespace cardiowarp {

struct CellModelConfig;

// `cell_model` where its name is that of a CellML file:
//   cell_model: {name: noble.cellml, potential: membrane.V, stimulus: membrane.i_stim, parameters: {sodium: {g_Na:
//   380}}}
// Parameters are called `component.variable`, which may also be a map of the component, by the variable alone where
// there is one of that name, or by annotation. A file is relative to the folder of the YAML file, as a mesh is.

/// Whether a name of a cell model is that of a file: it ends with `.cellml`.
bool is_cellml_file(std::string_view name);

/// Keys of `cell_model` that only files have.
inline constexpr const char* keys_of_cellml_files[] = {"potential", "stimulus", "checksum"};

/// The cell of `cell_model` with the name of a file, which is read. Throws InputError.
CellModelConfig read_cellml_cell(const YamlReader& in);

/// The parameters of a region with cells of the model, by their names in its table. Throws InputError.
std::map<std::string, Real> read_cellml_parameters(const YamlReader& in, const RunTimeModel& model);

/// The keys before `parameters` as resolved.yaml has them, which the checksum of the model is one of.
std::string cellml_origin_text(const ModelOrigin& origin);

}  // namespace cardiowarp
