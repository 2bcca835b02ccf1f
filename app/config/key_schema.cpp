#include <cmath>
#include <nlohmann/json.hpp>

#include "app/config/coordinates_keys.hpp"
#include "app/config/explain.hpp"

namespace cardiowarp {
namespace {

using Json = nlohmann::ordered_json;

/// A number, also with its unit behind it, which makes it a text for YAML.
Json number_schema(const KeyShape& shape) {
  Json number{{"type", "number"}};
  const Range& range = shape.range;
  if (std::isfinite(range.low)) number[range.low_included ? "minimum" : "exclusiveMinimum"] = range.low;
  if (std::isfinite(range.high)) number[range.high_included ? "maximum" : "exclusiveMaximum"] = range.high;
  const bool has_unit = shape.quantity.dimension != plain_number.dimension;
  const std::string digits = R"(^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)";
  const Json text{{"type", "string"}, {"pattern", digits + (has_unit ? "\\s*[^0-9,]?.*$" : "\\s*$")}};
  return Json{{"anyOf", Json::array({number, text})}};
}

Json names_schema(const KeyShape& shape) {
  Json names = Json::array();
  for (const NamedValue& value : shape.names) names.push_back(value.name);
  for (const std::string& name : shape.further_names) names.push_back(name);
  const Json schema{{"enum", names}};
  if (shape.others.empty()) return schema;
  return {{"anyOf", Json::array({schema, Json{{"type", "string"}, {"pattern", shape.others}}})}};
}

/// An array of the mesh, or values from endocardium to epicardium, in place of a number.
Json array_schema() {
  const Json values{{"type", "array"}, {"minItems", 2}, {"items", {{"type", "number"}}}};
  const auto one = [](const char* name) { return Json{{"required", Json::array({name})}}; };
  return {{"type", "object"},
          {"additionalProperties", false},
          {"properties", {{"array", {{"type", "string"}}}, {"through_wall", values}, {"scale", {{"type", "boolean"}}}}},
          {"oneOf", Json::array({one("array"), one("through_wall")})}};
}

Json schema_of(const KeyDescription& key);

/// Something is given, and at most one kind of place beside the coordinates of the heart.
void require_one_place(const KeyShape& shape, Json& schema) {
  schema["minProperties"] = 1;
  for (std::size_t i = 0; i < shape.keys.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!is_coordinate(shape.keys[i].name) && !is_coordinate(shape.keys[j].name))
        schema["allOf"].push_back({{"not", {{"required", {shape.keys[j].name, shape.keys[i].name}}}}});
}

/// The map of the keys.
Json map_schema(const KeyShape& shape) {
  Json properties = Json::object(), needed = Json::array();
  for (const KeyDescription& key : shape.keys) {
    const Json of_key = schema_of(key);
    // A parameter that several cell models have.
    properties[key.name] =
        properties.contains(key.name) ? Json{{"anyOf", Json::array({properties[key.name], of_key})}} : of_key;
    if (key.is_required) needed.push_back(key.name);
  }
  Json schema{{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
  if (!shape.others.empty())
    schema["patternProperties"] = {{shape.others, {{"type", Json::array({"number", "string", "object"})}}}};
  if (!needed.empty()) schema["required"] = needed;
  if (shape.is_place) require_one_place(shape, schema);
  return schema;
}

Json whole_number_schema(const KeyShape& shape) {
  return {{"type", "integer"}, {"minimum", shape.range.low}, {"maximum", shape.range.high}};
}

Json value_schema(const KeyShape& shape) {
  switch (shape.kind) {
    case KeyKind::number:
      return number_schema(shape);
    case KeyKind::numbers:
      return {{"type", "array"}, {"minItems", 1}, {"items", number_schema(shape)}};
    case KeyKind::whole_number:
      return whole_number_schema(shape);
    case KeyKind::truth:
      return {{"type", "boolean"}};
    case KeyKind::word:
      return names_schema(shape);
    case KeyKind::words:
      return {{"type", "array"}, {"items", shape.names.empty() ? Json{{"type", "string"}} : names_schema(shape)}};
    case KeyKind::text: {
      const Json text{{"type", Json::array({"string", "number"})}};
      if (!shape.is_list) return text;
      return {{"anyOf", Json::array({text, Json{{"type", "array"}, {"items", text}}})}};
    }
    case KeyKind::path:
      return {{"type", "string"}};
    case KeyKind::point: {
      const Json point{{"type", "array"}, {"minItems", 3}, {"maxItems", 3}, {"items", number_schema(shape)}};
      return shape.is_list ? Json{{"type", "array"}, {"minItems", 1}, {"items", point}} : point;
    }
    case KeyKind::interval:
      return {{"type", "array"}, {"minItems", 2}, {"maxItems", 2}, {"items", number_schema(shape)}};
    case KeyKind::map:
      break;
  }
  return shape.is_list ? Json{{"type", "array"}, {"items", map_schema(shape)}} : map_schema(shape);
}

Json schema_of(const KeyDescription& key) {
  Json schema = value_schema(key.shape);
  const bool takes_a_name_too =
      !key.shape.names.empty() && (key.shape.kind == KeyKind::number || key.shape.kind == KeyKind::whole_number);
  if (takes_a_name_too) schema = {{"anyOf", Json::array({schema, names_schema(key.shape)})}};
  if (key.shape.takes_array) schema = {{"anyOf", Json::array({schema, array_schema()})}};
  const bool may_be_map = key.shape.kind == KeyKind::word || key.shape.kind == KeyKind::numbers;
  if (may_be_map && !key.shape.keys.empty()) schema = {{"anyOf", Json::array({schema, map_schema(key.shape)})}};
  if (!key.meaning.empty()) schema["description"] = key.meaning + " (" + in_words(key.shape) + ")";
  return schema;
}

}  // namespace

std::string key_schema() {
  Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "Configuration of a run of cardiowarp"}};
  KeyShape file{.kind = KeyKind::map, .keys = configuration_keys()};
  schema.update(map_schema(file));
  schema["required"] = {"mesh", "time"};
  return schema.dump(2) + "\n";
}

}  // namespace cardiowarp
