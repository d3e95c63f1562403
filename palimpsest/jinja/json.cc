// The json.dumps() part of repr.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/jinja/internal/repr.h"
#include "palimpsest/python_text/internal/repr.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::jinja {
namespace {

// The JSON of null, a boolean or a number.
std::optional<std::string> plain_json(const Value& value) {
  if (value.is_none()) return "null";
  if (value.is(Kind::kBool)) return value.as_int() != 0 ? "true" : "false";
  if (value.is(Kind::kInt)) return std::to_string(value.as_int());
  if (!value.is(Kind::kFloat)) return std::nullopt;
  const double number = value.as_double();
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return python_text::real_to_text(number);
}

class JsonWriter {
 public:
  JsonWriter(const JsonOptions& options, Runtime& runtime) : options_(options), runtime_(runtime) {}

  std::string finish() { return std::move(out_); }

  void write(const Value& value, int level) {
    runtime_.budget.spend(1);
    if (const auto plain = plain_json(value)) return append(*plain);
    if (value.is_string()) return write_string(value.text());
    if (value.is_sequence()) return write_items(value.items(), level);
    if (value.is_dict()) return write_dict(value.dict(), level);
    require_defined(value);
    throw Error(fmt::format("a value of type '{}' cannot be written as JSON", type_name(value)));
  }

 private:
  void append(std::string_view text) { runtime_.budget.append(out_, text); }

  void write_string(std::string_view text) {
    runtime_.budget.spend_bytes(text.size());
    std::string quoted = "\"";
    for (size_t offset = 0; offset < text.size();) {
      const size_t begin = offset;
      const char32_t c = text::next_code_point(text, offset);
      append_character(quoted, c, text.substr(begin, offset - begin));
    }
    append(quoted + "\"");
  }

  void append_character(std::string& out, char32_t c, std::string_view bytes) const {
    constexpr std::string_view kPlain = "\"\\\n\r\t\f\b";
    constexpr std::string_view kEscaped = "\"\\nrtfb";
    const size_t special = c < 0x80 ? kPlain.find(static_cast<char>(c)) : std::string_view::npos;
    if (special != std::string_view::npos) {
      out += '\\';
      out += kEscaped[special];
    } else if (c < 0x20 || (options_.ensure_ascii && c > 0x7e && c < 0x10000)) {
      out += fmt::format("\\u{:04x}", static_cast<uint32_t>(c));
    } else if (options_.ensure_ascii && c >= 0x10000) {
      const auto offset = static_cast<uint32_t>(c) - 0x10000;
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (offset >> 10), 0xdc00 + (offset & 0x3ff));
    } else {
      out += bytes;
    }
  }

  void break_line(int level) {
    if (!options_.indent) return;
    append("\n");
    for (int i = 0; i < level; ++i) append(*options_.indent);
  }

  void write_items(const Values& items, int level) {
    if (items.empty()) return append("[]");
    append("[");
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) append(options_.item_separator);
      break_line(level + 1);
      write(items[i], level + 1);
    }
    break_line(level);
    append("]");
  }

  static std::string key_text(const Value& key) {
    if (key.is_string()) return key.text();
    if (auto plain = plain_json(key)) return *std::move(plain);
    throw Error(fmt::format("a key of type '{}' cannot be written as JSON", type_name(key)));
  }

  void write_dict(const DictObject& dict, int level) {
    if (dict.entries().empty()) return append("{}");
    std::vector<const DictObject::Entry*> entries;
    for (const auto& entry : dict.entries()) entries.push_back(&entry);
    if (options_.sort_keys) {
      std::stable_sort(entries.begin(), entries.end(), [this](const auto* a, const auto* b) {
        return less(a->first, b->first, runtime_);
      });
    }
    append("{");
    bool first = true;
    for (const auto* entry : entries) {
      if (!first) append(options_.item_separator);
      first = false;
      break_line(level + 1);
      write_string(key_text(entry->first));
      append(options_.key_separator);
      write(entry->second, level + 1);
    }
    break_line(level);
    append("}");
  }

  const JsonOptions& options_;
  Runtime& runtime_;
  std::string out_;
};

}  // namespace

std::string to_json(const Value& value, const JsonOptions& options, Runtime& runtime) {
  JsonWriter writer(options, runtime);
  writer.write(value, 0);
  return writer.finish();
}

}  // namespace palimpsest::jinja
