#include "palimpsest/jinja/internal/lexer.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/python_text/internal/number.h"
#include "palimpsest/python_text/internal/text.h"
#include "palimpsest/python_text/internal/unicode.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::jinja {
namespace {

constexpr size_t kNone = std::string_view::npos;

// \r\n and \r become \n.
std::string normalize_newlines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else {
      out += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    }
  }
  return out;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(normalize_newlines(source)) {
    if (source_.ends_with('\n')) source_.pop_back();
  }

  std::vector<Token> run() {
    while (at_ < source_.size()) lex_data();
    add(TokenKind::kEnd, "");
    return std::move(tokens_);
  }

 private:
  std::string_view rest() const { return std::string_view(source_).substr(at_); }
  bool starts_with(std::string_view text) const { return rest().starts_with(text); }

  void add(TokenKind kind, std::string text, Value number = {}) {
    tokens_.push_back({kind, line_, std::move(text), std::move(number)});
  }

  // Moves behind `size` bytes, counting lines.
  void advance(size_t size) {
    const std::string_view passed = rest().substr(0, size);
    line_ += static_cast<int>(std::count(passed.begin(), passed.end(), '\n'));
    if (!passed.empty()) line_starting_ = passed.back() == '\n';
    at_ += passed.size();
  }

  void skip_space() { advance(space_at(at_) - at_); }

  // The offset of the first character from `at` on that is no white space.
  size_t space_at(size_t at) const {
    const std::string_view tail = std::string_view(source_).substr(at);
    return source_.size() - python_text::strip(tail, python_text::Side::kLeft).size();
  }

  // The start of the next tag, from `from` on.
  size_t find_tag(size_t from) const {
    for (size_t at = source_.find('{', from); at != kNone; at = source_.find('{', at + 1)) {
      if (at + 1 < source_.size() && std::string_view("{%#").find(source_[at + 1]) != kNone) {
        return at;
      }
    }
    return kNone;
  }

  char sign_at(size_t at) const {
    return at < source_.size() && (source_[at] == '-' || source_[at] == '+') ? source_[at] : '\0';
  }

  // The end of a `{% name %}` tag that starts at `at`, or npos: how raw and endraw are recognised.
  // `plus` is whether +%} may end it.
  size_t match_raw_tag(size_t at, std::string_view name, bool plus, bool& strip_after) const {
    if (std::string_view(source_).substr(at, 2) != "{%") return kNone;
    size_t inside = at + 2;
    if (sign_at(inside) != '\0') ++inside;
    inside = space_at(inside);
    if (std::string_view(source_).substr(inside, name.size()) != name) return kNone;
    inside = space_at(inside + name.size());
    strip_after = sign_at(inside) == '-';
    if (strip_after || (plus && sign_at(inside) == '+')) ++inside;
    return std::string_view(source_).substr(inside, 2) == "%}" ? inside + 2 : kNone;
  }

  // The text in front of a tag, less what the tag's sign and lstrip_blocks take from it.
  void add_data(size_t tag, bool is_variable) {
    std::string_view text = std::string_view(source_).substr(at_, tag - at_);
    const size_t whole = text.size();
    const char sign = sign_at(tag + 2);
    if (sign == '-') {
      text = python_text::strip(text, python_text::Side::kRight);
    } else if (sign != '+' && !is_variable) {
      const size_t line_begin = text.rfind('\n') + 1;
      const std::string_view margin = text.substr(line_begin);
      const bool at_line_start = line_begin > 0 || line_starting_;
      if (at_line_start && python_text::strip(margin, python_text::Side::kLeft).empty())
        text = text.substr(0, line_begin);
    }
    if (!text.empty()) add(TokenKind::kData, std::string(text));
    advance(whole);
  }

  void lex_data() {
    const size_t tag = find_tag(at_);
    if (tag == kNone) {
      add(TokenKind::kData, std::string(rest()));
      advance(rest().size());
      return;
    }
    const char type = source_[tag + 1];
    bool strip_after = false;
    const size_t raw_end = match_raw_tag(tag, "raw", false, strip_after);
    add_data(tag, type == '{');
    if (raw_end != kNone) {
      advance(raw_end - at_);
      if (strip_after) skip_space();
      return lex_raw();
    }
    const char sign = sign_at(tag + 2);
    if (type == '#') {
      advance(sign == '\0' ? 2 : 3);
      return lex_comment();
    }
    add(type == '{' ? TokenKind::kVariableBegin : TokenKind::kBlockBegin, "");
    advance(sign == '\0' ? 2 : 3);
    lex_tag(type == '{');
  }

  void trim_line_break() {
    if (starts_with("\n")) advance(1);
  }

  void lex_raw() {
    // A raw tag that ends the template is let pass, as Jinja does.
    if (at_ >= source_.size()) return;
    for (size_t tag = source_.find("{%", at_); tag != kNone; tag = source_.find("{%", tag + 1)) {
      bool strip_after = false;
      const size_t end = match_raw_tag(tag, "endraw", true, strip_after);
      if (end == kNone) continue;
      const bool plus = source_[end - 3] == '+';
      add_data(tag, false);
      advance(end - at_);
      if (strip_after) {
        skip_space();
      } else if (!plus) {
        trim_line_break();
      }
      return;
    }
    fail_at(line_, "a raw block is not closed", "close it with {% endraw %}");
  }

  void lex_comment() {
    if (at_ >= source_.size()) return;
    const size_t end = source_.find("#}", at_);
    if (end == kNone) fail_at(line_, "a comment is not closed", "close it with #}");
    const char before = end > at_ ? source_[end - 1] : '\0';
    advance(end + 2 - at_);
    if (before == '-') {
      skip_space();
    } else if (before != '+') {
      trim_line_break();
    }
  }

  // The inside of {{ … }} or {% … %}.
  void lex_tag(bool is_variable) {
    std::string open;  // the brackets that are open, innermost last
    const std::string_view closing = is_variable ? "}}" : "%}";
    while (at_ < source_.size()) {
      if (open.empty() && lex_tag_end(closing, is_variable)) return;
      const char32_t c = peek();
      if (python_text::is_space(c)) {
        skip_space();
      } else if (c >= U'0' && c <= U'9') {
        lex_number();
      } else if (python_text::is_word(c)) {
        lex_name();
      } else if (c == U'\'' || c == U'"') {
        lex_string(static_cast<char>(c));
      } else {
        lex_operator(open);
      }
    }
  }

  char32_t peek() const {
    size_t at = at_;
    return text::next_code_point(source_, at);
  }

  bool lex_tag_end(std::string_view closing, bool is_variable) {
    const char sign = sign_at(at_);
    const bool signed_end = sign != '\0' && rest().substr(1).starts_with(closing);
    if (!starts_with(closing) && !(signed_end && (sign == '-' || !is_variable))) return false;
    add(is_variable ? TokenKind::kVariableEnd : TokenKind::kBlockEnd, "");
    advance(signed_end ? 3 : 2);
    if (signed_end && sign == '-') {
      skip_space();
    } else if (!signed_end && !is_variable) {
      trim_line_break();
    }
    return true;
  }

  void lex_name() {
    size_t end = at_;
    for (size_t next = at_; next < source_.size(); end = next) {
      if (!python_text::is_word(text::next_code_point(source_, next))) break;
    }
    std::string name = source_.substr(at_, end - at_);
    if (!python_text::is_identifier(name)) fail_at(line_, fmt::format("'{}' is not a name", name));
    add(TokenKind::kName, std::move(name));
    advance(end - at_);
  }

  // Digits with single underscores between them, from `at` on; the offset behind them.
  template <class IsDigit>
  size_t digits_from(size_t at, IsDigit is_digit_of_base) const {
    const size_t begin = at;
    while (at < source_.size()) {
      const size_t digit = at > begin && source_[at] == '_' ? at + 1 : at;
      if (digit >= source_.size() || !is_digit_of_base(source_[digit])) break;
      at = digit + 1;
    }
    return at;
  }

  static bool is_decimal_digit(char c) { return digit_value(c) < 10; }

  // The offset behind a float that starts here, or npos. After a dot there is none: a.0.1
  size_t match_float() const {
    if (at_ > 0 && source_[at_ - 1] == '.') return kNone;
    size_t end = digits_from(at_, is_decimal_digit);
    bool found = false;
    if (end < source_.size() && source_[end] == '.') {
      const size_t fraction = digits_from(end + 1, is_decimal_digit);
      if (fraction > end + 1) {
        end = fraction;
        found = true;
      }
    }
    if (end < source_.size() && (source_[end] == 'e' || source_[end] == 'E')) {
      const size_t sign = sign_at(end + 1) != '\0' ? 1 : 0;
      const size_t exponent = digits_from(end + 1 + sign, is_decimal_digit);
      if (exponent > end + 1 + sign) {
        end = exponent;
        found = true;
      }
    }
    return found ? end : kNone;
  }

  // The offset behind the digits of 0b…, 0o… or 0x…, or npos.
  size_t match_prefixed() const {
    if (source_[at_] != '0' || at_ + 2 >= source_.size()) return kNone;
    const auto prefix = static_cast<char>(source_[at_ + 1] | 0x20);
    const int base = prefix == 'b' ? 2 : prefix == 'o' ? 8 : prefix == 'x' ? 16 : 0;
    if (base == 0) return kNone;
    const auto fits = [base](char c) { return digit_value(c) < base; };
    const size_t first = source_[at_ + 2] == '_' ? at_ + 3 : at_ + 2;
    const size_t end = digits_from(first, fits);
    return end > first ? end : kNone;
  }

  void lex_number() {
    if (const size_t end = match_float(); end != kNone) {
      std::string text = source_.substr(at_, end - at_);
      text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
      const double value = python_text::parse_real(text).value_or(0);
      add(TokenKind::kFloat, text, Value::real(value));
      advance(end - at_);
      return;
    }
    size_t end = match_prefixed();
    if (end == kNone) {
      const bool zero = source_[at_] == '0';
      end = digits_from(at_, [zero](char c) { return zero ? c == '0' : is_decimal_digit(c); });
    }
    std::string text = source_.substr(at_, end - at_);
    text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
    try {
      add(TokenKind::kInteger, text,
          Value::integer(python_text::parse_integer(text, 0).value_or(0)));
    } catch (const Error&) {
      fail_at(line_, fmt::format("the integer {} does not fit into 64 bits", text));
    }
    advance(end - at_);
  }

  void lex_string(char mark) {
    size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != mark) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size())
      fail_at(line_, "a text is not closed", "a quotation mark is missing");
    const std::string_view content = std::string_view(source_).substr(at_ + 1, end - at_ - 1);
    try {
      add(TokenKind::kString, unescape_literal(content));
    } catch (const Error& error) {
      fail_at(line_, error.what());
    }
    advance(end + 1 - at_);
  }

  void lex_operator(std::string& open) {
    constexpr std::string_view kLong[] = {"//", "**", "==", "!=", ">=", "<="};
    constexpr std::string_view kShort = "+-/*%~[](){}><=.:|,;";
    std::string symbol;
    for (const std::string_view candidate : kLong) {
      if (starts_with(candidate)) symbol = candidate;
    }
    if (symbol.empty() && kShort.find(source_[at_]) != kNone) symbol = source_.substr(at_, 1);
    if (symbol.empty()) {
      size_t end = at_;
      text::next_code_point(source_, end);
      fail_at(line_, fmt::format("unexpected character '{}'", source_.substr(at_, end - at_)));
    }
    balance(symbol[0], open);
    add(TokenKind::kOperator, symbol);
    advance(symbol.size());
  }

  void balance(char symbol, std::string& open) const {
    constexpr std::string_view kOpening = "([{";
    constexpr std::string_view kClosing = ")]}";
    if (const size_t bracket = kOpening.find(symbol); bracket != kNone) open += kClosing[bracket];
    if (kClosing.find(symbol) == kNone) return;
    if (open.empty() || open.back() != symbol)
      fail_at(line_, fmt::format("unexpected '{}'", symbol));
    open.pop_back();
  }

  std::string source_;
  size_t at_ = 0;
  int line_ = 1;
  bool line_starting_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
  return Lexer(source).run();
}

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kData:
      return "text";
    case TokenKind::kVariableBegin:
      return "'{{'";
    case TokenKind::kVariableEnd:
      return "'}}'";
    case TokenKind::kBlockBegin:
      return "'{%'";
    case TokenKind::kBlockEnd:
      return "'%}'";
    case TokenKind::kString:
      return "a text";
    case TokenKind::kEnd:
      return "the end of the template";
    default:
      return "'" + token.text + "'";
  }
}

void fail_at(int line, const std::string& what, const std::string& hint) {
  throw Error({.what = what, .where = fmt::format("line {}", line), .hint = hint});
}

}  // namespace palimpsest::jinja
