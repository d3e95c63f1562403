// Jinja's built-in filters and tests, one table each. `tojson` is the one that transformers
// installs. A few that make no sense for chat templates (random, urlize …) are known by name and
// say that they are not supported when they are used.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "palimpsest/jinja/internal/methods.h"

namespace palimpsest::jinja {

// A filter is called like a method of the value on its left; so is a test, which gives a bool.
Method find_filter(std::string_view name);
Method find_test(std::string_view name);

Value call_filter(const std::string& name, const Value& value, Arguments& arguments,
                  Runtime& runtime);
bool call_test(const std::string& name, const Value& value, Arguments& arguments, Runtime& runtime);

std::span<const NamedMethod> text_filters();
std::span<const NamedMethod> markup_filters();
std::span<const NamedMethod> number_filters();
std::span<const NamedMethod> order_filters();
std::span<const NamedMethod> sequence_filters();

// Looks an attribute up as filters do: "a.b.0" is a path, numbers in it are indices. A path that
// ends in an undefined value gives `otherwise` if there is one.
using Getter = std::function<Value(const Value&, Runtime&)>;
Getter attribute_getter(const Value& path, const Value& otherwise, Budget& budget);

// soft_str(): a text as it is (markup stays markup), everything else as text.
Value as_string(const Value& value, Runtime& runtime);

// A tuple (grouper, list) whose parts have names, as the filter `groupby` gives them.
struct GroupObject : SequenceObject {
  GroupObject(Value grouper, Value list, Budget* b)
      : SequenceObject({std::move(grouper), std::move(list)}, b) {}
};

}  // namespace palimpsest::jinja
