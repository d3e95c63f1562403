#include "palimpsest/engine/internal/repetition.h"

#include <algorithm>

namespace palimpsest::engine {
namespace {

// As many tokens must have come before in the same order.
constexpr int64_t kRepeatedTokens = 4;
// More are verified at once than are worth the risk that the first of them is wrong.
constexpr int64_t kLongest = 16;
// A wrong guess costs as much as decoding its tokens: so many go by before the next.
constexpr int64_t kPause = 8;

}  // namespace

std::vector<int64_t> Repetition::propose(std::span<const int64_t> generated, int64_t trial,
                                         int64_t most) {
  size_ = static_cast<int64_t>(generated.size());
  if (size_ <= kRepeatedTokens || size_ < resume_ || most <= 0) return {};
  const auto tail = generated.last(static_cast<size_t>(kRepeatedTokens));
  const auto before = generated.first(generated.size() - 1);
  const auto found = std::find_end(before.begin(), before.end(), tail.begin(), tail.end());
  if (found == before.end()) return {};
  const auto repeated =
      generated.subspan(static_cast<size_t>(found - before.begin() + kRepeatedTokens));
  const int64_t longest = std::min(kLongest, trial);
  const int64_t length = std::clamp(2 * proven_, std::max<int64_t>(1, longest / 4), longest);
  std::vector<int64_t> tokens;
  for (int64_t i = 0; i < std::min(length, most); ++i) {
    tokens.push_back(repeated[static_cast<size_t>(i) % repeated.size()]);
  }
  return tokens;
}

void Repetition::record(int64_t guessed, int64_t accepted) {
  if (guessed == 0) return;
  proven_ = accepted == guessed ? guessed : 0;
  if (accepted < guessed) resume_ = size_ + accepted + kPause;
}

}  // namespace palimpsest::engine
