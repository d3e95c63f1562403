#include "palimpsest/text/template/repr.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "palimpsest/text/template/dict.h"
#include "palimpsest/text/template/loop.h"
#include "palimpsest/text/template/ops.h"
#include "palimpsest/text/template/unicode.h"

namespace palimpsest::jinja {
namespace {

// Writes repr() into a text whose size the budget bounds.
class ReprWriter {
 public:
  explicit ReprWriter(Budget& budget) : budget_(budget) {}

  std::string finish() { return std::move(out_); }

  void write(const Value& value) {
    budget_.spend(1);
    switch (value.kind()) {
      case Kind::kMissing:
      case Kind::kUndefined:
        return append("Undefined");
      case Kind::kNone:
        return append("None");
      case Kind::kBool:
        return append(value.as_int() != 0 ? "True" : "False");
      case Kind::kInt:
        return append(std::to_string(value.as_int()));
      case Kind::kFloat:
        return append(real_to_text(value.as_double()));
      case Kind::kString:
        return write_string(value.string());
      case Kind::kList:
        return write_items("[", value.items(), "]");
      case Kind::kTuple:
        return write_items("(", value.items(), value.items().size() == 1 ? ",)" : ")");
      case Kind::kDict:
        return write_dict(value.dict());
      case Kind::kRange:
        return write_range(value.get<RangeObject>());
      case Kind::kView:
        return write_view(value.get<ViewObject>());
      case Kind::kMacro:
        return append(describe_macro(value));
      case Kind::kNamespace:
        return write_namespace(value.get<NamespaceObject>());
      case Kind::kLoop:
        return append(describe_loop(value));
      default:
        throw Error({.what = fmt::format("a {} cannot be written", type_name(value)),
                     .hint = value.is(Kind::kIterator) ? "make a list of it with |list"
                                                       : "was it meant to be called?"});
    }
  }

 private:
  void append(std::string_view text) {
    budget_.require(static_cast<int64_t>(out_.size() + text.size()));
    out_ += text;
  }

  void write_string(const StringObject& string) {
    budget_.spend_bytes(string.text.size());
    append(string.markup ? "Markup(" + quote(string.text) + ")" : quote(string.text));
  }

  void write_items(std::string_view open, const Values& items, std::string_view close) {
    append(open);
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) append(", ");
      write(items[i]);
    }
    append(close);
  }

  void write_dict(const DictObject& dict) {
    append("{");
    bool first = true;
    for (const auto& [key, value] : dict.entries()) {
      if (!first) append(", ");
      first = false;
      write(key);
      append(": ");
      write(value);
    }
    append("}");
  }

  void write_range(const RangeObject& range) {
    append(fmt::format("range({}, {}", range.start, range.stop));
    append(range.step == 1 ? ")" : fmt::format(", {})", range.step));
  }

  void write_view(const ViewObject& view) {
    constexpr std::string_view kNames[] = {"dict_keys([", "dict_values([", "dict_items(["};
    append(kNames[static_cast<size_t>(view.view_kind)]);
    bool first = true;
    for (const auto& [key, value] : view.source.dict().entries()) {
      if (!first) append(", ");
      first = false;
      if (view.view_kind == ViewKind::kItems) {
        write_items("(", {key, value}, ")");
      } else {
        write(view.view_kind == ViewKind::kKeys ? key : value);
      }
    }
    append("])");
  }

  // A namespace may hold itself; Python then writes "{...}" for its attributes.
  void write_namespace(const NamespaceObject& space) {
    for (const NamespaceObject* open : open_) {
      if (open == &space) return append("<Namespace {...}>");
    }
    if (open_.size() >= kMaxNesting) throw Error("namespaces are nested too deep to be written");
    open_.push_back(&space);
    append("<Namespace {");
    bool first = true;
    for (const auto& [key, value] : space.attributes) {
      if (!first) append(", ");
      first = false;
      append(quote(key) + ": ");
      write(value);
    }
    append("}>");
    open_.pop_back();
  }

  Budget& budget_;
  std::string out_;
  std::vector<const NamespaceObject*> open_;
};

void append_escaped(std::string& out, char32_t c) {
  if (c < 0x100) {
    out += fmt::format("\\x{:02x}", static_cast<uint32_t>(c));
  } else if (c < 0x10000) {
    out += fmt::format("\\u{:04x}", static_cast<uint32_t>(c));
  } else {
    out += fmt::format("\\U{:08x}", static_cast<uint32_t>(c));
  }
}

}  // namespace

std::string real_to_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<size_t>(end.ptr - buffer.data()));
  const size_t e = text.find('e');
  const bool negative = text[0] == '-';
  std::string digits;
  for (const char c : text.substr(0, e)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  int exponent = 0;
  const size_t sign = text[e + 1] == '+' ? 1 : 0;
  std::from_chars(text.data() + e + 1 + sign, text.data() + text.size(), exponent);
  std::string out = negative ? "-" : "";
  const auto count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (count > 1) out += "." + digits.substr(1);
    return out + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0)
    return out + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  if (count <= exponent + 1) {
    return out + digits + std::string(static_cast<size_t>(exponent + 1 - count), '0') + ".0";
  }
  return out + digits.substr(0, static_cast<size_t>(exponent) + 1) + "." +
         digits.substr(static_cast<size_t>(exponent) + 1);
}

std::string quote(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char mark = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string out(1, mark);
  for (size_t offset = 0; offset < text.size();) {
    const size_t begin = offset;
    const char32_t c = next_code_point(text, offset);
    if (c == static_cast<char32_t>(mark) || c == U'\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == U'\n') {
      out += "\\n";
    } else if (c == U'\r') {
      out += "\\r";
    } else if (c == U'\t') {
      out += "\\t";
    } else if (is_printable(c)) {
      out += text.substr(begin, offset - begin);
    } else {
      append_escaped(out, c);
    }
  }
  return out + mark;
}

std::string to_repr(const Value& value, Budget& budget) {
  ReprWriter writer(budget);
  writer.write(value);
  return writer.finish();
}

std::string to_text(const Value& value, Budget& budget) {
  if (value.is_string()) return value.text();
  if (value.is_undefined()) return "";
  return to_repr(value, budget);
}

}  // namespace palimpsest::jinja
