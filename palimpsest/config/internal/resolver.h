// Resolves the interpolations of a configuration as OmegaConf does. The known resolvers are oc.env,
// oc.select, oc.decode, oc.create, oc.deprecated, oc.dict.keys, oc.dict.values, hydra and now.
//
// Throws Error for cycles and for configurations that grow out of hand: more than 200,000 values,
// more than 64 MiB of text, or a chain of more than 200 interpolations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "palimpsest/config/compose.h"
#include "palimpsest/config/internal/expression.h"
#include "palimpsest/config/value.h"

namespace palimpsest::config {

// Reads a configuration that it does not own. The configuration must outlive the resolver and must
// not change meanwhile.
class Resolver {
 public:
  // Paths start at `root`. `hydra_root` may be null; otherwise it is a map whose node `hydra`
  // serves ${hydra:…}.
  Resolver(const Value& root, const Value* hydra_root, const ConfigContext& context);

  // Returns the whole configuration without interpolations. The text ??? (a value that must still
  // be given) is kept. An interpolation that leads to ??? cannot be resolved.
  Value resolve(OnFailure on_failure);

  // Returns the value at a path. Interpolations along the path are resolved, but not those inside
  // the value. Returns nullopt if the value is absent, null or ???. Throws Error if an
  // interpolation along the path cannot be resolved.
  std::optional<Value> select(std::string_view path);

  // Returns the value of a text with interpolations, as if it stood at the top level of the root.
  Value evaluate(const std::string& text);

  // Returns the address of the value at a path, following interpolations. Returns nullptr if the
  // value is absent or is not part of the configuration.
  const Value* locate(std::string_view path);

  // If the value at these keys is an interpolation that refers to another value, returns that
  // value. Returns nullptr if it is not, or if it cannot be resolved (yet).
  const Value* follow(const std::vector<std::string>& keys);

 private:
  // A value of the configuration with all values that contain it: the root first, the value last.
  using Node = std::vector<const Value*>;
  // A value of the configuration, or a value that a resolver computed.
  using Result = std::variant<Node, Value>;
  struct Guard;
  struct Dangling;
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
  // Joins the parts of a path or a name, which must be texts.
  std::string path_of(const std::vector<Expression>& parts, const Node& container);

  // Finds the node at a path, which may begin with dots; nullopt if it is absent.
  std::optional<Result> find(const std::string& path, const Node& container, bool missing_is_error);
  std::optional<Result> descend(Node node, const std::string& path, bool missing_is_error);

  Value materialize(const Node& node);
  void spend(int64_t values, size_t bytes);

  Value map_at(const std::string& key, const Node& container);
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
  std::vector<const Value*> active_;  // values that are being resolved now; used to find cycles
  int64_t values_ = 0;
  size_t bytes_ = 0;
};

// Python's str() of a value: None, True, [1, 'a']. A value inside a text is written in this way.
std::string python_str(const Value& value);

}  // namespace palimpsest::config
