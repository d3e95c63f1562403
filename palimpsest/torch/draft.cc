#include "palimpsest/torch/draft.h"

#include <algorithm>

namespace palimpsest::torch {
namespace {

// The place in the text is where its last few tokens are the last few generated ones.
constexpr int64_t kMatch = 3;
// Guesses after a wrong one: verifying so few rows costs hardly more than decoding one.
constexpr int64_t kCautious = 8;

}  // namespace

std::vector<int64_t> Draft::guess(std::span<const int64_t> generated, int64_t most) {
  const auto size = static_cast<int64_t>(text_.size());
  if (next_ < 0 && static_cast<int64_t>(generated.size()) >= kMatch) {
    const auto tail = generated.last(static_cast<size_t>(kMatch));
    const auto found = std::ranges::search(text_, tail);
    if (!found.empty()) next_ = found.end() - text_.begin();
  }
  if (next_ < 0) return {};
  const int64_t length = length_ < 0 ? size : length_;
  const int64_t count = std::clamp<int64_t>(std::min(length, most), 0, size - next_);
  return {text_.begin() + next_, text_.begin() + next_ + count};
}

void Draft::learn(int64_t guessed, int64_t accepted) {
  if (guessed > 0 && accepted == guessed) {
    // One more token was generated than guessed; whether the text goes on alike shows next time.
    next_ += accepted + 1;
    if (next_ > static_cast<int64_t>(text_.size())) next_ = -1;
    if (length_ > 0) length_ *= 2;
    return;
  }
  next_ = -1;
  length_ = kCautious;
}

}  // namespace palimpsest::torch
