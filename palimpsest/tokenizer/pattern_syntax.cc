// From Oniguruma's syntax (its Ruby flavour, UTF-8) to PCRE2's. The two mostly agree; what differs
// is \s, \w, \b, \h, \v, script names, nested classes, intervals and the meaning of (?m).

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/text/internal/utf8.h"
#include "palimpsest/tokenizer/internal/pattern.h"

namespace palimpsest::tokenizer {
namespace {

// The contents of classes. PCRE2's own \s has U+180E, its \w lacks marks.
constexpr std::string_view kSpaceCharacters =
    R"(\x{9}-\x{d}\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
constexpr std::string_view kNotSpaceCharacters =
    R"(\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff})"
    R"(\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff})";
constexpr std::string_view kWordCharacters =
    R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{b2}\x{b3}\x{b9}\x{bc}-\x{be})";
constexpr std::string_view kHexDigits = "0-9A-Fa-f";

class Translator {
 public:
  Translator(std::string_view expression, const std::string& where)
      : in_(expression), where_(where) {}

  std::string run() {
    while (at_ < in_.size()) {
      const char c = in_[at_];
      if (c == '\\') {
        escape();
      } else if (c == '[') {
        character_class();
      } else if (c == '(') {
        group();
      } else if (c == '{') {
        interval();
      } else {
        copy(1);
      }
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(
        {.what = fmt::format("the pattern '{}' is not supported: {}", shown_pattern(in_), what),
         .where = where_});
  }

  char peek(size_t ahead) const { return at_ + ahead < in_.size() ? in_[at_ + ahead] : '\0'; }

  void copy(size_t count) {
    count = std::min(count, in_.size() - at_);
    out_.append(in_, at_, count);
    at_ += count;
  }

  void emit(std::string_view text, size_t consumed) {
    out_ += text;
    at_ += consumed;
  }

  // An escape outside of a class.
  void escape() {
    const char kind = peek(1);
    switch (kind) {
      case 's':
        return emit(fmt::format("[{}]", kSpaceCharacters), 2);
      case 'S':
        return emit(fmt::format("[^{}]", kSpaceCharacters), 2);
      case 'w':
        return emit(fmt::format("[{}]", kWordCharacters), 2);
      case 'W':
        return emit(fmt::format("[^{}]", kWordCharacters), 2);
      case 'h':
        return emit(fmt::format("[{}]", kHexDigits), 2);
      case 'H':
        return emit(fmt::format("[^{}]", kHexDigits), 2);
      case 'b':
        return emit(fmt::format("(?:(?<=[{0}])(?![{0}])|(?<![{0}])(?=[{0}]))", kWordCharacters), 2);
      case 'B':
        return emit(fmt::format("(?:(?<=[{0}])(?=[{0}])|(?<![{0}])(?![{0}]))", kWordCharacters), 2);
      case 'O':
        return emit("(?s:.)", 2);
      case 'p':
      case 'P': {
        const std::string content = property();
        const bool whole = content.starts_with('[') || content.rfind('\\') == 0;
        out_ += whole ? content : fmt::format("[{}]", content);
        return;
      }
      default:
        if (kind != '\0' &&
            std::string_view("AzZGKRXNk123456789").find(kind) != std::string::npos) {
          return copy(2);
        }
        return plain_escape();
    }
  }

  // An escape that means the same inside and outside of classes.
  void plain_escape() {
    const char kind = peek(1);
    if (kind == '\0') refuse("it ends in a backslash");
    if (kind == 'v') return emit(R"(\x{b})", 2);
    if (kind == 'u') return unicode_escape();
    if (kind == 'x') return hex_escape();
    if (std::string_view("dDntrfae").find(kind) != std::string::npos) return copy(2);
    if (std::isalnum(static_cast<unsigned char>(kind)) != 0) {
      refuse(fmt::format("the escape '\\{}'", kind));
    }
    if (static_cast<unsigned char>(kind) >= 0x80) {
      ++at_;  // an escaped letter of another script is itself
      return copy(text::utf8_length(kind));
    }
    copy(2);
  }

  void unicode_escape() {
    const std::string_view digits = in_.substr(std::min(at_ + 2, in_.size()), 4);
    if (digits.size() != 4 || !all_hex(digits)) refuse("\\u needs four hexadecimal digits");
    emit(fmt::format("\\x{{{}}}", digits), 6);
  }

  void hex_escape() {
    if (peek(2) == '{') {
      const size_t end = in_.find('}', at_);
      if (end == std::string_view::npos || !all_hex(in_.substr(at_ + 3, end - at_ - 3))) {
        refuse("\\x{ needs hexadecimal digits and a }");
      }
      return copy(end + 1 - at_);
    }
    size_t length = 2;
    while (length < 4 && std::isxdigit(static_cast<unsigned char>(peek(length))) != 0) ++length;
    if (length == 2) refuse("\\x needs hexadecimal digits");
    const std::string_view digits = in_.substr(at_ + 2, length - 2);
    if (digits.size() == 2 && digits[0] >= '8') refuse("\\x of a single byte above 7F");
    emit(fmt::format("\\x{{{}}}", digits), length);
  }

  static bool all_hex(std::string_view digits) {
    return !digits.empty() && std::all_of(digits.begin(), digits.end(),
                                          [](unsigned char c) { return std::isxdigit(c) != 0; });
  }

  // \p{…} or \P{…} at the cursor: what stands for it in a class; in front of a negated list of
  // characters, a whole class.
  std::string property() {
    bool negated = peek(1) == 'P';
    const size_t end = in_.find('}', at_);
    if (peek(2) != '{' || end == std::string_view::npos) refuse("\\p needs a name in braces");
    std::string_view name = in_.substr(at_ + 3, end - at_ - 3);
    at_ = end + 1;
    if (name.starts_with('^')) {
      negated = !negated;
      name.remove_prefix(1);
    }
    std::string folded;
    for (const char c : name) {
      if (c != ' ' && c != '_' && c != '-') {
        folded += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
    }
    if (folded == "space" || folded == "whitespace") {
      return std::string(negated ? kNotSpaceCharacters : kSpaceCharacters);
    }
    if (folded == "word") {
      return negated ? fmt::format("[^{}]", kWordCharacters) : std::string(kWordCharacters);
    }
    return fmt::format("\\{}{{{}}}", negated ? 'P' : 'p', property_name(folded, name));
  }

  std::string property_name(const std::string& folded, std::string_view name) const {
    const std::optional<std::string> property = pcre2_property(folded, name);
    if (!property) refuse(fmt::format("the property '{}'", name));
    return *property;
  }

  void character_class() {
    copy(1);
    if (peek(0) == '^') copy(1);
    if (peek(0) == ']') emit(R"(\])", 1);
    int depth = 0;
    for (;;) {
      const char c = peek(0);
      if (at_ >= in_.size()) refuse("a class is not closed");
      if (c == ']') {
        if (depth == 0) return copy(1);
        --depth;
        ++at_;
      } else if (c == '[') {
        nested_class(depth);
      } else if (c == '&' && peek(1) == '&') {
        refuse("the intersection '&&' of classes");
      } else if (c == '\\') {
        class_escape();
      } else if (c == '-' && (peek(1) == '\\' || expanded_ || peek(1) == '[')) {
        class_hyphen();
      } else {
        expanded_ = false;
        copy(text::utf8_length(c));
      }
    }
  }

  // A class within a class is a union: its contents are as good as the class.
  void nested_class(int& depth) {
    if (peek(1) == ':') {
      constexpr std::string_view kDigit = "[:digit:]";
      constexpr std::string_view kSpaces = "[:space:]";
      const std::string_view rest = in_.substr(at_);
      expanded_ = true;
      if (rest.starts_with(kDigit)) return emit(R"(\p{Nd})", kDigit.size());
      if (rest.starts_with(kSpaces)) return emit(kSpaceCharacters, kSpaces.size());
      refuse("a POSIX class other than [:digit:] and [:space:]");
    }
    if (peek(1) == '^') refuse("a negated class within a class");
    ++depth;
    ++at_;
  }

  // A hyphen next to what has become several characters does not make a range.
  void class_hyphen() {
    const char kind = peek(2);
    const bool before_set =
        peek(1) == '\\' && std::string_view("sSwWdDhHpP").find(kind) != std::string_view::npos;
    if (peek(1) == '[') refuse("a range that ends in a class");
    if (expanded_ || before_set) {
      emit(R"(\-)", 1);
    } else {
      copy(1);
    }
    expanded_ = false;
  }

  void class_escape() {
    expanded_ = true;
    switch (peek(1)) {
      case 's':
        return emit(kSpaceCharacters, 2);
      case 'S':
        return emit(kNotSpaceCharacters, 2);
      case 'w':
        return emit(kWordCharacters, 2);
      case 'h':
        return emit(kHexDigits, 2);
      case 'W':
      case 'H':
        refuse(fmt::format("'\\{}' within a class", peek(1)));
      case 'd':
      case 'D':
        return copy(2);
      case 'p':
      case 'P': {
        const std::string content = property();
        if (content.starts_with('[')) refuse("a negated word property within a class");
        out_ += content;
        return;
      }
      case 'b':
        expanded_ = false;
        return emit(R"(\x{8})", 2);
      default:
        expanded_ = false;
        return plain_escape();
    }
  }

  void group() {
    if (peek(1) != '?') return copy(1);
    size_t end = at_ + 2;
    while (end < in_.size() && std::string_view("imx-").find(in_[end]) != std::string_view::npos) {
      ++end;
    }
    if (end > at_ + 2 && end < in_.size() && (in_[end] == ':' || in_[end] == ')')) {
      out_ += "(?";
      for (at_ += 2; at_ < end; ++at_) out_ += in_[at_] == 'm' ? 's' : in_[at_];
      return copy(1);
    }
    if (std::string_view(":=!><#").find(peek(2)) == std::string_view::npos || peek(2) == '\0') {
      refuse(fmt::format("the group '(?{}'", peek(2)));
    }
    copy(3);
  }

  void interval() {
    size_t end = at_ + 1;
    while (end < in_.size() &&
           (std::isdigit(static_cast<unsigned char>(in_[end])) != 0 || in_[end] == ',')) {
      ++end;
    }
    const std::string_view bounds = in_.substr(at_ + 1, end - at_ - 1);
    if (end >= in_.size() || in_[end] != '}' || bounds.empty() || bounds == "," ||
        std::count(bounds.begin(), bounds.end(), ',') > 1) {
      return emit(R"(\{)", 1);
    }
    const char after = end + 1 < in_.size() ? in_[end + 1] : '\0';
    const bool fixed = bounds.find(',') == std::string_view::npos;
    // Oniguruma reads both as a repetition of a repetition.
    if (after == '+' || (after == '?' && fixed)) refuse("an interval followed by + or ?");
    out_ +=
        bounds.starts_with(',') ? fmt::format("{{0{}}}", bounds) : fmt::format("{{{}}}", bounds);
    at_ = end + 1;
  }

  std::string_view in_;
  const std::string& where_;
  size_t at_ = 0;
  std::string out_;
  bool expanded_ = false;  // the last thing in this class stands for several characters
};

}  // namespace

std::string shown_pattern(std::string_view expression) {
  constexpr size_t kLongest = 200;  // bytes
  if (expression.size() <= kLongest) return std::string(expression);
  return fmt::format("{}…", expression.substr(0, text::previous_boundary(expression, kLongest)));
}

std::string pcre2_from_oniguruma(std::string_view expression, const std::string& where) {
  text::validate_utf8(expression);
  return Translator(expression, where).run();
}

}  // namespace palimpsest::tokenizer
