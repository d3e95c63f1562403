// The methods of texts: Python's str methods as templates call them.
#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/jinja/internal/attributes.h"
#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/format.h"
#include "palimpsest/jinja/internal/methods.h"
#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/python_text/internal/text.h"
#include "palimpsest/python_text/internal/unicode.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::jinja {
namespace {

// A result that is markup if the text was.
Value like(const Value& self, std::string text, Runtime& runtime) {
  return make_string(std::move(text), &runtime.budget, self.string().markup);
}

Value list_like(const Value& self, std::vector<std::string> parts, Runtime& runtime) {
  Values items;
  items.reserve(parts.size());
  for (std::string& part : parts) items.push_back(like(self, std::move(part), runtime));
  return make_list(std::move(items), &runtime.budget);
}

std::optional<std::string> optional_text(const Parameters& parameters, size_t i) {
  return parameters.given(i) ? std::optional<std::string>(parameters.text(i)) : std::nullopt;
}

// A text given to a method of markup is escaped.
std::string argument_text(const Value& self, const Parameters& parameters, size_t i,
                          Runtime& runtime) {
  const std::string& text = parameters.text(i);
  return self.string().markup ? escape_value(parameters[i], runtime.budget) : text;
}

template <python_text::Side side>
Value strip_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("strip", arguments, {""}, 0);
  return like(self, std::string(python_text::strip(self.text(), side, optional_text(p, 0))),
              runtime);
}

template <std::string (*convert)(std::string_view)>
Value convert_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("this method", arguments, {}, 0);
  runtime.budget.require(static_cast<int64_t>(self.text().size()) * 8);
  return like(self, convert(self.text()), runtime);
}

template <std::vector<std::string> (*cut)(std::string_view, const std::optional<std::string>&,
                                          int64_t)>
Value split_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("split", arguments, {"sep", "maxsplit"}, 0);
  runtime.budget.require(static_cast<int64_t>(self.text().size()) * 16);
  return list_like(self, cut(self.text(), optional_text(p, 0), p.integer(1, -1)), runtime);
}

Value splitlines_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("splitlines", arguments, {"keepends"}, 0);
  runtime.budget.require(static_cast<int64_t>(self.text().size()) * 16);
  return list_like(self, python_text::split_lines(self.text(), p.flag(0, false)), runtime);
}

template <bool from_right>
Value partition_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("partition", arguments, {""}, 1);
  const std::string& separator = p.text(0);
  if (separator.empty()) throw Error("a text cannot be split by an empty text");
  const std::string& text = self.text();
  const size_t found = from_right ? text.rfind(separator) : text.find(separator);
  std::string left = from_right ? "" : text;
  std::string right = from_right ? text : "";
  const bool split_here = found != std::string::npos;
  if (split_here) {
    left = text.substr(0, found);
    right = text.substr(found + separator.size());
  }
  return make_tuple({like(self, left, runtime), like(self, split_here ? separator : "", runtime),
                     like(self, right, runtime)},
                    &runtime.budget);
}

Value replace_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("replace", arguments, {"", "", ""}, 2);
  const std::string with = argument_text(self, p, 1, runtime);
  return like(self, replace(self.text(), p.text(0), with, p.integer(2, -1), runtime.budget),
              runtime);
}

// An empty `old_part` is found between all characters.
std::string replace_between(std::string_view text, std::string_view new_part, int64_t most) {
  std::string out;
  int64_t done = 0;
  for (size_t at = 0; at <= text.size();) {
    if (most < 0 || done < most) {
      out += new_part;
      ++done;
    }
    if (at == text.size()) break;
    const size_t begin = at;
    text::next_code_point(text, at);
    out += text.substr(begin, at - begin);
  }
  return out;
}

// The part of a text that the bounds of find(), count(), startswith() … select.
struct Part {
  std::string_view text;
  int64_t start;   // in code points
  bool reachable;  // false: the start lies behind the end, where not even "" is found
};

Part select(const Value& self, const Parameters& p, size_t start_at, Runtime& runtime) {
  const StringObject& source = self.string();
  runtime.budget.spend_bytes(source.text.size());
  const auto bound = [&](size_t i, int64_t open) {
    int64_t index = p.given(i) ? p.integer(i, open) : open;
    if (index < 0) index = std::max<int64_t>(0, index + source.length);
    return index;
  };
  const int64_t start = bound(start_at, 0);
  const int64_t stop = std::min(bound(start_at + 1, source.length), source.length);
  if (start > source.length || start > stop) return {"", start, false};
  const size_t begin = python_text::byte_offset(source.text, start);
  const size_t end = python_text::byte_offset(source.text, stop);
  return {std::string_view(source.text).substr(begin, end - begin), start, true};
}

template <bool from_right, bool must_exist>
Value find_method_of_text(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("find", arguments, {"", "", ""}, 1);
  const std::string& wanted = p.text(0);
  const Part part = select(self, p, 1, runtime);
  const size_t found = from_right ? part.text.rfind(wanted) : part.text.find(wanted);
  if (!part.reachable || found == std::string_view::npos) {
    if (must_exist) throw Error("the text to look for is not in the text");
    return Value::integer(-1);
  }
  return Value::integer(part.start + text::count_code_points(part.text.substr(0, found)));
}

Value count_text_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("count", arguments, {"", "", ""}, 1);
  const std::string& wanted = p.text(0);
  const Part part = select(self, p, 1, runtime);
  if (!part.reachable) return Value::integer(0);
  if (wanted.empty()) return Value::integer(text::count_code_points(part.text) + 1);
  int64_t count = 0;
  for (size_t at = part.text.find(wanted); at != std::string_view::npos;
       at = part.text.find(wanted, at + wanted.size())) {
    ++count;
  }
  return Value::integer(count);
}

template <bool at_end>
Value affix_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("startswith", arguments, {"", "", ""}, 1);
  const Part part = select(self, p, 1, runtime);
  const auto matches = [&](const Value& affix) {
    if (!affix.is_string()) {
      throw Error(fmt::format("startswith and endswith need a text or a tuple of texts, not '{}'",
                              type_name(affix)));
    }
    if (!part.reachable) return false;
    return at_end ? part.text.ends_with(affix.text()) : part.text.starts_with(affix.text());
  };
  if (!p[0].is(Kind::kTuple)) return Value::boolean(matches(p[0]));
  const Values& affixes = p[0].items();
  return Value::boolean(std::any_of(affixes.begin(), affixes.end(), matches));
}

template <bool at_end>
Value remove_affix_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("removeprefix", arguments, {""}, 1);
  std::string_view text = self.text();
  const std::string& affix = p.text(0);
  if (at_end && text.ends_with(affix)) text.remove_suffix(affix.size());
  if (!at_end && text.starts_with(affix)) text.remove_prefix(affix.size());
  return like(self, std::string(text), runtime);
}

template <bool (*predicate)(char32_t)>
Value all_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("this method", arguments, {}, 0);
  runtime.budget.spend_bytes(self.text().size());
  const std::string& text = self.text();
  for (size_t at = 0; at < text.size();) {
    if (!predicate(text::next_code_point(text, at))) return Value::boolean(false);
  }
  // The empty text is printable and ASCII, and nothing else.
  return Value::boolean(!text.empty());
}

bool is_ascii(char32_t c) {
  return c < 0x80;
}

template <bool (*predicate)(char32_t)>
Value all_or_empty_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  return self.text().empty() ? Value::boolean(true)
                             : all_method<predicate>(self, arguments, runtime);
}

template <bool (*predicate)(std::string_view)>
Value whole_text_method(const Value& self, Arguments& arguments, Runtime&) {
  const Parameters p("this method", arguments, {}, 0);
  return Value::boolean(predicate(self.text()));
}

Value istitle_method(const Value& self, Arguments& arguments, Runtime&) {
  const Parameters p("istitle", arguments, {}, 0);
  bool any = false;
  bool after_cased = false;
  for (const char32_t c : text::to_code_points(self.text())) {
    const bool capital = python_text::is_upper(c) || python_text::is_title(c);
    if ((capital && after_cased) || (python_text::is_lower(c) && !after_cased))
      return Value::boolean(false);
    after_cased = capital || python_text::is_lower(c);
    any = any || after_cased;
  }
  return Value::boolean(any);
}

// center() puts the odd space where CPython does: left if the width is odd too.
std::string center(const std::string& text, int64_t width, const std::string& fill,
                   Budget& budget) {
  const int64_t room = width - text::count_code_points(text);
  if (room <= 0) return text;
  const int64_t left = room / 2 + (room & width & 1);
  const std::string padded = pad(text, width - left, fill, '<', budget);
  return pad(padded, width, fill, '>', budget);
}

template <char alignment>
Value justify_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("this method", arguments, {"", ""}, 1);
  const std::string fill = p.has(1) ? argument_text(self, p, 1, runtime) : " ";
  if (text::count_code_points(fill) != 1) throw Error("the padding must be exactly one character");
  const int64_t width = p.integer(0, 0);
  runtime.budget.require(width);
  if (alignment == '^')
    return like(self, center(self.text(), width, fill, runtime.budget), runtime);
  return like(self, pad(self.text(), width, fill, alignment, runtime.budget), runtime);
}

Value zfill_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("zfill", arguments, {""}, 1);
  const std::string& text = self.text();
  const bool sign = text.starts_with('-') || text.starts_with('+');
  const int64_t width = p.integer(0, 0);
  runtime.budget.require(width);
  const std::string digits =
      pad(text.substr(sign ? 1 : 0), width - (sign ? 1 : 0), "0", '>', runtime.budget);
  return like(self, text.substr(0, sign ? 1 : 0) + digits, runtime);
}

Value join_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("join", arguments, {""}, 1);
  std::string out;
  bool first = true;
  Cursor cursor(p[0], runtime.budget);
  for (Value item; cursor.next(item); first = false) {
    if (!first) out += self.text();
    if (self.string().markup) {
      out += escape_value(item, runtime.budget);
    } else if (item.is_string()) {
      out += item.text();
    } else {
      throw Error({.what = fmt::format("join needs texts, not '{}'", type_name(item)),
                   .hint = "the filter `join` takes anything"});
    }
    runtime.budget.spend_bytes(self.text().size());
    runtime.budget.require(static_cast<int64_t>(out.size()));
  }
  return like(self, std::move(out), runtime);
}

Value format_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  return format_braces(self, arguments, runtime);
}

Value format_map_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("format_map", arguments, {""}, 1);
  if (!p[0].is_dict()) throw Error("format_map needs a dict");
  Arguments inner;
  for (const auto& [key, value] : p[0].dict().entries()) {
    if (key.is_string()) inner.named.emplace_back(key.text(), value);
  }
  return format_braces(self, inner, runtime);
}

constexpr NamedMethod kTextMethods[] = {
    {"capitalize", convert_method<python_text::capitalize>},
    {"center", justify_method<'^'>},
    {"count", count_text_method},
    {"endswith", affix_method<true>},
    {"find", find_method_of_text<false, false>},
    {"format", format_method},
    {"format_map", format_map_method},
    {"index", find_method_of_text<false, true>},
    {"isalnum", all_method<python_text::is_alnum>},
    {"isalpha", all_method<python_text::is_alpha>},
    {"isascii", all_or_empty_method<is_ascii>},
    {"isdecimal", all_method<python_text::is_decimal>},
    {"isdigit", all_method<python_text::is_digit>},
    {"isidentifier", whole_text_method<python_text::is_identifier>},
    {"islower", whole_text_method<python_text::text_is_lower>},
    {"isnumeric", all_method<python_text::is_numeric>},
    {"isprintable", all_or_empty_method<python_text::is_printable>},
    {"isspace", all_method<python_text::is_space>},
    {"istitle", istitle_method},
    {"isupper", whole_text_method<python_text::text_is_upper>},
    {"join", join_method},
    {"ljust", justify_method<'<'>},
    {"lower", convert_method<python_text::to_lower>},
    {"lstrip", strip_method<python_text::Side::kLeft>},
    {"partition", partition_method<false>},
    {"removeprefix", remove_affix_method<false>},
    {"removesuffix", remove_affix_method<true>},
    {"replace", replace_method},
    {"rfind", find_method_of_text<true, false>},
    {"rindex", find_method_of_text<true, true>},
    {"rjust", justify_method<'>'>},
    {"rpartition", partition_method<true>},
    {"rsplit", split_method<python_text::split_right>},
    {"rstrip", strip_method<python_text::Side::kRight>},
    {"split", split_method<python_text::split>},
    {"splitlines", splitlines_method},
    {"startswith", affix_method<false>},
    {"strip", strip_method<python_text::Side::kBoth>},
    {"swapcase", convert_method<python_text::swap_case>},
    {"title", convert_method<python_text::to_title>},
    {"upper", convert_method<python_text::to_upper>},
    {"zfill", zfill_method},
};

}  // namespace

std::string replace(std::string_view text, std::string_view old_part, std::string_view new_part,
                    int64_t most, Budget& budget) {
  budget.spend_bytes(text.size());
  if (old_part.empty()) {
    budget.require(static_cast<int64_t>((text.size() + 1) * (new_part.size() + 1)));
    return replace_between(text, new_part, most);
  }
  std::string out;
  for (int64_t done = 0; most < 0 || done < most; ++done) {
    const size_t found = text.find(old_part);
    if (found == std::string_view::npos) break;
    out += text.substr(0, found);
    out += new_part;
    budget.spend_bytes(new_part.size());
    budget.require(static_cast<int64_t>(out.size()));
    text.remove_prefix(found + old_part.size());
  }
  return out.append(text);
}

std::span<const NamedMethod> text_methods() {
  return kTextMethods;
}

}  // namespace palimpsest::jinja
