#include "palimpsest/config/internal/override_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "palimpsest/base/error.h"
#include "palimpsest/config/internal/characters.h"
#include "palimpsest/python_text/internal/number.h"
#include "palimpsest/python_text/internal/repr.h"

namespace palimpsest::config {
namespace {

constexpr size_t kMaxRange = 10'000;

[[noreturn]] void refuse_cast(const Value& value, const char* kind) {
  const std::string* text = value.text_if();
  throw Error({.what = fmt::format("the value cannot be made {}", kind),
               .found = text != nullptr ? fmt::format("'{}'", *text) : std::string(value.kind())});
}

bool is_number(const Value& value) {
  return value.is_int() || value.is_real();
}

Value to_int(const Value& value) {
  if (value.is_int()) return value;
  if (value.is_bool()) return Value(value.as_bool() ? 1 : 0);
  if (value.is_real() && std::abs(value.as_real()) < 9.2e18) {
    return Value(static_cast<int64_t>(value.as_real()));
  }
  if (const std::string* text = value.text_if()) {
    if (const auto number = python_text::parse_integer(*text, 10)) return Value(*number);
  }
  refuse_cast(value, "a whole number");
}

Value to_float(const Value& value) {
  if (is_number(value)) return Value(value.as_real());
  if (value.is_bool()) return Value(value.as_bool() ? 1.0 : 0.0);
  if (const std::string* text = value.text_if()) {
    if (const auto number = python_text::parse_real(*text)) return Value(*number);
  }
  refuse_cast(value, "a number");
}

Value to_str(const Value& value) {
  if (value.text_if() != nullptr) return value;
  if (value.is_bool()) return Value(value.as_bool() ? "true" : "false");
  if (value.is_int()) return Value(std::to_string(value.as_int()));
  if (value.is_real()) return Value(python_text::real_to_text(value.as_real()));
  refuse_cast(value, "a text");
}

Value to_bool(const Value& value) {
  if (value.is_bool()) return value;
  if (value.is_null()) return Value(false);
  if (is_number(value)) return Value(value.as_real() != 0);
  if (const std::string* text = value.text_if()) {
    if (lower(*text) == "true") return Value(true);
    if (lower(*text) == "false") return Value(false);
  }
  refuse_cast(value, "true or false");
}

using Cast = Value (*)(const Value&);

Value cast_deep(const Value& value, Cast cast) {
  if (value.is_list()) {
    Value::List list;
    for (const Value& item : value.as_list()) list.push_back(cast_deep(item, cast));
    return Value(std::move(list));
  }
  if (value.is_map()) {
    Value::Map map;
    for (const auto& [key, item] : value.as_map()) map.emplace_back(key, cast_deep(item, cast));
    return Value(std::move(map));
  }
  return cast(value);
}

Operand cast_operand(const Operand& operand, Cast cast) {
  if (const auto* value = std::get_if<Value>(&operand)) return cast_deep(*value, cast);
  if (const auto* choice = std::get_if<ChoiceSweep>(&operand)) {
    ChoiceSweep result{.values = {}, .simple = choice->simple};
    for (const Value& value : choice->values) result.values.push_back(cast_deep(value, cast));
    return result;
  }
  const auto* range = std::get_if<RangeSweep>(&operand);
  if (range == nullptr || (cast != to_int && cast != to_float)) {
    throw Error("a range can only be cast to int or float, a pattern not at all");
  }
  return RangeSweep{cast(range->start), cast(range->stop), cast(range->step)};
}

// The arguments as values; sweeps among them are an Error.
std::vector<Value> values_of(const FunctionCall& call) {
  std::vector<Value> values;
  for (const Operand& operand : call.arguments) {
    const auto* value = std::get_if<Value>(&operand);
    if (value == nullptr) throw Error("a sweep cannot be combined with other values");
    values.push_back(*value);
  }
  return values;
}

// The named argument; an Error for one that is not among `known`.
const Operand* named(const FunctionCall& call, std::string_view name) {
  const auto found = std::ranges::find(call.named, name, &std::pair<std::string, Operand>::first);
  return found == call.named.end() ? nullptr : &found->second;
}

void require_names(const FunctionCall& call, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : call.named) {
    if (std::ranges::find(known, name) == known.end()) {
      throw Error(fmt::format("there is no argument '{}'", name));
    }
  }
}

Operand cast_call(const FunctionCall& call, Cast cast) {
  require_names(call, {"value"});
  const Operand* value = named(call, "value");
  if ((value != nullptr) == !call.arguments.empty()) {
    throw Error("give either values or value=…");
  }
  if (value != nullptr) return cast_operand(*value, cast);
  if (call.arguments.size() == 1) return cast_operand(call.arguments[0], cast);
  return cast_operand(ChoiceSweep{.values = values_of(call), .simple = true}, cast);
}

Operand choice(const FunctionCall& call) {
  require_names(call, {});
  if (call.arguments.empty()) throw Error("a choice needs at least one value");
  if (call.arguments.size() == 1) {
    if (const auto* inner = std::get_if<ChoiceSweep>(&call.arguments[0]); inner && inner->simple) {
      return ChoiceSweep{.values = inner->values};
    }
  }
  return ChoiceSweep{.values = values_of(call)};
}

// The arguments by position and by name, in the order of `names`.
std::vector<std::optional<Value>> bind(const FunctionCall& call,
                                       const std::vector<std::string_view>& names) {
  std::vector<std::optional<Value>> bound(names.size());
  const std::vector<Value> values = values_of(call);
  if (values.size() > names.size()) throw Error("too many arguments");
  for (size_t i = 0; i < names.size(); ++i) {
    if (i < values.size()) bound[i] = values[i];
  }
  for (const auto& [name, operand] : call.named) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw Error(fmt::format("there is no argument '{}'", name));
    std::optional<Value>& target = bound[static_cast<size_t>(found - names.begin())];
    if (target) throw Error(fmt::format("the argument '{}' is given twice", name));
    const auto* value = std::get_if<Value>(&operand);
    if (value == nullptr) throw Error(fmt::format("the argument '{}' is a sweep", name));
    target = *value;
  }
  return bound;
}

Operand range(const FunctionCall& call) {
  const auto bound = bind(call, {"start", "stop", "step"});
  if (!bound[0]) throw Error("a range needs a start or a stop");
  RangeSweep result{*bound[0], bound[1].value_or(Value()), bound[2].value_or(Value(1))};
  if (result.stop.is_null()) result = {Value(0), result.start, result.step};
  for (const Value* value : {&result.start, &result.stop, &result.step}) {
    if (!is_number(*value)) {
      throw Error({.what = "a range takes numbers", .found = std::string(value->kind())});
    }
  }
  return result;
}

bool less(const Value& a, const Value& b) {
  const auto number = [](const Value& v) { return v.is_bool() || is_number(v); };
  const auto real = [](const Value& v) { return v.is_bool() ? v.as_bool() : v.as_real(); };
  if (number(a) && number(b)) return real(a) < real(b);
  if (a.text_if() != nullptr && b.text_if() != nullptr) return *a.text_if() < *b.text_if();
  throw Error({.what = "only numbers or only texts can be sorted",
               .found = fmt::format("{} and {}", a.kind(), b.kind())});
}

std::vector<Value> sorted(std::vector<Value> values, bool reverse) {
  std::ranges::stable_sort(
      values, [&](const Value& a, const Value& b) { return reverse ? less(b, a) : less(a, b); });
  return values;
}

// The same numbers the other way round, by Hydra's rule, which may move them by a part of a step.
RangeSweep sorted(const RangeSweep& range, bool reverse) {
  const double start = range.start.as_real();
  const double stop = range.stop.as_real();
  if (reverse ? start >= stop : start <= stop) return range;
  const double step = std::abs(range.step.as_real()) * (reverse ? -1 : 1);
  const bool whole = range.start.is_int() && range.stop.is_int() && range.step.is_int();
  const auto number = [&](double value) {
    return whole ? Value(static_cast<int64_t>(value)) : Value(value);
  };
  return {number(stop + step), number(start + step), number(-range.step.as_real())};
}

Operand sort_operand(const Operand& operand, bool reverse) {
  if (const auto* range = std::get_if<RangeSweep>(&operand)) return sorted(*range, reverse);
  if (const auto* choice = std::get_if<ChoiceSweep>(&operand)) {
    return ChoiceSweep{.values = sorted(choice->values, reverse), .simple = choice->simple};
  }
  const auto* value = std::get_if<Value>(&operand);
  if (value == nullptr) throw Error("a pattern cannot be sorted");
  return value->is_list() ? Value(sorted(value->as_list(), reverse)) : *value;
}

Operand sort(const FunctionCall& call) {
  require_names(call, {"sweep", "list", "reverse"});
  const Operand* reversed = named(call, "reverse");
  const auto* flag = reversed != nullptr ? std::get_if<Value>(reversed) : nullptr;
  if (reversed != nullptr && flag == nullptr) throw Error("reverse must be true or false");
  const bool reverse = flag != nullptr && flag->as_bool();
  for (const char* name : {"list", "sweep"}) {
    if (const Operand* operand = named(call, name)) return sort_operand(*operand, reverse);
  }
  if (call.arguments.empty()) throw Error("there is nothing to sort");
  if (call.arguments.size() == 1) return sort_operand(call.arguments[0], reverse);
  return ChoiceSweep{.values = sorted(values_of(call), reverse), .simple = true};
}

// Tags tell sweepers apart; there is only one here, so they change nothing.
Operand tag(const FunctionCall& call) {
  require_names(call, {"sweep"});
  const Operand* sweep = named(call, "sweep");
  if (sweep == nullptr && !call.arguments.empty()) sweep = &call.arguments.back();
  if (sweep == nullptr || std::holds_alternative<Value>(*sweep)) {
    throw Error("the last argument must be a choice or a range");
  }
  return *sweep;
}

std::vector<std::string> patterns(const std::optional<Value>& value) {
  if (!value || value->is_null()) return {};
  if (const std::string* text = value->text_if()) return {*text};
  std::vector<std::string> texts;
  for (const Value& item : value->as_list()) texts.push_back(item.as_text());
  return texts;
}

Operand glob(const FunctionCall& call) {
  const auto bound = bind(call, {"include", "exclude"});
  if (!bound[0]) throw Error("a pattern is missing");
  return GlobSweep{patterns(bound[0]), patterns(bound[1])};
}

Operand refuse_random(const FunctionCall&) {
  throw Error({.what = "values that are drawn at random are not supported",
               .hint = "list them: key=a,b,c"});
}

struct Function {
  std::string_view name;
  Operand (*call)(const FunctionCall&);
};

constexpr Function kFunctions[] = {
    {"bool", [](const FunctionCall& call) { return cast_call(call, to_bool); }},
    {"choice", choice},
    {"float", [](const FunctionCall& call) { return cast_call(call, to_float); }},
    {"glob", glob},
    {"int", [](const FunctionCall& call) { return cast_call(call, to_int); }},
    {"interval", refuse_random},
    {"range", range},
    {"shuffle", refuse_random},
    {"sort", sort},
    {"str", [](const FunctionCall& call) { return cast_call(call, to_str); }},
    {"tag", tag},
};

}  // namespace

Operand call_function(const FunctionCall& call) {
  std::string known;
  for (const Function& function : kFunctions) {
    if (function.name != call.name) {
      known += fmt::format("{}{}", known.empty() ? "" : ", ", function.name);
      continue;
    }
    try {
      return function.call(call);
    } catch (const Error& error) {
      throw error.located(call.name + "()");
    }
  }
  throw Error({.what = fmt::format("there is no function '{}'", call.name),
               .expected = "one of " + known,
               .hint = "quote the value if it is meant as a text"});
}

std::vector<Value> range_values(const RangeSweep& range) {
  const bool whole = range.start.is_int() && range.stop.is_int() && range.step.is_int();
  // Wider than double, so that 0.1 added ten times is 1.
  const long double step = range.step.as_real();
  if (step == 0 || std::isnan(range.step.as_real())) throw Error("the step of a range is 0");
  const long double stop = range.stop.as_real();
  std::vector<Value> numbers;
  long double next = range.start.as_real();
  int64_t next_whole = whole ? range.start.as_int() : 0;
  while (whole ? (step > 0 ? next_whole < range.stop.as_int() : next_whole > range.stop.as_int())
               : (step > 0 ? next < stop : next > stop)) {
    if (numbers.size() >= kMaxRange) {
      throw Error(fmt::format("the range holds more than {} numbers", kMaxRange));
    }
    if (whole) {
      numbers.emplace_back(next_whole);
    } else {
      numbers.emplace_back(static_cast<double>(next));
    }
    if (whole && __builtin_add_overflow(next_whole, range.step.as_int(), &next_whole)) break;
    next += step;
  }
  return numbers;
}

}  // namespace palimpsest::config
