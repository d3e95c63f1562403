// An override from the command line, in Hydra's grammar:
//
//   a.b=value   change an existing value          group=option   choose another option
//   +a.b=value  add a value that does not exist   +group=option  add to the defaults list
//   ++a.b=value change or add a value             group@package=option
//   ~a.b, ~a.b=value  delete (if it has that value)   ~group, ~group=option
//
// A value is null, a boolean, a number, a text ('quoted', "quoted" or plain), a list, a map, ${…},
// a cast (int, float, str, bool) or a sweep. A sweep is written as a,b,c or by one of the functions
// choice(a,b), range(0,10,2), glob(*) and sort(…). Parsing looks nothing up; only the composition
// knows whether a key is a group. shuffle() and interval() are refused, because their values are
// random.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "palimpsest/config/value.h"

namespace palimpsest::config {

// The signs of the table above: kChange (a=1), kAdd (+a=1), kForce (++a=1), kDelete (~a).
enum class OverrideKind { kChange, kAdd, kForce, kDelete };

// A sweep over a finite list of values.
struct ChoiceSweep {
  std::vector<Value> values;
  bool simple = false;  // written as a,b,c; the user may also have meant one text
};

// A sweep over the options of a group whose names match a pattern (*, ?, [abc]).
struct GlobSweep {
  std::vector<std::string> include;
  std::vector<std::string> exclude;
};

struct Override {
  OverrideKind kind = OverrideKind::kChange;
  std::string key;                                    // "a.b" or "group/sub"
  std::optional<std::string> package = std::nullopt;  // the part after the @
  // Null if the override has no value (~a) or its value is null.
  std::variant<Value, ChoiceSweep, GlobSweep> value = Value();
  std::string line;  // the text of the override as it was given

  bool is_sweep() const { return !std::holds_alternative<Value>(value); }
  // The value. Must not be called for a sweep (it throws std::bad_variant_access).
  const Value& single() const { return std::get<Value>(value); }
  // "group@package" with the sign in front.
  std::string key_with_package() const;
  // The sign in front of the key: "", "+", "++" or "~".
  std::string sign() const;
  // Whether the override controls Hydra itself: hydra.… or hydra/…
  bool is_for_hydra() const { return key.starts_with("hydra.") || key.starts_with("hydra/"); }
};

// Throws Error, which quotes the override and says what is wrong.
Override parse_override(std::string_view text);

// Writes the value in the syntax of overrides; parsing the text gives the same value.
std::string override_text(const Value& value);

}  // namespace palimpsest::config
