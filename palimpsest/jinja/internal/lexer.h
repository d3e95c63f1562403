// Divides a template into tokens as Jinja does with trim_blocks and lstrip_blocks. The first line
// break after a block tag is removed, and so is white space between the start of a line and a block
// tag; - and + at the edge of a tag override this. Line ends become \n, and a line break at the
// very end is removed.
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
  Value number = {};      // the value of an integer or a float

  bool is_operator(std::string_view symbol) const {
    return kind == TokenKind::kOperator && text == symbol;
  }
  bool is_name(std::string_view name) const { return kind == TokenKind::kName && text == name; }
};

// The last token is kEnd. Throws Error, which names the line.
std::vector<Token> tokenize(std::string_view source);

// The value of a digit of a base up to 16; 99 if the character is none.
int digit_value(char c);

// The content between the quotes of a string literal with its escapes (\n, \x41, \u00e9 …)
// replaced. They are those of Python, with the peculiarities that arise from the way in which Jinja
// decodes them. An unknown escape stays as it is. Throws Error for an escape that is incomplete or
// names no character.
std::string unescape_literal(std::string_view content);

// The token as messages describe it: "end of print statement", "'x'".
std::string describe(const Token& token);

// Throws an Error about a line of the template.
[[noreturn]] void fail_at(int line, const std::string& what, const std::string& hint = "");

}  // namespace palimpsest::jinja
