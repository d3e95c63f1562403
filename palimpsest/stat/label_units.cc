#include "palimpsest/stat/internal/label_units.h"

#include <algorithm>

namespace palimpsest::stat {
namespace {

class UnitBuilder {
 public:
  explicit UnitBuilder(std::span<const ClusteredScores* const> attacks) : attacks_(attacks) {
    for (const ClusteredScores* attack : attacks) {
      const auto count = static_cast<size_t>(attack->clusters.count());
      counts_.emplace_back(count);
      for (int64_t cluster : attack->clusters.positives) ++counts_.back()[index(cluster)].positives;
      for (int64_t cluster : attack->clusters.negatives) ++counts_.back()[index(cluster)].negatives;
      if (all_.size() < count) all_.resize(count);
      for (size_t g = 0; g < count; ++g) {
        all_[g].positives = std::max(all_[g].positives, counts_.back()[g].positives);
        all_[g].negatives = std::max(all_[g].negatives, counts_.back()[g].negatives);
      }
    }
  }

  LabelUnits build() {
    first_unit_.assign(all_.size(), 0);
    LabelPool pool;
    for (size_t g = 0; g < all_.size(); ++g) {
      if (all_[g].is_both() || all_[g].size() == 0) continue;
      first_unit_[g] = pool.count++;
      pool.positives += all_[g].positives > 0 ? 1 : 0;
      units_.labels.push_back(all_[g].positives > 0 ? 1 : 0);
    }
    if (pool.count > 0) units_.pools.push_back(pool);
    for (size_t g = 0; g < all_.size(); ++g) {
      if (all_[g].is_both()) first_unit_[g] = add_pool(all_[g]);
    }
    for (size_t k = 0; k < attacks_.size(); ++k) units_.of_items.push_back(units_of(k));
    return std::move(units_);
  }

 private:
  struct Counts {
    uint32_t positives = 0;
    uint32_t negatives = 0;

    uint32_t size() const { return positives + negatives; }
    bool is_both() const { return positives > 0 && negatives > 0; }
    friend bool operator==(const Counts&, const Counts&) = default;
  };

  static size_t index(int64_t cluster) { return static_cast<size_t>(cluster); }

  uint32_t add_pool(const Counts& counts) {
    const auto first = static_cast<uint32_t>(units_.labels.size());
    units_.pools.push_back({first, counts.size(), counts.positives});
    units_.labels.insert(units_.labels.end(), counts.positives, 1);
    units_.labels.insert(units_.labels.end(), counts.negatives, 0);
    return first;
  }

  std::vector<uint32_t> units_of(size_t attack) {
    std::vector<uint32_t> next = first_unit_;
    for (size_t g = 0; g < counts_[attack].size(); ++g) {
      const Counts& own = counts_[attack][g];
      if (all_[g].is_both() && own.size() > 0 && own != all_[g]) next[g] = add_pool(own);
    }
    std::vector<uint32_t> units;
    for (const auto* clusters :
         {&attacks_[attack]->clusters.positives, &attacks_[attack]->clusters.negatives}) {
      for (int64_t cluster : *clusters) {
        uint32_t& unit = next[index(cluster)];
        units.push_back(unit);
        if (all_[index(cluster)].is_both()) ++unit;
      }
    }
    return units;
  }

  std::span<const ClusteredScores* const> attacks_;
  std::vector<std::vector<Counts>> counts_;  // [attack][cluster]
  std::vector<Counts> all_;                  // [cluster], the most that an attack has
  std::vector<uint32_t> first_unit_;         // [cluster]
  LabelUnits units_;
};

}  // namespace

// A unit is taken with probability (positives still to take) / (units left): every choice of that
// many is equally likely, in one pass in the order of memory.
void LabelUnits::draw(std::array<Random, kTogether>& randoms,
                      const std::array<std::vector<char>*, kTogether>& results) const {
  std::array<char*, kTogether> drawn;
  for (size_t n = 0; n < kTogether; ++n) drawn[n] = results[n]->data();
  for (const LabelPool& pool : pools) {
    std::array<uint64_t, kTogether> wanted;
    wanted.fill(pool.positives);
    for (uint32_t i = 0; i < pool.count; ++i) {
      for (size_t n = 0; n < kTogether; ++n) {
        // Without a branch, which nobody could predict.
        const auto taken = static_cast<uint64_t>(randoms[n].below(pool.count - i) < wanted[n]);
        drawn[n][pool.first + i] = static_cast<char>(taken);
        wanted[n] -= taken;
      }
    }
  }
}

LabelUnits label_units(std::span<const ClusteredScores* const> attacks) {
  return UnitBuilder(attacks).build();
}

}  // namespace palimpsest::stat
