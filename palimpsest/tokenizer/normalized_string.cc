#include "palimpsest/tokenizer/internal/normalized_string.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::tokenizer {

NormalizedString::NormalizedString(std::string_view original, bool tracked)
    : most_(most_bytes(original.size())), text_(original), tracked_(tracked) {
  if (!tracked) return;
  spans_.reserve(original.size());
  for (size_t begin = 0; begin < original.size();) {
    const size_t end = begin + text::utf8_length(original[begin]);
    const ByteSpan span{static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    spans_.insert(spans_.end(), end - begin, span);
    begin = end;
  }
}

void NormalizedString::fail_growth() const {
  throw Error({.what = fmt::format("the text grows beyond {} bytes while it is normalized", most_),
               .hint = "the tokenizer's normalizers or pre-tokenizers multiply it: use the "
                       "tokenizer.json of the model's publisher"});
}

void NormalizedString::assign_slice(const NormalizedString& other, size_t begin, size_t end) {
  text_.assign(other.text_, begin, end - begin);
  tracked_ = other.tracked_;
  spans_.clear();
  if (tracked_) {
    spans_.assign(other.spans_.begin() + static_cast<std::ptrdiff_t>(begin),
                  other.spans_.begin() + static_cast<std::ptrdiff_t>(end));
  }
}

void NormalizedString::append(const NormalizedString& other) {
  if (text_.empty()) tracked_ = other.tracked_;
  PALIMPSEST_CHECK(tracked_ == other.tracked_);
  text_ += other.text_;
  spans_.insert(spans_.end(), other.spans_.begin(), other.spans_.end());
}

void NormalizedString::transform(const std::vector<Change>& changes, size_t removed) {
  require_room(changes.size());
  std::string text;
  text.reserve(text_.size());
  std::vector<ByteSpan> spans;
  if (tracked_) spans.reserve(text_.size());
  size_t old = 0;  // the position in the old text
  const auto skip = [&](size_t characters) {
    for (; characters > 0 && old < text_.size(); --characters) old += text::utf8_length(text_[old]);
  };
  if (tracked_) skip(removed);
  for (const Change& change : changes) {
    text::append_utf8(text, change.character);
    if (!tracked_) continue;
    ByteSpan span;
    if (change.change > 0) {
      if (old > 0) span = spans_[old - 1];
    } else if (!spans_.empty()) {
      span = spans_[std::min(old, spans_.size() - 1)];
      skip(1 + static_cast<size_t>(-change.change));
    }
    spans.insert(spans.end(), text::utf8_length(change.character), span);
  }
  text_ = std::move(text);
  spans_ = std::move(spans);
}

void NormalizedString::prepend(std::string_view prefix) {
  if (text_.empty() || prefix.empty()) return;
  require_room(text_.size() + prefix.size());
  text_.insert(0, prefix);
  if (tracked_) spans_.insert(spans_.begin(), prefix.size(), ByteSpan(spans_.front()));
}

void NormalizedString::cut(size_t begin, size_t end) {
  text_.erase(end);
  text_.erase(0, begin);
  if (!tracked_) return;
  spans_.erase(spans_.begin() + static_cast<std::ptrdiff_t>(end), spans_.end());
  spans_.erase(spans_.begin(), spans_.begin() + static_cast<std::ptrdiff_t>(begin));
}

void NormalizedString::replace(const std::vector<ByteSpan>& replaced, std::string_view content) {
  if (replaced.empty()) return;
  // At the most: both factors are below 2^32.
  size_t size = text_.size() + replaced.size() * content.size();
  if (size > most_) {
    for (const ByteSpan& span : replaced) size -= span.end - span.begin;
    require_room(size);
  }
  std::string text;
  text.reserve(size);
  std::vector<ByteSpan> spans;
  size_t done = 0;
  const auto keep_until = [&](size_t end) {
    text.append(text_, done, end - done);
    if (tracked_) {
      spans.insert(spans.end(), spans_.begin() + static_cast<std::ptrdiff_t>(done),
                   spans_.begin() + static_cast<std::ptrdiff_t>(end));
    }
  };
  for (const ByteSpan& span : replaced) {
    keep_until(span.begin);
    text += content;
    // All of the new text points to the last character of the old.
    if (tracked_) spans.insert(spans.end(), content.size(), spans_[span.end - 1]);
    done = span.end;
  }
  keep_until(text_.size());
  text_ = std::move(text);
  spans_ = std::move(spans);
}

}  // namespace palimpsest::tokenizer
