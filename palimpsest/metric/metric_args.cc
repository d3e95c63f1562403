#include "palimpsest/metric/metric_args.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "palimpsest/base/error.h"

namespace palimpsest::metric {
namespace {

[[noreturn]] void reject(std::string_view arg, std::string_view expected, std::string_view found) {
  throw Error({.what = fmt::format("the value of '{}' is wrong", arg),
               .expected = std::string(expected),
               .found = fmt::format("'{}'", found)});
}

// A number that takes up the whole text.
template <class Number>
Number parse_number(std::string_view arg, const std::string& text, std::string_view expected) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc() || stop != end) reject(arg, expected, text);
  return number;
}

double parse_logit(std::string_view arg, const std::string& text) {
  constexpr std::string_view kExpected = "numbers and -inf";
  const auto number = parse_number<double>(arg, text, kExpected);
  if (std::isnan(number) || number == std::numeric_limits<double>::infinity()) {
    reject(arg, kExpected, text);
  }
  return number;
}

// The pieces between the commas; a text without commas is one piece.
std::vector<std::string_view> split_commas(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const size_t comma = text.find(',');
    pieces.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return pieces;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

MetricArgs MetricArgs::parse(std::string_view spec) {
  MetricArgs args;
  const size_t colon = spec.find(':');
  args.name_ = spec.substr(0, colon);
  if (colon == std::string_view::npos) return args;
  const std::string_view list = spec.substr(colon + 1);
  for (const std::string_view piece : split_commas(list)) {
    const size_t equals = piece.find('=');
    if (equals == std::string_view::npos && !args.values_.empty()) {
      args.values_.back().second.items.emplace_back(piece);
      continue;
    }
    const std::string_view arg = piece.substr(0, equals);
    if (equals == std::string_view::npos || arg.empty()) {
      throw Error({.what = fmt::format("'{}' is not an argument", piece),
                   .expected = "NAME:arg=value,arg=value"});
    }
    if (args.has(arg)) throw Error(fmt::format("the argument '{}' is given twice", arg));
    args.values_.emplace_back(arg, Value{{std::string(piece.substr(equals + 1))}});
  }
  for (auto& [arg, value] : args.values_) {
    std::string& first = value.items.front();
    std::string& last = value.items.back();
    if (!first.starts_with('[') || !last.ends_with(']')) continue;
    first.erase(0, 1);
    last.pop_back();
    value.bracketed = true;
    if (value.items.size() == 1 && first.empty()) value.items.clear();
  }
  return args;
}

std::vector<std::string> MetricArgs::given() const {
  std::vector<std::string> names;
  for (const auto& [arg, value] : values_) names.push_back(arg);
  return names;
}

const MetricArgs::Value* MetricArgs::find(std::string_view arg) const {
  for (const auto& [name, value] : values_) {
    if (name == arg) return &value;
  }
  return nullptr;
}

const std::string* MetricArgs::single(std::string_view arg) const {
  const Value* value = find(arg);
  if (value == nullptr) return nullptr;
  if (value->items.size() != 1 || value->bracketed) {
    reject(arg, "one value", fmt::format("{}", fmt::join(value->items, ",")));
  }
  return &value->items[0];
}

void MetricArgs::read(std::string_view arg, std::string& value) const {
  const std::string* text = single(arg);
  if (text == nullptr) return;
  if (text->empty()) reject(arg, "a key", "");
  value = *text;
}

void MetricArgs::read(std::string_view arg, bool& value) const {
  const std::string* text = single(arg);
  if (text == nullptr) return;
  if (*text != "true" && *text != "false") reject(arg, "true or false", *text);
  value = *text == "true";
}

void MetricArgs::read(std::string_view arg, int64_t& value) const {
  const std::string* text = single(arg);
  if (text == nullptr) return;
  value = parse_number<int64_t>(arg, *text, "a whole number");
}

void MetricArgs::read(std::string_view arg, std::vector<int64_t>& value) const {
  const Value* list = find(arg);
  if (list == nullptr) return;
  value.clear();
  for (const std::string& item : list->items) {
    value.push_back(parse_number<int64_t>(arg, item, "whole numbers"));
  }
}

void MetricArgs::read(std::string_view arg, std::vector<double>& value) const {
  const Value* list = find(arg);
  if (list == nullptr) return;
  value.clear();
  for (const std::string& item : list->items) value.push_back(parse_logit(arg, item));
}

}  // namespace palimpsest::metric
