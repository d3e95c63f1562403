// The printf-like half of format.h: text % values.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/format.h"
#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/jinja/internal/repr.h"
#include "palimpsest/python_text/internal/number.h"
#include "palimpsest/python_text/internal/repr.h"
#include "palimpsest/python_text/internal/unicode.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::jinja {
namespace {

struct Conversion {
  std::optional<std::string> key = {};
  std::string flags = {};  // of "-+ 0#"
  int64_t width = 0;
  std::optional<int64_t> precision = {};
  char type = 0;

  bool has(char flag) const { return flags.find(flag) != std::string::npos; }
};

class PercentFormatter {
 public:
  PercentFormatter(const Value& format, const Value& values, Runtime& runtime)
      : text_(format.text()), markup_(format.string().markup), values_(values), runtime_(runtime) {}

  std::string run() {
    while (at_ < text_.size()) {
      const size_t percent = text_.find('%', at_);
      append(text_.substr(at_, percent - at_));
      if (percent == std::string_view::npos) break;
      at_ = percent + 1;
      convert(parse());
    }
    const bool mapping = values_.is_dict() || values_.is(Kind::kList) || values_.is_undefined() ||
                         values_.is(Kind::kRange);
    if (!mapping && used_ < available()) throw Error("not all values were used by the format");
    return std::move(out_);
  }

 private:
  void append(std::string_view piece) {
    runtime_.budget.spend_bytes(piece.size());
    runtime_.budget.append(out_, piece);
  }

  size_t available() const { return values_.is(Kind::kTuple) ? values_.items().size() : 1; }

  Value next_value() {
    if (used_ >= available()) throw Error("there are fewer values than the format needs");
    const size_t index = used_++;
    return values_.is(Kind::kTuple) ? values_.items()[index] : values_;
  }

  char peek() const {
    if (at_ >= text_.size()) throw Error("the format ends inside a placeholder");
    return text_[at_];
  }

  // A number, or * for one of the values.
  std::optional<int64_t> read_size() {
    if (peek() != '*') return read_field_size(text_, at_);
    ++at_;
    const Value value = next_value();
    if (!value.is_integral()) throw Error("'*' in a format needs an integer");
    if (std::abs(static_cast<double>(value.as_int())) >
        static_cast<double>(python_text::kMaxFieldSize)) {
      throw Error("a width or precision in the format is too large");
    }
    return value.as_int();
  }

  std::string read_key() {
    int depth = 1;
    const size_t begin = ++at_;
    for (; depth > 0; ++at_) {
      if (peek() == '(') ++depth;
      if (peek() == ')') --depth;
    }
    return std::string(text_.substr(begin, at_ - 1 - begin));
  }

  Conversion parse() {
    Conversion conversion;
    if (peek() == '(') {
      if (!values_.is_dict()) throw Error("a format with names needs a dict");
      conversion.key = read_key();
    }
    while (std::string_view("-+ 0#").find(peek()) != std::string_view::npos) {
      if (!conversion.has(text_[at_])) conversion.flags += text_[at_];  // a template may repeat it
      ++at_;
    }
    conversion.width = read_size().value_or(0);
    if (conversion.width < 0) {
      conversion.flags += '-';
      conversion.width = -conversion.width;
    }
    if (peek() == '.') {
      ++at_;
      conversion.precision = std::max<int64_t>(0, read_size().value_or(0));
    }
    while (peek() == 'h' || peek() == 'l' || peek() == 'L') ++at_;
    conversion.type = peek();
    ++at_;
    return conversion;
  }

  Value value_of(const Conversion& conversion) {
    if (!conversion.key) return next_value();
    const Value* value = values_.dict().find(*conversion.key);
    if (value == nullptr)
      throw Error(fmt::format("the format's name '{}' has no value", *conversion.key));
    return *value;
  }

  void convert(const Conversion& conversion) {
    if (conversion.type == '%') return append("%");
    if (std::string_view("srac").find(conversion.type) != std::string_view::npos) {
      return append_text(conversion, value_of(conversion));
    }
    if (std::string_view("diuxXoeEfFgG").find(conversion.type) == std::string_view::npos) {
      throw Error(fmt::format("'%{}' is not a placeholder of a format", conversion.type));
    }
    const Value value = value_of(conversion);
    if (!value.is_number()) {
      require_defined(value);
      throw Error(fmt::format("'%{}' needs a number, not '{}'", conversion.type, type_name(value)));
    }
    append_number(conversion, value);
  }

  void append_text(const Conversion& conversion, const Value& value) {
    Budget& budget = runtime_.budget;
    std::string text;
    if (conversion.type == 's') {
      text = markup_ ? escape_value(value, budget) : to_text(value, budget);
    } else if (conversion.type == 'c') {
      text = character(value);
    } else {
      text = to_repr(value, budget);
      if (conversion.type == 'a') text = ascii_only(text);
      if (markup_) text = escape_html(text);
    }
    if (conversion.precision && conversion.type != 'c') {
      text = text.substr(0, python_text::byte_offset(text, *conversion.precision));
    }
    append(pad(text, conversion.width, " ", conversion.has('-') ? '<' : '>', budget));
  }

  static std::string character(const Value& value) {
    if (value.is_string() && value.string().length == 1) return value.text();
    const auto text = value.is_integral() ? character_of(value.as_int()) : std::nullopt;
    if (!text) throw Error("'%c' needs one character or its number");
    return *text;
  }

  static std::string ascii_only(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
      const char32_t c = text::next_code_point(text, at);
      out += c < 0x80 ? std::string(1, static_cast<char>(c)) : python_text::escape(c);
    }
    return out;
  }

  void append_number(const Conversion& conversion, const Value& value) {
    bool negative = false;
    std::string prefix;
    std::string digits;
    if (std::string_view("eEfFgG").find(conversion.type) != std::string_view::npos) {
      const double number = value.as_double();
      negative = std::signbit(number) && !std::isnan(number);
      digits = python_text::print_real(std::abs(number), conversion.type,
                                       conversion.precision.value_or(6), conversion.has('#'));
    } else {
      negative = value.is_integral() ? value.as_int() < 0 : value.as_double() <= -1;
      digits = whole_digits(conversion, value);
      const auto least = static_cast<size_t>(conversion.precision.value_or(0));
      if (digits.size() < least) digits.insert(0, least - digits.size(), '0');
      if (conversion.has('#') &&
          std::string_view("xXo").find(conversion.type) != std::string_view::npos) {
        prefix = std::string("0") + conversion.type;
      }
    }
    const std::string sign = negative              ? "-"
                             : conversion.has('+') ? "+"
                             : conversion.has(' ') ? " "
                                                   : "";
    if (conversion.has('0') && !conversion.has('-')) {
      const int64_t room = conversion.width - static_cast<int64_t>(sign.size() + prefix.size());
      return append(sign + prefix + pad(digits, room, "0", '>', runtime_.budget));
    }
    append(pad(sign + prefix + digits, conversion.width, " ", conversion.has('-') ? '<' : '>',
               runtime_.budget));
  }

  // The digits of an integer; a float is cut off at its point.
  static std::string whole_digits(const Conversion& conversion, const Value& value) {
    if (value.is_integral()) {
      return python_text::print_integer(magnitude_of(value.as_int()), conversion.type);
    }
    const double number = std::abs(std::trunc(value.as_double()));
    if (std::string_view("xXo").find(conversion.type) != std::string_view::npos ||
        !std::isfinite(number)) {
      throw Error(fmt::format("'%{}' cannot write this number", conversion.type));
    }
    return python_text::print_real(number, 'f', 0, false);
  }

  std::string_view text_;
  bool markup_;
  const Value& values_;
  Runtime& runtime_;
  size_t at_ = 0;
  size_t used_ = 0;
  std::string out_;
};

}  // namespace

Value format_percent(const Value& format, const Value& values, Runtime& runtime) {
  PercentFormatter formatter(format, values, runtime);
  return make_string(formatter.run(), &runtime.budget, format.string().markup);
}

}  // namespace palimpsest::jinja
