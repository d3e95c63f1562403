// Resolves the interpolations of a configuration, as OmegaConf does. Known resolvers: oc.env,
// oc.select, oc.decode, oc.create, oc.deprecated, oc.dict.keys, oc.dict.values, hydra, now.
//
// Cycles are refused, and so is whatever would grow out of hand: more than 200,000 values, more
// than 64 MiB of text, more than 200 interpolations that lead from one to the next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "palimpsest/config/config_context.h"
#include "palimpsest/config/expression.h"
#include "palimpsest/config/value.h"

namespace palimpsest::config {

// What to do where an interpolation cannot be resolved.
enum class OnFailure {
  kThrow,  // Error that names the key
  kKeep,   // the value throws when it is read (Value::unreadable)
};

// Looks into a configuration that it does not own and that must not change meanwhile.
class Resolver {
 public:
  // `root` is what paths begin at. `hydra_root`, if there is one, is a map with the node `hydra`
  // that ${hydra:…} reads.
  Resolver(const Value& root, const Value* hydra_root, const ConfigContext& context);

  // The whole configuration without interpolations. ??? stays as it is; an interpolation that
  // leads to one cannot be resolved.
  Value resolve(OnFailure on_failure);

  // The value at a path, resolved through interpolations on the way but not below it; nothing if
  // it is absent, null or ???. Throws Error if an interpolation on the way cannot be resolved.
  std::optional<Value> select(std::string_view path);

  // What an interpolated text in the root's map means.
  Value evaluate(const std::string& text);

  // Where the value at a path is, through interpolations: nullptr if it is absent or not part of
  // the configuration.
  const Value* locate(std::string_view path);

  // What the value at these keys leads to if it is an interpolation of another value; nullptr if
  // it is none or cannot be resolved (yet).
  const Value* follow(const std::vector<std::string>& keys);

 private:
  // A value of the configuration with everything above it: the root first, itself last.
  using Node = std::vector<const Value*>;
  // A value of the configuration, or one that a resolver made.
  using Result = std::variant<Node, Value>;
  struct Guard;
  struct Function;
  using Arguments = std::vector<Value>;

  static const Function kFunctions[];

  Result dereference(const Node& node);
  Result evaluate(const Expression& expression, const Node& container);
  Result evaluate_node(const Expression& expression, const Node& container);
  Result evaluate_resolver(const Expression& expression, const Node& container);
  Value to_value(const Result& result);
  std::string to_text(const Expression& expression, const Node& container);
  std::string join(const std::vector<Expression>& parts, const Node& container);
  // The parts of a path or a name, which must be texts.
  std::string path_of(const std::vector<Expression>& parts, const Node& container);

  // The node at a path that may begin with dots; nothing if it is absent.
  std::optional<Result> find(const std::string& path, const Node& container, bool missing_is_error);
  std::optional<Result> descend(Node node, const std::string& path, bool missing_is_error);

  Value materialize(const Node& node);
  void spend(int64_t values, size_t bytes);

  Result call_env(const Arguments& arguments, const Node& container);
  Result call_select(const Arguments& arguments, const Node& container);
  Result call_decode(const Arguments& arguments, const Node& container);
  Result call_create(const Arguments& arguments, const Node& container);
  Result call_deprecated(const Arguments& arguments, const Node& container);
  Result call_keys(const Arguments& arguments, const Node& container);
  Result call_values(const Arguments& arguments, const Node& container);
  Result call_hydra(const Arguments& arguments, const Node& container);
  Result call_now(const Arguments& arguments, const Node& container);

  const Value& root_;
  const Value* hydra_root_;
  const ConfigContext& context_;
  OnFailure on_failure_ = OnFailure::kThrow;
  std::vector<const Value*> active_;  // what is being resolved, to find cycles
  int64_t values_ = 0;
  size_t bytes_ = 0;
};

// Python's str() of a value, which is what becomes of it inside a text: None, True, [1, 'a'].
std::string python_str(const Value& value);

}  // namespace palimpsest::config
