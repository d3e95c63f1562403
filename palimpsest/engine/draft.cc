#include "palimpsest/engine/internal/draft.h"

#include <algorithm>

namespace palimpsest::engine {
namespace {

// The place in the text is where its last few tokens are the last few generated ones.
constexpr int64_t kMatch = 3;

}  // namespace

Draft::Draft(std::vector<int64_t> text, std::span<const int64_t> known) : text_(std::move(text)) {
  const bool begins_alike = std::ranges::mismatch(known, text_).in1 == known.end();
  next_ = begins_alike ? static_cast<int64_t>(known.size()) : -1;
}

std::vector<int64_t> Draft::propose(std::span<const int64_t> generated, int64_t trial,
                                    int64_t most) {
  const auto size = static_cast<int64_t>(text_.size());
  if (next_ < 0 && static_cast<int64_t>(generated.size()) >= kMatch) {
    const auto tail = generated.last(static_cast<size_t>(kMatch));
    const auto found = std::search(text_.begin(), text_.end(), tail.begin(), tail.end());
    if (found != text_.end()) next_ = found - text_.begin() + kMatch;
  }
  if (next_ < 0) return {};
  const int64_t length = std::max(trial, 2 * proven_);
  const int64_t count = std::clamp<int64_t>(std::min(length, most), 0, size - next_);
  return {text_.begin() + next_, text_.begin() + next_ + count};
}

void Draft::record(int64_t guessed, int64_t accepted) {
  if (guessed > 0 && accepted == guessed) {
    // One more token was generated than guessed; whether the text goes on alike shows next time.
    next_ += accepted + 1;
    if (next_ > static_cast<int64_t>(text_.size())) next_ = -1;
    proven_ = guessed;
    return;
  }
  next_ = -1;
  proven_ = 0;
}

}  // namespace palimpsest::engine
