#include "palimpsest/config/internal/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/config/internal/scalar.h"
#include "palimpsest/config/internal/value_lexer.h"

namespace palimpsest::config {
namespace {

constexpr int kMaxInterpolationDepth = 50;

using Kind = Expression::Kind;

Expression literal(Value value) {
  return {.kind = Kind::kLiteral, .literal = std::move(value)};
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  // The whole text: a lone interpolation keeps its type, anything else is a text.
  Expression configuration_text() {
    Expression text = pieces('\0');
    if (text.parts.size() == 1) return std::move(text.parts[0]);
    return text;
  }

  Expression single_element() {
    Expression result = element();
    if (!peek().is(TokenKind::kEnd)) refuse();
    return result;
  }

 private:
  // Keeps track of nesting, which the call stack has to bear.
  class Level {
   public:
    explicit Level(int& depth) : depth_(depth) {
      if (++depth_ > kMaxInterpolationDepth) {
        --depth_;
        throw Error(
            fmt::format("the interpolation is nested deeper than {}", kMaxInterpolationDepth));
      }
    }
    ~Level() { --depth_; }

   private:
    int& depth_;
  };

  bool at(std::string_view word) const { return text_.substr(position_).starts_with(word); }
  bool take(std::string_view word) {
    if (!at(word)) return false;
    position_ += word.size();
    return true;
  }
  void skip_spaces() {
    position_ = std::min(text_.find_first_not_of(" \t", position_), text_.size());
  }
  Token peek() const { return next_token(text_, position_, Dialect::kResolver); }
  Token next() {
    const Token token = peek();
    position_ += token.text.size();
    return token;
  }
  void expect(TokenKind kind) {
    if (!next().is(kind)) refuse();
  }
  [[noreturn]] void refuse() const {
    throw Error({.what = "the interpolation is not valid",
                 .where = fmt::format("character {}", position_ + 1),
                 .found = fmt::format("'{}'", text_),
                 .hint = "write \\${ for a literal ${"});
  }

  // Texts and interpolations up to the closing mark; up to the end where that is 0.
  Expression pieces(char mark) {
    Expression result{.kind = Kind::kText};
    std::string text;
    const auto flush = [&] {
      if (!text.empty()) result.parts.push_back(literal(Value(std::exchange(text, ""))));
    };
    while (true) {
      const size_t end = std::min(text_.find_first_not_of('\\', position_), text_.size());
      const size_t backslashes = end - position_;
      const bool opens = text_.substr(end).starts_with("${");
      const bool closes = mark != '\0' && end < text_.size() && text_[end] == mark;
      position_ = end;
      // Backslashes mean something only before ${ and before the mark.
      text.append(opens || closes ? backslashes / 2 : backslashes, '\\');
      if ((opens || closes) && backslashes % 2 == 1) {
        text += opens ? "${" : std::string(1, mark);
        position_ += opens ? 2 : 1;
      } else if (closes) {
        ++position_;
        break;
      } else if (opens) {
        flush();
        result.parts.push_back(interpolation());
      } else if (position_ == text_.size()) {
        if (mark != '\0') refuse();
        break;
      } else {
        text += text_[position_++];
      }
    }
    flush();
    return result;
  }

  // ${a.b[0]} or ${name:arguments}
  Expression interpolation() {
    const Level level(depth_);
    take("${");
    skip_spaces();
    Expression node{.kind = Kind::kNode};
    while (take(".")) node.parts.push_back(literal("."));
    const bool relative = !node.parts.empty();
    bool only_names = !relative;  // whether it may still turn out to be the name of a resolver
    while (true) {
      if (take("[")) {
        only_names = false;
        node.parts.push_back(literal("["));
        node.parts.push_back(key(only_names));
        if (!take("]")) refuse();
        node.parts.push_back(literal("]"));
      } else {
        node.parts.push_back(key(only_names));
      }
      if (at("[")) continue;
      if (!take(".")) break;
      node.parts.push_back(literal("."));
    }
    skip_spaces();
    if (take("}")) return node;
    if (!only_names || !take(":")) refuse();
    return resolver(std::move(node.parts));
  }

  // A key of a path. Clears `is_name` if a resolver cannot be called that.
  Expression key(bool& is_name) {
    skip_spaces_before_interpolation();
    if (at("${")) {
      Expression nested = interpolation();
      skip_spaces_before_interpolation();
      return nested;
    }
    const size_t end = std::min(text_.find_first_of("\\{}()[]:. \t'\"", position_), text_.size());
    if (end == position_) refuse();
    const std::string_view word = text_.substr(position_, end - position_);
    position_ = end;
    const auto letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    is_name = is_name && letter(word[0]) && std::ranges::all_of(word, [&](char c) {
                return letter(c) || (c >= '0' && c <= '9') || c == '-';
              });
    return literal(Value(std::string(word)));
  }

  void skip_spaces_before_interpolation() {
    const size_t before = position_;
    skip_spaces();
    if (!at("${")) position_ = before;
  }

  Expression resolver(std::vector<Expression> name) {
    Expression result{.kind = Kind::kResolver, .name = std::move(name)};
    skip_spaces();
    result.parts = sequence(TokenKind::kBraceClose);
    return result;
  }

  // Elements up to the closing token; where one is left out it is an empty text.
  std::vector<Expression> sequence(TokenKind close) {
    std::vector<Expression> items;
    if (peek().is(close)) {
      next();
      return items;
    }
    while (true) {
      const Token token = peek();
      items.push_back(token.is(TokenKind::kComma) || token.is(close) ? literal("") : element());
      const Token separator = next();
      if (separator.is(close)) return items;
      if (!separator.is(TokenKind::kComma)) refuse();
    }
  }

  Expression element() {
    const Level level(depth_);
    const Token token = peek();
    switch (token.kind) {
      case TokenKind::kBracketOpen:
        next();
        return {.kind = Kind::kList, .parts = sequence(TokenKind::kBracketClose)};
      case TokenKind::kBraceOpen:
        return map();
      case TokenKind::kQuoteOpen:
        next();
        return pieces(token.text[0]);
      default:
        return primitive();
    }
  }

  Expression map() {
    Expression result{.kind = Kind::kMap};
    next();
    while (!peek().is(TokenKind::kBraceClose)) {
      if (!result.keys.empty()) expect(TokenKind::kComma);
      result.keys.push_back(map_key());
      expect(TokenKind::kColon);
      result.parts.push_back(element());
    }
    next();
    return result;
  }

  std::string map_key() {
    std::vector<Token> tokens;
    while (is_primitive_part(peek()) && !peek().is(TokenKind::kColon)) tokens.push_back(next());
    if (tokens.empty()) refuse();
    if (tokens.size() == 1) return key_text(value_of(tokens[0]));
    std::string text;
    for (const Token& token : tokens) text += text_of(token);
    return text;
  }

  // Words and interpolations up to the next punctuation: one alone has a type.
  Expression primitive() {
    Expression result{.kind = Kind::kText};
    std::vector<Token> tokens;
    while (is_primitive_part(peek()) || peek().is(TokenKind::kInterpolationOpen)) {
      if (peek().is(TokenKind::kInterpolationOpen)) {
        result.parts.push_back(interpolation());
        tokens.emplace_back();
      } else {
        tokens.push_back(next());
        result.parts.push_back(literal(Value(text_of(tokens.back()))));
      }
    }
    if (tokens.empty()) refuse();
    if (tokens.size() > 1) return result;
    if (tokens[0].is(TokenKind::kEnd)) return std::move(result.parts[0]);
    return literal(value_of(tokens[0]));
  }

  std::string_view text_;
  size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace

Expression parse_interpolation(std::string_view text) {
  return Parser(text).configuration_text();
}

Expression parse_element(std::string_view text) {
  return Parser(text).single_element();
}

void check_interpolations(const Value& value) {
  if (value.is_map()) {
    for (const auto& [key, item] : value.as_map()) check_interpolations(item);
  } else if (value.is_list()) {
    for (const Value& item : value.as_list()) check_interpolations(item);
  } else if (value.is_interpolation()) {
    try {
      parse_interpolation(*value.text_if());
    } catch (const Error& error) {
      throw error.located(value.where());
    }
  }
}

}  // namespace palimpsest::config
