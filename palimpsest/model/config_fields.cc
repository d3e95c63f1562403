#include "palimpsest/model/internal/config_fields.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::model {
namespace {

std::optional<int64_t> as_integer(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  constexpr auto kMaxInt64 = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (value.is_number_unsigned() && value.get<uint64_t>() > kMaxInt64) return std::nullopt;
  return value.get<int64_t>();
}

// NaN is in no range.
bool is_within(const Json& value, double max) {
  if (!value.is_number()) return false;
  const auto number = value.get<double>();
  return number >= 1 / ConfigFields::kMaxNumber && number <= max;
}

}  // namespace

ConfigFields::ConfigFields(const Json& object, std::string where)
    : object_(object), where_(std::move(where)) {
  if (object_.is_object()) return;
  throw Error({.what = "this is not a JSON object", .where = where_, .found = describe(object_)});
}

void ConfigFields::fail(std::string_view key, const std::string& what,
                        const std::string& hint) const {
  throw Error({.what = fmt::format("{} {}", key, what), .where = where_, .hint = hint});
}

bool ConfigFields::has(std::string_view key) const {
  return object_.find(key) != object_.end();
}

const Json* ConfigFields::find(std::string_view key) const {
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

int64_t ConfigFields::size(std::string_view key, int64_t max) const {
  const Json* value = find(key);
  if (value == nullptr) fail(key, "is missing");
  const std::optional<int64_t> number = as_integer(*value);
  if (!number || *number < 1 || *number > max) {
    throw Error({.what = fmt::format("{} is out of range", key),
                 .where = where_,
                 .expected = fmt::format("a whole number from 1 to {}", max),
                 .found = shown(*value)});
  }
  return *number;
}

int64_t ConfigFields::size_or(std::string_view key, int64_t fallback) const {
  return find(key) == nullptr ? fallback : size(key);
}

std::optional<int64_t> ConfigFields::integer(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::optional<int64_t> number = as_integer(*value);
  if (!number) fail(key, fmt::format("is not a whole number but {}", shown(*value)));
  return number;
}

double ConfigFields::positive(std::string_view key, double max) const {
  const Json* value = find(key);
  if (value == nullptr) fail(key, "is missing");
  if (!is_within(*value, max)) {
    throw Error({.what = fmt::format("{} is out of range", key),
                 .where = where_,
                 .expected = fmt::format("a number greater than 0, at most {}", max),
                 .found = shown(*value)});
  }
  return value->get<double>();
}

double ConfigFields::positive_or(std::string_view key, double fallback) const {
  return find(key) == nullptr ? fallback : positive(key);
}

bool ConfigFields::flag_or(std::string_view key, bool fallback) const {
  if (!has(key)) return fallback;
  const Json* value = find(key);
  if (value == nullptr) return false;
  if (!value->is_boolean()) fail(key, fmt::format("is not true or false but {}", shown(*value)));
  return value->get<bool>();
}

std::optional<std::string> ConfigFields::text(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) fail(key, fmt::format("is not a string but {}", shown(*value)));
  return value->get<std::string>();
}

std::vector<double> ConfigFields::positives(std::string_view key, int64_t count) const {
  const Json* value = find(key);
  if (value == nullptr) fail(key, "is missing");
  if (!value->is_array() || static_cast<int64_t>(value->size()) != count) {
    fail(key, fmt::format("is not an array of {} numbers", count));
  }
  std::vector<double> numbers;
  for (const Json& number : *value) {
    if (!is_within(number, kMaxNumber)) {
      fail(key, fmt::format("holds {}, which is not a number greater than 0", shown(number)));
    }
    numbers.push_back(number.get<double>());
  }
  return numbers;
}

}  // namespace palimpsest::model
