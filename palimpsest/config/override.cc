#include "palimpsest/config/override.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/strings.h"
#include "palimpsest/config/internal/characters.h"
#include "palimpsest/config/internal/override_functions.h"
#include "palimpsest/config/internal/scalar.h"
#include "palimpsest/config/internal/value_lexer.h"
#include "palimpsest/python_text/internal/repr.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::config {
namespace {

constexpr int kMaxOverrideDepth = 100;

bool opens_name(char c) {
  return is_letter(c) || c == '_';
}

// A name as a key or a group may have it; `dollar` where $ is a letter.
bool is_name(std::string_view text, bool dollar) {
  const auto letter = [&](char c) { return opens_name(c) || (dollar && c == '$'); };
  return !text.empty() && letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || is_digit(c) || c == '-'; });
}

bool is_index(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit) && (text == "0" || text[0] != '0');
}

// "a", "a.b.0.c"
bool is_path(std::string_view text) {
  if (is_name(text, true)) return true;
  const auto parts = split(text, '.');
  return parts.size() > 1 && std::ranges::all_of(parts, [](std::string_view part) {
           return is_name(part, true) || is_index(part);
         });
}

// "group/sub"
bool is_group(std::string_view text) {
  return std::ranges::all_of(split(text, '/'),
                             [](std::string_view part) { return is_name(part, false); });
}

// Reads the value behind the =.
class ValueParser {
 public:
  explicit ValueParser(std::string_view text) : text_(text) { advance(); }

  Operand parse() {
    if (token_.is(TokenKind::kEnd)) return Value("");
    Operand first = element();
    if (token_.is(TokenKind::kEnd)) return first;
    ChoiceSweep sweep{.values = {as_value(std::move(first))}, .simple = true};
    while (token_.is(TokenKind::kComma)) {
      advance();
      sweep.values.push_back(as_value(element()));
    }
    if (!token_.is(TokenKind::kEnd)) refuse();
    return sweep;
  }

 private:
  void advance() {
    position_ += token_.text.size();
    token_ = next_token(text_, position_, Dialect::kOverride);
  }

  [[noreturn]] void refuse() const {
    throw Error({.what = token_.is(TokenKind::kEnd)
                             ? std::string("the value ends too early")
                             : fmt::format("'{}' is not expected here", token_.text),
                 .where = fmt::format("character {} of the value", position_ + 1),
                 .hint = "put texts with special characters between quotation marks"});
  }

  void expect(TokenKind kind) {
    if (!token_.is(kind)) refuse();
    advance();
  }

  static Value as_value(Operand operand) {
    if (auto* value = std::get_if<Value>(&operand)) return std::move(*value);
    throw Error("a sweep cannot be inside another value");
  }

  Operand element() {
    if (++depth_ > kMaxOverrideDepth)
      throw Error(fmt::format("nested deeper than {}", kMaxOverrideDepth));
    Operand result = element_at_depth();
    --depth_;
    return result;
  }

  Operand element_at_depth() {
    if (token_.is(TokenKind::kBracketOpen)) return list();
    if (token_.is(TokenKind::kBraceOpen)) return map();
    if (token_.is(TokenKind::kQuoted)) {
      const Value value = value_of(token_);
      advance();
      return value;
    }
    if (token_.is(TokenKind::kIdentifier) &&
        next_token(text_, position_ + token_.text.size(), Dialect::kOverride)
            .is(TokenKind::kParenOpen)) {
      return function();
    }
    return primitive(false);
  }

  // Words up to the next punctuation: one alone has a type, several are a text.
  Value primitive(bool is_key) {
    std::vector<Token> tokens;
    while (is_primitive_part(token_) &&
           !(is_key && (token_.is(TokenKind::kColon) || token_.is(TokenKind::kInterpolation)))) {
      tokens.push_back(token_);
      advance();
    }
    if (tokens.empty()) refuse();
    if (tokens.front().is(TokenKind::kSpace)) tokens.erase(tokens.begin());
    if (!tokens.empty() && tokens.back().is(TokenKind::kSpace)) tokens.pop_back();
    if (tokens.empty()) throw Error("the value is nothing but white space");
    if (tokens.size() == 1) return value_of(tokens[0]);
    std::string text;
    for (const Token& token : tokens) text += text_of(token);
    return Value(std::move(text));
  }

  Value list() {
    Value::List items;
    expect(TokenKind::kBracketOpen);
    while (!token_.is(TokenKind::kBracketClose)) {
      if (!items.empty()) expect(TokenKind::kComma);
      items.push_back(as_value(element()));
    }
    advance();
    return Value(std::move(items));
  }

  Value map() {
    Value entries{Value::Map{}};
    expect(TokenKind::kBraceOpen);
    for (bool first = true; !token_.is(TokenKind::kBraceClose); first = false) {
      if (!first) expect(TokenKind::kComma);
      const std::string key = key_text(primitive(true));
      expect(TokenKind::kColon);
      entries.set(key, as_value(element()));
    }
    advance();
    return entries;
  }

  Operand function() {
    FunctionCall call{.name = std::string(token_.text)};
    advance();
    expect(TokenKind::kParenOpen);
    for (bool first = true; !token_.is(TokenKind::kParenClose); first = false) {
      if (!first) expect(TokenKind::kComma);
      const bool is_named = token_.is(TokenKind::kIdentifier) &&
                            next_token(text_, position_ + token_.text.size(), Dialect::kOverride)
                                .is(TokenKind::kEqual);
      if (!is_named) {
        if (!call.named.empty()) throw Error("a positional argument follows a named one");
        call.arguments.push_back(element());
        continue;
      }
      const std::string name(token_.text);
      advance();
      advance();
      call.named.emplace_back(name, element());
    }
    advance();
    return call_function(call);
  }

  std::string_view text_;
  size_t position_ = 0;
  Token token_;
  int depth_ = 0;
};

OverrideKind take_sign(std::string_view& text) {
  const auto take = [&](std::string_view sign) {
    if (!text.starts_with(sign)) return false;
    text.remove_prefix(sign.size());
    return true;
  };
  if (take("~")) return OverrideKind::kDelete;
  if (take("++")) return OverrideKind::kForce;
  if (take("+")) return OverrideKind::kAdd;
  return OverrideKind::kChange;
}

void parse_key(std::string_view text, Override& result) {
  const size_t at = text.find('@');
  const std::string_view key = text.substr(0, at);
  if (!is_path(key) && !is_group(key)) {
    throw Error({.what = "this is not a key",
                 .expected = "a.b.c or group/name, perhaps with @package",
                 .found = fmt::format("'{}'", text)});
  }
  result.key = key;
  if (at == std::string_view::npos) return;
  const std::string_view package = text.substr(at + 1);
  if (!package.empty() && !is_path(package)) {
    throw Error({.what = "this is not a package",
                 .expected = "a.b.c",
                 .found = fmt::format("'{}'", package)});
  }
  result.package = package;
}

void parse(std::string_view text, Override& result) {
  result.kind = take_sign(text);
  const size_t equal = text.find('=');
  parse_key(text.substr(0, equal), result);
  if (equal == std::string_view::npos) {
    if (result.kind == OverrideKind::kDelete) return;
    throw Error({.what = "there is no =", .hint = "write key=value"});
  }
  std::string_view value = text.substr(equal + 1);
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  Operand operand = ValueParser(value).parse();
  if (auto* single = std::get_if<Value>(&operand)) {
    result.value = std::move(*single);
  } else if (auto* choice = std::get_if<ChoiceSweep>(&operand)) {
    result.value = std::move(*choice);
  } else if (auto* range = std::get_if<RangeSweep>(&operand)) {
    result.value = ChoiceSweep{.values = range_values(*range)};
  } else {
    result.value = std::get<GlobSweep>(std::move(operand));
  }
}

void locate_all(Value& value, const std::string& location) {
  value.locate(location, "");
  if (value.is_map()) {
    for (auto& [key, item] : value.as_map()) locate_all(item, location);
  } else if (value.is_list()) {
    for (Value& item : value.as_list()) locate_all(item, location);
  }
}

// Texts that need no quotation marks and read back as texts.
bool is_bare(const std::string& text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return opens_name(c) || is_digit(c) || c == '-' || c == '/' || c == '.';
  });
  if (!plain) return false;
  const Operand operand = ValueParser(text).parse();
  return std::get<Value>(operand).text_if() != nullptr;
}

std::string quote(const std::string& text) {
  std::string quoted = "'";
  size_t backslashes = 0;
  for (const char c : text + "'") {
    if (c == '\'') {
      // Those right before a mark are doubled, and the mark itself is escaped.
      quoted.append(backslashes, '\\');
      quoted += "\\'";
    } else {
      quoted += c;
    }
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  quoted.erase(quoted.size() - 2, 1);  // the closing mark is not escaped
  return quoted;
}

// A key in a map, which cannot be quoted.
std::string escape(const std::string& key) {
  std::string escaped;
  for (const char c : key) {
    if (std::string_view("\\()[]{}:=, \t").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::string Override::sign() const {
  constexpr std::string_view kSigns[] = {"", "+", "++", "~"};
  return std::string(kSigns[static_cast<size_t>(kind)]);
}

std::string Override::key_with_package() const {
  return sign() + key + (package ? "@" + *package : "");
}

Override parse_override(std::string_view text) {
  if (const std::optional<size_t> offset = text::find_invalid_utf8(text)) {
    // Not quoted: what is no text cannot be shown.
    throw Error({.what = fmt::format("an override is not valid UTF-8 at byte {}", *offset),
                 .where = "the command line"});
  }
  Override result;
  result.line = text;
  // Every value carries it, so it must not be as long as the override may be.
  constexpr size_t kShown = 200;
  const std::string location = text.size() <= kShown
                                   ? fmt::format("override '{}'", text)
                                   : fmt::format("override '{}…'", text.substr(0, kShown));
  try {
    parse(text, result);
  } catch (const Error& error) {
    throw error.located(location);
  }
  if (auto* value = std::get_if<Value>(&result.value)) locate_all(*value, location);
  if (auto* choice = std::get_if<ChoiceSweep>(&result.value)) {
    for (Value& value : choice->values) locate_all(value, location);
  }
  return result;
}

std::string override_text(const Value& value) {
  if (value.is_null()) return "null";
  if (value.is_bool()) return value.as_bool() ? "true" : "false";
  if (value.is_int()) return std::to_string(value.as_int());
  if (value.is_real()) return python_text::real_to_text(value.as_real());
  if (const std::string* text = value.text_if()) return is_bare(*text) ? *text : quote(*text);
  std::string items;
  if (value.is_list()) {
    for (const Value& item : value.as_list()) {
      items += (items.empty() ? "" : ",") + override_text(item);
    }
    return "[" + items + "]";
  }
  for (const auto& [key, item] : value.as_map()) {
    items += fmt::format("{}{}:{}", items.empty() ? "" : ",", escape(key), override_text(item));
  }
  return "{" + items + "}";
}

}  // namespace palimpsest::config
