// One record of a data file: named values, as JSON or a line of CSV gives them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace palimpsest {

// Immutable; copies share it. A value that is null counts as absent.
class Record {
 public:
  Record() = default;
  // The text of a JSON object. Throws Error if it is none.
  static Record from_json(std::string_view text, const std::string& where);
  static Record from_columns(const std::vector<std::pair<std::string, std::string>>& columns,
                             const std::string& where);

  // "data.jsonl:17", for messages.
  const std::string& where() const;
  std::vector<std::string> keys() const;
  bool has(std::string_view key) const;

  // The text at this key. An absent key, or a value that is no text, is an Error that names the
  // record and the keys it has.
  std::string text(std::string_view key) const;
  // The same where the key may be absent.
  std::optional<std::string> find_text(std::string_view key) const;

  // A text, or a list of texts (which may be empty). `is_list` tells the two apart.
  struct Texts {
    std::vector<std::string> texts;
    bool is_list = false;
  };
  Texts texts(std::string_view key) const;

  // The value at this key as a name for grouping: texts as they are, numbers and true/false as JSON
  // writes them; nothing for absent ones, lists and objects.
  std::optional<std::string> label(std::string_view key) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace palimpsest
