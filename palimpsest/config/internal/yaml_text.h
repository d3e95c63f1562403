// Lays out the characters of a YAML document as PyYAML does: it decides which quotes a text needs
// and where a long text is folded. It handles lines and columns; yaml_writer.h handles lists and
// maps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace palimpsest::config {

class YamlText {
 public:
  // Appends the text unchanged. It must not contain a line break.
  void raw(std::string_view text);
  void end_line();
  // Appends spaces up to this column.
  void indent_to(int64_t column);

  // Writes a scalar, preceded by a space unless it is at the beginning of the line. Further lines
  // are indented by `indent`.
  void write_text(std::string_view text, int64_t indent);
  void write_word(std::string_view word);
  // Writes a key and its colon. A key that is long, empty or has several lines is written as "?
  // key" with the colon on the next line. The function then returns false, and a list or map may
  // follow directly.
  bool write_key(std::string_view key, int64_t indent);

  // Whether the last text was written with quotes.
  bool last_was_quoted() const { return last_was_quoted_; }
  std::string take() { return std::move(out_); }

 private:
  struct Shape;  // says how a text can be written: plain or in single quotes

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
