#include "palimpsest/jinja/internal/filters.h"

#include <fmt/format.h>

#include "palimpsest/jinja/internal/format.h"
#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/jinja/internal/repr.h"
#include "palimpsest/python_text/internal/number.h"
#include "palimpsest/python_text/internal/text.h"

namespace palimpsest::jinja {
namespace {

Value refuse(const Value&, Arguments&, Runtime&) {
  throw Error({.what = "this filter is not supported",
               .hint = "pprint, random, striptags, urlize and wordwrap are left out"});
}

constexpr NamedMethod kUnsupportedFilters[] = {{"pprint", refuse},
                                               {"random", refuse},
                                               {"striptags", refuse},
                                               {"urlize", refuse},
                                               {"wordwrap", refuse}};

std::vector<Value> path_parts(const Value& path, Budget& budget) {
  std::vector<Value> parts;
  if (path.is_none() || path.is_missing()) return parts;
  if (!path.is_string()) return {path};
  for (std::string& part : python_text::split(path.text(), ".", -1)) {
    parts.push_back(is_index(part)
                        ? Value::integer(python_text::parse_integer(part, 10).value_or(0))
                        : make_string(std::move(part), &budget));
  }
  return parts;
}

}  // namespace

Getter attribute_getter(const Value& path, const Value& otherwise, Budget& budget) {
  return [parts = path_parts(path, budget), otherwise](const Value& value, Runtime& runtime) {
    Value item = value;
    for (const Value& part : parts) {
      item = get_item(item, part, runtime);
      if (item.is_undefined() && !otherwise.is_missing() && !otherwise.is_none()) item = otherwise;
    }
    return item;
  };
}

Value as_string(const Value& value, Runtime& runtime) {
  if (value.is_string()) return value;
  return make_string(to_text(value, runtime.budget), &runtime.budget);
}

Method find_filter(std::string_view name) {
  for (const auto& table :
       {text_filters(), markup_filters(), number_filters(), order_filters(), sequence_filters(),
        std::span<const NamedMethod>(kUnsupportedFilters)}) {
    if (const Method filter = find_in(table, name)) return filter;
  }
  return nullptr;
}

std::string unknown_method(bool is_filter, std::string_view name) {
  return fmt::format("there is no {} named '{}'", is_filter ? "filter" : "test", name);
}

Value call_filter(const std::string& name, const Value& value, Arguments& arguments,
                  Runtime& runtime) {
  const Method filter = find_filter(name);
  if (filter == nullptr) throw Error(unknown_method(true, name));
  return filter(value, arguments, runtime);
}

bool call_test(const std::string& name, const Value& value, Arguments& arguments,
               Runtime& runtime) {
  const Method test = find_test(name);
  if (test == nullptr) throw Error(unknown_method(false, name));
  return truth(test(value, arguments, runtime));
}

}  // namespace palimpsest::jinja
