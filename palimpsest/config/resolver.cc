#include "palimpsest/config/internal/resolver.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/config/internal/key_path.h"
#include "palimpsest/python_text/internal/repr.h"

namespace palimpsest::config {
namespace {

constexpr int64_t kMaxResolvedValues = 200'000;
constexpr size_t kMaxResolvedBytes = size_t{64} << 20;
constexpr size_t kMaxActive = 200;

std::string python_repr(const Value& value) {
  const std::string* text = value.text_if();
  return text != nullptr ? python_text::quote(*text) : python_str(value);
}

}  // namespace

std::string python_str(const Value& value) {
  if (value.is_unreadable()) value.require_readable();
  if (value.is_null()) return "None";
  if (value.is_bool()) return value.as_bool() ? "True" : "False";
  if (value.is_int()) return std::to_string(value.as_int());
  if (value.is_real()) return python_text::real_to_text(value.as_real());
  if (const std::string* text = value.text_if()) return *text;
  std::string items;
  if (value.is_list()) {
    for (const Value& item : value.as_list()) {
      items += (items.empty() ? "" : ", ") + python_repr(item);
    }
    return "[" + items + "]";
  }
  for (const auto& [key, item] : value.as_map()) {
    items += fmt::format("{}{}: {}", items.empty() ? "" : ", ", python_text::quote(key),
                         python_repr(item));
  }
  return "{" + items + "}";
}

// The failure of an interpolation, with the position of the value that it stands in. Values that
// lead to that one fail as well, but the position stays: it is where the mistake is.
struct Resolver::Dangling : Error {
  Dangling(const Error& error, const Value& value)
      : Error(error.located(value.where())),
        reason(error.what()),
        location(value.location()),
        key(value.key()) {}

  // The value at the end of the node, with its whole key.
  static Value located(const Node& node) {
    std::string key;
    for (size_t i = 1; i < node.size(); ++i) {
      if (!node[i - 1]->is_map()) return *node.back();
      for (const auto& [name, child] : node[i - 1]->as_map()) {
        if (&child == node[i]) key += (key.empty() ? "" : ".") + name;
      }
    }
    Value value;
    value.locate(node.back()->location(), key);
    return value;
  }

  std::string reason;
  std::string location;
  std::string key;
};

// Marks a value as being resolved for as long as it lives.
struct Resolver::Guard {
  Guard(Resolver& resolver, const Value* value) : active(resolver.active_) {
    const auto found = std::ranges::find(active, value);
    if (found != active.end()) {
      std::string cycle;
      for (auto it = found; it != active.end(); ++it) cycle += (*it)->where() + " → ";
      throw Error("interpolations form a cycle: " + cycle + value->where());
    }
    if (active.size() >= kMaxActive) {
      throw Error(fmt::format("more than {} interpolations or nested values lead to one another",
                              kMaxActive));
    }
    active.push_back(value);
  }
  ~Guard() { active.pop_back(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  std::vector<const Value*>& active;
};

Resolver::Resolver(const Value& root, const Value* hydra_root, const ConfigContext& context)
    : root_(root), hydra_root_(hydra_root), context_(context) {}

void Resolver::spend(int64_t values, size_t bytes) {
  values_ += values;
  bytes_ += bytes;
  if (values_ > kMaxResolvedValues || bytes_ > kMaxResolvedBytes) {
    throw Error({.what = fmt::format("interpolations expand to more than {} values or {} MiB",
                                     kMaxResolvedValues, kMaxResolvedBytes >> 20),
                 .hint = "interpolations inside interpolations multiply the number of values"});
  }
}

Value Resolver::resolve(OnFailure on_failure) {
  on_failure_ = on_failure;
  Value resolved = materialize({&root_});
  resolved.set_keys("");
  return resolved;
}

std::optional<Value> Resolver::select(std::string_view path) {
  const auto found = descend({&root_}, std::string(path), false);
  if (!found) return std::nullopt;
  const auto* node = std::get_if<Node>(&*found);
  const Value& value = node != nullptr ? *node->back() : std::get<Value>(*found);
  if (value.is_null() || value.is_missing()) return std::nullopt;
  return value;
}

const Value* Resolver::locate(std::string_view path) {
  const auto found = descend({&root_}, std::string(path), false);
  const auto* node = found ? std::get_if<Node>(&*found) : nullptr;
  return node != nullptr ? node->back() : nullptr;
}

Value Resolver::evaluate(const std::string& text) {
  return to_value(evaluate(parse_interpolation(text), {&root_}));
}

Value Resolver::materialize(const Node& node) {
  const Value& original = *node.back();
  spend(1, original.text_if() != nullptr ? original.text_if()->size() : 0);
  if (original.is_interpolation()) {
    try {
      Value value = to_value(dereference(node));
      value.locate(original.location(), original.key());
      return value;
    } catch (const Dangling& dangling) {
      if (on_failure_ == OnFailure::kThrow) throw;
      Value value = Value::unreadable(dangling.reason);
      value.locate(dangling.location, dangling.key);
      return value;
    }
  }
  if (!original.is_container()) return original;
  const Guard guard(*this, &original);
  const auto child = [&](const Value& value) {
    Node below = node;
    below.push_back(&value);
    return materialize(below);
  };
  Value copy;
  if (original.is_map()) {
    Value::Map map;
    for (const auto& [key, value] : original.as_map()) map.emplace_back(key, child(value));
    copy = Value(std::move(map));
  } else {
    Value::List list;
    for (const Value& value : original.as_list()) list.push_back(child(value));
    copy = Value(std::move(list));
  }
  copy.locate(original.location(), original.key());
  return copy;
}

Value Resolver::to_value(const Result& result) {
  if (const auto* node = std::get_if<Node>(&result)) return materialize(*node);
  return std::get<Value>(result);
}

Resolver::Result Resolver::dereference(const Node& node) {
  const Value& value = *node.back();
  if (!value.is_interpolation()) return node;
  try {
    if (node.size() < 2) throw Error("an interpolation must be in a list or a map");
    const Guard guard(*this, &value);
    spend(1, 0);
    const Node container(node.begin(), node.end() - 1);
    return evaluate(parse_interpolation(*value.text_if()), container);
  } catch (const Dangling&) {
    throw;
  } catch (const Error& error) {
    throw Dangling(error, Dangling::located(node));
  }
}

Resolver::Result Resolver::evaluate(const Expression& expression, const Node& container) {
  switch (expression.kind) {
    case Expression::Kind::kLiteral:
      return expression.literal;
    case Expression::Kind::kText:
      return Value(join(expression.parts, container));
    case Expression::Kind::kNode:
      return evaluate_node(expression, container);
    case Expression::Kind::kResolver:
      return evaluate_resolver(expression, container);
    case Expression::Kind::kList: {
      Value::List list;
      for (const Expression& part : expression.parts) {
        list.push_back(to_value(evaluate(part, container)));
      }
      return Value(std::move(list));
    }
    case Expression::Kind::kMap: {
      Value map{Value::Map{}};
      for (size_t i = 0; i < expression.keys.size(); ++i) {
        map.set(expression.keys[i], to_value(evaluate(expression.parts[i], container)));
      }
      return map;
    }
  }
  return Value();
}

std::string Resolver::to_text(const Expression& expression, const Node& container) {
  const Result result = evaluate(expression, container);
  // A list or a map is shown as it was written, its own interpolations included.
  const auto* node = std::get_if<Node>(&result);
  return python_str(node != nullptr ? *node->back() : std::get<Value>(result));
}

std::string Resolver::join(const std::vector<Expression>& parts, const Node& container) {
  std::string text;
  for (const Expression& part : parts) {
    text += to_text(part, container);
    spend(0, text.size());
  }
  return text;
}

std::string Resolver::path_of(const std::vector<Expression>& parts, const Node& container) {
  std::string path;
  for (const Expression& part : parts) {
    const Value value = to_value(evaluate(part, container));
    const std::string* text = value.text_if();
    if (text == nullptr) {
      throw Error({.what = "an interpolation that is part of a key must be a text",
                   .found = std::string(value.kind())});
    }
    path += *text;
  }
  return path;
}

Resolver::Result Resolver::evaluate_node(const Expression& expression, const Node& container) {
  const std::string path = path_of(expression.parts, container);
  std::optional<Result> found = find(path, container, true);
  if (!found) {
    throw Error(fmt::format("${{{}}} refers to nothing: there is no such key", path));
  }
  if (const auto* node = std::get_if<Node>(&*found)) {
    if (std::ranges::find(container, node->back()) != container.end()) {
      throw Error(fmt::format("${{{}}} refers to a value that it is part of", path));
    }
  }
  return std::move(*found);
}

std::optional<Resolver::Result> Resolver::find(const std::string& path, const Node& container,
                                               bool missing_is_error) {
  if (!path.starts_with('.')) return descend({container.front()}, path, missing_is_error);
  size_t dots = 0;
  while (dots < path.size() && path[dots] == '.') ++dots;
  if (dots > container.size()) {
    throw Error(fmt::format("${{{}}} leads beyond the root: too many dots", path));
  }
  const Node start(container.begin(), container.end() - static_cast<std::ptrdiff_t>(dots - 1));
  return descend(start, path.substr(dots), missing_is_error);
}

std::optional<Resolver::Result> Resolver::descend(Node node, const std::string& path,
                                                  bool missing_is_error) {
  if (path.empty()) return node;
  const std::vector<std::string> keys = split_key(path);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!node.back()->is_container()) {
      if (!missing_is_error) return std::nullopt;
      throw Error(fmt::format("${{{}}} looks for '{}' in {}", path, keys[i], node.back()->kind()));
    }
    const Value* child = node.back()->child(keys[i]);
    if (child == nullptr) return std::nullopt;
    if (child->is_missing() && missing_is_error) {
      throw Error({.what = fmt::format("${{{}}} refers to ???, which must be given", path),
                   .where = child->location(),
                   .hint = fmt::format("add {}=… to the command line",
                                       child->key().empty() ? path : child->key())});
    }
    node.push_back(child);
    if (!child->is_interpolation()) continue;
    Result result = dereference(node);
    if (auto* target = std::get_if<Node>(&result)) {
      node = std::move(*target);
    } else if (i + 1 == keys.size()) {
      return result;
    } else {
      throw Error(
          fmt::format("${{{}}} looks for '{}' inside the value of '{}', which is not supported",
                      path, keys[i + 1], *child->text_if()));
    }
  }
  return node;
}

const Value* Resolver::follow(const std::vector<std::string>& keys) {
  Node node = {&root_};
  for (const std::string& key : keys) {
    const Value* child = node.back()->child(key);
    if (child == nullptr) return nullptr;
    node.push_back(child);
  }
  try {
    const Result result = dereference(node);
    const auto* target = std::get_if<Node>(&result);
    return target != nullptr ? target->back() : nullptr;
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace palimpsest::config
