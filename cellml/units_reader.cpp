#include "cellml/units_reader.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cellml/number_text.hpp"
#include "cellml/xml_document.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

double number_in(const pugi::xml_node& element, const char* name, double otherwise) {
  const std::string text = attribute_of(element, name);
  if (text.empty()) return otherwise;
  const std::optional<double> value = number_of(text);
  if (!value) throw InputError(std::string(name) + ": expected a number, got '" + shown(text) + "'");
  return *value;
}

CellMlUnitFactor factor_of(const pugi::xml_node& element) {
  CellMlUnitFactor factor{identifier_of(element, "units")};
  factor.multiplier = number_in(element, "multiplier", 1);
  factor.exponent = number_in(element, "exponent", 1);
  factor.offset = number_in(element, "offset", 0);
  if (const std::string prefix = attribute_of(element, "prefix"); !prefix.empty()) factor.prefix = unit_prefix(prefix);
  return factor;
}

}  // namespace

void read_unit_definitions(const pugi::xml_node& parent, CellMlUnits& units) {
  for (const pugi::xml_node& element : parent.children()) {
    if (element.type() != pugi::node_element || local_name(element.name()) != "units") continue;
    const std::string name = identifier_of(element, "name");
    std::vector<CellMlUnitFactor> factors;
    try {
      for (const pugi::xml_node& child : element.children())
        if (child.type() == pugi::node_element && local_name(child.name()) == "unit")
          factors.push_back(factor_of(child));
    } catch (const InputError& error) {
      throw InputError("units '" + name + "': " + error.what());
    }
    // In CellML 2.0 units without factors are base units.
    if (attribute_of(element, "base_units") == "yes" || factors.empty())
      units.define_base(name);
    else
      units.define(name, std::move(factors));
  }
}

}  // namespace cardiowarp
