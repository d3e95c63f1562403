// The characters of a YAML document as PyYAML lays them out: which quotation marks a text needs,
// where a long one is folded. Knows lines and columns; yaml_writer.h knows lists and maps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace palimpsest::config {

class YamlText {
 public:
  // Appends as it is; the text must hold no line break.
  void raw(std::string_view text);
  void end_line();
  // Spaces up to this column.
  void indent_to(int64_t column);

  // A scalar, after a space unless the line begins here. Lines after the first stand at `indent`.
  void write_text(std::string_view text, int64_t indent);
  void write_word(std::string_view word);
  // A key and its colon. Returns false for one that is long, empty or of several lines: it is
  // written "? key" with the colon on a line of its own, after which a list or map may follow.
  bool write_key(std::string_view key, int64_t indent);

  // Whether the last text has quotation marks.
  bool last_was_quoted() const { return last_was_quoted_; }
  std::string take() { return std::move(out_); }

 private:
  struct Shape;  // of a text: what it would need to be written plain or between single quotes

  static Shape shape_of(std::u32string_view text);
  void write_scalar(std::string_view text, int64_t indent, bool is_key);
  void write_plain(std::u32string_view text, int64_t indent, bool fold);
  void write_single_quoted(std::u32string_view text, int64_t indent, bool fold);
  void write_double_quoted(std::u32string_view text, int64_t indent, bool fold);
  void put(std::u32string_view text);
  void put(char32_t c);
  void new_line(int64_t indent);
  void separate();

  std::string out_;
  int64_t column_ = 0;
  bool last_was_quoted_ = false;
};

}  // namespace palimpsest::config
