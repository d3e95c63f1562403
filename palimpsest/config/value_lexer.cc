#include "palimpsest/config/internal/value_lexer.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/config/internal/characters.h"
#include "palimpsest/python_text/internal/number.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::config {
namespace {

constexpr std::string_view kEscapable = "\\()[]{}:=, \t";
constexpr std::string_view kSingleCharacters = "/-\\+.$%*@?|";

// Lengths of the longest match of each kind of token at the start of a text; 0: none.

size_t spaces(std::string_view text) {
  return std::min(text.find_first_not_of(" \t"), text.size());
}

size_t digits(std::string_view text) {
  size_t length = 0;
  while (length < text.size() &&
         (is_digit(text[length]) || (length > 0 && text[length] == '_' &&
                                     length + 1 < text.size() && is_digit(text[length + 1])))) {
    ++length;
  }
  return length;
}

size_t unsigned_whole(std::string_view text) {
  return text.starts_with('0') ? 1 : digits(text);
}

size_t sign(std::string_view text) {
  return !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
}

size_t whole(std::string_view text) {
  const size_t prefix = sign(text);
  const size_t length = unsigned_whole(text.substr(prefix));
  return length == 0 ? 0 : prefix + length;
}

// `word` is in lower case, the text in any.
bool starts_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::ranges::equal(text.substr(0, word.size()), word, {}, [](char c) { return lower(c); });
}

size_t real(std::string_view text) {
  const size_t prefix = sign(text);
  const std::string_view body = text.substr(prefix);
  if (starts_with_word(body, "inf") || starts_with_word(body, "nan")) return prefix + 3;
  size_t length = unsigned_whole(body);
  bool point = false;
  if (length < body.size() && body[length] == '.') {
    const size_t fraction = digits(body.substr(length + 1));
    if (length > 0 || fraction > 0) {
      point = true;
      length += 1 + fraction;
    }
  }
  if (length > 0 && length < body.size() && (body[length] == 'e' || body[length] == 'E')) {
    const std::string_view tail = body.substr(length + 1);
    const size_t exponent = digits(tail.substr(sign(tail)));
    if (exponent > 0) return prefix + length + 1 + sign(tail) + exponent;
  }
  return point ? prefix + length : 0;
}

size_t identifier(std::string_view text) {
  if (text.empty() || !(is_letter(text[0]) || text[0] == '_')) return 0;
  const auto end = std::ranges::find_if_not(
      text, [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; });
  return static_cast<size_t>(end - text.begin());
}

size_t escape(std::string_view text) {
  size_t length = 0;
  while (length + 1 < text.size() && text[length] == '\\' &&
         kEscapable.find(text[length + 1]) != std::string_view::npos) {
    length += 2;
  }
  return length;
}

// Up to the first mark with an even number of backslashes before it.
size_t quoted(std::string_view text) {
  if (text.empty() || (text[0] != '\'' && text[0] != '"')) return 0;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[0]) {
      return i + 1;
    }
  }
  return 0;
}

size_t interpolation(std::string_view text) {
  if (!text.starts_with("${")) return 0;
  const size_t end = text.find('}', 2);
  return end == std::string_view::npos || end == 2 ? 0 : end + 1;
}

struct Punctuation {
  TokenKind kind;
  char mark;
  bool space_before;
  bool space_after;
  bool override_only;
};
constexpr Punctuation kPunctuation[] = {
    {TokenKind::kComma, ',', true, true, false},
    {TokenKind::kColon, ':', true, true, false},
    {TokenKind::kEqual, '=', true, true, true},
    {TokenKind::kParenOpen, '(', true, true, true},
    {TokenKind::kParenClose, ')', true, false, true},
    {TokenKind::kBracketOpen, '[', false, true, false},
    {TokenKind::kBracketClose, ']', true, false, false},
    {TokenKind::kBraceOpen, '{', false, true, false},
    {TokenKind::kBraceClose, '}', true, false, false},
};

Token punctuation(std::string_view text, Dialect dialect) {
  const size_t before = spaces(text);
  for (const Punctuation& p : kPunctuation) {
    if (p.override_only && dialect != Dialect::kOverride) continue;
    const size_t lead = p.space_before ? before : 0;
    if (lead >= text.size() || text[lead] != p.mark) continue;
    const size_t trail = p.space_after ? spaces(text.substr(lead + 1)) : 0;
    return {p.kind, text.substr(0, lead + 1 + trail)};
  }
  return {};
}

// Numbers, keywords, identifiers: the longest wins; of two as long the one named first.
Token bare_token(std::string_view text) {
  Token best;
  const auto offer = [&](TokenKind kind, size_t length) {
    if (length > best.text.size()) best = {kind, text.substr(0, length)};
  };
  offer(TokenKind::kReal, real(text));
  offer(TokenKind::kWhole, whole(text));
  offer(TokenKind::kBool, starts_with_word(text, "true")    ? 4
                          : starts_with_word(text, "false") ? 5
                                                            : 0);
  offer(TokenKind::kNull, starts_with_word(text, "null") ? 4 : 0);
  offer(TokenKind::kIdentifier, identifier(text));
  offer(TokenKind::kEscape, escape(text));
  offer(TokenKind::kCharacter,
        !text.empty() && kSingleCharacters.find(text[0]) != std::string_view::npos ? 1 : 0);
  return best;
}

}  // namespace

Token next_token(std::string_view text, size_t position, Dialect dialect) {
  const std::string_view rest = text.substr(position);
  if (rest.empty()) return {};
  if (const Token mark = punctuation(rest, dialect); !mark.is(TokenKind::kEnd)) return mark;
  if (const size_t length = spaces(rest)) return {TokenKind::kSpace, rest.substr(0, length)};
  if (dialect == Dialect::kOverride) {
    if (const size_t length = quoted(rest)) return {TokenKind::kQuoted, rest.substr(0, length)};
    if (const size_t length = interpolation(rest)) {
      return {TokenKind::kInterpolation, rest.substr(0, length)};
    }
  } else if (rest[0] == '\'' || rest[0] == '"') {
    return {TokenKind::kQuoteOpen, rest.substr(0, 1)};
  } else if (rest.starts_with("${")) {
    return {TokenKind::kInterpolationOpen, rest.substr(0, 2)};
  }
  if (const Token token = bare_token(rest); !token.is(TokenKind::kEnd)) return token;
  const bool mark = rest[0] == '\'' || rest[0] == '"';
  throw Error({.what = mark ? fmt::format("the quotation mark {} is not closed", rest[0])
                            : fmt::format("the character '{}' must be quoted",
                                          rest.substr(0, std::min(text::utf8_length(rest[0]),
                                                                  rest.size()))),
               .where = fmt::format("character {}", position + 1),
               .hint = mark ? "" : "put the value between quotation marks"});
}

bool is_primitive_part(const Token& token) {
  switch (token.kind) {
    case TokenKind::kReal:
    case TokenKind::kWhole:
    case TokenKind::kBool:
    case TokenKind::kNull:
    case TokenKind::kIdentifier:
    case TokenKind::kCharacter:
    case TokenKind::kEscape:
    case TokenKind::kSpace:
    case TokenKind::kColon:
    case TokenKind::kInterpolation:
      return true;
    default:
      return false;
  }
}

Value value_of(const Token& token) {
  switch (token.kind) {
    case TokenKind::kReal:
      return Value(python_text::parse_real(token.text).value_or(0));
    case TokenKind::kWhole:
      return Value(python_text::parse_integer(token.text, 10).value_or(0));
    case TokenKind::kBool:
      return Value(token.text.size() == 4);
    case TokenKind::kNull:
      return Value();
    case TokenKind::kQuoted:
      return Value(unquote(token.text));
    default:
      return Value(text_of(token));
  }
}

std::string text_of(const Token& token) {
  if (!token.is(TokenKind::kEscape)) return std::string(token.text);
  std::string text;
  for (size_t i = 1; i < token.text.size(); i += 2) text += token.text[i];
  return text;
}

std::string unquote(std::string_view quoted_text) {
  const char mark = quoted_text[0];
  const std::string_view body = quoted_text.substr(1);  // the closing mark counts as one
  std::string text;
  size_t i = 0;
  while (i + 1 < body.size()) {
    const size_t run = std::min(body.find_first_not_of('\\', i), body.size()) - i;
    if (run > 0 && body[i + run] == mark) {
      text.append(run / 2, '\\');
      i += run;
      if (run % 2 == 1) text += body[i++];
    } else {
      text += run > 0 ? body.substr(i, run) : body.substr(i, 1);
      i += std::max<size_t>(run, 1);
    }
  }
  return text;
}

}  // namespace palimpsest::config
