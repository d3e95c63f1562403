#include "palimpsest/attack/internal/mia/blind_texts.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::attack {
namespace {

template <class T>
void shuffle(std::vector<T>& values, Random& random) {
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    std::swap(values[i], values[i + random.below(values.size() - i)]);
  }
}

// Joins texts that must not be separated; a family is named by one of its texts.
class Families {
 public:
  explicit Families(size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), size_t{0});
  }
  size_t of(size_t item) {
    while (parents_[item] != item) item = parents_[item] = parents_[parents_[item]];
    return item;
  }
  void join(size_t a, size_t b) { parents_[of(a)] = of(b); }
  // Joins those that have the same key.
  template <class Key, class Hash = std::hash<Key>, class KeyOf>
  void join_equal(KeyOf key_of) {
    std::unordered_map<Key, size_t, Hash> first;
    for (size_t i = 0; i < parents_.size(); ++i) join(i, first.emplace(key_of(i), i).first->second);
  }
  size_t count() {
    size_t roots = 0;
    for (size_t i = 0; i < parents_.size(); ++i) roots += of(i) == i ? 1 : 0;
    return roots;
  }

 private:
  std::vector<size_t> parents_;
};

// Which of the two sets a family has texts of.
struct Sides {
  bool forget = false;
  bool holdout = false;

  void add(bool is_forget) { (is_forget ? forget : holdout) = true; }
  bool both() const { return forget && holdout; }
  // 0: forget only, 1: holdout only, 2: both.
  size_t kind() const { return both() ? 2 : (forget ? 0 : 1); }
};

// The families of one level in the order of their first texts, which no numbering changes.
struct Grouped {
  std::vector<std::vector<size_t>> members;
  std::vector<Sides> sides;
};

template <class NameOf>
Grouped group_by(const std::vector<BlindText>& texts, NameOf name_of) {
  Grouped grouped;
  std::unordered_map<size_t, size_t> numbers;
  for (size_t i = 0; i < texts.size(); ++i) {
    const size_t number = numbers.emplace(name_of(texts[i]), grouped.members.size()).first->second;
    if (number == grouped.members.size()) {
      grouped.members.emplace_back();
      grouped.sides.emplace_back();
    }
    grouped.members[number].push_back(i);
    grouped.sides[number].add(texts[i].is_forget);
  }
  return grouped;
}

Grouped group_by_unit(const std::vector<BlindText>& texts) {
  return group_by(texts, [](const BlindText& text) { return text.unit; });
}

std::vector<BlindText> kept_of(const std::vector<BlindText>& texts, const std::vector<bool>& keep) {
  std::vector<BlindText> kept;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (keep[i]) kept.push_back(texts[i]);
  }
  return kept;
}

// Leaves at most `most` texts of each unit.
std::vector<BlindText> thinned(const std::vector<BlindText>& texts, size_t most, Random random) {
  std::vector<bool> keep(texts.size(), true);
  for (std::vector<size_t>& members : group_by_unit(texts).members) {
    if (members.size() <= most) continue;
    shuffle(members, random);
    for (size_t i = most; i < members.size(); ++i) keep[members[i]] = false;
  }
  return kept_of(texts, keep);
}

}  // namespace

std::vector<BlindText> blind_texts(const TraceScores& forget, const TraceScores& holdout,
                                   const ExampleClusters& clusters) {
  PALIMPSEST_CHECK(clusters.forget.size() == forget.facts.size() &&
                   clusters.holdout.size() == holdout.facts.size());
  std::vector<BlindText> texts;
  for (bool is_forget : {true, false}) {
    const TraceScores& set = is_forget ? forget : holdout;
    for (size_t i = 0; i < set.facts.size(); ++i) {
      const ExampleFacts& facts = set.facts[i];
      if (!has_text(facts)) continue;
      texts.push_back({.is_forget = is_forget,
                       .example = i,
                       .text = facts.text ? &*facts.text : nullptr,
                       .key = exact_content(facts)});
    }
  }
  Families families(texts.size());
  auto name = [&](size_t BlindText::*level) {
    for (size_t i = 0; i < texts.size(); ++i) texts[i].*level = families.of(i);
  };
  families.join_equal<std::string>([&](size_t i) {
    const TraceScores& set = texts[i].is_forget ? forget : holdout;
    return (texts[i].is_forget ? "f" : "h") + set.examples[texts[i].example].index;
  });
  name(&BlindText::block);
  families.join_equal<int64_t>([&](size_t i) {
    return (texts[i].is_forget ? clusters.forget : clusters.holdout)[texts[i].example];
  });
  name(&BlindText::cluster);
  name(&BlindText::unit);
  const size_t cluster_count = families.count();
  families.join_equal<ContentKey, ContentKeyHash>([&](size_t i) { return texts[i].key; });
  if (!clusters.is_given() || 2 * families.count() >= cluster_count) name(&BlindText::unit);
  return texts;
}

std::vector<BlindText> sample_blind_texts(std::vector<BlindText> texts, int64_t most,
                                          const Random& random) {
  constexpr int64_t kLargestUnit = 20;  // a twentieth of all
  if (static_cast<int64_t>(texts.size()) <= most) return texts;
  const auto limit = static_cast<size_t>(std::max<int64_t>(1, most / kLargestUnit));
  texts = thinned(texts, limit, random.split(0));
  const auto forget_count = static_cast<int64_t>(std::count_if(
      texts.begin(), texts.end(), [](const BlindText& text) { return text.is_forget; }));
  const int64_t counts[2] = {forget_count, static_cast<int64_t>(texts.size()) - forget_count};
  int64_t shares[2] = {};  // texts of each set to keep; what one set does not need is the other's
  for (size_t side : {0, 1})
    shares[side] = std::min(counts[side], std::max(most / 2, most - counts[1 - side]));

  const Grouped units = group_by_unit(texts);
  std::array<std::vector<size_t>, 3> by_kind;
  for (size_t u = 0; u < units.members.size(); ++u) by_kind[units.sides[u].kind()].push_back(u);
  Random order = random.split(1);
  std::vector<bool> keep(texts.size(), false);
  for (size_t kind = 0; kind < by_kind.size(); ++kind) {
    std::vector<size_t>& members = by_kind[kind];
    if (members.empty()) continue;
    auto kept_units = static_cast<int64_t>(members.size());
    for (size_t side : {0, 1}) {
      if (kind == 2 || kind == side)
        kept_units = std::min(kept_units,
                              static_cast<int64_t>(members.size()) * shares[side] / counts[side]);
    }
    shuffle(members, order);
    for (size_t i = 0; i < static_cast<size_t>(kept_units); ++i) {
      for (size_t text : units.members[members[i]]) keep[text] = true;
    }
  }
  return kept_of(texts, keep);
}

BlindUnitCounts count_units(const std::vector<BlindText>& texts) {
  BlindUnitCounts counts;
  for (const Sides& sides : group_by_unit(texts).sides) {
    counts.forget += sides.forget ? 1 : 0;
    counts.holdout += sides.holdout ? 1 : 0;
  }
  return counts;
}

std::vector<size_t> assign_folds(const std::vector<BlindText>& texts, size_t folds,
                                 const Random& random) {
  const Grouped units = group_by_unit(texts);
  std::vector<size_t> fold_of(texts.size());
  size_t next = 0;  // goes on from kind to kind, so that folds have equally many units
  for (size_t kind = 0; kind < 3; ++kind) {
    std::vector<size_t> members;
    for (size_t u = 0; u < units.members.size(); ++u) {
      if (units.sides[u].kind() == kind) members.push_back(u);
    }
    Random order = random.split(kind);
    shuffle(members, order);
    for (size_t unit : members) {
      for (size_t text : units.members[unit]) fold_of[text] = next;
      next = (next + 1) % folds;
    }
  }
  return fold_of;
}

BlindPermutation::BlindPermutation(const std::vector<BlindText>& texts,
                                   const std::vector<size_t>& fold_of) {
  for (const BlindText& text : texts) is_forget_.push_back(text.is_forget);
  auto subset = [&](const Texts& members, auto name_of) {  // again by the next level below
    std::vector<BlindText> inside;
    for (size_t i : members) inside.push_back(texts[i]);
    Grouped grouped = group_by(inside, name_of);
    for (Texts& family : grouped.members) {
      for (size_t& i : family) i = members[i];
    }
    return grouped;
  };
  std::map<size_t, std::vector<Texts>> by_fold;
  const Grouped units = group_by_unit(texts);
  for (size_t u = 0; u < units.members.size(); ++u) {
    if (!units.sides[u].both()) {
      by_fold[fold_of[units.members[u].front()]].push_back(units.members[u]);
      continue;
    }
    const Grouped clusters =
        subset(units.members[u], [](const BlindText& text) { return text.cluster; });
    std::vector<Texts> pure;
    for (size_t c = 0; c < clusters.members.size(); ++c) {
      if (clusters.sides[c].both()) {
        groups_.push_back(
            subset(clusters.members[c], [](const BlindText& text) { return text.block; }).members);
      } else {
        pure.push_back(clusters.members[c]);
      }
    }
    groups_.push_back(std::move(pure));
  }
  for (auto& [fold, blocks] : by_fold) groups_.push_back(std::move(blocks));
}

std::vector<bool> BlindPermutation::draw(Random random) const {
  std::vector<bool> labels = is_forget_;
  for (const std::vector<Texts>& group : groups_) {
    std::vector<char> drawn;
    for (const Texts& block : group) drawn.push_back(is_forget_[block.front()] ? 1 : 0);
    shuffle(drawn, random);
    for (size_t b = 0; b < group.size(); ++b) {
      for (size_t text : group[b]) labels[text] = drawn[b] != 0;
    }
  }
  return labels;
}

}  // namespace palimpsest::attack
