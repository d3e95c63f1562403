#include "palimpsest/text/tokenizer/pre_tokenized_string.h"

#include <algorithm>

namespace palimpsest {

void PreTokenizedString::reset(std::string_view text, bool tracked) {
  tracked_ = tracked;
  buffers_.clear();
  buffers_.emplace_back(text, tracked);
  pieces_.assign(1, {0, 0, static_cast<uint32_t>(text.size()), -1});
}

bool PreTokenizedString::starts_original(const Piece& piece) const {
  if (!tracked_) return piece.begin == 0 && piece.buffer == 0;
  const std::vector<ByteSpan>& spans = buffers_[piece.buffer].spans();
  return piece.begin < spans.size() && spans[piece.begin].begin == 0;
}

void PreTokenizedString::add_parts(const std::vector<ByteSpan>& matches, uint32_t length,
                                   SplitBehavior behavior, bool invert) {
  // The whole piece as stretches, matching and not.
  stretches_.clear();
  uint32_t done = 0;
  for (const ByteSpan& match : matches) {
    if (done != match.begin) stretches_.push_back({{done, match.begin}, invert});
    stretches_.push_back({match, !invert});
    done = match.end;
  }
  if (done != length) stretches_.push_back({{done, length}, invert});

  bool previous_match = false;
  if (behavior == SplitBehavior::kMergedWithNext) {
    // The mirror image of kMergedWithPrevious.
    for (auto stretch = stretches_.rbegin(); stretch != stretches_.rend(); ++stretch) {
      if (stretch->is_match && !previous_match && !parts_.empty()) {
        parts_.back().range.begin = stretch->range.begin;
      } else {
        parts_.push_back({stretch->range});
      }
      previous_match = stretch->is_match;
    }
    std::reverse(parts_.begin(), parts_.end());
    return;
  }
  for (const Stretch& stretch : stretches_) {
    if (behavior == SplitBehavior::kRemoved && stretch.is_match) continue;
    const bool joins =
        !parts_.empty() &&
        ((behavior == SplitBehavior::kContiguous && stretch.is_match == previous_match) ||
         (behavior == SplitBehavior::kMergedWithPrevious && stretch.is_match && !previous_match));
    if (joins) {
      parts_.back().range.end = stretch.range.end;
    } else {
      parts_.push_back({stretch.range});
    }
    previous_match = stretch.is_match;
  }
}

}  // namespace palimpsest
