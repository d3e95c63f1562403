// The interpreter's expressions.
#include <fmt/format.h>

#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/filters.h"
#include "palimpsest/jinja/internal/interpreter.h"
#include "palimpsest/jinja/internal/interpreter_scopes.h"
#include "palimpsest/jinja/internal/repr.h"

namespace palimpsest::jinja {

Value Interpreter::evaluate(const Expression& expression) {
  const EvaluationDepth depth(*this);
  line_ = expression.line;
  runtime_.budget.spend(1);
  switch (expression.kind) {
    case ExpressionKind::kConstant:
      return expression.constant;
    case ExpressionKind::kName: {
      const Value& value = variable(expression.reference);
      if (!value.is_missing()) return value;
      return make_undefined(fmt::format("'{}' is undefined", expression.name), &runtime_.budget);
    }
    case ExpressionKind::kAttribute:
      return get_attribute(evaluate(*expression.items[0]), expression.name, runtime_);
    case ExpressionKind::kItem: {
      const Value value = evaluate(*expression.items[0]);
      return get_item(value, evaluate(*expression.items[1]), runtime_);
    }
    case ExpressionKind::kCall:
      return evaluate_call(expression);
    case ExpressionKind::kFilter:
    case ExpressionKind::kTest:
      return evaluate_method(expression, nullptr);
    case ExpressionKind::kTuple:
    case ExpressionKind::kList:
    case ExpressionKind::kDict:
    case ExpressionKind::kSlice:
      return evaluate_container(expression);
    case ExpressionKind::kCompare:
      return evaluate_compare(expression);
    default:
      return evaluate_operation(expression);
  }
}

Value Interpreter::evaluate_operation(const Expression& expression) {
  const auto operand = [&](size_t i) { return evaluate(*expression.items[i]); };
  switch (expression.kind) {
    case ExpressionKind::kAnd: {
      Value left = operand(0);
      return truth(left) ? operand(1) : left;
    }
    case ExpressionKind::kOr: {
      Value left = operand(0);
      return truth(left) ? left : operand(1);
    }
    case ExpressionKind::kNot:
      return Value::boolean(!truth(operand(0)));
    case ExpressionKind::kNegative:
      return negate(operand(0));
    case ExpressionKind::kPositive:
      return positive(operand(0));
    case ExpressionKind::kConditional:
      if (truth(operand(1))) return operand(0);
      if (expression.items[2] != nullptr) return operand(2);
      return make_undefined("an inline if was false and has no else", &runtime_.budget);
    case ExpressionKind::kArithmetic: {
      const Value left = operand(0);
      const Value right = operand(1);
      line_ = expression.line;
      return arithmetic(expression.operators[0], left, right, runtime_);
    }
    case ExpressionKind::kConcat: {
      Buffer text(runtime_.budget);
      for (const auto& item : expression.items) {
        text.append(to_text(evaluate(*item), runtime_.budget));
      }
      return make_string(text.text(), &runtime_.budget);
    }
    default:
      PALIMPSEST_CHECK(false);
      return Value();
  }
}

Value Interpreter::evaluate_container(const Expression& expression) {
  if (expression.kind == ExpressionKind::kDict) {
    std::vector<DictObject::Entry> entries;
    for (size_t i = 0; i < expression.items.size(); i += 2) {
      Value key = evaluate(*expression.items[i]);
      entries.emplace_back(std::move(key), evaluate(*expression.items[i + 1]));
    }
    return make_dict(std::move(entries), &runtime_.budget);
  }
  Values items;
  for (const auto& item : expression.items) {
    items.push_back(item == nullptr ? Value() : evaluate(*item));
  }
  line_ = expression.line;
  switch (expression.kind) {
    case ExpressionKind::kList:
      return make_list(std::move(items), &runtime_.budget);
    case ExpressionKind::kTuple:
      return make_tuple(std::move(items), &runtime_.budget);
    default:
      return slice(items[0], items[1], items[2], items[3], runtime_.budget);
  }
}

// a < b < c compares b once, and c only if a < b.
Value Interpreter::evaluate_compare(const Expression& expression) {
  Value left = evaluate(*expression.items[0]);
  for (size_t i = 0; i < expression.operators.size(); ++i) {
    Value right = evaluate(*expression.items[i + 1]);
    line_ = expression.line;
    if (!compare(expression.operators[i], left, right, runtime_)) return Value::boolean(false);
    left = std::move(right);
  }
  return Value::boolean(true);
}

Arguments Interpreter::evaluate_arguments(const CallArguments& arguments) {
  Arguments result;
  for (const auto& item : arguments.positional) result.positional.push_back(evaluate(*item));
  for (const auto& [name, item] : arguments.named) result.named.emplace_back(name, evaluate(*item));
  if (arguments.more_positional != nullptr) {
    const Value more = evaluate(*arguments.more_positional);
    for (Value& item : collect(more, runtime_.budget)) result.positional.push_back(std::move(item));
  }
  if (arguments.more_named != nullptr) {
    const Value more = evaluate(*arguments.more_named);
    if (!more.is_dict()) throw Error("the value after ** in a call must be a dict");
    for (const auto& [key, value] : more.dict().entries()) {
      if (!key.is_string()) throw Error("the names of arguments must be texts");
      for (const auto& [name, ignored] : result.named) {
        if (name == key.text()) throw Error(fmt::format("the argument '{}' is given twice", name));
      }
      result.named.emplace_back(key.text(), value);
    }
  }
  return result;
}

Value Interpreter::evaluate_call(const Expression& expression) {
  const Expression& function = *expression.items[0];
  Value callee;
  if (function.kind == ExpressionKind::kAttribute) {
    const Value self = evaluate(*function.items[0]);
    // A method of a built-in type is called without making an object of it first.
    if (const Method method = find_method(self, function.name)) {
      Arguments arguments = evaluate_arguments(expression.arguments);
      line_ = expression.line;
      return method(self, arguments, runtime_);
    }
    callee = get_attribute(self, function.name, runtime_);
  } else {
    callee = evaluate(function);
  }
  Arguments arguments = evaluate_arguments(expression.arguments);
  line_ = expression.line;
  return call_value(callee, arguments, runtime_);
}

// A filter or a test. In a filter block or a block-set `input` is the text of the block, which the
// first of the filters has on its left.
Value Interpreter::evaluate_method(const Expression& expression, const Value* input) {
  const Expression* left = expression.items[0].get();
  PALIMPSEST_CHECK(left != nullptr || input != nullptr);
  const Value value = left == nullptr    ? *input
                      : input == nullptr ? evaluate(*left)
                                         : evaluate_method(*left, input);
  Arguments arguments = evaluate_arguments(expression.arguments);
  line_ = expression.line;
  if (expression.method == nullptr) {
    throw Error(unknown_method(expression.kind == ExpressionKind::kFilter, expression.name));
  }
  return expression.method(value, arguments, runtime_);
}

}  // namespace palimpsest::jinja
