// The functions of Hydra's override grammar: casts, choices, ranges, sorting, patterns.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "palimpsest/config/override.h"
#include "palimpsest/config/value.h"

namespace palimpsest::config {

// start, start + step, … before stop; whole numbers where all three are.
struct RangeSweep {
  Value start;
  Value stop;
  Value step;
};

// What an expression in an override comes to.
using Operand = std::variant<Value, ChoiceSweep, RangeSweep, GlobSweep>;

struct FunctionCall {
  std::string name;
  std::vector<Operand> arguments = {};
  std::vector<std::pair<std::string, Operand>> named = {};
};

// Throws Error for an unknown function (the known ones are listed) or arguments that do not fit.
Operand call_function(const FunctionCall& call);

// The numbers of a range. Throws Error for a step of 0 and for more than 10,000 of them.
std::vector<Value> range_values(const RangeSweep& range);

}  // namespace palimpsest::config
