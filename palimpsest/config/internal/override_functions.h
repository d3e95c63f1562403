// The functions of Hydra's override grammar: casts, choices, ranges, sorting and patterns.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "palimpsest/config/override.h"
#include "palimpsest/config/value.h"

namespace palimpsest::config {

// The numbers start, start + step, … below stop. They are whole numbers if all three are.
struct RangeSweep {
  Value start;
  Value stop;
  Value step;
};

// The value of an expression in an override.
using Operand = std::variant<Value, ChoiceSweep, RangeSweep, GlobSweep>;

struct FunctionCall {
  std::string name;
  std::vector<Operand> arguments = {};
  std::vector<std::pair<std::string, Operand>> named = {};
};

// Throws Error for an unknown function (the message lists the known ones) and for wrong arguments.
Operand call_function(const FunctionCall& call);

// The numbers of a range. Throws Error for a step of 0 and for more than 10,000 numbers.
std::vector<Value> range_values(const RangeSweep& range);

}  // namespace palimpsest::config
