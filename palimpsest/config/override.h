// One override of the command line, in Hydra's grammar:
//
//   a.b=value   change what is there            group=option        choose another option
//   +a.b=value  add what is not there           +group=option       add to the defaults list
//   ++a.b=value change or add                   group@package=option
//   ~a.b, ~a.b=value  delete (if it has that value)   ~group, ~group=option
//
// Values are null, booleans, numbers, texts ('quoted', "quoted" or plain), lists, maps, ${…}, casts
// (int, float, str, bool) and sweeps: a,b,c · choice(a,b) · range(0,10,2) · glob(*) · sort(…).
// Nothing is looked up here: whether a key is a group is for the composition to say. Refused:
// shuffle() and interval(), whose values are not known before they are drawn.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "palimpsest/config/value.h"

namespace palimpsest::config {

enum class OverrideKind { kChange, kAdd, kForce, kDelete };

// A finite list of values.
struct ChoiceSweep {
  std::vector<Value> values;
  bool simple = false;  // written a,b,c: without --multirun it may have been meant as a text
};

// The options of a group whose names match a pattern (*, ?, [abc]).
struct GlobSweep {
  std::vector<std::string> include;
  std::vector<std::string> exclude;
};

struct Override {
  OverrideKind kind = OverrideKind::kChange;
  std::string key;                                    // "a.b" or "group/sub"
  std::optional<std::string> package = std::nullopt;  // behind the @
  // Null where there is none (~a) or where it is null.
  std::variant<Value, ChoiceSweep, GlobSweep> value = Value();
  std::string line;  // as it was given

  bool is_sweep() const { return !std::holds_alternative<Value>(value); }
  // The value; must not be a sweep.
  const Value& single() const { return std::get<Value>(value); }
  // "group@package" with the sign before it.
  std::string key_with_package() const;
  std::string sign() const;
  // Whether it steers Hydra itself: hydra.… or hydra/…
  bool is_for_hydra() const { return key.starts_with("hydra.") || key.starts_with("hydra/"); }
};

// Throws Error, which quotes the override and says what is wrong with it.
Override parse_override(std::string_view text);

// The value as an override would write it; parsing that gives the same value.
std::string override_text(const Value& value);

}  // namespace palimpsest::config
