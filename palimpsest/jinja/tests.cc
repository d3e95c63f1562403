// Jinja's tests: what stands after `is`.

#include "palimpsest/jinja/internal/filters.h"
#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/jinja/internal/repr.h"
#include "palimpsest/python_text/internal/unicode.h"

namespace palimpsest::jinja {
namespace {

Value no_arguments(Arguments& arguments, bool result) {
  const Parameters p("this test", arguments, {}, 0);
  return Value::boolean(result);
}

template <Kind kind>
Value is_kind(const Value& value, Arguments& arguments, Runtime&) {
  return no_arguments(arguments, value.is(kind));
}

Value is_defined(const Value& value, Arguments& arguments, Runtime&) {
  return no_arguments(arguments, !value.is_undefined());
}

template <bool wanted>
Value is_exactly(const Value& value, Arguments& arguments, Runtime&) {
  return no_arguments(arguments, value.is(Kind::kBool) && (value.as_int() != 0) == wanted);
}

Value is_number(const Value& value, Arguments& arguments, Runtime&) {
  return no_arguments(arguments, value.is_number());
}

// What has a length and can be indexed. Undefined values count.
Value is_sequence(const Value& value, Arguments& arguments, Runtime&) {
  const bool sequence = value.is_string() || value.is_sequence() || value.is_dict() ||
                        value.is(Kind::kRange) || value.is_undefined();
  return no_arguments(arguments, sequence);
}

Value is_iterable_test(const Value& value, Arguments& arguments, Runtime&) {
  return no_arguments(arguments, is_iterable(value) || value.is(Kind::kLoop));
}

Value is_callable_test(const Value& value, Arguments& arguments, Runtime&) {
  return no_arguments(arguments, is_callable(value));
}

Value is_escaped(const Value& value, Arguments& arguments, Runtime&) {
  return no_arguments(arguments, value.is_string() && value.string().markup);
}

Value is_lower_test(const Value& value, Arguments& arguments, Runtime& runtime) {
  return no_arguments(arguments, python_text::text_is_lower(to_text(value, runtime.budget)));
}

Value is_upper_test(const Value& value, Arguments& arguments, Runtime& runtime) {
  return no_arguments(arguments, python_text::text_is_upper(to_text(value, runtime.budget)));
}

bool remainder_is(const Value& value, const Value& divisor, int64_t wanted, Runtime& runtime) {
  const Value rest = arithmetic(Operator::kModulo, value, divisor, runtime);
  return equal(rest, Value::integer(wanted), &runtime.budget);
}

template <int64_t rest>
Value is_parity(const Value& value, Arguments& arguments, Runtime& runtime) {
  return no_arguments(arguments, remainder_is(value, Value::integer(2), rest, runtime));
}

Value is_divisible(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("divisibleby", arguments, {"num"}, 1);
  return Value::boolean(remainder_is(value, p[0], 0, runtime));
}

Value is_same(const Value& value, Arguments& arguments, Runtime&) {
  const Parameters p("sameas", arguments, {"other"}, 1);
  return Value::boolean(identical(value, p[0]));
}

Value is_in(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("in", arguments, {"seq"}, 1);
  return Value::boolean(contains(p[0], value, runtime));
}

template <Operator op>
Value compares(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("this test", arguments, {""}, 1);
  return Value::boolean(compare(op, value, p[0], runtime));
}

Value is_filter(const Value& value, Arguments& arguments, Runtime&) {
  return no_arguments(arguments, value.is_string() && find_filter(value.text()) != nullptr);
}

Value is_test(const Value& value, Arguments& arguments, Runtime&) {
  return no_arguments(arguments, value.is_string() && find_test(value.text()) != nullptr);
}

constexpr NamedMethod kTests[] = {
    {"!=", compares<Operator::kNotEqual>},
    {"<", compares<Operator::kLess>},
    {"<=", compares<Operator::kLessEqual>},
    {"==", compares<Operator::kEqual>},
    {">", compares<Operator::kGreater>},
    {">=", compares<Operator::kGreaterEqual>},
    {"boolean", is_kind<Kind::kBool>},
    {"callable", is_callable_test},
    {"defined", is_defined},
    {"divisibleby", is_divisible},
    {"eq", compares<Operator::kEqual>},
    {"equalto", compares<Operator::kEqual>},
    {"escaped", is_escaped},
    {"even", is_parity<0>},
    {"false", is_exactly<false>},
    {"filter", is_filter},
    {"float", is_kind<Kind::kFloat>},
    {"ge", compares<Operator::kGreaterEqual>},
    {"greaterthan", compares<Operator::kGreater>},
    {"gt", compares<Operator::kGreater>},
    {"in", is_in},
    {"integer", is_kind<Kind::kInt>},
    {"iterable", is_iterable_test},
    {"le", compares<Operator::kLessEqual>},
    {"lessthan", compares<Operator::kLess>},
    {"lower", is_lower_test},
    {"lt", compares<Operator::kLess>},
    {"mapping", is_kind<Kind::kDict>},
    {"ne", compares<Operator::kNotEqual>},
    {"none", is_kind<Kind::kNone>},
    {"number", is_number},
    {"odd", is_parity<1>},
    {"sameas", is_same},
    {"sequence", is_sequence},
    {"string", is_kind<Kind::kString>},
    {"test", is_test},
    {"true", is_exactly<true>},
    {"undefined", is_kind<Kind::kUndefined>},
    {"upper", is_upper_test},
};

}  // namespace

Method find_test(std::string_view name) {
  return find_in(kTests, name);
}

}  // namespace palimpsest::jinja
