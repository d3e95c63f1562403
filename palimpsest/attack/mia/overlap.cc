#include "palimpsest/attack/mia/overlap.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace palimpsest::attack {
namespace {

// What an example says: its normalised text or its token ids; empty if it has neither. The first byte
// distinguishes the kinds.
std::string content_of(const ExampleFacts& facts) {
  if (facts.text) {
    const std::string text = normalised_text(*facts.text);
    return text.empty() ? "" : 't' + text;
  }
  if (facts.text_hash) return 'h' + *facts.text_hash;
  if (!facts.label || facts.label->empty()) return "";
  std::string bytes = "l";
  for (int64_t id : *facts.label) {
    bytes.append(reinterpret_cast<const char*>(&id), sizeof id);
  }
  return bytes;
}

// The contents of one set, each with the prompts that it was seen after.
class ContentIndex {
 public:
  explicit ContentIndex(std::span<const ExampleFacts> set) {
    for (const ExampleFacts& facts : set) {
      const std::string key = content_of(facts);
      if (key.empty()) continue;
      Prompts& prompts = known_[key];
      if (facts.prompt_hash) {
        prompts.hashes.insert(*facts.prompt_hash);
      } else {
        prompts.some_unknown = true;
      }
    }
  }

  bool has(const ExampleFacts& facts) const {
    const std::string content = content_of(facts);
    const auto found = known_.find(content);
    if (content.empty() || found == known_.end()) return false;
    const Prompts& prompts = found->second;
    return !facts.prompt_hash || prompts.some_unknown ||
           prompts.hashes.contains(*facts.prompt_hash);
  }

 private:
  struct Prompts {
    bool some_unknown = false;
    std::unordered_set<uint64_t> hashes;
  };
  std::unordered_map<std::string, Prompts> known_;
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
