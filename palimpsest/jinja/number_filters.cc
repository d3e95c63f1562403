// The filters that make a number, or choose a value.
#include <fmt/format.h>

#include <cmath>

#include "palimpsest/jinja/internal/filters.h"
#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/python_text/internal/number.h"

namespace palimpsest::jinja {
namespace {

Value abs(const Value& value, Arguments& arguments, Runtime&) {
  const Parameters p("abs", arguments, {}, 0);
  if (!value.is_number())
    throw Error(fmt::format("abs needs a number, not '{}'", type_name(value)));
  if (value.is(Kind::kFloat)) return Value::real(std::abs(value.as_double()));
  return value.as_int() < 0 ? negate(value) : positive(value);
}

// int() of a float; nullopt for NaN.
std::optional<int64_t> truncated(double value) {
  if (std::isnan(value)) return std::nullopt;
  const double whole = std::trunc(value);
  if (!(std::abs(whole) < 9.2233720368547758e18)) {
    throw Error("the number does not fit into 64 bits");
  }
  return static_cast<int64_t>(whole);
}

std::optional<int64_t> text_to_integer(const std::string& text, int64_t base) {
  if (base == 0 || (base >= 2 && base <= 36)) {
    if (const auto number = python_text::parse_integer(text, base)) return number;
  }
  // "42.23" is 42.
  const std::optional<double> real = python_text::parse_real(text);
  if (!real || std::isinf(*real)) return std::nullopt;
  return truncated(*real);
}

Value to_int(const Value& value, Arguments& arguments, Runtime&) {
  const Parameters p("int", arguments, {"default", "base"}, 0);
  require_defined(value);
  std::optional<int64_t> number;
  if (value.is_integral()) number = value.as_int();
  if (value.is(Kind::kFloat)) number = truncated(value.as_double());
  if (value.is_string()) {
    const int64_t base = p.has(1) && !p[1].is_integral() ? -1 : p.integer(1, 10);
    number = text_to_integer(value.text(), base);
  }
  if (number) return Value::integer(*number);
  return p.has(0) ? p[0] : Value::integer(0);
}

Value to_float(const Value& value, Arguments& arguments, Runtime&) {
  const Parameters p("float", arguments, {"default"}, 0);
  require_defined(value);
  if (value.is_number()) return Value::real(value.as_double());
  if (value.is_string()) {
    if (const auto number = python_text::parse_real(value.text())) return Value::real(*number);
  }
  return p.has(0) ? p[0] : Value::real(0);
}

Value round(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("round", arguments, {"precision", "method"}, 0);
  const std::string method = p.has(1) ? p.text(1) : "common";
  if (method != "common" && method != "ceil" && method != "floor") {
    throw Error("round: the method must be common, ceil or floor");
  }
  if (!value.is_number()) {
    throw Error(fmt::format("round needs a number, not '{}'", type_name(value)));
  }
  const int64_t precision = p.given(0) ? p.integer(0, 0) : 0;
  if (method == "common") {
    if (value.is_integral())
      return Value::integer(python_text::round_integer(value.as_int(), precision));
    if (!p.has(0) || p.given(0))
      return Value::real(python_text::round_real(value.as_double(), precision));
    return Value::integer(truncated(python_text::round_real(value.as_double(), 0)).value_or(0));
  }
  if (value.is_integral() && precision >= 0) return Value::real(value.as_double());
  const Value unit =
      arithmetic(Operator::kPower, Value::integer(10), Value::integer(precision), runtime);
  const double scaled = arithmetic(Operator::kMultiply, value, unit, runtime).as_double();
  if (!std::isfinite(scaled)) throw Error("the number cannot be rounded");
  const double whole = method == "ceil" ? std::ceil(scaled) : std::floor(scaled);
  // Python rounds to an integer, which has no -0.
  return Value::real((whole == 0 ? 0.0 : whole) / unit.as_double());
}

Value filesizeformat(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("filesizeformat", arguments, {"binary"}, 0);
  Arguments no_arguments;
  if (!value.is_number() && !(value.is_string() && python_text::parse_real(value.text()))) {
    throw Error("filesizeformat needs a number");
  }
  const double bytes = to_float(value, no_arguments, runtime).as_double();
  const bool binary = p.flag(0, false);
  const double base = binary ? 1024 : 1000;
  if (bytes == 1) return make_string("1 Byte", &runtime.budget);
  if (bytes < base) {
    return make_string(fmt::format("{} Bytes", truncated(bytes).value_or(0)), &runtime.budget);
  }
  constexpr std::string_view kPrefixes = "kMGTPEZY";
  size_t i = 0;
  double unit = base * base;
  while (bytes >= unit && i + 1 < kPrefixes.size()) {
    unit *= base;
    ++i;
  }
  const std::string prefix = binary ? std::string(1, i == 0 ? 'K' : kPrefixes[i]) + "iB"
                                    : std::string(1, kPrefixes[i]) + "B";
  return make_string(python_text::print_real(base * bytes / unit, 'f', 1, false) + " " + prefix,
                     &runtime.budget);
}

Value default_filter(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("default", arguments, {"default_value", "boolean"}, 0);
  if (!value.is_undefined() && !(p.flag(1, false) && !truth(value))) return value;
  return p.has(0) ? p[0] : make_string("", &runtime.budget);
}

Value attr(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("attr", arguments, {"name"}, 1);
  return get_only_attribute(value, p.text(0), runtime);
}

constexpr NamedMethod kNumberFilters[] = {
    {"abs", abs},
    {"attr", attr},
    {"d", default_filter},
    {"default", default_filter},
    {"filesizeformat", filesizeformat},
    {"float", to_float},
    {"int", to_int},
    {"round", round},
};

}  // namespace

std::span<const NamedMethod> number_filters() {
  return kNumberFilters;
}

}  // namespace palimpsest::jinja
