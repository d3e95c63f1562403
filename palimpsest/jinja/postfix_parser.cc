// What follows a value in an expression: attributes, items, calls, filters and tests.
#include <fmt/format.h>

#include <set>

#include "palimpsest/jinja/internal/expression_parser.h"
#include "palimpsest/jinja/internal/filters.h"

namespace palimpsest::jinja {

ExpressionPtr ExpressionParser::parse_postfix(ExpressionPtr value) {
  while (true) {
    if (current().is_operator(".")) {
      value = parse_dot(std::move(value));
    } else if (current().is_operator("[")) {
      value = parse_subscript(std::move(value));
    } else if (current().is_operator("(")) {
      value = parse_call(std::move(value));
    } else {
      return value;
    }
  }
}

ExpressionPtr ExpressionParser::parse_filters_and_tests(ExpressionPtr value) {
  while (true) {
    if (current().is_operator("|")) {
      value = parse_filters(std::move(value), false);
    } else if (current().is_name("is")) {
      value = parse_test(std::move(value));
    } else if (current().is_operator("(")) {
      value = parse_call(std::move(value));
    } else {
      return value;
    }
  }
}

ExpressionPtr ExpressionParser::parse_dot(ExpressionPtr value) {
  const int line = take().line;
  if (current().kind == TokenKind::kName) {
    ExpressionPtr attribute = node(ExpressionKind::kAttribute, line, list_of(std::move(value)));
    attribute->name = take().text;
    return attribute;
  }
  if (current().kind != TokenKind::kInteger) fail_expected("a name or a number after '.'");
  ExpressionPtr index = make_constant(take().number, line);
  return node(ExpressionKind::kItem, line, list_of(std::move(value), std::move(index)));
}

ExpressionPtr ExpressionParser::parse_subscript(ExpressionPtr value) {
  const int line = take().line;
  const auto at_end = [this] {
    return current().is_operator("]") || current().is_operator(",") || current().is_operator(":");
  };
  std::vector<ExpressionPtr> keys;
  bool is_slice = false;
  while (!current().is_operator("]")) {
    if (!keys.empty()) expect_operator(",");
    keys.push_back(at_end() ? nullptr : parse_expression());
    if (keys.back() == nullptr && !current().is_operator(":")) fail_expected("an index");
    if (!current().is_operator(":")) continue;
    is_slice = true;
    if (keys.size() > 1) fail_at(line, "a slice cannot be one of several indices");
    take();
    keys.push_back(at_end() ? nullptr : parse_expression());
    const bool has_step = skip_operator(":");
    keys.push_back(has_step && !at_end() ? parse_expression() : nullptr);
    if (!current().is_operator("]")) fail_expected("']' after a slice");
  }
  expect_operator("]");
  if (is_slice) {
    keys.insert(keys.begin(), std::move(value));
    return node(ExpressionKind::kSlice, line, std::move(keys));
  }
  ExpressionPtr key =
      keys.size() == 1 ? std::move(keys[0]) : node(ExpressionKind::kTuple, line, std::move(keys));
  return node(ExpressionKind::kItem, line, list_of(std::move(value), std::move(key)));
}

CallArguments ExpressionParser::parse_arguments() {
  const int line = current().line;
  expect_operator("(");
  CallArguments arguments;
  std::set<std::string> names;
  bool first = true;
  const auto ensure = [&](bool valid) {
    if (!valid) fail_at(line, "the arguments of a call are in the wrong order");
  };
  while (!current().is_operator(")")) {
    if (!first) {
      expect_operator(",");
      if (current().is_operator(")")) break;
    }
    first = false;
    const bool unpacked = arguments.more_positional != nullptr || arguments.more_named != nullptr;
    if (skip_operator("*")) {
      ensure(!unpacked);
      arguments.more_positional = parse_expression();
    } else if (skip_operator("**")) {
      ensure(arguments.more_named == nullptr);
      arguments.more_named = parse_expression();
    } else if (current().kind == TokenKind::kName && following().is_operator("=")) {
      ensure(arguments.more_named == nullptr);
      std::string name = take().text;
      take();
      if (!names.insert(name).second) {
        fail_at(line, fmt::format("the argument '{}' is given twice", name));
      }
      arguments.named.emplace_back(std::move(name), parse_expression());
    } else {
      ensure(!unpacked && arguments.named.empty());
      arguments.positional.push_back(parse_expression());
    }
  }
  expect_operator(")");
  return arguments;
}

ExpressionPtr ExpressionParser::parse_call(ExpressionPtr value) {
  const int line = current().line;
  ExpressionPtr call = node(ExpressionKind::kCall, line, list_of(std::move(value)));
  call->arguments = parse_arguments();
  set_depth(*call);
  return call;
}

std::string ExpressionParser::parse_dotted_name() {
  std::string name = take_name();
  while (skip_operator(".")) name += "." + take_name();
  return name;
}

ExpressionPtr ExpressionParser::parse_filter(ExpressionPtr value) {
  const int line = current().line;
  ExpressionPtr filter = node(ExpressionKind::kFilter, line, list_of(std::move(value)));
  filter->name = parse_dotted_name();
  filter->method = find_filter(filter->name);
  if (current().is_operator("(")) filter->arguments = parse_arguments();
  set_depth(*filter);
  return filter;
}

ExpressionPtr ExpressionParser::parse_filters(ExpressionPtr value, bool first_without_pipe) {
  if (first_without_pipe) value = parse_filter(std::move(value));
  while (skip_operator("|")) value = parse_filter(std::move(value));
  return value;
}

ExpressionPtr ExpressionParser::parse_test(ExpressionPtr value) {
  const int line = take().line;
  const bool negated = skip_name("not");
  ExpressionPtr test = node(ExpressionKind::kTest, line, list_of(std::move(value)));
  test->name = parse_dotted_name();
  test->method = find_test(test->name);
  const Token& next = current();
  const bool takes_argument = next.kind == TokenKind::kName || next.kind == TokenKind::kString ||
                              next.kind == TokenKind::kInteger || next.kind == TokenKind::kFloat ||
                              next.is_operator("[") || next.is_operator("{");
  if (next.is_operator("(")) {
    test->arguments = parse_arguments();
  } else if (takes_argument && !next.is_name("else") && !next.is_name("or") &&
             !next.is_name("and")) {
    if (next.is_name("is")) fail_at(next.line, "tests cannot be chained with `is`");
    ExpressionPtr argument = parse_postfix(parse_primary());
    test->arguments.positional.push_back(std::move(argument));
  }
  set_depth(*test);
  return negated ? node(ExpressionKind::kNot, line, list_of(std::move(test))) : std::move(test);
}

}  // namespace palimpsest::jinja
