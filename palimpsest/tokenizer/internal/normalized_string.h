// A text that normalizers change. If it is tracked, it knows for every byte of the current text
// from which bytes of the original it came. Callers that need only ids make an untracked text,
// which costs nothing extra.
//
// The rules of alignment are those of the `tokenizers` package, because users compare the offsets
// with it: a character that replaces another gets its place, and an inserted character shares the
// place of the character before it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::tokenizer {

// The bytes [begin, end) of the original text. 32 bits suffice, because texts are limited to 2 GiB.
struct ByteSpan {
  uint32_t begin = 0;
  uint32_t end = 0;

  friend bool operator==(const ByteSpan&, const ByteSpan&) = default;
};

// A character of the new text and its relation to the old text. 0: it replaces the next old
// character. 1: it is inserted. -n: it replaces the next old character, and n further old
// characters are removed.
struct Change {
  char32_t character = 0;
  int32_t change = 0;
};

class NormalizedString {
 public:
  NormalizedString() = default;
  // The original text itself, which must be valid UTF-8.
  NormalizedString(std::string_view original, bool tracked);

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  // Limits the size of the text in bytes; exceeding the limit throws Error. By default the limit is
  // most_bytes() of the original. No real tokenizer comes near it. It stops a malicious tokenizer
  // file whose normalizers multiply a text until memory is full.
  void set_most(size_t bytes) { most_ = bytes; }
  void require_room(size_t bytes) const {
    if (bytes > most_) fail_growth();
  }
  static constexpr size_t most_bytes(size_t original) { return kRoom + kMaxPerByte * original; }
  // One span per byte of text(), if tracked.
  const std::vector<ByteSpan>& spans() const { return spans_; }

  // Becomes a copy of the bytes [begin, end) of another text. Its memory is reused.
  void assign_slice(const NormalizedString& other, size_t begin, size_t end);
  void append(const NormalizedString& other);

  // Replaces the whole text. The first `removed` old characters are removed.
  void transform(const std::vector<Change>& changes, size_t removed);

  // Keeps the characters for which `keep` returns true.
  template <class Predicate>
  void filter(Predicate keep);
  // Replaces each character by another.
  template <class Function>
  void map(Function function);
  void prepend(std::string_view prefix);
  // Keeps the bytes [begin, end), which must be character boundaries.
  void cut(size_t begin, size_t end);
  // Replaces the given spans (sorted, disjoint, not empty) by `content`.
  void replace(const std::vector<ByteSpan>& replaced, std::string_view content);

 private:
  static constexpr size_t kRoom = size_t{16} << 20;
  static constexpr size_t kMaxPerByte = 32;

  [[noreturn]] void fail_growth() const;

  size_t most_ = kRoom;
  std::string text_;
  std::vector<ByteSpan> spans_;
  bool tracked_ = false;
};

template <class Predicate>
void NormalizedString::filter(Predicate keep) {
  std::vector<Change> changes;
  size_t removed_at_start = 0;
  size_t removed = 0;
  for (const char32_t c : text::to_code_points(text_)) {
    if (keep(c)) {
      changes.push_back({c, 0});
    } else if (changes.empty()) {
      ++removed_at_start;
      ++removed;
    } else {
      --changes.back().change;
      ++removed;
    }
  }
  if (removed > 0) transform(changes, removed_at_start);
}

template <class Function>
void NormalizedString::map(Function function) {
  std::vector<Change> changes;
  bool changed = false;
  for (const char32_t c : text::to_code_points(text_)) {
    changes.push_back({function(c), 0});
    changed = changed || changes.back().character != c;
  }
  if (changed) transform(changes, 0);
}

}  // namespace palimpsest::tokenizer
