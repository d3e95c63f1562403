#include "palimpsest/config/internal/yaml_writer.h"

#include <cmath>

#include "palimpsest/config/internal/yaml_text.h"
#include "palimpsest/python_text/internal/repr.h"

namespace palimpsest::config {
namespace {

std::string real_text(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  std::string text = python_text::real_to_text(value);
  // YAML 1.1 needs a point: 1e-05 is written 1.0e-05.
  if (const size_t e = text.find('e');
      e != std::string::npos && text.find('.') == std::string::npos) {
    text.insert(e, ".0");
  }
  return text;
}

class Writer {
 public:
  void write(const Value& value) {
    if (is_block(value)) return write_block(value, 0);
    write_scalar(value, 2);
    out_.end_line();
    // A plain scalar that is the whole document is closed by an end mark.
    if (!value.is_container() && !out_.last_was_quoted()) out_.raw("...\n");
  }
  std::string take() { return out_.take(); }

 private:
  static bool is_block(const Value& value) {
    return (value.is_map() && !value.as_map().empty()) ||
           (value.is_list() && !value.as_list().empty());
  }

  // The entries stand at `indent`; the first one where the line already is.
  void write_map(const Value::Map& map, int64_t indent) {
    for (const auto& [key, value] : map) {
      out_.indent_to(indent);
      const bool simple = out_.write_key(key, indent);
      if (!is_block(value)) {
        write_scalar(value, indent + 2);
        out_.end_line();
        continue;
      }
      if (simple) out_.end_line();
      // A list in a map is not indented, unless its first item stands behind the colon.
      write_block(value, value.is_list() && simple ? indent : indent + 2);
    }
  }

  void write_list(const Value::List& list, int64_t indent) {
    for (const Value& value : list) {
      out_.indent_to(indent);
      out_.raw("-");
      if (is_block(value)) {
        write_block(value, indent + 2);
      } else {
        write_scalar(value, indent + 2);
        out_.end_line();
      }
    }
  }

  void write_block(const Value& value, int64_t indent) {
    if (value.is_map()) {
      write_map(value.as_map(), indent);
    } else {
      write_list(value.as_list(), indent);
    }
  }

  void write_scalar(const Value& value, int64_t indent) {
    if (value.is_unreadable()) value.require_readable();
    if (value.is_map()) return out_.write_word("{}");
    if (value.is_list()) return out_.write_word("[]");
    if (value.is_null()) return out_.write_word("null");
    if (value.is_bool()) return out_.write_word(value.as_bool() ? "true" : "false");
    if (value.is_int()) return out_.write_word(std::to_string(value.as_int()));
    if (value.is_real()) return out_.write_word(real_text(value.as_real()));
    out_.write_text(*value.text_if(), indent);
  }

  YamlText out_;
};

}  // namespace

std::string to_yaml(const Value& value) {
  Writer writer;
  writer.write(value);
  return writer.take();
}

}  // namespace palimpsest::config
