#include "palimpsest/tokenizer/internal/component_fields.h"

#include <algorithm>

#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::tokenizer {

ComponentFields::ComponentFields(const Json& object, std::string where)
    : object_(object), where_(std::move(where)) {
  const Json& type = palimpsest::require(object, "type", where_);
  if (!type.is_string()) fail("type", "is not a string");
  type_ = type.get<std::string>();
  where_ += " (" + type_ + ")";
}

void ComponentFields::fail(std::string_view key, const std::string& what) const {
  throw Error({.what = fmt::format("'{}' {}", key, what), .where = where_});
}

const Json* ComponentFields::find(std::string_view key) {
  asked_.emplace_back(key);
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const Json& ComponentFields::require(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr) fail(key, "is missing");
  return *value;
}

std::optional<std::string> ComponentFields::find_string(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) fail(key, "is not a string");
  return value->get<std::string>();
}

std::string ComponentFields::require_string(std::string_view key) {
  auto value = find_string(key);
  if (!value) fail(key, "is missing");
  return *std::move(value);
}

bool ComponentFields::bool_or(std::string_view key, bool fallback) {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) fail(key, "is not true or false");
  return value->get<bool>();
}

bool ComponentFields::require_bool(std::string_view key) {
  require(key);
  return bool_or(key, false);
}

int64_t ComponentFields::require_count(std::string_view key) {
  const Json& value = require(key);
  if (!value.is_number_integer() || value.get<int64_t>() < 0) fail(key, "is not a count");
  return value.get<int64_t>();
}

char32_t ComponentFields::require_character(std::string_view key) {
  const std::u32string characters = text::to_code_points(require_string(key));
  if (characters.size() != 1) fail(key, "is not a single character");
  return characters[0];
}

Pattern ComponentFields::require_pattern(std::string_view key) {
  const Json& value = require(key);
  if (value.is_object() && value.size() == 1 && value.begin()->is_string()) {
    const auto text = value.begin()->get<std::string>();
    if (value.begin().key() == "String") return Pattern::literal(text);
    if (value.begin().key() == "Regex") return Pattern::regex(text, where_);
  }
  fail(key, "is neither {\"String\": …} nor {\"Regex\": …}");
}

void ComponentFields::finish() const {
  for (const auto& item : object_.items()) {
    if (std::find(asked_.begin(), asked_.end(), item.key()) == asked_.end()) {
      fail(item.key(), "is a field that is not supported");
    }
  }
}

}  // namespace palimpsest::tokenizer
