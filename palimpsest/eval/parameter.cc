#include "palimpsest/eval/parameter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"

namespace palimpsest::eval {
namespace {

void append_canonical(std::string& text, const Parameter& value) {
  if (value.is_map()) {
    std::vector<const Parameter::Map::value_type*> entries;
    for (const auto& entry : value.as_map()) entries.push_back(&entry);
    std::ranges::sort(entries, {}, [](const auto* entry) { return entry->first; });
    text += '{';
    for (const auto* entry : entries) {
      text += to_line(Json(entry->first)) + ":";
      append_canonical(text, entry->second);
      text += ',';
    }
    text += '}';
  } else if (value.is_list()) {
    text += '[';
    for (const Parameter& element : value.as_list()) {
      append_canonical(text, element);
      text += ',';
    }
    text += ']';
  } else if (value.is_text()) {
    text += to_line(Json(value.as_text()));
  } else if (value.is_bool()) {
    text += value.as_bool() ? "true" : "false";
  } else {
    text += value.is_null() ? "null" : fmt::format("{}", value.as_real());
  }
}

}  // namespace

template <typename T>
const T& Parameter::get(const char* expected) const {
  constexpr std::array<const char*, 7> kKinds = {
      "null", "true or false", "a whole number", "a number", "a text", "a list", "a map"};
  if (const T* found = std::get_if<T>(&data_)) return *found;
  throw Error({.what = "the value is of the wrong kind",
               .where = where_,
               .expected = expected,
               .found = kKinds[data_.index()]});
}

bool Parameter::as_bool() const {
  return get<bool>("true or false");
}
int64_t Parameter::as_int() const {
  return get<int64_t>("a whole number");
}
double Parameter::as_real() const {
  return is_int() ? static_cast<double>(as_int()) : get<double>("a number");
}
const std::string& Parameter::as_text() const {
  return get<std::string>("a text");
}
const Parameter::List& Parameter::as_list() const {
  return get<List>("a list");
}
const Parameter::Map& Parameter::as_map() const {
  return get<Map>("a map");
}

const Parameter* Parameter::find(std::string_view key) const {
  for (const auto& [name, value] : as_map()) {
    if (name == key) return &value;
  }
  return nullptr;
}

const Parameter& Parameter::at(std::string_view key) const {
  if (const Parameter* found = find(key)) return *found;
  std::string keys;
  for (const auto& [name, value] : as_map()) keys += (keys.empty() ? "" : ", ") + name;
  throw Error({.what = fmt::format("the key '{}' is missing", key),
               .where = where_,
               .found = "the keys " + (keys.empty() ? "none" : keys)});
}

const Parameter* Parameter::find_set(std::string_view key) const {
  const Parameter* found = find(key);
  return found != nullptr && !found->is_null() ? found : nullptr;
}

void Parameter::set(const std::string& key, Parameter value) {
  Map entries = as_map();
  const auto found = std::ranges::find(entries, key, &Map::value_type::first);
  if (found != entries.end()) {
    found->second = std::move(value);
  } else {
    entries.emplace_back(key, std::move(value));
  }
  data_ = std::move(entries);
}

Parameter Parameter::without(std::string_view key) const {
  Map entries = as_map();
  std::erase_if(entries, [&](const auto& entry) { return entry.first == key; });
  Parameter rest(std::move(entries));
  rest.locate(where_);
  return rest;
}

std::string canonical_text(const Parameter& parameter) {
  std::string text;
  append_canonical(text, parameter);
  return text;
}

}  // namespace palimpsest::eval
