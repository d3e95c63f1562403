#include "palimpsest/data/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"

namespace palimpsest::data {

struct Record::Impl {
  Json values;
  std::string where;

  const Json* find(std::string_view key) const {
    const auto found = values.find(std::string(key));
    return found == values.end() || found->is_null() ? nullptr : &*found;
  }

  const Json& require(std::string_view key) const {
    if (const Json* value = find(key)) return *value;
    std::vector<std::string> keys;
    for (const auto& [name, value] : values.items()) keys.push_back(name);
    throw Error({.what = fmt::format("the record has no '{}'", key),
                 .where = where,
                 .found = fmt::format("the keys {}", fmt::join(keys, ", ")),
                 .hint = "name the key with the option for it"});
  }

  [[noreturn]] void refuse(std::string_view key, const char* expected, const Json& found) const {
    throw Error({.what = fmt::format("'{}' is not {}", key, expected),
                 .where = where,
                 .found = describe(found)});
  }
};

Record Record::from_json(std::string_view text, const std::string& where) {
  auto impl = std::make_shared<Impl>(Impl{.values = parse_json(text, where), .where = where});
  if (impl->values.is_string()) impl->values = Json{{"text", impl->values}};
  if (!impl->values.is_object()) {
    throw Error({.what = "the record is not a JSON object",
                 .where = where,
                 .expected = "{\"key\": …}, or a text",
                 .found = describe(impl->values)});
  }
  Record record;
  record.impl_ = std::move(impl);
  return record;
}

Record Record::from_columns(const std::vector<std::pair<std::string, std::string>>& columns,
                            const std::string& where) {
  auto impl = std::make_shared<Impl>(Impl{.values = Json::object(), .where = where});
  for (const auto& [name, value] : columns) impl->values[name] = value;
  Record record;
  record.impl_ = std::move(impl);
  return record;
}

const std::string& Record::where() const {
  return impl_->where;
}

std::vector<std::string> Record::keys() const {
  std::vector<std::string> keys;
  for (const auto& [name, value] : impl_->values.items()) keys.push_back(name);
  return keys;
}

bool Record::has(std::string_view key) const {
  return impl_->find(key) != nullptr;
}

std::string Record::text(std::string_view key) const {
  const Json& value = impl_->require(key);
  if (!value.is_string()) impl_->refuse(key, "a text", value);
  return value.get<std::string>();
}

std::optional<std::string> Record::find_text(std::string_view key) const {
  return has(key) ? std::optional(text(key)) : std::nullopt;
}

Record::Texts Record::texts(std::string_view key) const {
  const Json& value = impl_->require(key);
  Texts found{.is_list = value.is_array()};
  if (!found.is_list) {
    found.texts.push_back(text(key));
    return found;
  }
  for (const Json& element : value) {
    if (!element.is_string()) impl_->refuse(key, "a text or a list of texts", element);
    found.texts.push_back(element.get<std::string>());
  }
  return found;
}

std::optional<std::string> Record::label(std::string_view key) const {
  const Json* value = impl_->find(key);
  if (value == nullptr || value->is_structured()) return std::nullopt;
  return value->is_string() ? value->get<std::string>() : value->dump();
}

}  // namespace palimpsest::data
