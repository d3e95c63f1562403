#include "palimpsest/jinja/internal/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace palimpsest::jinja {
namespace {

// The one of these operators that the token is.
std::optional<Operator> operator_in(std::initializer_list<Operator> operators, const Token& token) {
  for (const Operator op : operators) {
    if (token.is_operator(symbol_of(op))) return op;
  }
  return std::nullopt;
}

bool is_constant_name(std::string_view name) {
  return name == "true" || name == "false" || name == "none" || name == "True" || name == "False" ||
         name == "None";
}

// Whether a tuple may end here.
bool ends_tuple(const Token& token, std::string_view end_word) {
  return token.kind == TokenKind::kVariableEnd || token.kind == TokenKind::kBlockEnd ||
         token.is_operator(")") || (!end_word.empty() && token.is_name(end_word));
}

void require_assignable(const Expression& target) {
  if (target.kind == ExpressionKind::kTuple) {
    for (const auto& item : target.items) require_assignable(*item);
  } else if (target.kind != ExpressionKind::kName &&
             target.kind != ExpressionKind::kNamespaceReference) {
    fail_at(target.line, "only a name, a namespace's attribute or a tuple of them can be set");
  }
}

// Counts how deep the parser is, since it recurses.
class DepthGuard {
 public:
  DepthGuard(int& depth, int line) : depth_(depth) {
    if (++depth_ > kMaxExpressionDepth) {
      fail_at(line, fmt::format("expressions are nested more than {} deep", kMaxExpressionDepth));
    }
  }
  ~DepthGuard() { --depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  int& depth_;
};

}  // namespace

Token ExpressionParser::take() {
  Token token = tokens_[at_];
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool ExpressionParser::skip_operator(std::string_view symbol) {
  if (!current().is_operator(symbol)) return false;
  take();
  return true;
}

bool ExpressionParser::skip_name(std::string_view name) {
  if (!current().is_name(name)) return false;
  take();
  return true;
}

void ExpressionParser::fail_expected(std::string_view expected) const {
  throw Error({.what = "the template is not valid here",
               .where = fmt::format("line {}", current().line),
               .expected = std::string(expected),
               .found = describe(current())});
}

void ExpressionParser::expect_operator(std::string_view symbol) {
  if (!skip_operator(symbol)) fail_expected(fmt::format("'{}'", symbol));
}

void ExpressionParser::expect_name(std::string_view name) {
  if (!skip_name(name)) fail_expected(fmt::format("'{}'", name));
}

void ExpressionParser::expect(TokenKind kind, std::string_view description) {
  if (current().kind != kind) fail_expected(description);
  take();
}

std::string ExpressionParser::take_name() {
  if (current().kind != TokenKind::kName) fail_expected("a name");
  return take().text;
}

ExpressionPtr ExpressionParser::node(ExpressionKind kind, int line,
                                     std::vector<ExpressionPtr> items) const {
  auto expression = std::make_unique<Expression>();
  expression->kind = kind;
  expression->line = line;
  expression->items = std::move(items);
  set_depth(*expression);
  return expression;
}

void ExpressionParser::set_depth(Expression& expression) const {
  int deepest = 0;
  for_each_part(expression,
                [&](const Expression& part) { deepest = std::max(deepest, part.depth); });
  expression.depth = deepest + 1;
  if (expression.depth > kMaxExpressionDepth) {
    fail_at(expression.line,
            fmt::format("expressions are nested more than {} deep", kMaxExpressionDepth));
  }
}

ExpressionPtr ExpressionParser::parse_expression(bool with_conditional) {
  const DepthGuard guard(depth_, current().line);
  return with_conditional ? parse_conditional() : parse_or();
}

ExpressionPtr ExpressionParser::parse_conditional() {
  const DepthGuard guard(depth_, current().line);
  ExpressionPtr value = parse_or();
  while (current().is_name("if")) {
    const int line = take().line;
    ExpressionPtr test = parse_or();
    ExpressionPtr otherwise = skip_name("else") ? parse_conditional() : nullptr;
    value = node(ExpressionKind::kConditional, line,
                 list_of(std::move(value), std::move(test), std::move(otherwise)));
  }
  return value;
}

ExpressionPtr ExpressionParser::parse_or() {
  ExpressionPtr left = parse_and();
  while (current().is_name("or")) {
    const int line = take().line;
    left = node(ExpressionKind::kOr, line, list_of(std::move(left), parse_and()));
  }
  return left;
}

ExpressionPtr ExpressionParser::parse_and() {
  ExpressionPtr left = parse_not();
  while (current().is_name("and")) {
    const int line = take().line;
    left = node(ExpressionKind::kAnd, line, list_of(std::move(left), parse_not()));
  }
  return left;
}

ExpressionPtr ExpressionParser::parse_not() {
  if (!current().is_name("not")) return parse_comparison();
  const DepthGuard guard(depth_, current().line);
  const int line = take().line;
  return node(ExpressionKind::kNot, line, list_of(parse_not()));
}

ExpressionPtr ExpressionParser::parse_comparison() {
  std::vector<ExpressionPtr> items = list_of(parse_sum());
  const int line = current().line;
  std::vector<Operator> operators;
  while (true) {
    if (const auto op =
            operator_in({Operator::kEqual, Operator::kNotEqual, Operator::kLess,
                         Operator::kLessEqual, Operator::kGreater, Operator::kGreaterEqual},
                        current())) {
      take();
      operators.push_back(*op);
    } else if (skip_name("in")) {
      operators.push_back(Operator::kIn);
    } else if (current().is_name("not") && following().is_name("in")) {
      take();
      take();
      operators.push_back(Operator::kNotIn);
    } else {
      break;
    }
    items.push_back(parse_sum());
  }
  if (operators.empty()) return std::move(items[0]);
  ExpressionPtr comparison = node(ExpressionKind::kCompare, line, std::move(items));
  comparison->operators = std::move(operators);
  return comparison;
}

ExpressionPtr ExpressionParser::parse_chain(std::initializer_list<Operator> operators,
                                            ExpressionPtr (ExpressionParser::*operand)()) {
  ExpressionPtr left = (this->*operand)();
  while (const auto op = operator_in(operators, current())) {
    const int line = take().line;
    left = node(ExpressionKind::kArithmetic, line, list_of(std::move(left), (this->*operand)()));
    left->operators = {*op};
  }
  return left;
}

ExpressionPtr ExpressionParser::parse_sum() {
  return parse_chain({Operator::kAdd, Operator::kSubtract}, &ExpressionParser::parse_concat);
}

ExpressionPtr ExpressionParser::parse_concat() {
  const int line = current().line;
  std::vector<ExpressionPtr> items = list_of(parse_product());
  while (skip_operator("~")) items.push_back(parse_product());
  if (items.size() == 1) return std::move(items[0]);
  return node(ExpressionKind::kConcat, line, std::move(items));
}

ExpressionPtr ExpressionParser::parse_product() {
  return parse_chain(
      {Operator::kMultiply, Operator::kDivide, Operator::kFloorDivide, Operator::kModulo},
      &ExpressionParser::parse_power);
}

// Left-associative, unlike Python's.
ExpressionPtr ExpressionParser::parse_power() {
  return parse_chain({Operator::kPower}, &ExpressionParser::parse_filtered);
}

ExpressionPtr ExpressionParser::parse_filtered() {
  return parse_unary(true);
}

ExpressionPtr ExpressionParser::parse_unary(bool with_filter) {
  const DepthGuard guard(depth_, current().line);
  ExpressionPtr value;
  const int line = current().line;
  if (skip_operator("-")) {
    value = node(ExpressionKind::kNegative, line, list_of(parse_unary(false)));
  } else if (skip_operator("+")) {
    value = node(ExpressionKind::kPositive, line, list_of(parse_unary(false)));
  } else {
    value = parse_primary();
  }
  value = parse_postfix(std::move(value));
  return with_filter ? parse_filters_and_tests(std::move(value)) : std::move(value);
}

ExpressionPtr ExpressionParser::parse_name(bool with_namespace) {
  const Token token = take();
  if (is_constant_name(token.text)) {
    const char initial = static_cast<char>(token.text[0] | 0x20);
    return make_constant(initial == 'n' ? Value::none() : Value::boolean(initial == 't'),
                         token.line);
  }
  const bool attribute = with_namespace && skip_operator(".");
  ExpressionPtr name =
      node(attribute ? ExpressionKind::kNamespaceReference : ExpressionKind::kName, token.line);
  name->name = token.text;
  if (attribute) name->constant = make_string(take_name(), nullptr);
  return name;
}

ExpressionPtr ExpressionParser::parse_primary(bool with_namespace) {
  const Token& token = current();
  const int line = token.line;
  if (token.kind == TokenKind::kName) return parse_name(with_namespace);
  if (token.kind == TokenKind::kString) {
    std::string text;
    while (current().kind == TokenKind::kString) text += take().text;
    return make_constant(make_string(std::move(text), nullptr), line);
  }
  if (token.kind == TokenKind::kInteger || token.kind == TokenKind::kFloat) {
    return make_constant(take().number, line);
  }
  if (skip_operator("(")) {
    ExpressionPtr inner = parse_tuple({.in_parentheses = true});
    expect_operator(")");
    return inner;
  }
  if (token.is_operator("[")) return parse_list();
  if (token.is_operator("{")) return parse_dict();
  fail_expected("an expression");
}

ExpressionPtr ExpressionParser::parse_list() {
  const int line = take().line;
  std::vector<ExpressionPtr> items;
  while (!current().is_operator("]")) {
    if (!items.empty()) expect_operator(",");
    if (current().is_operator("]")) break;
    items.push_back(parse_expression());
  }
  expect_operator("]");
  return node(ExpressionKind::kList, line, std::move(items));
}

ExpressionPtr ExpressionParser::parse_dict() {
  const int line = take().line;
  std::vector<ExpressionPtr> items;
  while (!current().is_operator("}")) {
    if (!items.empty()) expect_operator(",");
    if (current().is_operator("}")) break;
    items.push_back(parse_expression());
    expect_operator(":");
    items.push_back(parse_expression());
  }
  expect_operator("}");
  return node(ExpressionKind::kDict, line, std::move(items));
}

ExpressionPtr ExpressionParser::parse_tuple(const TupleRules& rules) {
  const DepthGuard guard(depth_, current().line);
  const int line = current().line;
  std::vector<ExpressionPtr> items;
  bool is_tuple = false;
  while (true) {
    if (!items.empty()) expect_operator(",");
    if (ends_tuple(current(), rules.end_word)) break;
    items.push_back(rules.targets_only ? parse_primary(rules.with_namespace)
                                       : parse_expression(rules.with_conditional));
    if (!current().is_operator(",")) break;
    is_tuple = true;
  }
  if (!is_tuple) {
    if (!items.empty()) return std::move(items[0]);
    if (!rules.in_parentheses) fail_expected("an expression");
  }
  return node(ExpressionKind::kTuple, line, std::move(items));
}

ExpressionPtr ExpressionParser::parse_target(bool with_namespace, std::string_view end_word) {
  ExpressionPtr target =
      parse_tuple({.targets_only = true, .with_namespace = with_namespace, .end_word = end_word});
  require_assignable(*target);
  return target;
}

ExpressionPtr ExpressionParser::parse_name_target() {
  ExpressionPtr target = node(ExpressionKind::kName, current().line);
  target->name = take_name();
  if (is_constant_name(target->name)) {
    fail_at(target->line, fmt::format("'{}' cannot be set", target->name));
  }
  return target;
}

}  // namespace palimpsest::jinja
