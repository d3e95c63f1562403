// Reads the JSON of one component of tokenizer.json ({"type": "Metaspace", "split": true, …}). Each
// field is requested by name. finish() refuses fields that were not requested, so an unknown field
// is an error and never a silent difference. This header is for source files only, because it uses
// nlohmann's types.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/tokenizer/internal/pattern.h"

namespace palimpsest::tokenizer {

class ComponentFields {
 public:
  // `where` is the place in the file: "tokenizer.json: normalizer". `object` must outlive this
  // object.
  ComponentFields(const Json& object, std::string where);

  // The value of "type".
  const std::string& type() const { return type_; }
  const std::string& where() const { return where_; }

  // If a field is absent or null, find functions return nothing, and bool_or() returns the
  // fallback. A field of another type is an Error.
  const Json* find(std::string_view key);
  const Json& require(std::string_view key);
  std::string require_string(std::string_view key);
  std::optional<std::string> find_string(std::string_view key);
  bool require_bool(std::string_view key);
  bool bool_or(std::string_view key, bool fallback);
  int64_t require_count(std::string_view key);
  // A string of exactly one character.
  char32_t require_character(std::string_view key);
  // A pattern, written as {"String": …} or {"Regex": …}.
  Pattern require_pattern(std::string_view key);

  // Throws Error for the first field that was not requested.
  void finish() const;

  [[noreturn]] void fail(std::string_view key, const std::string& what) const;

 private:
  const Json& object_;
  std::string where_;
  std::string type_;
  std::vector<std::string> asked_ = {"type"};
};

// A kind of component: its `type` in the file, and the function that makes one of its fields.
template <class Component>
struct ComponentKind {
  std::string_view type;
  Component (*load)(ComponentFields& fields);
};

// The row of a table of components for this type. Throws Error if there is none; the message lists
// the known types.
template <class Kind, size_t N>
const Kind& component_kind(const Kind (&table)[N], const ComponentFields& fields) {
  std::vector<std::string_view> known;
  for (const Kind& kind : table) {
    if (kind.type == fields.type()) return kind;
    known.push_back(kind.type);
  }
  throw Error({.what = fmt::format("'{}' is not supported here", fields.type()),
               .where = fields.where(),
               .expected = fmt::format("one of {}", fmt::join(known, ", "))});
}

// Makes the component that the JSON describes. Throws Error, which begins with `where`, for a kind
// or a field that is not supported.
template <class Component, size_t N>
Component load_component(const ComponentKind<Component> (&table)[N], const Json& json,
                         const std::string& where) {
  ComponentFields fields(json, where);
  Component component = component_kind(table, fields).load(fields);
  fields.finish();
  return component;
}

// The largest number of members of a Sequence, far more than any real tokenizer has.
inline constexpr size_t kMaxListMembers = 1000;

// The members of a Sequence, each made by `load(json, where)`.
template <class T, class Load>
std::vector<T> load_sequence(ComponentFields& fields, std::string_view key, Load load) {
  const Json& list = fields.require(key);
  if (!list.is_array()) fields.fail(key, "is not an array");
  if (list.size() > kMaxListMembers) {
    fields.fail(key,
                fmt::format("has {} members; at most {} are taken", list.size(), kMaxListMembers));
  }
  std::vector<T> members;
  for (size_t i = 0; i < list.size(); ++i) {
    members.push_back(load(list[i], fmt::format("{}[{}]", fields.where(), i)));
  }
  return members;
}

}  // namespace palimpsest::tokenizer
