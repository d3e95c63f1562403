// Attributes and items of values, by the rules of Jinja's sandbox. A missing attribute or item is
// undefined and not an error. Methods that would change a list or a dict cannot be reached.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

// value.name: the attribute; if there is none, the item with that name; else undefined.
Value get_attribute(const Value& value, const std::string& name, Runtime& runtime);
// value[key]: the item; if there is none, the attribute with that name; else undefined.
Value get_item(const Value& value, const Value& key, Runtime& runtime);
// The attribute only, as in the filter `attr`.
Value get_only_attribute(const Value& value, const std::string& name, Runtime& runtime);

// value(…). Throws Error if the value cannot be called.
Value call_value(const Value& callee, Arguments& arguments, Runtime& runtime);
bool is_callable(const Value& value);

// A method of a built-in type.
using Method = Value (*)(const Value& self, Arguments& arguments, Runtime& runtime);
// Returns null if the type has no method with that name that templates may use.
Method find_method(const Value& value, std::string_view name);

// The arguments of a call in the order of the parameters. A parameter with an empty name can only
// be passed by position. Throws Error where Python would refuse the call.
class Parameters {
 public:
  Parameters(std::string_view callee, const Arguments& arguments,
             std::initializer_list<std::string_view> names, size_t required);

  bool has(size_t i) const { return !values_[i].is_missing(); }
  // Whether the argument was passed and is not None.
  bool given(size_t i) const { return has(i) && !values_[i].is_none(); }
  const Value& operator[](size_t i) const { return values_[i]; }
  // The value, or the default if it was not passed. Throws Error if its type is wrong.
  int64_t integer(size_t i, int64_t otherwise) const;
  bool flag(size_t i, bool otherwise) const;
  const std::string& text(size_t i) const;

 private:
  std::string_view callee_;
  Values values_;
};

}  // namespace palimpsest::jinja
