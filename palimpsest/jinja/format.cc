// format(): the specification after the colon, shared by both ways to format.
#include "palimpsest/jinja/internal/format.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/jinja/internal/repr.h"
#include "palimpsest/python_text/internal/number.h"
#include "palimpsest/python_text/internal/repr.h"
#include "palimpsest/python_text/internal/unicode.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::jinja {
namespace {

struct Specification {
  std::string fill = {};  // empty: the default, which the flag 0 changes
  char alignment = 0;     // 0: the default of the type
  char sign = '-';
  bool alternate = false;
  bool zero = false;
  int64_t width = 0;
  char grouping = 0;
  std::optional<int64_t> precision = {};
  char type = 0;
};

bool is_alignment(char c) {
  return c == '<' || c == '>' || c == '^' || c == '=';
}

Specification parse_specification(std::string_view text) {
  Specification spec;
  size_t at = 0;
  if (!text.empty()) {
    size_t after_fill = 0;
    text::next_code_point(text, after_fill);
    if (after_fill < text.size() && is_alignment(text[after_fill])) {
      spec.fill = text.substr(0, after_fill);
      spec.alignment = text[after_fill];
      at = after_fill + 1;
    } else if (is_alignment(text[0])) {
      spec.alignment = text[0];
      at = 1;
    }
  }
  const auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
  if (peek() == '+' || peek() == '-' || peek() == ' ') spec.sign = text[at++];
  if (peek() == '#') spec.alternate = text[at++] == '#';
  if (peek() == '0') {
    spec.zero = true;
    ++at;
  }
  spec.width = read_field_size(text, at).value_or(0);
  if (peek() == ',' || peek() == '_') spec.grouping = text[at++];
  if (peek() == '.') {
    ++at;
    spec.precision = read_field_size(text, at);
    if (!spec.precision) throw Error("the format lacks a precision after its '.'");
  }
  if (at < text.size()) spec.type = text[at++];
  if (at != text.size()) throw Error(fmt::format("the format '{}' is not valid", text));
  const std::string_view grouped = spec.grouping == '_' ? "deEfFgG%xXob" : "deEfFgG%";
  if (spec.grouping != 0 && spec.type != 0 && grouped.find(spec.type) == std::string_view::npos) {
    throw Error(
        fmt::format("'{}' cannot be combined with '{}' in a format", spec.grouping, spec.type));
  }
  return spec;
}

std::string fill_of(const Specification& spec) {
  if (!spec.fill.empty()) return spec.fill;
  return spec.zero ? "0" : " ";
}

std::string group_digits(const std::string& digits, char separator, size_t size) {
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % size == 0) out += separator;
    out += digits[i];
  }
  return out;
}

// A number set in its field: `digits` is the whole part, `rest` what follows it.
std::string lay_out_number(const Specification& spec, const std::string& sign, std::string digits,
                           const std::string& rest, Budget& budget) {
  const bool hexadecimal =
      spec.type == 'x' || spec.type == 'X' || spec.type == 'o' || spec.type == 'b';
  const size_t group = hexadecimal ? 4 : 3;
  const char alignment = spec.alignment != 0 ? spec.alignment : spec.zero ? '=' : '>';
  const std::string fill = fill_of(spec);
  budget.require(spec.width);
  if (spec.grouping != 0) {
    std::string grouped = group_digits(digits, spec.grouping, group);
    if (alignment == '=' && fill == "0") {
      const auto room = spec.width - static_cast<int64_t>(sign.size() + rest.size());
      while (static_cast<int64_t>(grouped.size()) < room) {
        digits.insert(0, "0");
        grouped = group_digits(digits, spec.grouping, group);
      }
    }
    digits = grouped;
  }
  const std::string body = digits + rest;
  if (alignment != '=') return pad(sign + body, spec.width, fill, alignment, budget);
  const int64_t room = spec.width - static_cast<int64_t>(sign.size());
  return sign + pad(body, room, fill, '>', budget);
}

std::string sign_of(const Specification& spec, bool negative) {
  if (negative) return "-";
  return spec.sign == '-' ? "" : std::string(1, spec.sign);
}

std::string format_real(double value, const Specification& spec, Budget& budget) {
  std::string text;
  const bool percent = spec.type == '%';
  if (spec.type == 0 && !spec.precision) {
    text = python_text::real_to_text(std::abs(value));
    const size_t e = text.find('e');
    if (spec.alternate && text.find('.') == std::string::npos && e != std::string::npos) {
      text.insert(e, ".");
    }
  } else {
    const char type = percent ? 'f' : spec.type == 0 || spec.type == 'n' ? 'g' : spec.type;
    if (std::string_view("eEfFgG").find(type) == std::string_view::npos) {
      throw Error(fmt::format("the format '{}' does not fit a float", spec.type));
    }
    const double magnitude = std::abs(percent ? value * 100 : value);
    text =
        spec.type == 0
            ? python_text::general_with_point(magnitude, *spec.precision, spec.alternate)
            : python_text::print_real(magnitude, type, spec.precision.value_or(6), spec.alternate);
  }
  size_t whole = 0;
  while (whole < text.size() && text[whole] >= '0' && text[whole] <= '9') ++whole;
  const std::string rest = text.substr(whole) + (percent ? "%" : "");
  return lay_out_number(spec, sign_of(spec, std::signbit(value) && !std::isnan(value)),
                        text.substr(0, whole), rest, budget);
}

std::string format_integer(int64_t value, const Specification& spec, Budget& budget) {
  if (spec.type != 0 && std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos) {
    return format_real(static_cast<double>(value), spec, budget);
  }
  if (spec.precision) throw Error("an integer takes no precision in a format");
  if (spec.type == 'c') {
    const std::optional<std::string> character = character_of(value);
    if (!character) throw Error("'c' in a format needs a character's number");
    return pad(*character, spec.width, fill_of(spec), spec.alignment != 0 ? spec.alignment : '<',
               budget);
  }
  std::string sign = sign_of(spec, value < 0);
  if (spec.alternate && std::string_view("xXob").find(spec.type) != std::string_view::npos) {
    sign += std::string("0") + spec.type;
  }
  return lay_out_number(spec, sign, python_text::print_integer(magnitude_of(value), spec.type), "",
                        budget);
}

std::string format_text(const std::string& text, const Specification& spec, Budget& budget) {
  if ((spec.type != 0 && spec.type != 's') || spec.sign != '-' || spec.grouping != 0 ||
      spec.alternate || spec.alignment == '=') {
    throw Error("this format does not fit a text");
  }
  const std::string cut =
      spec.precision ? text.substr(0, python_text::byte_offset(text, *spec.precision)) : text;
  return pad(cut, spec.width, fill_of(spec), spec.alignment != 0 ? spec.alignment : '<', budget);
}

}  // namespace

std::optional<int64_t> read_field_size(std::string_view text, size_t& at) {
  const size_t begin = at;
  int64_t number = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    number = number * 10 + (text[at] - '0');
    if (number > python_text::kMaxFieldSize)
      throw Error("a width or precision in the format is too large");
  }
  return at == begin ? std::nullopt : std::optional<int64_t>(number);
}

std::optional<std::string> character_of(int64_t number) {
  if (number < 0 || number > 0x10ffff || (number >= 0xd800 && number < 0xe000)) return std::nullopt;
  return text::to_utf8(static_cast<char32_t>(number));
}

std::string pad(const std::string& text, int64_t width, const std::string& fill, char alignment,
                Budget& budget) {
  const int64_t room = width - text::count_code_points(text);
  if (room <= 0) return text;
  budget.require(room * static_cast<int64_t>(fill.size()));
  const int64_t left = alignment == '<' ? 0 : alignment == '^' ? room / 2 : room;
  std::string out;
  for (int64_t i = 0; i < left; ++i) out += fill;
  out += text;
  for (int64_t i = left; i < room; ++i) out += fill;
  return out;
}

std::string format_value(const Value& value, std::string_view specification, Budget& budget) {
  if (specification.empty()) return to_text(value, budget);
  if (value.is_string())
    return format_text(value.text(), parse_specification(specification), budget);
  if (value.is_integral()) {
    return format_integer(value.as_int(), parse_specification(specification), budget);
  }
  if (value.is(Kind::kFloat)) {
    return format_real(value.as_double(), parse_specification(specification), budget);
  }
  throw Error(fmt::format("a value of type '{}' takes no format", type_name(value)));
}

}  // namespace palimpsest::jinja
