// The tokens of values in Hydra's overrides and in the arguments of OmegaConf's resolvers. The two
// grammars share numbers, booleans, identifiers, escapes and punctuation; a Dialect says where they
// differ. In both, the longest token wins, and white space belongs to the punctuation next to it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "palimpsest/config/value.h"

namespace palimpsest::config {

enum class Dialect {
  kOverride,  // quoted texts and ${…} are single tokens; ( ) and = are punctuation
  kResolver,  // quotes and ${ open something that the parser reads itself
};

enum class TokenKind {
  kEnd,
  kComma,
  kColon,
  kEqual,
  kParenOpen,
  kParenClose,
  kBracketOpen,
  kBracketClose,
  kBraceOpen,
  kBraceClose,
  kReal,
  kWhole,
  kBool,
  kNull,
  kIdentifier,
  kCharacter,  // one of /-\+.$%*@?|
  kEscape,     // a run of escaped characters
  kSpace,
  kQuoted,         // 'text' or "text", including the quotes
  kInterpolation,  // ${…}
  kQuoteOpen,
  kInterpolationOpen,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text = {};
  bool is(TokenKind other) const { return kind == other; }
};

// The token that begins at `position`. Throws Error for a character that begins no token.
Token next_token(std::string_view text, size_t position, Dialect dialect);

// Whether the token may be part of an unquoted value.
bool is_primitive_part(const Token& token);

// The value of a single token: 1_000 is a number, null is null, \, is a comma, any other token is
// its text.
Value value_of(const Token& token);

// The token as part of a longer unquoted text. Escapes lose their backslashes.
std::string text_of(const Token& token);

// The content of a quoted text. The backslash before a quote is removed, and so are backslashes
// that escape backslashes directly before a quote.
std::string unquote(std::string_view quoted);

}  // namespace palimpsest::config
