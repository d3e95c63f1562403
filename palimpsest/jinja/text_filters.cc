// The filters that make a text of something.
#include <fmt/format.h>

#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/filters.h"
#include "palimpsest/jinja/internal/format.h"
#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/jinja/internal/repr.h"
#include "palimpsest/python_text/internal/text.h"
#include "palimpsest/python_text/internal/unicode.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::jinja {
namespace {

// A filter that is the method of that name, after turning the value into a text.
Value by_method(const Value& value, std::string_view name, Arguments& arguments, Runtime& runtime) {
  const Value text = as_string(value, runtime);
  return find_method(text, name)(text, arguments, runtime);
}

Value upper(const Value& value, Arguments& arguments, Runtime& runtime) {
  return by_method(value, "upper", arguments, runtime);
}

Value lower(const Value& value, Arguments& arguments, Runtime& runtime) {
  return by_method(value, "lower", arguments, runtime);
}

Value capitalize_filter(const Value& value, Arguments& arguments, Runtime& runtime) {
  return by_method(value, "capitalize", arguments, runtime);
}

Value trim(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("trim", arguments, {"chars"}, 0);
  Arguments characters;
  if (p.has(0)) characters.positional.push_back(p[0]);
  return by_method(value, "strip", characters, runtime);
}

Value center(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("center", arguments, {"width"}, 0);
  Arguments width{.positional = {Value::integer(p.integer(0, 80))}};
  return by_method(value, "center", width, runtime);
}

Value title(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("title", arguments, {}, 0);
  const std::u32string points = text::to_code_points(to_text(value, runtime.budget));
  const auto separates = [](char32_t c) {
    return python_text::is_space(c) ||
           std::u32string_view(U"-({[<").find(c) != std::u32string_view::npos;
  };
  std::string out;
  // Runs of separators and of other characters are words of their own, as Jinja splits them.
  for (size_t begin = 0; begin < points.size();) {
    size_t end = begin + 1;
    while (end < points.size() && separates(points[end]) == separates(points[begin])) ++end;
    out += python_text::to_upper(text::to_utf8(points.substr(begin, 1)));
    out += python_text::to_lower(text::to_utf8(points.substr(begin + 1, end - begin - 1)));
    begin = end;
  }
  return make_string(std::move(out), &runtime.budget);
}

Value string(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("string", arguments, {}, 0);
  return as_string(value, runtime);
}

Value replace_filter(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("replace", arguments, {"old", "new", "count"}, 2);
  Budget& budget = runtime.budget;
  const int64_t count = p.given(2) ? p.integer(2, -1) : -1;
  return make_string(
      replace(to_text(value, budget), to_text(p[0], budget), to_text(p[1], budget), count, budget),
      &budget);
}

Value format(const Value& value, Arguments& arguments, Runtime& runtime) {
  if (!arguments.named.empty() && !arguments.positional.empty()) {
    throw Error("format takes positional or named arguments, not both");
  }
  Value values = make_tuple(arguments.positional, &runtime.budget);
  if (!arguments.named.empty())
    values = make_dict(named_entries(arguments, &runtime.budget), &runtime.budget);
  return format_percent(as_string(value, runtime), values, runtime);
}

Value join(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("join", arguments, {"d", "attribute"}, 0);
  Budget& budget = runtime.budget;
  const std::string between = p.has(0) ? to_text(p[0], budget) : "";
  const Getter getter = attribute_getter(p[1], Value(), budget);
  std::string out;
  bool first = true;
  Cursor cursor(value, budget);
  for (Value item; cursor.next(item); first = false) {
    if (!first) out += between;
    out += to_text(p.given(1) ? getter(item, runtime) : item, budget);
    budget.spend_bytes(between.size());
    budget.require(static_cast<int64_t>(out.size()));
  }
  return make_string(std::move(out), &budget);
}

Value indent(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("indent", arguments, {"width", "first", "blank"}, 0);
  require_defined(value);
  if (!value.is_string()) {
    throw Error(fmt::format("indent needs a text, not '{}'", type_name(value)));
  }
  Budget& budget = runtime.budget;
  const int64_t width = p.has(0) && p[0].is_string() ? 0 : p.integer(0, 4);
  budget.require(width);
  const std::string margin =
      p.has(0) && p[0].is_string()
          ? p[0].text()
          : std::string(static_cast<size_t>(std::max<int64_t>(0, width)), ' ');
  std::string out = p.flag(1, false) ? margin : "";
  bool first = true;
  for (const std::string& line : python_text::split_lines(value.text() + "\n", false)) {
    if (!first) out += "\n";
    if (!first && (p.flag(2, false) || !line.empty())) out += margin;
    out += line;
    budget.spend_bytes(margin.size());
    budget.require(static_cast<int64_t>(out.size()));
    first = false;
  }
  return make_string(std::move(out), &budget, value.string().markup);
}

Value truncate(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("truncate", arguments, {"length", "killwords", "end", "leeway"}, 0);
  const std::string end = p.has(2) ? p.text(2) : "...";
  const int64_t length = p.integer(0, 255);
  const int64_t leeway = p.given(3) ? p.integer(3, 5) : 5;
  const int64_t kept = length - text::count_code_points(end);
  if (kept < 0 || leeway < 0) throw Error("truncate: the length is shorter than the end");
  const int64_t size = require_length(value);
  if (size <= length || size - length <= leeway) return value;
  if (!value.is_string()) {
    throw Error(fmt::format("truncate needs a text, not '{}'", type_name(value)));
  }
  const StringObject& source = value.string();
  std::string text = source.text.substr(0, python_text::byte_offset(source.text, kept));
  if (!p.flag(1, false)) {
    const size_t space = text.rfind(' ');
    if (space != std::string::npos) text.resize(space);
  }
  return make_string(text + end, &runtime.budget, source.markup);
}

Value wordcount(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("wordcount", arguments, {}, 0);
  int64_t words = 0;
  bool inside = false;
  const std::string text = to_text(value, runtime.budget);
  for (size_t at = 0; at < text.size();) {
    const char32_t c = text::next_code_point(text, at);
    const bool word = c == U'_' || python_text::is_alnum(c);
    if (word && !inside) ++words;
    inside = word;
  }
  return Value::integer(words);
}

Value tojson(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("tojson", arguments, {"ensure_ascii", "indent", "separators", "sort_keys"}, 0);
  JsonOptions options;
  options.ensure_ascii = p.flag(0, false);
  options.sort_keys = p.flag(3, false);
  if (p.given(1)) {
    const int64_t width = p[1].is_string() ? 0 : p.integer(1, 0);
    runtime.budget.require(width);
    options.indent = p[1].is_string()
                         ? p[1].text()
                         : std::string(static_cast<size_t>(std::max<int64_t>(0, width)), ' ');
    options.item_separator = ",";
  }
  if (p.given(2)) {
    const Values separators = collect(p[2], runtime.budget);
    if (separators.size() != 2 || !separators[0].is_string() || !separators[1].is_string()) {
      throw Error("tojson: separators must be two texts");
    }
    options.item_separator = separators[0].text();
    options.key_separator = separators[1].text();
  }
  return make_string(to_json(value, options, runtime), &runtime.budget);
}

constexpr NamedMethod kTextFilters[] = {
    {"capitalize", capitalize_filter},
    {"center", center},
    {"format", format},
    {"indent", indent},
    {"join", join},
    {"lower", lower},
    {"replace", replace_filter},
    {"string", string},
    {"title", title},
    {"tojson", tojson},
    {"trim", trim},
    {"truncate", truncate},
    {"upper", upper},
    {"wordcount", wordcount},
};

}  // namespace

std::span<const NamedMethod> text_filters() {
  return kTextFilters;
}

}  // namespace palimpsest::jinja
