// One record of a data file: named values, as JSON or a line of CSV gives them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace palimpsest::data {

// Immutable. Copies share the content. A value that is null counts as absent.
class Record {
 public:
  Record() = default;
  // `text` is a JSON object. Throws Error if it is not.
  static Record from_json(std::string_view text, const std::string& where);
  static Record from_columns(const std::vector<std::pair<std::string, std::string>>& columns,
                             const std::string& where);

  // "data.jsonl:17", for messages.
  const std::string& where() const;
  std::vector<std::string> keys() const;
  bool has(std::string_view key) const;

  // The text at this key. Throws Error if the key is absent or its value is not a text; the message
  // names the record and its keys.
  std::string text(std::string_view key) const;
  // The same, but returns nullopt if the key is absent.
  std::optional<std::string> find_text(std::string_view key) const;

  // A text, or a list of texts (which may be empty). `is_list` tells the two apart.
  struct Texts {
    std::vector<std::string> texts;
    bool is_list = false;
  };
  Texts texts(std::string_view key) const;

  // The value at this key as a name for grouping. Texts are taken as they are; numbers and booleans
  // are written as in JSON. Returns nullopt for absent keys, lists and objects.
  std::optional<std::string> label(std::string_view key) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace palimpsest::data
