#include "palimpsest/config/internal/scalar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/checked.h"
#include "palimpsest/config/internal/characters.h"
#include "palimpsest/python_text/internal/number.h"
#include "palimpsest/python_text/internal/repr.h"

namespace palimpsest::config {
namespace {

// Reads a scalar from left to right; every take_…() eats what it can and says whether that was
// enough.
class Scan {
 public:
  explicit Scan(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool take_one_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_[0]) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // At least `least` and at most `most` of these characters.
  bool take_run(std::string_view characters, size_t least = 1,
                size_t most = std::string_view::npos) {
    const size_t length =
        std::min({rest_.find_first_not_of(characters), rest_.size(), std::max(least, most)});
    if (length < least) return false;
    rest_.remove_prefix(length);
    return true;
  }
  // ":30", ":5" … at least once.
  bool take_sexagesimal() {
    bool any = false;
    while (!rest_.empty() && rest_[0] == ':') {
      Scan tail(rest_.substr(1));
      const bool two = tail.rest_.size() >= 2 && tail.rest_[0] <= '5' && is_digit(tail.rest_[0]) &&
                       is_digit(tail.rest_[1]);
      if (!tail.take_run(kDigits, 1, two ? 2 : 1)) return any;
      rest_ = tail.rest_;
      any = true;
    }
    return any;
  }
  std::string_view rest() const { return rest_; }

  static constexpr std::string_view kDigits = "0123456789";

 private:
  std::string_view rest_;
};

constexpr std::string_view kDigitsAndBars = "0123456789_";

bool is_one_of(std::string_view text, const auto& words) {
  return std::ranges::find(words, text) != std::end(words);
}

constexpr std::array<std::string_view, 9> kTrue = {"true", "True", "TRUE", "yes", "Yes",
                                                   "YES",  "on",   "On",   "ON"};
constexpr std::array<std::string_view, 9> kFalse = {"false", "False", "FALSE", "no", "No",
                                                    "NO",    "off",   "Off",   "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 4> kOneLetterBooleans = {"y", "Y", "n", "N"};

bool is_whole(std::string_view text) {
  Scan start(text);
  start.take_one_of("+-");
  const auto whole = [&](auto&& rule) {
    Scan scan = start;
    return rule(scan) && scan.done();
  };
  return whole([](Scan& s) { return s.take("0b") && s.take_run("01_"); }) ||
         whole([](Scan& s) { return s.take("0") && s.take_run("01234567_", 0); }) ||
         whole([](Scan& s) { return s.take("0x") && s.take_run("0123456789abcdefABCDEF_"); }) ||
         whole([](Scan& s) {
           return s.take_one_of("123456789") && s.take_run(kDigitsAndBars, 0) &&
                  (s.take_sexagesimal() || true);
         });
}

// PyYAML's rule for real numbers and the one that OmegaConf adds to it.
struct RealRule {
  bool bars_between_digits_only;
  bool exponent_alone;          // 1e5: no point needed
  bool exponent_sign_optional;  // 1.0e5; after a leading point it is never optional
};
constexpr RealRule kPyYaml = {false, false, false};
constexpr RealRule kOmegaConf = {true, true, true};

bool take_digits(Scan& scan, const RealRule& rule) {
  if (!scan.take_run(Scan::kDigits)) return false;
  if (!rule.bars_between_digits_only) return scan.take_run(kDigitsAndBars, 0);
  while (scan.rest().size() >= 2 && scan.rest()[0] == '_' && is_digit(scan.rest()[1])) {
    scan.take("_");
    scan.take_run(Scan::kDigits);
  }
  return true;
}

bool take_exponent(Scan& scan, bool sign_optional) {
  if (!scan.take_one_of("eE")) return false;
  if (!scan.take_one_of("+-") && !sign_optional) return false;
  return scan.take_run(Scan::kDigits);
}

bool is_real(std::string_view text, const RealRule& rule) {
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return true;
  Scan scan(text);
  if (scan.take(".")) {
    if (!scan.rest().empty() && is_digit(scan.rest()[0])) {
      return take_digits(scan, rule) && (scan.done() || take_exponent(scan, false)) && scan.done();
    }
    scan = Scan(text);
  }
  scan.take_one_of("+-");
  constexpr std::array<std::string_view, 3> kInfinite = {".inf", ".Inf", ".INF"};
  if (is_one_of(scan.rest(), kInfinite)) return true;
  if (!take_digits(scan, rule)) return false;
  if (scan.take_sexagesimal()) {
    return scan.take(".") && scan.take_run(kDigitsAndBars, 0) && scan.done();
  }
  if (!scan.take(".")) {
    return rule.exponent_alone && take_exponent(scan, rule.exponent_sign_optional) && scan.done();
  }
  scan.take_run(kDigitsAndBars, 0);
  return (scan.done() || take_exponent(scan, rule.exponent_sign_optional)) && scan.done();
}

bool is_timestamp(std::string_view text) {
  const auto date = [](Scan& s, size_t least) {
    return s.take_run(Scan::kDigits, 4, 4) && s.take("-") && s.take_run(Scan::kDigits, least, 2) &&
           s.take("-") && s.take_run(Scan::kDigits, least, 2);
  };
  Scan scan(text);
  if (date(scan, 2) && scan.done()) return true;
  scan = Scan(text);
  if (!date(scan, 1) || !(scan.take_one_of("Tt") || scan.take_run(" \t"))) return false;
  if (!scan.take_run(Scan::kDigits, 1, 2)) return false;
  for (int i = 0; i < 2; ++i) {
    if (!scan.take(":") || !scan.take_run(Scan::kDigits, 2, 2)) return false;
  }
  if (scan.take(".")) scan.take_run(Scan::kDigits, 0);
  scan.take_run(" \t", 0);
  if (scan.take_one_of("+-")) {
    if (!scan.take_run(Scan::kDigits, 1, 2)) return false;
    if (scan.take(":") && !scan.take_run(Scan::kDigits, 2, 2)) return false;
  } else if (!scan.take("Z") && !text.empty() && (text.back() == ' ' || text.back() == '\t')) {
    return false;
  }
  return scan.done();
}

std::string without_bars(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '_');
  return digits;
}

int64_t integer(const std::string& digits, int64_t base, std::string_view scalar) {
  const std::optional<int64_t> value = python_text::parse_integer(digits, base);
  if (!value) {
    throw Error({.what = "the scalar is not a number", .found = std::string(scalar)});
  }
  return *value;
}

// "1:30" is 90; each part but the first counts sixty times less than the one before it.
int64_t sexagesimal(std::string_view digits) {
  int64_t value = 0;
  while (true) {
    const size_t colon = digits.find(':');
    value = checked_add(checked_mul<int64_t>(value, 60),
                        integer(std::string(digits.substr(0, colon)), 10, digits));
    if (colon == std::string_view::npos) return value;
    digits.remove_prefix(colon + 1);
  }
}

int64_t whole_value(std::string_view text) {
  std::string digits = without_bars(text);
  const bool negative = digits[0] == '-';
  if (negative || digits[0] == '+') digits.erase(0, 1);
  const std::string sign = negative ? "-" : "";
  if (digits.starts_with("0b")) return integer(sign + digits.substr(2), 2, text);
  if (digits.starts_with("0x")) return integer(sign + digits.substr(2), 16, text);
  if (digits.size() > 1 && digits[0] == '0') return integer(sign + digits.substr(1), 8, text);
  if (digits.find(':') == std::string::npos) return integer(sign + digits, 10, text);
  return negative ? -sexagesimal(digits) : sexagesimal(digits);
}

double real_value(std::string_view text) {
  std::string digits = lower(without_bars(text));
  const bool negative = digits[0] == '-';
  if (negative || digits[0] == '+') digits.erase(0, 1);
  double value = 0;
  if (digits == ".inf") {
    value = std::numeric_limits<double>::infinity();
  } else if (digits == ".nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    size_t colon = 0;
    while ((colon = digits.find(':')) != std::string::npos) {
      value = (value + python_text::parse_real(digits.substr(0, colon)).value_or(0)) * 60;
      digits.erase(0, colon + 1);
    }
    value += python_text::parse_real(digits).value_or(std::numeric_limits<double>::quiet_NaN());
  }
  return negative ? -value : value;
}

bool python_reads_as_number(std::string_view text) {
  try {
    return python_text::parse_integer(text, 10).has_value() ||
           python_text::parse_real(text).has_value();
  } catch (const Error&) {
    return true;  // a whole number beyond 64 bits
  }
}

}  // namespace

Value resolve_scalar(std::string_view text) {
  if (is_one_of(text, kNull)) return Value();
  if (is_one_of(text, kTrue)) return Value(true);
  if (is_one_of(text, kFalse)) return Value(false);
  if (is_real(text, kPyYaml) || is_real(text, kOmegaConf)) return Value(real_value(text));
  if (is_whole(text)) return Value(whole_value(text));
  return Value(std::string(text));
}

bool is_safe_plain_text(std::string_view text) {
  return !is_one_of(text, kNull) && !is_one_of(text, kTrue) && !is_one_of(text, kFalse) &&
         !is_one_of(text, kOneLetterBooleans) && text != "<<" && text != "=" &&
         !is_real(text, kPyYaml) && !is_whole(text) && !is_timestamp(text) &&
         !python_reads_as_number(text);
}

std::string key_text(const Value& key) {
  if (const std::string* text = key.text_if()) return *text;
  if (key.is_bool()) return key.as_bool() ? "true" : "false";
  if (key.is_int()) return std::to_string(key.as_int());
  if (key.is_real()) return python_text::real_to_text(key.as_real());
  throw Error({.what = "a key is not a text or a number", .found = std::string(key.kind())});
}

}  // namespace palimpsest::config
