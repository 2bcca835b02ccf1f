#include "app/config/cellml_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "app/config/cell_model_config.hpp"
#include "app/config/yaml_text.hpp"
#include "app/process/log.hpp"
#include "cellml/tissue/tissue_model.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"

namespace cardiowarp {
namespace {

struct GivenParameter {
  std::string name;
  Real value;
  YamlReader place;
};

/// The parameters of a map, those of a component in a map of its own.
std::vector<GivenParameter> given_parameters(const YamlReader& in, const std::string& component = "") {
  std::vector<GivenParameter> given;
  if (!in.present()) return given;
  if (!in.is_map()) in.fail("a map of parameters by name");
  for (const std::string& key : in.keys()) {
    const YamlReader value = in[key];
    if (value.is_map() && component.empty())
      std::ranges::move(given_parameters(value, key + "."), std::back_inserter(given));
    else
      given.push_back({component + key, value.number(plain_number, any_number), value});
  }
  return given;
}

/// By the name in the model's table; one that is not there has no effect on the cell.
std::map<std::string, Real> by_name_of_model(const std::vector<GivenParameter>& given, const RunTimeModel& model) {
  std::map<std::string, Real> named;
  for (const GivenParameter& parameter : given) {
    const std::string name(model.parameter_called(parameter.name));
    if (!name.empty() && !named.emplace(name, parameter.value).second)
      parameter.place.fail("one value of " + name, "a second one");
  }
  return named;
}

}  // namespace

bool is_cellml_file(std::string_view name) {
  constexpr std::string_view suffix = ".cellml";
  return name.size() > suffix.size() &&
         std::ranges::equal(name.substr(name.size() - suffix.size()), suffix,
                            [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

CellModelConfig read_cellml_cell(const YamlReader& in) {
  in.expect_keys({"name", "potential", "stimulus", "parameters", "checksum"});
  CellMlOptions options;
  options.potential = in["potential"].text("the name of a variable of the CellML file", "");
  options.stimulus = in["stimulus"].text("the name of a variable of the CellML file", "");
  const std::vector<GivenParameter> given = given_parameters(in["parameters"]);
  for (const GivenParameter& parameter : given)
    if (!options.parameters.emplace(parameter.name, parameter.value).second)
      parameter.place.fail("one value of " + parameter.name, "a second one");
  const std::filesystem::path file = in["name"].path("the path of a CellML file");
  std::vector<std::string> warnings;
  const RunTimeModel* model = nullptr;
  try {
    model = &cellml_tissue_model(file, options, warnings);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", in["name"].label(), error.what()));
  }
  for (const std::string& warning : warnings) log_warn("{}", warning);
  by_name_of_model(given, *model);
  const std::string checksum = model->origin().checksum;
  if (const std::string asked = in["checksum"].text("a checksum as resolved.yaml has it", checksum); asked != checksum)
    in["checksum"].fail(fmt::format("{}, that of the equations in '{}'", checksum, file.string()),
                        fmt::format("{}: the file is another one", asked));
  return {ionic_cell(*model), ""};
}

std::map<std::string, Real> read_cellml_parameters(const YamlReader& in, const RunTimeModel& model) {
  const std::vector<GivenParameter> given = given_parameters(in);
  std::vector<std::string> names;
  for (const ParameterDescription& parameter : model.parameters()) names.emplace_back(parameter.name);
  for (const GivenParameter& parameter : given)
    if (model.parameter_called(parameter.name).empty())
      parameter.place.fail(fmt::format("a parameter of {}, as `cardiowarp cell` lists them", model.name()),
                           "'" + parameter.name + "'" + suggestion(parameter.name, names));
  return by_name_of_model(given, model);
}

std::string cellml_origin_text(const ModelOrigin& origin) {
  std::string text = fmt::format("  name: {}\n  checksum: {}\n", yaml_path(origin.file), yaml_quoted(origin.checksum));
  if (!origin.potential.empty()) text += fmt::format("  potential: {}\n", yaml_quoted(origin.potential));
  if (!origin.stimulus.empty()) text += fmt::format("  stimulus: {}\n", yaml_quoted(origin.stimulus));
  return text;
}

}  // namespace cardiowarp
