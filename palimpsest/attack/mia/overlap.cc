#include "palimpsest/attack/internal/mia/overlap.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace palimpsest::attack {
namespace {

// The contents of one set, each with the prompts that it was seen after.
class ContentIndex {
 public:
  explicit ContentIndex(std::span<const ExampleFacts> set) {
    for (const ExampleFacts& facts : set) {
      const ContentKey key = normalised_content(facts);
      if (key.is_none()) continue;
      Prompts& prompts = known_[key];
      if (facts.prompt_hash) {
        prompts.hashes.insert(*facts.prompt_hash);
      } else {
        prompts.some_unknown = true;
      }
    }
  }

  bool has(const ExampleFacts& facts) const {
    const ContentKey content = normalised_content(facts);
    const auto found = known_.find(content);
    if (content.is_none() || found == known_.end()) return false;
    const Prompts& prompts = found->second;
    return !facts.prompt_hash || prompts.some_unknown ||
           prompts.hashes.contains(*facts.prompt_hash);
  }

 private:
  struct Prompts {
    bool some_unknown = false;
    std::unordered_set<uint64_t> hashes;
  };
  std::unordered_map<ContentKey, Prompts, ContentKeyHash> known_;
};

int64_t count_shared(std::span<const ExampleFacts> of, std::span<const ExampleFacts> in) {
  const ContentIndex index(in);
  return std::ranges::count_if(of, [&](const ExampleFacts& facts) { return index.has(facts); });
}

double share_of(int64_t count, size_t total) {
  return total == 0 ? 0 : static_cast<double>(count) / static_cast<double>(total);
}

}  // namespace

Overlap find_overlap(std::span<const ExampleFacts> forget, std::span<const ExampleFacts> holdout) {
  Overlap overlap{.shared_holdout = count_shared(holdout, forget),
                  .shared_forget = count_shared(forget, holdout)};
  overlap.share = std::max(share_of(overlap.shared_holdout, holdout.size()),
                           share_of(overlap.shared_forget, forget.size()));
  return overlap;
}

}  // namespace palimpsest::attack
