#include "palimpsest/python_text/internal/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "palimpsest/base/error.h"
#include "palimpsest/python_text/internal/text.h"

namespace palimpsest::python_text {
namespace {

// Removes underscores that stand between two digits; false if one stands elsewhere.
bool drop_underscores(std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
      continue;
    }
    const auto alnum = [&](size_t at) {
      return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
    };
    if (i == 0 || !alnum(i - 1) || !alnum(i + 1)) return false;
  }
  text = out;
  return true;
}

// A decimal number without a sign; one that is too large is infinite, too small zero.
std::optional<double> read_magnitude(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (code != std::errc::result_out_of_range) return value;
  const size_t e = text.find('e');
  const bool tiny = e == std::string_view::npos ? text.find_first_of("123456789") > text.find('.')
                                                : text.substr(e).starts_with("e-");
  return tiny ? 0.0 : HUGE_VAL;
}

int64_t prefix_base(std::string_view text) {
  if (text.size() < 2 || text[0] != '0') return 0;
  switch (text[1]) {
    case 'b':
    case 'B':
      return 2;
    case 'o':
    case 'O':
      return 8;
    case 'x':
    case 'X':
      return 16;
    default:
      return 0;
  }
}

int exponent_of(const std::string& scientific) {
  return std::atoi(scientific.c_str() + scientific.find('e') + 1);
}

// 'g' with the flag #, which keeps the zeros at the end; an exponent from `limit` on.
std::string general_with_zeros(double magnitude, int64_t precision, int64_t limit) {
  std::string scientific = print_real(magnitude, 'e', precision - 1, true);
  const int exponent = exponent_of(scientific);
  if (exponent < -4 || exponent >= limit) return scientific;
  return print_real(magnitude, 'f', precision - 1 - exponent, true);
}

double read_rounded(std::string_view text) {
  const double value = read_magnitude(text).value_or(0);
  if (std::isinf(value)) throw Error("the rounded number is out of range");
  return value;
}

}  // namespace

std::string print_real(double magnitude, char type, int64_t precision, bool alternate) {
  const bool upper = type == 'E' || type == 'F' || type == 'G';
  if (std::isnan(magnitude)) return upper ? "NAN" : "nan";
  if (std::isinf(magnitude)) return upper ? "INF" : "inf";
  if (precision > kMaxFieldSize) throw Error("a precision in the format is too large");
  const char kind = static_cast<char>(std::tolower(type));
  const auto format = kind == 'e'   ? std::chars_format::scientific
                      : kind == 'f' ? std::chars_format::fixed
                                    : std::chars_format::general;
  // Not printf, which writes the decimal point of the locale.
  std::string text(static_cast<size_t>(precision) + 400, '\0');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), magnitude, format,
                                 static_cast<int>(precision));
  text.resize(static_cast<size_t>(end.ptr - text.data()));
  if (alternate && kind == 'g') {
    const int64_t digits = std::max<int64_t>(precision, 1);
    text = general_with_zeros(magnitude, digits, digits);
  } else if (alternate && text.find('.') == std::string::npos) {
    text.insert(std::min(text.find('e'), text.size()), ".");
  }
  if (upper) std::replace(text.begin(), text.end(), 'e', 'E');
  return text;
}

std::string general_with_point(double magnitude, int64_t precision, bool alternate) {
  if (!std::isfinite(magnitude)) return print_real(magnitude, 'g', precision, false);
  precision = std::max<int64_t>(precision, 1);
  if (alternate) return general_with_zeros(magnitude, precision, precision - 1);
  // Python switches to an exponent one digit earlier than 'g' where it would add the ".0".
  const std::string scientific = print_real(magnitude, 'e', precision - 1, false);
  const int exponent = exponent_of(scientific);
  std::string text = print_real(magnitude, 'g', precision, false);
  if (text.find('e') == std::string::npos && exponent + 1 > precision - 1 &&
      exponent + 1 <= precision && text.find('.') == std::string::npos) {
    // Written without an exponent by 'g', with one by Python.
    const size_t e = scientific.find('e');
    std::string digits = scientific.substr(0, e);
    while (digits.find('.') != std::string::npos &&
           (digits.back() == '0' || digits.back() == '.')) {
      const bool point = digits.back() == '.';
      digits.pop_back();
      if (point) break;
    }
    return digits + scientific.substr(e);
  }
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string print_integer(uint64_t magnitude, char type) {
  switch (type) {
    case 0:
    case 'd':
    case 'i':
    case 'u':
    case 'n':
      return fmt::format("{}", magnitude);
    case 'x':
      return fmt::format("{:x}", magnitude);
    case 'X':
      return fmt::format("{:X}", magnitude);
    case 'o':
      return fmt::format("{:o}", magnitude);
    case 'b':
      return fmt::format("{:b}", magnitude);
    default:
      throw Error(fmt::format("the format '{}' does not fit an integer", type));
  }
}

std::optional<int64_t> parse_integer(std::string_view given, int64_t base) {
  if (base != 0 && (base < 2 || base > 36)) throw Error("a base must be 0 or from 2 to 36");
  std::string text(strip(given, Side::kBoth));
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.erase(0, 1);
  const int64_t prefix = prefix_base(text);
  if (prefix != 0 && (base == 0 || base == prefix)) {
    text.erase(0, 2);
    if (text.starts_with('_')) text.erase(0, 1);
    base = prefix;
  } else if (base == 0) {
    base = 10;
    if (text.size() > 1 && text[0] == '0' && text.find_first_not_of("0_") != std::string::npos) {
      return std::nullopt;
    }
  }
  if (text.empty() || !drop_underscores(text)) return std::nullopt;
  uint64_t magnitude = 0;
  const auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, static_cast<int>(base));
  if (end != text.data() + text.size()) return std::nullopt;
  const uint64_t limit = static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0);
  if (code == std::errc::result_out_of_range || magnitude > limit) {
    throw Error({.what = "an integer does not fit into 64 bits", .found = std::string(given)});
  }
  return static_cast<int64_t>(negative ? uint64_t{0} - magnitude : magnitude);
}

std::optional<double> parse_real(std::string_view given) {
  std::string text(strip(given, Side::kBoth));
  if (text.empty() || !drop_underscores(text)) return std::nullopt;
  std::string lower;
  for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool negative = lower.starts_with('-');
  if (negative || lower.starts_with('+')) lower.erase(0, 1);
  double value = 0;
  if (lower == "inf" || lower == "infinity") {
    value = HUGE_VAL;
  } else if (lower == "nan") {
    value = std::nan("");
  } else {
    if (lower.find_first_not_of("0123456789.e+-") != std::string::npos) return std::nullopt;
    if (lower.empty() || lower[0] == '+' || lower[0] == '-') return std::nullopt;
    const std::optional<double> magnitude = read_magnitude(lower);
    if (!magnitude) return std::nullopt;
    value = *magnitude;
  }
  return negative ? -value : value;
}

double round_real(double value, int64_t digits) {
  if (!std::isfinite(value) || digits > 350) return value;
  if (digits < -310) return std::copysign(0.0, value);
  if (digits >= 0) {
    return std::copysign(read_rounded(print_real(std::abs(value), 'f', digits, false)), value);
  }
  // Every binary fraction ends: 1074 digits after the point write the number exactly.
  const std::string exact = print_real(std::abs(value), 'f', 1074, false);
  const size_t point = exact.find('.');
  const auto cut = static_cast<size_t>(-digits);
  std::string kept = point > cut ? exact.substr(0, point - cut) : "0";
  std::string tail = exact.substr(point > cut ? point - cut : 0);
  if (point < cut) tail.insert(0, cut - point, '0');
  tail.erase(std::remove(tail.begin(), tail.end(), '.'), tail.end());
  const bool above =
      tail[0] > '5' || (tail[0] == '5' && tail.find_first_not_of('0', 1) != std::string::npos);
  const bool tie = tail[0] == '5' && !above;
  bool up = above || (tie && (kept.back() - '0') % 2 == 1);
  for (size_t i = kept.size(); up && i-- > 0;) {
    up = kept[i] == '9';
    kept[i] = up ? '0' : static_cast<char>(kept[i] + 1);
  }
  if (up) kept.insert(0, "1");
  const std::string text = kept + std::string(cut, '0');
  return std::copysign(read_rounded(text), value);
}

int64_t round_integer(int64_t value, int64_t digits) {
  if (digits >= 0) return value;
  if (digits < -19) return 0;
  __int128 unit = 1;
  for (int64_t i = digits; i < 0; ++i) unit *= 10;
  __int128 quotient = value / unit;
  __int128 rest = value % unit;
  if (rest < 0) {
    rest += unit;
    quotient -= 1;
  }
  if (rest * 2 > unit || (rest * 2 == unit && quotient % 2 != 0)) quotient += 1;
  const __int128 result = quotient * unit;
  if (result > INT64_MAX || result < INT64_MIN) {
    throw Error("the rounded number does not fit into 64 bits");
  }
  return static_cast<int64_t>(result);
}

}  // namespace palimpsest::python_text
