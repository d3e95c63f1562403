// Readers of single members of the record of a run. What they find damaged they refuse in the way
// of the JSON library: run_record_from_json() says of which file.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::eval {

[[noreturn]] void refuse_type(const char* expected, const Json& found);

// The members of an object. Json::items() takes a value of any other type for an object of one.
const Json::object_t& members_of(const Json& json);

// Null if the object has no such member.
const Json* find_member(const Json& object, const char* key);

// null is a number that is undefined.
std::optional<double> number_from(const Json& json);

// Of int64_t and uint64_t.
template <class Integer>
Integer integer_from(const Json& json);

// Returns nullopt if the member is absent or null.
std::optional<stat::Interval> interval_from(const Json& json, const char* key);

// A member that is absent stays as it is.
template <class T>
void read_into(const Json& json, const char* key, T& value) {
  const Json* member = find_member(json, key);
  if (member == nullptr) return;
  if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, uint64_t>) {
    value = integer_from<T>(*member);
  } else if constexpr (std::is_same_v<T, std::optional<double>>) {
    value = number_from(*member);
  } else {
    member->get_to(value);
  }
}

}  // namespace palimpsest::eval
