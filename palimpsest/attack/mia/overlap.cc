#include "palimpsest/attack/mia/overlap.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace palimpsest::attack {
namespace {

// What an example says: its text as it stands, or its token ids; empty where it has neither. The
// first byte keeps the two kinds apart.
std::string content_of(const ExampleFacts& facts) {
  if (facts.text) return facts.text->empty() ? "" : 't' + *facts.text;
  if (facts.text_hash) return 'h' + *facts.text_hash;
  if (!facts.label || facts.label->empty()) return "";
  std::string bytes = "l";
  for (int64_t id : *facts.label) {
    bytes.append(reinterpret_cast<const char*>(&id), sizeof id);
  }
  return bytes;
}

std::string normalised_content(const ExampleFacts& facts) {
  if (!facts.text) return content_of(facts);
  const std::string text = normalised_text(*facts.text);
  return text.empty() ? "" : 't' + text;
}

// The contents of one set, each with the prompts that it was seen after.
class ContentIndex {
 public:
  template <class Content>
  ContentIndex(std::span<const ExampleFacts> set, const Content& content) {
    for (const ExampleFacts& facts : set) {
      const std::string key = content(facts);
      if (key.empty()) continue;
      Prompts& prompts = known_[key];
      if (facts.prompt_hash) {
        prompts.hashes.insert(*facts.prompt_hash);
      } else {
        prompts.some_unknown = true;
      }
    }
  }

  bool has(const std::string& content, const ExampleFacts& facts) const {
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

template <class Content>
int64_t count_shared(std::span<const ExampleFacts> of, std::span<const ExampleFacts> in,
                     const Content& content) {
  const ContentIndex index(in, content);
  return std::count_if(of.begin(), of.end(),
                       [&](const ExampleFacts& facts) { return index.has(content(facts), facts); });
}

double share_of(int64_t count, size_t total) {
  return total == 0 ? 0 : static_cast<double>(count) / static_cast<double>(total);
}

}  // namespace

Overlap find_overlap(std::span<const ExampleFacts> forget, std::span<const ExampleFacts> holdout) {
  Overlap overlap{.shared_holdout = count_shared(holdout, forget, normalised_content),
                  .shared_forget = count_shared(forget, holdout, normalised_content),
                  .exact_holdout = count_shared(holdout, forget, content_of)};
  overlap.share = std::max(share_of(overlap.shared_holdout, holdout.size()),
                           share_of(overlap.shared_forget, forget.size()));
  return overlap;
}

}  // namespace palimpsest::attack
