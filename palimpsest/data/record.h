// A record of a data file: named values from a JSON object or from a line of a CSV file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace palimpsest::data {

// Immutable: copies share the content, and threads may share a record. A null value counts as
// absent.
class Record {
 public:
  // An empty record, for containers. It may only be copied and assigned to.
  Record() = default;
  // `text` must be a JSON object, or a JSON string, which counts as {"text": …}; otherwise throws
  // Error. `where` is the record's position for messages.
  static Record from_json(std::string_view text, const std::string& where);
  static Record from_columns(const std::vector<std::pair<std::string, std::string>>& columns,
                             const std::string& where);

  // The position of the record for messages: "data.jsonl:17".
  const std::string& where() const;
  std::vector<std::string> keys() const;
  bool has(std::string_view key) const;

  // Returns the text at this key. Throws Error if the key is absent or its value is not a text. The
  // message names the record and the keys that it has.
  std::string text(std::string_view key) const;
  // Returns the text at this key, or nullopt if the key is absent. Throws Error if the value is not
  // a text.
  std::optional<std::string> find_text(std::string_view key) const;

  // The value of a key that holds a text or a list of texts. The list may be empty. texts() throws
  // Error if the key is absent or holds anything else.
  struct Texts {
    std::vector<std::string> texts;
    bool is_list = false;
  };
  Texts texts(std::string_view key) const;

  // Returns the value at this key as the name of a group. Texts are returned as they are; numbers
  // and booleans are written as in JSON. Returns nullopt if the key is absent or holds a list or an
  // object.
  std::optional<std::string> label(std::string_view key) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace palimpsest::data
