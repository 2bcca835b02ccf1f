#include "cellml/document_reader.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "cellml/number_text.hpp"
#include "cellml/units_reader.hpp"
#include "cellml/xml_document.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

/// Calls `read`, and puts `where` in front of what it complains about.
template <class Read>
void at(const std::string& where, const Read& read) {
  try {
    read();
  } catch (const InputError& error) {
    throw InputError(where + ": " + error.what());
  }
}

bool is_element(const pugi::xml_node& node, std::string_view name) {
  return node.type() == pugi::node_element && local_name(node.name()) == name;
}

std::string version_of(const pugi::xml_node& model) {
  for (const pugi::xml_attribute& attribute : model.attributes()) {
    const std::string_view name(attribute.name()), value(attribute.value());
    if (!name.starts_with("xmlns")) continue;
    for (const char* version : {"1.0", "1.1", "2.0"})
      if (value == std::string("http://www.cellml.org/cellml/") + version + "#") return version;
  }
  throw InputError("expected the namespace of CellML 1.0, 1.1 or 2.0 on the element 'model', found none of them");
}

bool is_safe_import(const std::string& name) {
  if (name.empty() || name.find(':') != name.npos || name.find('\\') != name.npos) return false;
  const std::filesystem::path path(name);
  return path.is_relative() && std::ranges::none_of(path, [](const auto& part) { return part == ".."; });
}

}  // namespace

DocumentReader::DocumentReader(std::filesystem::path folder, std::vector<std::filesystem::path> chain,
                               std::size_t& components)
    : folder_(std::move(folder)), chain_(std::move(chain)), components_(components) {}

CellMlDocument DocumentReader::read(const std::string& text) {
  pugi::xml_document xml;
  parse_xml(text, xml);
  const pugi::xml_node model = xml.document_element();
  if (!is_element(model, "model"))
    throw InputError("expected an element 'model', got '" + shown(local_name(model.name())) + "'");
  read_model(model);
  return std::move(document_);
}

void DocumentReader::read_model(const pugi::xml_node& model) {
  document_.version = version_of(model);
  document_.name = shown(attribute_of(model, "name"));
  read_unit_definitions(model, units_);
  for (const pugi::xml_node& child : model.children())
    if (is_element(child, "import"))
      at("import '" + shown(attribute_of(child, "href")) + "'", [&] { read_import(child); });
  for (const pugi::xml_node& child : model.children()) {
    if (is_element(child, "component")) read_component(child);
    if (is_element(child, "connection")) at("connection", [&] { read_connection(child); });
    if (is_element(child, "encapsulation")) read_encapsulation(child, "", 0);
    if (!is_element(child, "group")) continue;
    for (const pugi::xml_node& reference : child.children())
      if (is_element(reference, "relationship_ref") && attribute_of(reference, "relationship") == "encapsulation")
        read_encapsulation(child, "", 0);
  }
  for (const auto& [name, parent] : parent_of_) {
    const auto place = place_of_.find(name);
    if (place == place_of_.end()) throw InputError("encapsulation: there is no component '" + name + "'");
    document_.components[place->second].parent = parent;
  }
  read_meanings(model, 0);
}

bool DocumentReader::has_component(const std::string& name) const { return place_of_.contains(name); }

void DocumentReader::add(CellMlComponent component) {
  if (has_component(component.name)) throw InputError("component '" + component.name + "' is defined twice");
  if (++components_ > most_components)
    throw InputError("expected at most " + std::to_string(most_components) + " components with those of the imports");
  place_of_[component.name] = document_.components.size();
  document_.components.push_back(std::move(component));
}

void DocumentReader::read_component(const pugi::xml_node& element) {
  CellMlComponent component{identifier_of(element, "name")};
  const std::string where = "component '" + component.name + "'";
  CellMlUnits units(&units_);
  at(where, [&] {
    read_unit_definitions(element, units);
    for (const pugi::xml_node& child : element.children()) {
      if (is_element(child, "variable")) read_variable(child, units, component);
      if (is_element(child, "reaction")) throw InputError("reactions of CellML 1.0 are not read: expected equations");
      if (is_element(child, "reset")) throw InputError("resets of CellML 2.0 are not computed here");
      if (!is_element(child, "math")) continue;
      for (Equation& equation : read_equations(child)) component.equations.push_back(std::move(equation));
    }
  });
  at(where, [&] { add(std::move(component)); });
}

void DocumentReader::read_variable(const pugi::xml_node& element, const CellMlUnits& units,
                                   CellMlComponent& component) {
  CellMlVariable variable{identifier_of(element, "name"), {}};
  at("variable '" + variable.name + "'", [&] {
    const std::string unit = attribute_of(element, "units");
    if (unit.empty()) throw InputError("expected units, got none");
    variable.unit = units.find(unit);
    variable.initial = trimmed(attribute_of(element, "initial_value"));
    variable.annotation = attribute_of(element, "id");
  });
  component.variables.push_back(std::move(variable));
}

void DocumentReader::read_connection(const pugi::xml_node& element) {
  std::pair<std::string, std::string> components;
  const auto take = [&](const pugi::xml_node& from) {
    components = {identifier_of(from, "component_1"), identifier_of(from, "component_2")};
    if (components.first == components.second)
      throw InputError("component '" + components.first + "' is connected with itself");
  };
  if (document_.version == "2.0") take(element);
  for (const pugi::xml_node& child : element.children())
    if (is_element(child, "map_components")) take(child);
  if (components.first.empty()) throw InputError("expected two components, got none");
  for (const pugi::xml_node& child : element.children())
    if (is_element(child, "map_variables"))
      document_.connections.push_back({components.first, identifier_of(child, "variable_1"), components.second,
                                       identifier_of(child, "variable_2")});
}

void DocumentReader::read_encapsulation(const pugi::xml_node& element, const std::string& parent, int depth) {
  for (const pugi::xml_node& child : element.children()) {
    if (!is_element(child, "component_ref")) continue;
    const std::string name = identifier_of(child, "component");
    if (!parent.empty() && !parent_of_.emplace(name, parent).second)
      throw InputError("encapsulation: component '" + name + "' is in two others");
    read_encapsulation(child, name, depth + 1);
  }
}

void DocumentReader::read_import(const pugi::xml_node& element) {
  const std::string name = attribute_of(element, "href");
  if (folder_.empty() || !is_safe_import(name))
    throw InputError("expected the name of a file in the folder of this one or below it");
  const std::filesystem::path file = (folder_ / name).lexically_normal();
  if (std::ranges::find(chain_, file) != chain_.end()) throw InputError("the file imports itself");
  if (chain_.size() > deepest_import)
    throw InputError("expected at most " + std::to_string(deepest_import) + " files that import each other");
  std::vector<std::filesystem::path> chain = chain_;
  chain.push_back(file);
  DocumentReader reader(file.parent_path(), chain, components_);
  const CellMlDocument imported = reader.read(xml_file_text(file));
  for (const pugi::xml_node& child : element.children()) {
    if (is_element(child, "units"))
      units_.define_as(identifier_of(child, "name"), reader.units().find(identifier_of(child, "units_ref")));
    if (is_element(child, "component"))
      take_component(imported, identifier_of(child, "component_ref"), identifier_of(child, "name"));
  }
  for (const auto& [id, meanings] : imported.meanings) document_.meanings[id].insert(meanings.begin(), meanings.end());
}

void DocumentReader::take_component(const CellMlDocument& imported, const std::string& name, const std::string& local) {
  std::map<std::string, std::string> names{{name, local}};  // of those that are taken: there and here
  for (bool grows = true; grows;) {
    grows = false;
    for (const CellMlComponent& component : imported.components)
      if (!names.contains(component.name) && names.contains(component.parent))
        grows = names.emplace(component.name, local + "_" + component.name).second;
  }
  bool is_there = false;
  for (const CellMlComponent& component : imported.components) {
    if (!names.contains(component.name)) continue;
    is_there = is_there || component.name == name;
    CellMlComponent taken = component;
    taken.name = names.at(component.name);
    taken.parent.clear();
    if (component.name != name) parent_of_.emplace(taken.name, names.at(component.parent));
    add(std::move(taken));
  }
  if (!is_there) throw InputError("the file has no component '" + name + "'");
  for (const CellMlConnection& connection : imported.connections)
    if (names.contains(connection.component_1) && names.contains(connection.component_2))
      document_.connections.push_back({names.at(connection.component_1), connection.variable_1,
                                       names.at(connection.component_2), connection.variable_2});
}

/// <rdf:Description rdf:about="#id"><bqbiol:is rdf:resource="..#meaning"/></rdf:Description>, anywhere in the file.
void DocumentReader::read_meanings(const pugi::xml_node& element, int depth) {
  for (const pugi::xml_node& child : element.children()) {
    if (child.type() != pugi::node_element) continue;
    const std::string about = attribute_of(child, "about");
    if (is_element(child, "Description") && about.starts_with('#')) {
      for (const pugi::xml_node& statement : child.children()) {
        const std::string resource = attribute_of(statement, "resource");
        const std::size_t mark = resource.find('#');
        if (is_element(statement, "is") && mark != resource.npos && mark + 1 < resource.size())
          document_.meanings[about.substr(1)].insert(resource.substr(mark + 1));
      }
    }
    if (!is_element(child, "math")) read_meanings(child, depth + 1);
  }
}

CellMlDocument read_cellml_document(const std::filesystem::path& file) {
  std::size_t components = 0;
  try {
    DocumentReader reader(file.parent_path().empty() ? "." : file.parent_path(), {file.lexically_normal()}, components);
    CellMlDocument document = reader.read(xml_file_text(file));
    document.file = file;
    return document;
  } catch (const InputError& error) {
    throw InputError(file.string() + ": " + error.what());
  }
}

CellMlDocument parse_cellml_document(const std::string& text, const std::filesystem::path& folder) {
  std::size_t components = 0;
  return DocumentReader(folder, {}, components).read(text);
}

}  // namespace cardiowarp
