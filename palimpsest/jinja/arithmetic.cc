// The arithmetic half of ops.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/jinja/internal/format.h"
#include "palimpsest/jinja/internal/ops.h"

namespace palimpsest::jinja {
namespace {

[[noreturn]] void fail_overflow() {
  throw Error({.what = "the result of the calculation does not fit into 64 bits",
               .hint = "integers of any size are Python's; here they have 64 bits"});
}

[[noreturn]] void fail_zero() {
  throw Error("division by zero");
}

int64_t floor_divide(int64_t a, int64_t b) {
  if (b == 0) fail_zero();
  if (b == -1) {
    if (a == INT64_MIN) fail_overflow();
    return -a;
  }
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t modulo(int64_t a, int64_t b) {
  if (b == 0) fail_zero();
  if (b == -1) return 0;
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double divide(int64_t a, int64_t b) {
  if (b == 0) fail_zero();
  constexpr int64_t kExact = int64_t{1} << 53;
  if (std::abs(static_cast<long double>(a)) <= kExact &&
      std::abs(static_cast<long double>(b)) <= kExact) {
    return static_cast<double>(a) / static_cast<double>(b);
  }
  return static_cast<double>(static_cast<long double>(a) / static_cast<long double>(b));
}

Value power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) fail_zero();
    return Value::real(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  int64_t result = 1;
  if (base == 0 || base == 1) return Value::integer(exponent == 0 ? 1 : base);
  if (base == -1) return Value::integer(exponent % 2 == 0 ? 1 : -1);
  if (exponent > 64) fail_overflow();
  for (int64_t i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(result, base, &result)) fail_overflow();
  }
  return Value::integer(result);
}

Value integer_arithmetic(Operator op, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case Operator::kAdd:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Operator::kSubtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Operator::kMultiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case Operator::kDivide:
      return Value::real(divide(a, b));
    case Operator::kFloorDivide:
      return Value::integer(floor_divide(a, b));
    case Operator::kModulo:
      return Value::integer(modulo(a, b));
    default:
      return power(a, b);
  }
  if (overflow) fail_overflow();
  return Value::integer(result);
}

// Python's float modulo takes the sign of the divisor.
double real_modulo(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest != 0) {
    if ((b < 0) != (rest < 0)) rest += b;
    return rest;
  }
  return std::copysign(0.0, b);
}

double real_floor_divide(double a, double b) {
  const double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

double real_power(double a, double b) {
  if (a == 0 && b < 0) fail_zero();
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b)) {
    throw Error("a negative number to a fractional power is complex, which templates cannot use");
  }
  const double result = std::pow(a, b);
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b)) {
    throw Error("the result of the power is out of range");
  }
  return result;
}

Value real_arithmetic(Operator op, double a, double b) {
  switch (op) {
    case Operator::kAdd:
      return Value::real(a + b);
    case Operator::kSubtract:
      return Value::real(a - b);
    case Operator::kMultiply:
      return Value::real(a * b);
    case Operator::kPower:
      return Value::real(real_power(a, b));
    default:
      break;
  }
  if (b == 0) fail_zero();
  if (op == Operator::kDivide) return Value::real(a / b);
  return Value::real(op == Operator::kModulo ? real_modulo(a, b) : real_floor_divide(a, b));
}

Value repeat(const Value& value, int64_t count, Budget& budget) {
  count = std::max<int64_t>(count, 0);
  const auto size =
      static_cast<int64_t>(value.is_string() ? value.text().size() : value.items().size() * 32);
  int64_t bytes = 0;
  if (__builtin_mul_overflow(size, count, &bytes)) bytes = INT64_MAX;
  budget.require(bytes);
  if (size == 0) count = 0;
  if (value.is_string()) {
    std::string text;
    text.reserve(static_cast<size_t>(bytes));
    for (int64_t i = 0; i < count; ++i) text += value.text();
    return make_string(std::move(text), &budget, value.string().markup);
  }
  Values items;
  items.reserve(value.items().size() * static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    items.insert(items.end(), value.items().begin(), value.items().end());
  }
  return make_sequence(value.kind(), std::move(items), &budget);
}

bool is_repeatable(const Value& value) {
  return value.is_string() || value.is_sequence();
}

// a + b for two texts. If one is markup (safe HTML), the other is escaped.
Value concatenate(const Value& a, const Value& b, Budget& budget) {
  const bool markup = a.string().markup || b.string().markup;
  budget.require(static_cast<int64_t>(a.text().size() + b.text().size()));
  if (!markup) return make_string(a.text() + b.text(), &budget);
  return make_string(escape_value(a, budget) + escape_value(b, budget), &budget, true);
}

}  // namespace

Value arithmetic(Operator op, const Value& a, const Value& b, Runtime& runtime) {
  if (a.is_string() && op == Operator::kModulo) return format_percent(a, b, runtime);
  require_defined(a);
  require_defined(b);
  if (a.is_integral() && b.is_integral()) return integer_arithmetic(op, a.as_int(), b.as_int());
  if (a.is_number() && b.is_number()) return real_arithmetic(op, a.as_double(), b.as_double());
  if (op == Operator::kAdd) {
    if (a.is_string() && b.is_string()) return concatenate(a, b, runtime.budget);
    if (a.is_sequence() && a.kind() == b.kind()) {
      runtime.budget.require(static_cast<int64_t>((a.items().size() + b.items().size()) * 32));
      Values items = a.items();
      items.insert(items.end(), b.items().begin(), b.items().end());
      return make_sequence(a.kind(), std::move(items), &runtime.budget);
    }
  }
  if (op == Operator::kMultiply) {
    if (is_repeatable(a) && b.is_integral()) return repeat(a, b.as_int(), runtime.budget);
    if (is_repeatable(b) && a.is_integral()) return repeat(b, a.as_int(), runtime.budget);
  }
  throw Error({.what = fmt::format("'{}' is not supported between '{}' and '{}'", symbol_of(op),
                                   type_name(a), type_name(b)),
               .hint = op == Operator::kAdd && (a.is_string() || b.is_string())
                           ? "join them with ~ or turn both into texts"
                           : ""});
}

Value negate(const Value& value) {
  require_defined(value);
  if (value.is(Kind::kFloat)) return Value::real(-value.as_double());
  if (!value.is_integral())
    throw Error(fmt::format("'-' is not supported for '{}'", type_name(value)));
  return integer_arithmetic(Operator::kSubtract, 0, value.as_int());
}

Value positive(const Value& value) {
  require_defined(value);
  if (value.is(Kind::kFloat)) return value;
  if (!value.is_integral())
    throw Error(fmt::format("'+' is not supported for '{}'", type_name(value)));
  return Value::integer(value.as_int());
}

}  // namespace palimpsest::jinja
