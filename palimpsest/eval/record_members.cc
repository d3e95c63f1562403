#include "palimpsest/eval/internal/record_members.h"

#include <fmt/format.h>

#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/internal/optional_json.h"

namespace palimpsest::eval {
namespace {

[[noreturn]] void refuse(const std::string& what, const Json& found) {
  constexpr int kTypeError = 302;  // of the JSON library
  throw Json::type_error::create(kTypeError, what, &found);
}

}  // namespace

void refuse_type(const char* expected, const Json& found) {
  refuse(fmt::format("type must be {}, but is {}", expected, found.type_name()), found);
}

const Json::object_t& members_of(const Json& json) {
  if (!json.is_object()) refuse_type("object", json);
  return json.get_ref<const Json::object_t&>();
}

const Json* find_member(const Json& object, const char* key) {
  const Json::object_t& members = members_of(object);
  const auto found = members.find(key);
  return found == members.end() ? nullptr : &found->second;
}

std::optional<double> number_from(const Json& json) {
  const std::optional<double> number = number_from_json(json);
  if (!number && !json.is_null()) refuse_type("number", json);
  return number;
}

template <class Integer>
Integer integer_from(const Json& json) {
  try {
    return whole_number<Integer>(json);
  } catch (const Error&) {
    refuse(fmt::format("{}, which is not a whole number", shown(json)), json);
  }
}
template int64_t integer_from<int64_t>(const Json& json);
template uint64_t integer_from<uint64_t>(const Json& json);

std::optional<stat::Interval> interval_from(const Json& json, const char* key) {
  const Json* member = find_member(json, key);
  if (member == nullptr || member->is_null()) return std::nullopt;
  const std::optional<stat::Interval> interval = stat::interval_from_json(*member);
  if (!interval) refuse_type("array of two numbers", *member);
  return interval;
}

}  // namespace palimpsest::eval
