// What every template may use by name: Jinja's built-in filters, tests and functions, in one table
// each. `tojson` is the version of transformers, which adds the functions raise_exception and
// strftime_now.
// Some filters that make no sense in chat templates (random, urlize …) are known by name; using
// them throws an Error that says that they are not supported.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "palimpsest/jinja/internal/methods.h"

namespace palimpsest::jinja {

// A filter is called like a method of the value on its left. So is a test, which returns a bool.
Method find_filter(std::string_view name);
Method find_test(std::string_view name);
// "there is no filter named 'x'"; a test if it is not a filter.
std::string unknown_method(bool is_filter, std::string_view name);
// Returns a missing value if there is no function with that name.
Value find_global(std::string_view name, Runtime& runtime);

Value call_filter(const std::string& name, const Value& value, Arguments& arguments,
                  Runtime& runtime);
bool call_test(const std::string& name, const Value& value, Arguments& arguments, Runtime& runtime);

std::span<const NamedMethod> text_filters();
std::span<const NamedMethod> markup_filters();
std::span<const NamedMethod> number_filters();
std::span<const NamedMethod> order_filters();
std::span<const NamedMethod> sequence_filters();

// Returns a function that looks up an attribute as filters do: "a.b.0" is a path, and numbers in it
// are indices. If the path leads to an undefined value, the function returns `otherwise`, if given.
using Getter = std::function<Value(const Value&, Runtime&)>;
Getter attribute_getter(const Value& path, const Value& otherwise, Budget& budget);

// Jinja's soft_str(): a text is returned unchanged (markup stays markup), any other value is
// converted to text.
Value as_string(const Value& value, Runtime& runtime);

// A tuple (grouper, list) whose parts also have these names, as returned by the filter `groupby`.
struct GroupObject : SequenceObject {
  GroupObject(Value grouper, Value list, Budget* b)
      : SequenceObject({std::move(grouper), std::move(list)}, b) {}
};

}  // namespace palimpsest::jinja
