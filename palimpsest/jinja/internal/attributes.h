// Attributes and items of values with the rules of Jinja's sandbox: what is not there is undefined,
// not an error; methods that would change a list or a dict are out of reach.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

// value.name: the attribute, else the item of that name, else undefined.
Value get_attribute(const Value& value, const std::string& name, Runtime& runtime);
// value[key]: the item, else the attribute of that name, else undefined.
Value get_item(const Value& value, const Value& key, Runtime& runtime);
// The attribute alone (the filter `attr`).
Value get_only_attribute(const Value& value, const std::string& name, Runtime& runtime);

// value(…); throws Error for what cannot be called.
Value call_value(const Value& callee, Arguments& arguments, Runtime& runtime);
bool is_callable(const Value& value);

// A method of a built-in type.
using Method = Value (*)(const Value& self, Arguments& arguments, Runtime& runtime);
// Null if the type has no method of that name that templates may use.
Method find_method(const Value& value, std::string_view name);

// The arguments of a call, put in the order of the parameters. A parameter whose name is empty can
// only be given by position. Throws Error where Python would refuse the call.
class Parameters {
 public:
  Parameters(std::string_view callee, const Arguments& arguments,
             std::initializer_list<std::string_view> names, size_t required);

  bool has(size_t i) const { return !values_[i].is_missing(); }
  // Given, and not none.
  bool given(size_t i) const { return has(i) && !values_[i].is_none(); }
  const Value& operator[](size_t i) const { return values_[i]; }
  // The value, or the default if it was not given. The types are checked.
  int64_t integer(size_t i, int64_t otherwise) const;
  bool flag(size_t i, bool otherwise) const;
  const std::string& text(size_t i) const;

 private:
  std::string_view callee_;
  Values values_;
};

}  // namespace palimpsest::jinja
