// The columns of a safetensors file as the reader of column traces sees them: numbers, texts, and
// numbers per token. Every type, length and offset is checked, since the file may come from
// anywhere.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/safetensors.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::trace {

// The numbers of one column, wherever they lie in the file.
class Numbers {
 public:
  Numbers() = default;
  // Throws Error unless the column has one of these types.
  Numbers(const SafetensorsEntry& entry, std::initializer_list<const char*> types,
          const std::string& where)
      : bytes_(entry.bytes), type_(entry.dtype) {
    const bool fits = std::ranges::any_of(types, [&](const char* type) { return type_ == type; });
    if (!fits || entry.shape.size() != 1) {
      throw Error({.what = fmt::format("the column '{}' has the wrong type", entry.name),
                   .where = where,
                   .expected = fmt::format("{} in one dimension", fmt::join(types, " or ")),
                   .found = fmt::format("{} in {}", type_, entry.shape.size())});
    }
    size_ = static_cast<size_t>(entry.shape[0]);
    width_ = type_ == "U16" ? 2 : type_ == "I32" ? 4 : 8;
  }

  bool is_given() const { return !type_.empty(); }
  size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }
  template <class T>
  T at(size_t i) const {
    T value;
    std::memcpy(&value, bytes_.data() + i * sizeof(T), sizeof(T));
    return value;
  }
  int64_t whole(size_t i) const {
    return width_ == 2 ? at<uint16_t>(i) : width_ == 4 ? at<int32_t>(i) : at<int64_t>(i);
  }

 private:
  std::span<const std::byte> bytes_;
  std::string type_;
  size_t size_ = 0;
  int width_ = 8;  // bytes of a whole number
};

struct Range {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

// Where the elements of item i lie. Throws Error for offsets that lead elsewhere.
inline Range range_of(const Numbers& offsets, size_t i, size_t limit, const char* name) {
  const auto begin = offsets.at<int64_t>(i);
  const auto end = offsets.at<int64_t>(i + 1);
  if (begin >= 0 && begin <= end && static_cast<uint64_t>(end) <= limit)
    return {static_cast<size_t>(begin), static_cast<size_t>(end)};
  throw Error({.what = fmt::format("'{}' points outside its column", name),
               .expected = fmt::format("0 to {}, never less than the one before", limit),
               .found = fmt::format("{} and {}", begin, end)});
}

// As in JSON lines, texts are UTF-8, so that two names that differ stay different in every output,
// and no longer than a line may be.
inline std::string_view text_at(const Numbers& offsets, size_t i, const Numbers& bytes,
                                const char* name) {
  const Range range = range_of(offsets, i, bytes.size(), name);
  const std::string_view text = bytes.text().substr(range.begin, range.size());
  if (static_cast<int64_t>(text.size()) > LineReader::kMaxLine)
    throw Error(fmt::format("'{}' is longer than {} bytes", name, LineReader::kMaxLine));
  if (const std::optional<size_t> invalid = text::find_invalid_utf8(text))
    throw Error(fmt::format("'{}' is not valid UTF-8 at its byte {}", name, *invalid));
  return text;
}

class Columns {
 public:
  Columns(std::span<const std::byte> file, std::string where)
      : where_(std::move(where)), entries_(parse_safetensors(file, where_)) {}

  Numbers find(const std::string& name, std::initializer_list<const char*> types,
               std::optional<size_t> size = {}) const {
    const auto found = std::ranges::find(entries_, name, &SafetensorsEntry::name);
    if (found == entries_.end()) return {};
    Numbers numbers(*found, types, where_);
    if (size) require_size(name, numbers, *size);
    return numbers;
  }
  Numbers require(const std::string& name, std::initializer_list<const char*> types) const {
    Numbers numbers = find(name, types);
    if (numbers.is_given()) return numbers;
    throw Error({.what = fmt::format("the column '{}' is missing", name),
                 .where = where_,
                 .hint = "write the file with `palimpsest trace` or `palimpsest convert`"});
  }
  void require_size(const std::string& name, const Numbers& numbers, size_t size) const {
    if (numbers.size() == size) return;
    throw Error({.what = fmt::format("the column '{}' does not fit the others", name),
                 .where = where_,
                 .expected = fmt::format("{} elements", size),
                 .found = std::to_string(numbers.size())});
  }
  // Offsets of so many items, which cover a column of `size` elements (any, if none is given).
  Numbers require_offsets(const std::string& name, size_t count,
                          std::optional<size_t> size = {}) const {
    Numbers offsets = require(name, {"I64"});
    require_size(name, offsets, count + 1);
    const auto first = offsets.at<int64_t>(0);
    const auto last = offsets.at<int64_t>(count);
    if (first == 0 && last >= 0 && (!size || static_cast<uint64_t>(last) == *size)) return offsets;
    throw Error({.what = fmt::format("the column '{}' does not fit the others", name),
                 .where = where_,
                 .expected = size ? fmt::format("offsets from 0 to {}", *size) : "offsets from 0",
                 .found = fmt::format("{} to {}", first, last)});
  }
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }

 private:
  std::string where_;
  std::vector<SafetensorsEntry> entries_;
};

// A text per trace, which some traces may lack.
class Texts {
 public:
  Texts() = default;
  Texts(const Columns& columns, const char* name, size_t count)
      : name_(name), bytes_(columns.find(name, {"U8"})) {
    if (!bytes_.is_given()) return;
    offsets_ = columns.require_offsets(name_ + ".offsets", count, bytes_.size());
    present_ = columns.find(name_ + ".present", {"U8"}, count);
  }
  bool is_given() const { return bytes_.is_given(); }
  const Numbers& bytes() const { return bytes_; }
  // Where the text of trace i begins.
  uint64_t begin_of(size_t i) const { return is_given() ? offsets_.at<uint64_t>(i) : 0; }
  std::optional<std::string> at(size_t i) const {
    if (!bytes_.is_given() || (present_.is_given() && present_.at<uint8_t>(i) == 0))
      return std::nullopt;
    return std::string(text_at(offsets_, i, bytes_, name_.c_str()));
  }

 private:
  std::string name_;
  Numbers bytes_;
  Numbers offsets_;
  Numbers present_;
};

// A number per token, which some traces may lack.
class PerToken {
 public:
  PerToken() = default;
  PerToken(const Columns& columns, const char* name, std::initializer_list<const char*> types,
           Range all)
      : values_(columns.find(name, types, all.end)) {
    if (values_.is_given())
      present_ = columns.find(std::string(name) + ".present", {"U8"}, all.begin);
  }
  const Numbers& values() const { return values_; }
  bool has(size_t i) const {
    return values_.is_given() && (!present_.is_given() || present_.at<uint8_t>(i) != 0);
  }
  void read_floats(size_t i, Range range, std::optional<std::vector<double>>& out) const {
    if (!has(i)) return;
    std::vector<double>& numbers = out.emplace(range.size());
    for (size_t t = 0; t < numbers.size(); ++t)
      numbers[t] = static_cast<double>(values_.at<float>(range.begin + t));
  }
  void read_integers(size_t i, Range range, std::optional<std::vector<int64_t>>& out) const {
    if (!has(i)) return;
    std::vector<int64_t>& numbers = out.emplace(range.size());
    for (size_t t = 0; t < numbers.size(); ++t) numbers[t] = values_.whole(range.begin + t);
  }

 private:
  Numbers values_;
  Numbers present_;
};

}  // namespace palimpsest::trace
