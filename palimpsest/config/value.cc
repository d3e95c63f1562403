#include "palimpsest/config/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "palimpsest/base/error.h"

namespace palimpsest::config {
namespace {

template <typename T, typename Variant>
auto& get_or_throw(Variant& data, const Value& value, const char* expected) {
  value.require_readable();
  if (auto* found = std::get_if<T>(&data)) return *found;
  throw Error({.what = "the value is of the wrong kind",
               .where = value.where(),
               .expected = expected,
               .found = std::string(value.kind())});
}

std::string keys_of(const Value::Map& map) {
  std::string keys;
  for (const auto& [key, value] : map) keys += (keys.empty() ? "" : ", ") + key;
  return keys.empty() ? "none" : keys;
}

}  // namespace

Value Value::unreadable(std::string reason) {
  Value value;
  value.data_ = Unreadable{std::move(reason)};
  return value;
}

bool Value::is_missing() const {
  const std::string* text = text_if();
  return text != nullptr && *text == kMissing;
}

bool Value::is_interpolation() const {
  const std::string* text = text_if();
  return text != nullptr && text->find("${") != std::string::npos;
}

void Value::require_readable() const {
  if (is_missing()) {
    throw Error({.what = "the value is ???, which means that it must be given",
                 .where = where(),
                 .hint = key_.empty() ? "" : fmt::format("add {}=… to the command line", key_)});
  }
  if (const auto* unreadable = std::get_if<Unreadable>(&data_)) {
    throw Error({.what = unreadable->reason, .where = where()});
  }
}

bool Value::as_bool() const {
  return get_or_throw<bool>(data_, *this, "true or false");
}
int64_t Value::as_int() const {
  return get_or_throw<int64_t>(data_, *this, "a whole number");
}
double Value::as_real() const {
  if (const auto* whole = std::get_if<int64_t>(&data_)) return static_cast<double>(*whole);
  return get_or_throw<double>(data_, *this, "a number");
}
const std::string& Value::as_text() const {
  return get_or_throw<std::string>(data_, *this, "a text");
}
const Value::List& Value::as_list() const {
  return get_or_throw<List>(data_, *this, "a list");
}
const Value::Map& Value::as_map() const {
  return get_or_throw<Map>(data_, *this, "a map");
}
Value::List& Value::as_list() {
  return get_or_throw<List>(data_, *this, "a list");
}
Value::Map& Value::as_map() {
  return get_or_throw<Map>(data_, *this, "a map");
}

const Value* Value::find(std::string_view key) const {
  const Map& map = as_map();
  const auto found = std::ranges::find(map, key, &Map::value_type::first);
  return found == map.end() ? nullptr : &found->second;
}

Value* Value::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

const Value* Value::child(std::string_view key_or_index) const {
  if (is_map()) return find(key_or_index);
  if (!is_list()) return nullptr;
  size_t index = 0;
  const char* const end = key_or_index.data() + key_or_index.size();
  const auto [stop, problem] = std::from_chars(key_or_index.data(), end, index);
  const List& list = as_list();
  if (problem != std::errc() || stop != end || index >= list.size()) return nullptr;
  return &list[index];
}

Value* Value::child(std::string_view key_or_index) {
  return const_cast<Value*>(std::as_const(*this).child(key_or_index));
}

const Value& Value::at(std::string_view key) const {
  if (const Value* found = find(key)) return *found;
  throw Error({.what = fmt::format("the key '{}' is missing", key),
               .where = where(),
               .found = "the keys " + keys_of(as_map())});
}

const Value* Value::find_set(std::string_view key) const {
  const Value* found = find(key);
  return found != nullptr && !found->is_null() ? found : nullptr;
}

void Value::set(const std::string& key, Value value) {
  if (Value* found = find(key)) {
    *found = std::move(value);
  } else {
    as_map().emplace_back(key, std::move(value));
  }
}

bool Value::erase(std::string_view key) {
  return std::erase_if(as_map(), [&](const auto& entry) { return entry.first == key; }) > 0;
}

std::string Value::where() const {
  if (location_.empty() || key_.empty()) return location_ + key_;
  return location_ + ": " + key_;
}

void Value::locate(std::string file_and_line, std::string key) {
  location_ = std::move(file_and_line);
  key_ = std::move(key);
}

void Value::set_keys(const std::string& key) {
  // Every value below carries the whole path: a file with one endless key must not make them all
  // endless.
  constexpr size_t kLongest = 1000;
  if (key.size() > kLongest) return set_keys(key.substr(0, kLongest - 3) + "…");
  // What cannot be read may be to blame on another value, whose key it has then.
  if (!is_unreadable() || key_.empty()) key_ = key;
  if (auto* map = std::get_if<Map>(&data_)) {
    for (auto& [name, value] : *map)
      value.set_keys(key.empty() ? name : fmt::format("{}.{}", key, name));
  } else if (auto* list = std::get_if<List>(&data_)) {
    for (size_t i = 0; i < list->size(); ++i) (*list)[i].set_keys(fmt::format("{}[{}]", key, i));
  }
}

std::string_view Value::kind() const {
  constexpr std::array<std::string_view, 8> kKinds = {
      "null",   "true or false", "a whole number", "a number",
      "a text", "a list",        "a map",          "a value that cannot be resolved"};
  return kKinds[data_.index()];
}

}  // namespace palimpsest::config
