#include "experiments/program/schema.hpp"

#include <type_traits>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/config/keys.hpp"

namespace ninefold {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Value& value) {
  return std::visit(
      []<class T>(const T& content) -> Json {
        if constexpr (std::is_same_v<T, List>) {
          Json list = Json::array();
          for (const Value& element : content) list.push_back(to_json(element));
          return list;
        } else if constexpr (std::is_same_v<T, OtherKind>) {
          return nullptr;
        } else {
          return content;
        }
      },
      value.content);
}

Json schema_of(const Shapes& shapes);

struct ShapeSchema {
  Json operator()(const NumberShape& number) const {
    Json schema{{"type", "number"}};
    const Range& range = number.range;
    if (std::isfinite(range.least)) {
      schema[range.has_least ? "minimum" : "exclusiveMinimum"] = range.least;
    }
    if (std::isfinite(range.most)) {
      schema[range.has_most ? "maximum" : "exclusiveMaximum"] = range.most;
    }
    return schema;
  }
  Json operator()(const IntegerShape& range) const {
    return {{"type", "integer"}, {"minimum", range.least}, {"maximum", range.most}};
  }
  Json operator()(const FlagShape&) const { return {{"type", "boolean"}}; }
  Json operator()(const WordShape& words) const { return {{"enum", words.words}}; }
  Json operator()(const TextShape& text) const {
    Json schema{{"type", "string"}};
    if (!text.pattern.empty()) schema["pattern"] = "^(" + text.pattern + ")$";
    return schema;
  }
  Json operator()(const ListShape& list) const {
    Json schema{{"type", "array"}, {"items", schema_of(list.element)}};
    if (list.fewest > 0) schema["minItems"] = list.fewest;
    if (list.most < ListShape{}.most) schema["maxItems"] = list.most;
    if (list.distinct) schema["uniqueItems"] = true;
    return schema;
  }
  Json operator()(const TupleShape& tuple) const {
    Json items = Json::array();
    for (const Shapes& element : tuple.elements) items.push_back(schema_of(element));
    const std::size_t size = items.size();
    return {{"type", "array"}, {"items", std::move(items)}, {"minItems", size}, {"maxItems", size}};
  }
};

Json schema_of(const Shapes& shapes) {
  if (shapes.size() == 1) return std::visit(ShapeSchema{}, shapes.front().content);
  Json any = Json::array();
  for (const Shape& shape : shapes) any.push_back(std::visit(ShapeSchema{}, shape.content));
  return {{"anyOf", std::move(any)}};
}

Json definition(const Key& key) {
  Json schema = schema_of(key.shapes);
  schema["description"] =
      key.allowed.empty() ? key.text : fmt::format("{}\n{}: {}", key.text, key.type, key.allowed);
  if (const std::string standard = default_of(key); !standard.empty()) {
    schema["default"] = to_json(parse_value(standard));
  }
  schema["examples"] = Json::array({to_json(parse_value(key.example))});
  return schema;
}

Json reference(const Key& key) {
  return {{"$ref", "#/definitions/" + key.name}};
}

Json object() {
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
}

/// Puts `value` where the dotted name leads, through objects that are made on the way.
void put(Json& root, std::string_view name, Json value) {
  Json& properties = root["properties"];
  const std::size_t dot = name.find('.');
  const std::string first(name.substr(0, dot));
  if (dot == name.npos) {
    properties[first] = std::move(value);
    return;
  }
  if (!properties.contains(first)) properties[first] = object();
  put(properties[first], name.substr(dot + 1), std::move(value));
}

/// Keys in quotation marks, as the documentation has them, or as tables; each with a list.
Json study() {
  Json schema = object();
  schema["description"] =
      "Several runs from one file: each key takes a list of values, and every "
      "combination is a run.";
  for (const Key& key : configuration_keys()) {
    if (table_of(key.name) == "output") continue;
    const Json list{{"type", "array"},
                    {"items", reference(key)},
                    {"minItems", 1},
                    {"uniqueItems", true},
                    {"description", key.text}};
    schema["properties"][key.name] = list;
    put(schema, key.name, list);
  }
  return schema;
}

}  // namespace

std::string config_schema() {
  Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "config files of ninefold"},
              {"description", "One run of ninefold, or with [study] several."}};
  schema.update(object());
  for (const KeyTable& table : configuration_tables()) {
    Json empty = object();
    empty["description"] = table.title;
    schema["properties"][std::string(table.name)] = std::move(empty);
  }
  for (const Key& key : configuration_keys()) put(schema, key.name, reference(key));
  schema["properties"]["study"] = study();
  for (const Key& key : configuration_keys()) schema["definitions"][key.name] = definition(key);
  return schema.dump(2) + "\n";
}

}  // namespace ninefold
