#include <fmt/format.h>

#include "palimpsest/base/error.h"
#include "palimpsest/config/internal/resolver.h"
#include "palimpsest/config/internal/yaml_reader.h"

namespace palimpsest::config {
namespace {

const std::string& text_argument(const std::vector<Value>& arguments, size_t index) {
  const std::string* text = arguments[index].text_if();
  if (text == nullptr) {
    throw Error({.what = fmt::format("argument {} is not a text", index + 1),
                 .found = std::string(arguments[index].kind())});
  }
  return *text;
}

}  // namespace

struct Resolver::Function {
  std::string_view name;
  size_t least;
  size_t most;
  Result (Resolver::*call)(const Arguments&, const Node&);
};

const Resolver::Function Resolver::kFunctions[] = {
    {"hydra", 1, 1, &Resolver::call_hydra},
    {"now", 1, 1, &Resolver::call_now},
    {"oc.create", 1, 1, &Resolver::call_create},
    {"oc.decode", 1, 1, &Resolver::call_decode},
    {"oc.deprecated", 1, 2, &Resolver::call_deprecated},
    {"oc.dict.keys", 1, 1, &Resolver::call_keys},
    {"oc.dict.values", 1, 1, &Resolver::call_values},
    {"oc.env", 1, 2, &Resolver::call_env},
    {"oc.select", 1, 2, &Resolver::call_select},
};

Resolver::Result Resolver::evaluate_resolver(const Expression& expression, const Node& container) {
  const std::string name = path_of(expression.name, container);
  std::vector<Value> arguments;
  for (const Expression& part : expression.parts) {
    arguments.push_back(to_value(evaluate(part, container)));
  }
  std::string known;
  for (const Function& function : kFunctions) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", function.name);
    if (function.name != name) continue;
    if (arguments.size() < function.least || arguments.size() > function.most) {
      throw Error({.what = fmt::format("${{{}:…}} has the wrong number of arguments", name),
                   .expected = function.least == function.most
                                   ? std::to_string(function.least)
                                   : fmt::format("{} to {}", function.least, function.most),
                   .found = std::to_string(arguments.size())});
    }
    try {
      return (this->*function.call)(arguments, container);
    } catch (const Error& error) {
      throw error.located(fmt::format("${{{}:…}}", name));
    }
  }
  throw Error(
      {.what = fmt::format("there is no resolver '{}'", name), .expected = "one of " + known});
}

Resolver::Result Resolver::call_env(const Arguments& arguments, const Node&) {
  const std::string& name = text_argument(arguments, 0);
  if (context_.environment) {
    if (auto value = context_.environment(name)) return Value(std::move(*value));
  }
  if (arguments.size() == 1) {
    throw Error({.what = fmt::format("the environment variable {} is not set", name),
                 .hint = fmt::format("set it, or write ${{oc.env:{},default}}", name)});
  }
  return arguments[1].is_null() ? Value() : Value(python_str(arguments[1]));
}

Resolver::Result Resolver::call_select(const Arguments& arguments, const Node& container) {
  const std::optional<Result> found = find(text_argument(arguments, 0), container, false);
  if (found) {
    const auto* node = std::get_if<Node>(&*found);
    if (node == nullptr || !node->back()->is_missing()) return *found;
  }
  return arguments.size() > 1 ? arguments[1] : Value();
}

Resolver::Result Resolver::call_decode(const Arguments& arguments, const Node& container) {
  if (arguments[0].is_null()) return Value();
  return evaluate(parse_element(text_argument(arguments, 0)), container);
}

// A text is YAML of its own; one that is only a text is the key of an empty value.
Resolver::Result Resolver::call_create(const Arguments& arguments, const Node&) {
  if (const std::string* text = arguments[0].text_if()) {
    Value value = read_yaml(*text, "${oc.create:…}");
    if (value.is_container()) return value;
    Value map{Value::Map{}};
    if (value.text_if() != nullptr) map.set(*value.text_if(), Value());
    return map;
  }
  if (!arguments[0].is_container() && !arguments[0].is_null()) {
    throw Error(
        {.what = "the argument is not a list or a map", .found = std::string(arguments[0].kind())});
  }
  return arguments[0];
}

Resolver::Result Resolver::call_deprecated(const Arguments& arguments, const Node& container) {
  const std::string& key = text_argument(arguments, 0);
  std::optional<Result> found = find(key, container, false);
  if (!found) throw Error(fmt::format("there is no key '{}'", key));
  return std::move(*found);
}

// The map that a resolver was asked to look into.
Value Resolver::map_at(const std::string& key, const Node& container) {
  const std::optional<Result> found = find(key, container, true);
  if (!found) throw Error(fmt::format("there is no key '{}'", key));
  Value value = to_value(*found);
  if (!value.is_map()) {
    throw Error(
        {.what = fmt::format("'{}' is not a map", key), .found = std::string(value.kind())});
  }
  return value;
}

Resolver::Result Resolver::call_keys(const Arguments& arguments, const Node& container) {
  const Value map = map_at(text_argument(arguments, 0), container);
  Value::List keys;
  for (const auto& [name, item] : map.as_map()) keys.emplace_back(name);
  return Value(std::move(keys));
}

Resolver::Result Resolver::call_values(const Arguments& arguments, const Node& container) {
  const Value map = map_at(text_argument(arguments, 0), container);
  Value::List values;
  for (const auto& [name, item] : map.as_map()) values.push_back(item);
  return Value(std::move(values));
}

Resolver::Result Resolver::call_hydra(const Arguments& arguments, const Node&) {
  const std::string& path = text_argument(arguments, 0);
  const Value* hydra = hydra_root_ != nullptr ? hydra_root_->find("hydra") : nullptr;
  if (hydra == nullptr) throw Error("nothing is known about Hydra here");
  std::optional<Result> found = descend({hydra_root_, hydra}, path, false);
  if (!found) {
    throw Error({.what = fmt::format("'{}' is not known", path),
                 .hint = fmt::format("give it: ++hydra.{}=…", path)});
  }
  return std::move(*found);
}

Resolver::Result Resolver::call_now(const Arguments& arguments, const Node&) {
  if (!context_.now) throw Error("the time is not known here");
  return Value(python_text::format_time(*context_.now, text_argument(arguments, 0)));
}

}  // namespace palimpsest::config
