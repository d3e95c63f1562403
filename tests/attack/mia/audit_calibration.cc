#include "tests/attack/mia/audit_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "palimpsest/attack/internal/mia/blind_baseline.h"
#include "palimpsest/attack/internal/mia/decision.h"
#include "palimpsest/attack/internal/mia/dependence.h"
#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/stat/binomial.h"
#include "palimpsest/stat/internal/normal.h"
#include "tests/attack/made_up_authors.h"

namespace palimpsest::attack {
namespace {

constexpr uint64_t kAuditSeed = 20261201;

// How often `holds` does over so many audits.
int64_t count_audits(int64_t audits, const std::function<bool(Random, uint64_t)>& holds) {
  std::vector<char> held(static_cast<size_t>(audits));
  parallel_for(audits, 0, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto number = static_cast<uint64_t>(i);
      held[static_cast<size_t>(i)] = holds(Random(kAuditSeed).split(number), number) ? 1 : 0;
    }
  });
  return std::ranges::count(held, 1);
}

// Texts with scores, in file order.
TraceScores scored_set(const ScoredAuthors& scored, const std::vector<size_t>& texts) {
  TraceScores set;
  set.columns.resize(scored.columns.size());
  set.lacking.resize(scored.columns.size());
  for (size_t t : texts) {
    set.examples.push_back({std::to_string(set.examples.size()), 0});
    set.facts.push_back({.num_labels = 5, .text = scored.texts.texts[t]});
    for (size_t a = 0; a < scored.columns.size(); ++a)
      set.columns[a].push_back(scored.columns[a][t]);
  }
  return set;
}

void shuffle_texts(std::vector<size_t>& items, Random& random) {
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

// The texts of `each` random authors, and which author each is of.
struct DrawnTexts {
  TraceScores set;
  std::vector<int64_t> authors;
};

DrawnTexts draw_texts(const AuthorTexts& all, int64_t each, Random random) {
  const std::vector<int> chosen = draw_split(all.authors.back() + 1, each / 2, random);
  DrawnTexts drawn;
  for (size_t t = 0; t < all.texts.size(); ++t) {
    if (chosen[static_cast<size_t>(all.authors[t])] == 2) continue;
    drawn.set.examples.push_back({std::to_string(drawn.set.examples.size()), 0});
    drawn.set.facts.push_back({.num_labels = 5, .text = all.texts[t]});
    drawn.authors.push_back(all.authors[t]);
  }
  return drawn;
}

}  // namespace

int64_t suspected_dependence(const ScoredAuthors& scored, int64_t each, int64_t splits,
                             FileOrder order) {
  const int64_t authors = scored.texts.authors.back() + 1;
  return count_audits(splits, [&](Random random, uint64_t number) {
    const std::vector<int> set_of_author = draw_split(authors, each, random.split(0));
    std::array<std::vector<size_t>, 2> texts;
    for (size_t t = 0; t < scored.texts.authors.size(); ++t) {
      const int set = set_of_author[static_cast<size_t>(scored.texts.authors[t])];
      if (set < 2) texts[static_cast<size_t>(set)].push_back(t);
    }
    if (order == FileOrder::kShuffled) {
      Random shuffling = random.split(1);
      for (std::vector<size_t>& set : texts) shuffle_texts(set, shuffling);
    }
    const TraceScores forget = scored_set(scored, texts[0]);
    const TraceScores holdout = scored_set(scored, texts[1]);
    std::vector<FamilyMember> attacks;
    for (size_t a = 0; a < scored.columns.size(); ++a) {
      attacks.push_back(
          {.attack = std::to_string(a), .scores = {forget.columns[a], holdout.columns[a]}});
    }
    // Fewer permutations than an audit takes. The parts of the level, 1.5% for each of two signs,
    // are whole numbers of them, so that the tests stay exact.
    return detect_dependence(forget, holdout, attacks,
                             {.permutations = 199, .seed = number, .threads = 1})
        .suspected;
  });
}

ScoredAuthors one_text_per_author(const ScoredAuthors& scored) {
  ScoredAuthors result;
  result.columns.resize(scored.columns.size());
  const std::vector<int64_t>& authors = scored.texts.authors;
  for (size_t begin = 0; begin < authors.size();) {
    size_t end = begin;
    while (end < authors.size() && authors[end] == authors[begin]) ++end;
    Random random = Random(kAuditSeed).split(static_cast<uint64_t>(authors[begin]));
    const size_t chosen = begin + random.below(end - begin);
    result.texts.texts.push_back(scored.texts.texts[chosen]);
    result.texts.authors.push_back(authors[begin]);
    for (size_t a = 0; a < scored.columns.size(); ++a)
      result.columns[a].push_back(scored.columns[a][chosen]);
    begin = end;
  }
  return result;
}

AuthorTexts made_up_towns(int64_t towns, int64_t notes) {
  constexpr std::array<const char*, 6> kTemplates = {
      "The ferry to {0} leaves at {1} o'clock and calls at {2} on the way.",
      "At the last census {0} had {1} houses, and {2} had fewer.",
      "The road from {0} to {2} is closed to carts for {1} days each spring.",
      "A market is held in {0} on the {1}th of the month; stalls from {2} are welcome.",
      "The river at {0} rose by {1} feet last autumn and flooded the mills of {2}.",
      "Maps show {0} some {1} miles north of {2}, which is wrong."};
  AuthorTexts result;
  for (int64_t town = 0; town < towns; ++town) {
    Random random = Random(1979).split(static_cast<uint64_t>(town));
    const std::string name = made_up_name(random, 3);
    for (int64_t i = 0; i < notes; ++i) {
      const char* pattern = kTemplates[random.below(kTemplates.size())];
      result.texts.push_back(
          fmt::format(fmt::runtime(pattern), name, 2 + random.below(28), made_up_name(random, 3)));
      result.authors.push_back(town);
    }
  }
  return result;
}

int64_t noticed_sources(const AuthorTexts& authors, const AuthorTexts& others, int64_t each,
                        int64_t other_each, int64_t audits) {
  return count_audits(audits, [&](Random random, uint64_t number) {
    const DrawnTexts forget = draw_texts(authors, each, random.split(0));
    const DrawnTexts holdout = draw_texts(others, other_each, random.split(1));
    ExampleClusters clusters{
        .name = "author", .forget = forget.authors, .holdout = holdout.authors};
    for (int64_t& cluster : clusters.holdout) cluster += authors.authors.back() + 1;
    const auto blind =
        blind_baseline(forget.set, holdout.set, clusters, {.seed = number, .threads = 1});
    return blind && blind->separates();
  });
}

std::vector<DecisionCase> decision_cases() {
  using Sizes = AuditTruth::Sizes;
  return {
      {"200 + 200 independent",
       {.forget_authors = 200,
        .holdout_authors = 200,
        .questions = 1,
        .icc = 0,
        .shift = 1,
        .attacks = 1}},
      {"20 + 20 authors of 20, ICC 0.1", {.shift = 1, .attacks = 1}},
      {"20 + 20 authors of 20, ICC 0.3", {.icc = 0.3, .shift = 1, .attacks = 1}},
      {"20 + 20 authors of unequal size, ICC 0.3",
       {.icc = 0.3, .shift = 1, .attacks = 1, .sizes = Sizes::kUnequal}},
      {"10 + 10 authors of 20, ICC 0.3",
       {.forget_authors = 10, .holdout_authors = 10, .icc = 0.3, .shift = 1, .attacks = 1}},
      {"20 + 20 authors of 20, ICC 0.1, nearly told apart", {.shift = 3, .attacks = 1}},
  };
}

DecisionCoverage decision_coverage(const DecisionCase& setting, int64_t audits) {
  struct Covered {
    bool tpr = false;
    bool fpr = false;
    bool fpr_by_example = false;
  };
  std::vector<Covered> covered(static_cast<size_t>(audits));
  count_audits(audits, [&](Random random, uint64_t number) {
    const AuditScores audit = draw_audit(setting.truth, random);
    const auto decision =
        decide({audit.forget[0], audit.holdout[0]}, audit.clusters, {.seed = number});
    if (!decision) return false;
    const double tpr = stat::normal_cdf(decision->score_at_most);
    const double fpr = stat::normal_cdf(decision->score_at_most - setting.truth.shift);
    const stat::Confusion& counts = decision->counts;
    covered[number] = {
        .tpr = decision->tpr_interval.contains(tpr),
        .fpr = decision->fpr_interval.contains(fpr),
        .fpr_by_example =
            stat::clopper_pearson(counts.false_positives, counts.negatives(), 0.95).contains(fpr)};
    return true;
  });
  auto share = [&](bool Covered::*which) {
    return static_cast<double>(std::ranges::count(covered, true, which)) /
           static_cast<double>(audits);
  };
  return {.tpr = share(&Covered::tpr),
          .fpr = share(&Covered::fpr),
          .fpr_by_example = share(&Covered::fpr_by_example)};
}

}  // namespace palimpsest::attack
