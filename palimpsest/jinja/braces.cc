// The half of format.h with braces: text.format(…).
#include <fmt/format.h>

#include "palimpsest/jinja/internal/attributes.h"
#include "palimpsest/jinja/internal/format.h"
#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/jinja/internal/repr.h"
#include "palimpsest/python_text/internal/number.h"

namespace palimpsest::jinja {
namespace {

class BraceFormatter {
 public:
  BraceFormatter(const Arguments& arguments, bool markup, Runtime& runtime)
      : arguments_(arguments), markup_(markup), runtime_(runtime) {}

  // Fields may stand inside the specification of a field, but not deeper.
  std::string run(std::string_view text, int depth) {
    if (depth > 2) throw Error("the fields of a format are nested too deep");
    std::string out;
    for (size_t at = 0; at < text.size();) {
      const char c = text[at];
      if (c != '{' && c != '}') {
        const size_t next = text.find_first_of("{}", at);
        append(out, text.substr(at, next - at));
        at = next == std::string_view::npos ? text.size() : next;
      } else if (at + 1 < text.size() && text[at + 1] == c) {
        append(out, text.substr(at, 1));
        at += 2;
      } else if (c == '}') {
        throw Error("the format has a single '}'");
      } else {
        const size_t end = closing_brace(text, at + 1);
        append(out, field(text.substr(at + 1, end - at - 1), depth));
        at = end + 1;
      }
    }
    return out;
  }

 private:
  void append(std::string& out, std::string_view piece) {
    runtime_.budget.spend_bytes(piece.size());
    runtime_.budget.append(out, piece);
  }

  static size_t closing_brace(std::string_view text, size_t at) {
    int open = 1;
    bool bracket = false;
    for (; at < text.size(); ++at) {
      if (text[at] == '[' && open == 1) bracket = true;
      if (text[at] == ']') bracket = false;
      if (bracket) continue;
      if (text[at] == '{') ++open;
      if (text[at] == '}' && --open == 0) return at;
    }
    throw Error("a '{' in the format is not closed");
  }

  std::string field(std::string_view content, int depth) {
    size_t end = 0;
    for (bool bracket = false; end < content.size(); ++end) {
      if (content[end] == '[') bracket = true;
      if (content[end] == ']') bracket = false;
      if (!bracket && (content[end] == '!' || content[end] == ':')) break;
    }
    Value value = look_up(content.substr(0, end));
    std::string_view rest = content.substr(end);
    if (rest.starts_with('!')) {
      if (rest.size() < 2 || (rest.size() > 2 && rest[2] != ':')) {
        throw Error("a '!' in the format needs one letter after it");
      }
      value = convert(value, rest[1]);
      rest.remove_prefix(2);
    }
    const std::string specification =
        rest.starts_with(':') ? run(rest.substr(1), depth + 1) : std::string();
    if (!markup_) return format_value(value, specification, runtime_.budget);
    if (value.is_string() && value.string().markup) {
      if (!specification.empty()) throw Error("markup takes no format");
      return value.text();
    }
    return escape_html(format_value(value, specification, runtime_.budget));
  }

  Value convert(const Value& value, char conversion) {
    Budget& budget = runtime_.budget;
    if (conversion == 's') return make_string(to_text(value, budget), &budget);
    if (conversion == 'r') return make_string(to_repr(value, budget), &budget);
    throw Error(fmt::format("'!{}' is not a conversion of a format", conversion));
  }

  // "name", "0", "" and what follows: .attribute and [item].
  Value look_up(std::string_view name) {
    const size_t end = std::min(name.find_first_of(".["), name.size());
    Value value = first_value(name.substr(0, end), name.empty());
    for (size_t at = end; at < name.size();) {
      if (name[at] == '.') {
        const size_t next = std::min(name.find_first_of(".[", at + 1), name.size());
        if (next == at + 1) throw Error("an attribute in the format has no name");
        value = get_attribute(value, std::string(name.substr(at + 1, next - at - 1)), runtime_);
        at = next;
      } else if (name[at] == '[') {
        const size_t close = name.find(']', at);
        if (close == std::string_view::npos || close == at + 1) {
          throw Error("an item in the format lacks its name or its ']'");
        }
        value = item(value, name.substr(at + 1, close - at - 1));
        at = close + 1;
      } else {
        throw Error("only '.' or '[' may follow ']' in a format");
      }
    }
    return value;
  }

  Value item(const Value& value, std::string_view key) {
    const Value index = is_index(key)
                            ? Value::integer(python_text::parse_integer(key, 10).value_or(0))
                            : make_string(std::string(key), &runtime_.budget);
    return get_item(value, index, runtime_);
  }

  Value first_value(std::string_view name, bool automatic) {
    if (automatic) {
      if (numbered_) throw Error("a format mixes numbered fields with fields without a number");
      automatic_ = true;
      return positional(next_++);
    }
    if (is_index(name)) {
      if (automatic_) throw Error("a format mixes numbered fields with fields without a number");
      numbered_ = true;
      return positional(static_cast<size_t>(python_text::parse_integer(name, 10).value_or(0)));
    }
    for (const auto& [key, value] : arguments_.named) {
      if (key == name) return value;
    }
    throw Error(fmt::format("the format's name '{}' has no value", name));
  }

  const Value& positional(size_t index) const {
    if (index >= arguments_.positional.size()) {
      throw Error("there are fewer values than the format needs");
    }
    return arguments_.positional[index];
  }

  const Arguments& arguments_;
  bool markup_;
  Runtime& runtime_;
  size_t next_ = 0;
  bool automatic_ = false;
  bool numbered_ = false;
};

}  // namespace

Value format_braces(const Value& format, const Arguments& arguments, Runtime& runtime) {
  BraceFormatter formatter(arguments, format.string().markup, runtime);
  return make_string(formatter.run(format.text(), 0), &runtime.budget, format.string().markup);
}

bool is_index(std::string_view part) {
  return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace palimpsest::jinja
