#include "palimpsest/attack/internal/mia/dependence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "palimpsest/attack/internal/mia/score_dependence.h"
#include "palimpsest/attack/internal/mia/shared_words.h"
#include "palimpsest/base/random.h"

namespace palimpsest::attack {
namespace {

// One set: its units in file order, each an example with its alternatives.
struct UnitSet {
  std::vector<int64_t> unit_of;  // per example that is looked at
  std::vector<size_t> first;     // per unit: its first example
  int64_t all_units = 0;         // also those that are not looked at
};

UnitSet units_of(const TraceScores& set) {
  UnitSet units;
  for (size_t i = 0; i < set.examples.size(); ++i) {
    const bool same = i > 0 && set.examples[i].index == set.examples[i - 1].index;
    if (!same) ++units.all_units;
    if (units.all_units > kMaxUnits) continue;
    if (!same) units.first.push_back(i);
    units.unit_of.push_back(units.all_units - 1);
  }
  return units;
}

RankedUnits ranked(const UnitSet& units, std::span<const FamilyMember> attacks, bool forget) {
  std::vector<std::span<const std::optional<double>>> columns;
  for (const FamilyMember& member : attacks) {
    const auto& column = forget ? member.scores.forget : member.scores.holdout;
    columns.push_back(column.first(units.unit_of.size()));
  }
  return rank_units(columns, units.unit_of);
}

// Sizes that divide both sets into at least two blocks.
std::vector<int64_t> possible_blocks(const std::array<UnitSet, 2>& units) {
  constexpr int64_t kLargest = 100;
  std::vector<int64_t> sizes;
  for (int64_t size = 2; size <= kLargest; ++size) {
    const bool fits = std::ranges::all_of(units, [&](const UnitSet& set) {
      return set.all_units % size == 0 && set.all_units >= 2 * size;
    });
    if (fits) sizes.push_back(size);
  }
  return sizes;
}

struct CandidateColumn {
  std::string key;
  std::array<std::vector<int64_t>, 2> groups;  // per set and unit
  int64_t count = 0;
};

std::optional<CandidateColumn> column_of(const std::array<const TraceScores*, 2>& sets,
                                         const std::array<UnitSet, 2>& units,
                                         const std::string& key) {
  CandidateColumn column{.key = key};
  std::unordered_map<std::string, size_t> set_of;  // the set that a value stands in
  bool divides = false;
  int64_t unit_count = 0;
  for (size_t s = 0; s < sets.size(); ++s) {
    std::unordered_map<std::string, int64_t> numbers;
    for (size_t example : units[s].first) {
      const auto& groups = sets[s]->facts[example].groups;
      const auto found = groups.find(key);
      if (found == groups.end()) return std::nullopt;
      if (set_of.try_emplace(found->second, s).first->second != s) return std::nullopt;
      const auto next = static_cast<int64_t>(numbers.size());
      column.groups[s].push_back(numbers.try_emplace(found->second, next).first->second);
    }
    divides = divides || numbers.size() >= 2;
    column.count += static_cast<int64_t>(numbers.size());
    unit_count += static_cast<int64_t>(units[s].first.size());
  }
  if (!divides || unit_count < 2 * column.count) return std::nullopt;
  return column;
}

// Columns that could be clusters, see the header.
std::vector<CandidateColumn> find_columns(const std::array<const TraceScores*, 2>& sets,
                                          const std::array<UnitSet, 2>& units) {
  std::vector<CandidateColumn> columns;
  for (const TraceScores* set : sets) {
    if (set->facts.size() != set->examples.size()) return columns;
  }
  if (units[0].first.empty()) return columns;
  for (const auto& [key, value] : sets[0]->facts[0].groups) {
    if (auto column = column_of(sets, units, key)) columns.push_back(std::move(*column));
  }
  return columns;
}

class DependenceSearch {
 public:
  DependenceSearch(const TraceScores& forget, const TraceScores& holdout,
                   std::span<const FamilyMember> attacks, const DependenceOptions& options)
      : sets_{&forget, &holdout},
        attacks_(attacks),
        options_(options),
        units_{units_of(forget), units_of(holdout)},
        ranked_{ranked(units_[0], attacks, true), ranked(units_[1], attacks, false)},
        blocks_(possible_blocks(units_)) {}

  Dependence run() {
    const auto order = test_order(ranked_, settings(1));
    const auto words = test_words();
    const std::vector<CandidateColumn> columns = find_columns(sets_, units_);
    const int signs = (order ? 1 : 0) + (words ? 1 : 0) + (columns.empty() ? 0 : 1);
    if (signs == 0) return {};
    const double level = kDependenceLevel / signs;
    judge_columns(columns, level);
    const bool excess =
        words && words->share - words->expected >= kLeastExcessSharing * (1 - words->expected);
    if (excess && words->p_value <= level) add_words(*words);
    if (order && order->p_value <= level) add_order(*order);
    return std::move(found_);
  }

 private:
  // Each test has draws of its own.
  PermutationSettings settings(uint64_t test) const {
    return {.permutations = options_.permutations,
            .seed = Random(options_.seed).split(test).next(),
            .threads = options_.threads,
            .stop = options_.stop};
  }

  std::optional<SharedWords> test_words() const {
    std::vector<SetTexts> texts(sets_.size());
    std::vector<ExampleTexts> owners;
    owners.reserve(sets_.size());
    for (size_t s = 0; s < sets_.size(); ++s) {
      if (sets_[s]->facts.size() != sets_[s]->examples.size()) continue;
      std::span<const size_t> first = units_[s].first;
      first = first.first(std::min(first.size(), static_cast<size_t>(kMaxSharedTexts)));
      const ExampleTexts& owner = owners.emplace_back(*sets_[s], first);
      for (const size_t example : first) texts[s].push_back(owner.of(example));
    }
    return test_shared_words(texts, blocks_, settings(2));
  }

  void add(const std::string& kind, const std::string& evidence, const std::string& option) {
    found_.evidence += (found_.suspected ? " " : "") + evidence;
    if (found_.suspected) return;
    found_.suspected = true;
    found_.kind = kind;
    found_.option = option;
  }

  // The column that stands out most, if one does at the level divided by their number.
  void judge_columns(const std::vector<CandidateColumn>& columns, double level) {
    std::optional<ScoreDependence> best;
    const CandidateColumn* which = nullptr;
    for (size_t c = 0; c < columns.size(); ++c) {
      const auto test = test_groups(ranked_, columns[c].groups, settings(3 + c));
      if (!test || test->p_value > level / static_cast<double>(columns.size())) continue;
      if (best && test->strength <= best->strength) continue;
      best = test;
      which = &columns[c];
    }
    if (which == nullptr) return;
    const double icc = rank_icc(ranked_, which->groups, best->attack).value_or(0);
    add("column",
        fmt::format("Examples with the same '{}' score alike: the ranks of {} have an intraclass "
                    "correlation of {:.2f} over {} groups (p = {:.3f}).",
                    which->key, attack_name(best->attack), icc, which->count, best->p_value),
        "--cluster-key " + which->key);
  }

  void add_words(const SharedWords& words) {
    const std::string example =
        options_.quotes_words
            ? fmt::format(", such as '{}', which occurs in {} texts", words.word, words.word_texts)
            : "";
    add("shared_words",
        fmt::format("Neighbours in the files share rare words{}: {:.0f}% of them do, {:.0f}% would "
                    "in random order (p = {:.3f}).{}",
                    example, 100 * words.share, 100 * words.expected, words.p_value,
                    guess_sentence(words.block_size)),
        size_option(words.block_size));
  }

  void add_order(const ScoreDependence& order) {
    const int64_t size = found_.cluster_size > 0 ? 0 : strongest_blocks();
    add("order",
        fmt::format(
            "Neighbours in the files score alike: the ranks of {} have a correlation of {:.2f} "
            "from one example to the next (p = {:.3f} for all attacks and distances together).{}",
            attack_name(order.attack), neighbour_correlation(ranked_, order.attack), order.p_value,
            guess_sentence(size)),
        size_option(size));
  }

  int64_t strongest_blocks() const {
    int64_t best = 0;
    double most = 0;
    for (int64_t size : blocks_) {
      const double strength = block_strength(ranked_, size);
      if (strength <= most) continue;
      most = strength;
      best = size;
    }
    return best;
  }

  static std::string guess_sentence(int64_t size) {
    if (size == 0) return "";
    return fmt::format(" Blocks of {} fit best, which is a guess.", size);
  }

  std::string size_option(int64_t guess) {
    if (found_.cluster_size == 0) found_.cluster_size = guess;
    return guess > 0 ? fmt::format("--cluster-size {}", guess) : "--cluster-size N";
  }

  const std::string& attack_name(int64_t attack) const {
    return attacks_[static_cast<size_t>(attack)].attack;
  }

  std::array<const TraceScores*, 2> sets_;
  std::span<const FamilyMember> attacks_;
  const DependenceOptions& options_;
  std::array<UnitSet, 2> units_;
  std::array<RankedUnits, 2> ranked_;
  std::vector<int64_t> blocks_;
  Dependence found_;
};

}  // namespace

Dependence detect_dependence(const TraceScores& forget, const TraceScores& holdout,
                             std::span<const FamilyMember> attacks,
                             const DependenceOptions& options) {
  return DependenceSearch(forget, holdout, attacks, options).run();
}

}  // namespace palimpsest::attack
