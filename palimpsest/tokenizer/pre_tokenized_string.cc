#include "palimpsest/tokenizer/internal/pre_tokenized_string.h"

#include <algorithm>

namespace palimpsest::tokenizer {

void PreTokenizedString::reset(std::string_view text, bool tracked) {
  tracked_ = tracked;
  buffers_.clear();
  buffers_.emplace_back(text, tracked);
  used_ = text.size();
  most_ = NormalizedString::most_bytes(text.size());
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
  match_runs_.clear();
  uint32_t done = 0;
  for (const ByteSpan& match : matches) {
    if (done != match.begin) match_runs_.push_back({{done, match.begin}, invert});
    match_runs_.push_back({match, !invert});
    done = match.end;
  }
  if (done != length) match_runs_.push_back({{done, length}, invert});

  bool previous_match = false;
  if (behavior == SplitBehavior::kMergedWithNext) {
    // The mirror image of kMergedWithPrevious.
    for (auto run = match_runs_.rbegin(); run != match_runs_.rend(); ++run) {
      if (run->is_match && !previous_match && !parts_.empty()) {
        parts_.back().range.begin = run->range.begin;
      } else {
        parts_.push_back({run->range});
      }
      previous_match = run->is_match;
    }
    std::reverse(parts_.begin(), parts_.end());
    return;
  }
  for (const MatchRun& run : match_runs_) {
    if (behavior == SplitBehavior::kRemoved && run.is_match) continue;
    const bool joins =
        !parts_.empty() &&
        ((behavior == SplitBehavior::kContiguous && run.is_match == previous_match) ||
         (behavior == SplitBehavior::kMergedWithPrevious && run.is_match && !previous_match));
    if (joins) {
      parts_.back().range.end = run.range.end;
    } else {
      parts_.push_back({run.range});
    }
    previous_match = run.is_match;
  }
}

}  // namespace palimpsest::tokenizer
