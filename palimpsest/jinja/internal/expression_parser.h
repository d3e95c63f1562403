// Parses the expressions of the template language. parser.h parses the statements around them.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/jinja/internal/ast.h"
#include "palimpsest/jinja/internal/lexer.h"

namespace palimpsest::jinja {

template <class... Parts>
std::vector<ExpressionPtr> list_of(Parts... parts) {
  std::vector<ExpressionPtr> items;
  (items.push_back(std::move(parts)), ...);
  return items;
}

inline ExpressionPtr make_constant(Value value, int line) {
  return std::make_unique<Expression>(Expression{.line = line, .constant = std::move(value)});
}

class ExpressionParser {
 public:
  explicit ExpressionParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  ExpressionPtr parse_expression(bool with_conditional = true);

  struct TupleRules {
    bool targets_only = false;       // allows only names, as in the target of a set
    bool with_conditional = true;    // allows `a if b else c`
    bool in_parentheses = false;     // may be empty
    bool with_namespace = false;     // targets may be ns.attribute
    std::string_view end_word = {};  // a word that ends the tuple
  };
  // Parses one expression, or several separated by commas, which form a tuple.
  ExpressionPtr parse_tuple(const TupleRules& rules);

  // Parses the left side of the = in a set, or the part between `for` and `in`.
  ExpressionPtr parse_target(bool with_namespace, std::string_view end_word);
  // Parses a single name.
  ExpressionPtr parse_name_target();

  // Parses a chain of filters that is applied to `value`. In a filter block, `value` is null and
  // the first | is omitted.
  ExpressionPtr parse_filters(ExpressionPtr value, bool first_without_pipe);

  const Token& current() const { return tokens_[at_]; }
  const Token& following() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  Token take();
  bool skip_operator(std::string_view symbol);
  bool skip_name(std::string_view name);
  void expect_operator(std::string_view symbol);
  void expect_name(std::string_view name);
  void expect(TokenKind kind, std::string_view description);
  std::string take_name();
  [[noreturn]] void fail_expected(std::string_view expected) const;

 private:
  ExpressionPtr parse_conditional();
  ExpressionPtr parse_or();
  ExpressionPtr parse_and();
  ExpressionPtr parse_not();
  ExpressionPtr parse_comparison();
  // a op b op c, which is (a op b) op c, for these operators; `operand` parses a, b and c.
  ExpressionPtr parse_chain(std::initializer_list<Operator> operators,
                            ExpressionPtr (ExpressionParser::*operand)());
  ExpressionPtr parse_sum();
  ExpressionPtr parse_concat();
  ExpressionPtr parse_product();
  ExpressionPtr parse_power();
  ExpressionPtr parse_filtered();
  ExpressionPtr parse_unary(bool with_filter);
  ExpressionPtr parse_primary(bool with_namespace = false);
  ExpressionPtr parse_name(bool with_namespace);
  ExpressionPtr parse_list();
  ExpressionPtr parse_dict();
  ExpressionPtr parse_postfix(ExpressionPtr value);
  ExpressionPtr parse_filters_and_tests(ExpressionPtr value);
  ExpressionPtr parse_dot(ExpressionPtr value);
  ExpressionPtr parse_subscript(ExpressionPtr value);
  ExpressionPtr parse_call(ExpressionPtr value);
  ExpressionPtr parse_filter(ExpressionPtr value);
  ExpressionPtr parse_test(ExpressionPtr value);
  CallArguments parse_arguments();
  std::string parse_dotted_name();

  // Makes a node with these parts. Throws Error if the tree becomes too deep.
  ExpressionPtr node(ExpressionKind kind, int line, std::vector<ExpressionPtr> items = {}) const;
  void set_depth(Expression& expression) const;

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace palimpsest::jinja
