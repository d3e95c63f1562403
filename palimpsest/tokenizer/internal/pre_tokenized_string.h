// A text that is divided into pieces, some of which are already known to be added tokens. Cutting
// copies nothing: the pieces are ranges of buffers that this object owns. Must not be shared
// between threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/normalized_string.h"

namespace palimpsest::tokenizer {

// What happens to the matches of a pattern when a text is split at them. The examples split
// "the-final--countdown" at '-':
enum class SplitBehavior {
  kRemoved,             // the, final, countdown
  kIsolated,            // the, -, final, -, -, countdown
  kMergedWithPrevious,  // the-, final-, -, countdown
  kMergedWithNext,      // the, -final, -, -countdown
  kContiguous,          // the, -, final, --, countdown
};

struct Piece {
  uint32_t buffer = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
  int64_t token = -1;  // the id of an added token; -1: the model will tokenize it
};

class PreTokenizedString {
 public:
  // Starts again with one piece, the whole text. Its memory is reused.
  void reset(std::string_view text, bool tracked);

  const std::vector<Piece>& pieces() const { return pieces_; }
  const NormalizedString& buffer(const Piece& piece) const { return buffers_[piece.buffer]; }
  std::string_view text(const Piece& piece) const {
    return std::string_view(buffers_[piece.buffer].text())
        .substr(piece.begin, piece.end - piece.begin);
  }
  bool tracked() const { return tracked_; }

  // Whether the piece begins at byte 0 of the original text. For an untracked text, this is correct
  // only as long as no buffer was rewritten.
  bool starts_original(const Piece& piece) const;

  // Replaces each piece that is not a token by the parts that `cut(text, parts)` appends. A part is
  // a range of the piece's text with the id of an added token or -1. Empty parts are dropped.
  struct Part {
    ByteSpan range;
    int64_t token = -1;
  };
  template <class Cut>
  void cut_pieces(Cut cut);

  // Splits each piece that is not a token at the matches that `find(text, matches)` returns.
  template <class Find>
  void split(const Find& find, SplitBehavior behavior, bool invert);

  // Applies `function(NormalizedString&)` to each piece that is not a token and for which
  // `wanted(piece)` returns true. Pieces that become empty are dropped.
  template <class Wanted, class Function>
  void rewrite(Wanted wanted, Function function);

 private:
  // Computes the parts into which a piece of the given length is split.
  void add_parts(const std::vector<ByteSpan>& matches, uint32_t length, SplitBehavior behavior,
                 bool invert);

  std::vector<NormalizedString> buffers_;
  std::vector<Piece> pieces_;
  bool tracked_ = false;
  // The size of all buffers together, and its limit (NormalizedString::most_bytes()).
  size_t used_ = 0;
  size_t most_ = 0;
  // Work space, kept between calls.
  std::vector<Piece> next_;
  std::vector<Part> parts_;
  std::vector<ByteSpan> matches_;
  struct MatchRun {
    ByteSpan range;
    bool is_match = false;
  };
  std::vector<MatchRun> match_runs_;
};

template <class Cut>
void PreTokenizedString::cut_pieces(Cut cut) {
  next_.clear();
  for (const Piece& piece : pieces_) {
    if (piece.token >= 0) {
      next_.push_back(piece);
      continue;
    }
    parts_.clear();
    cut(text(piece), parts_);
    for (const Part& part : parts_) {
      if (part.range.begin == part.range.end) continue;
      next_.push_back(
          {piece.buffer, piece.begin + part.range.begin, piece.begin + part.range.end, part.token});
    }
  }
  pieces_.swap(next_);
}

template <class Find>
void PreTokenizedString::split(const Find& find, SplitBehavior behavior, bool invert) {
  cut_pieces([&](std::string_view text, std::vector<Part>&) {
    matches_.clear();
    find(text, matches_);
    add_parts(matches_, static_cast<uint32_t>(text.size()), behavior, invert);
  });
}

template <class Wanted, class Function>
void PreTokenizedString::rewrite(Wanted wanted, Function function) {
  NormalizedString fresh("", tracked_);
  NormalizedString slice;
  const auto target = static_cast<uint32_t>(buffers_.size());
  next_.clear();
  for (const Piece& piece : pieces_) {
    if (piece.token >= 0 || !wanted(piece)) {
      next_.push_back(piece);
      continue;
    }
    slice.assign_slice(buffers_[piece.buffer], piece.begin, piece.end);
    slice.set_most(most_ - std::min(most_, used_ + fresh.text().size()));
    function(slice);
    if (slice.empty()) continue;
    slice.require_room(slice.text().size());
    const auto begin = static_cast<uint32_t>(fresh.text().size());
    fresh.append(slice);
    next_.push_back({target, begin, static_cast<uint32_t>(fresh.text().size()), -1});
  }
  used_ += fresh.text().size();
  if (!fresh.empty()) buffers_.push_back(std::move(fresh));
  pieces_.swap(next_);
}

}  // namespace palimpsest::tokenizer
