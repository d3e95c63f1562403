// Cuts a template into tokens as Jinja does with trim_blocks and lstrip_blocks on: the first line
// break after a block tag goes, white space between a line's start and a block tag goes, - and +
// at a tag's edge override that, line ends become \n and one at the very end goes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

enum class TokenKind : uint8_t {
  kData,
  kVariableBegin,
  kVariableEnd,
  kBlockBegin,
  kBlockEnd,
  kName,
  kString,
  kInteger,
  kFloat,
  kOperator,
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  int line = 1;
  std::string text = {};  // the data, the name, the operator, the content of a string
  Value number = {};      // of an integer or a float

  bool is_operator(std::string_view symbol) const {
    return kind == TokenKind::kOperator && text == symbol;
  }
  bool is_name(std::string_view name) const { return kind == TokenKind::kName && text == name; }
};

// The last token is kEnd. Throws Error with the line in it.
std::vector<Token> tokenize(std::string_view source);

// "end of print statement", "'x'": for messages.
std::string describe(const Token& token);

// An error at a line of the template.
[[noreturn]] void fail_at(int line, const std::string& what, const std::string& hint = "");

}  // namespace palimpsest::jinja
