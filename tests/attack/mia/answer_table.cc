// Prints the sections of docs/calibration.md about audits: answer_table [FOLDER], where FOLDER
// holds TOFU's files retain90.json (twenty consecutive records per author),
// real_authors_perturbed.json and world_facts_perturbed.json (records that have nothing to do with
// each other).
#include <fmt/format.h>

#include <utility>

#include "tests/attack/mia/audit_calibration.h"

namespace palimpsest::attack {
namespace {

constexpr const char* kAnswerText = R"(
## The answer

The tables of this section are about the verdict of a whole audit, which follows from clusters, intervals,
permutation test and tail. The margin is 0.05 unless the row states another one. Scores are binormal with
a latent effect per author. The scores of different attacks have a correlation of 0.8. The scores of the
baseline model and of the audited model have a correlation of 0.9. There are 4,000 audits per row, so the
standard deviation of a share of 5% is 0.34 points. In the table of random splits, each row has 2,000
audits. The blind baseline was computed on 200 other random splits. The slow test allows for chance, at a
level of 1% over all rows.

)";

constexpr const char* kDependenceText = R"(
## Which examples belong together

If nobody states the clusters, a detector looks for signs of dependence. Here it has no column that names
the authors. It sees 20 against 20 authors of 20 questions each, in file order and shuffled. It also sees
60 against 60 authors of one question each, whose examples are independent. The table gives the shares of
{} audits in which it suspects dependence. The standard deviation of a share of 3% is 0.4 points. A test
requires that the share is at least 90% in file order, and at most 5% otherwise.

Each sign is tested by a permutation test, which is exact for exchangeable examples. Together the signs
have a level of 3%. That level was not derived. The requirement is 5%, and 3% was chosen after a first
look at the simulations, so that a correct detector does not fail the test by chance.

| texts | in file order | shuffled | independent |
|---|---|---|---|
)";

constexpr const char* kSourceText = R"(
## A holdout set from another source

The forget sets have 20 random authors. The holdout sets come from another source and have 20 clusters of
20 texts, or 60 single texts. The table counts the audits that the blind baseline makes void (p ≤ 0.05 and
an AUC of at least 0.55). A test requires that it does so in at least 95% of them.

| forget set | holdout set | void |
|---|---|---|
)";

constexpr const char* kDecisionText = R"(
## Decision thresholds

A decision threshold is chosen on half of the clusters, and its rates are measured on the other half. The
table gives the coverage of the 95% intervals of these rates. There are {} audits per row, so the standard
deviation of an entry is 0.35 points. A test requires a coverage of at least 93%. For comparison, the last
column gives Clopper and Pearson's interval of the false positive rate, which treats the examples as
independent. In the row "nearly told apart", the mean scores of the two sets lie 3 standard deviations
apart, and in the others 1.

| sets | TPR | FPR | FPR, by example |
|---|---|---|---|
)";

double percent(int64_t count, int64_t of) {
  return 100 * static_cast<double>(count) / static_cast<double>(of);
}

void print_cases(const char* title, const char* heading, const std::vector<HeadlineCase>& cases,
                 int64_t (*counted)(const HeadlineRates&)) {
  constexpr int64_t kAudits = 4000;
  fmt::print("{}\n\n| setting | {} |\n|---|---|\n", title, heading);
  for (const HeadlineCase& setting : cases) {
    const HeadlineRates rates = simulate_headline(setting, kAudits);
    fmt::print("| {} | {:.1f}% |\n", setting.name, percent(counted(rates), kAudits));
  }
  fmt::print("\n");
}

// Texts with the model's scores of those that it did not see.
struct Source {
  const char* name;
  AuthorTexts texts;
  ScoredAuthors scored;

  Source(const char* called, AuthorTexts all)
      : name(called),
        texts(std::move(all)),
        scored(score_authors(texts, (texts.authors.back() + 1) / 3)) {}
};

void print_splits(const Source& source) {
  const HeadlineRates rates = audit_splits(source.scored, 20, 2000);
  const int64_t blind = blind_alarms(source.scored.texts, 20, 200);
  fmt::print("| {} | {:.1f}% | {:.1f}% | {} of 200 |\n", source.name,
             percent(rates.alarms(), rates.audits),
             percent(rates.equivalent + rates.within_margin, rates.audits), blind);
}

void print_answers(const std::vector<Source>& sources) {
  fmt::print("{}", kAnswerText);
  print_cases(
      "In this table nothing is remembered, so every \"remembered\" or \"over-forgotten\" is "
      "false.",
      "false alarms, at most 5%", innocent_cases(),
      [](const HeadlineRates& rates) { return rates.alarms(); });
  print_cases(
      "In this table the truth lies on the margin, so a model that is cleared (by the verdict\n"
      "`equivalent` or `detectable_within_margin`) is cleared wrongly.",
      "cleared, at most 5%", marginal_cases(),
      [](const HeadlineRates& rates) { return rates.equivalent + rates.within_margin; });
  print_cases(
      "In this table something is remembered, and the last column gives how often it is found.",
      "found", guilty_cases(), [](const HeadlineRates& rates) { return rates.remembered; });
  fmt::print(
      "This table is about audits of random splits of 20 against 20 authors. The model is a\n"
      "trigram model that saw neither group.\nHere, too, a model is cleared by the verdict "
      "`equivalent` or "
      "`detectable_within_margin`. The last column\ncounts how often the blind baseline wrongly "
      "tells the two groups apart. It is a classifier that sees only\nthe texts, not the model "
      "([definitions.md](definitions.md#what-else-mia-says)).\n\n"
      "| texts | false alarms | cleared | blind baseline, p ≤ 0.05 |\n|---|---|---|---|\n");
  for (const Source& source : sources) print_splits(source);
}

void print_dependence(const std::vector<Source>& sources) {
  constexpr int64_t kAudits = 2000;
  fmt::print(kDependenceText, kAudits);
  for (const Source& source : sources) {
    const ScoredAuthors single = one_text_per_author(source.scored);
    fmt::print(
        "| {} | {:.1f}% | {:.1f}% | {:.1f}% |\n", source.name,
        percent(suspected_dependence(source.scored, 20, kAudits, FileOrder::kByAuthor), kAudits),
        percent(suspected_dependence(source.scored, 20, kAudits, FileOrder::kShuffled), kAudits),
        percent(suspected_dependence(single, 60, kAudits, FileOrder::kByAuthor), kAudits));
  }
}

void print_other_source(const Source& source, const char* other_name, const AuthorTexts& others,
                        int64_t other_each) {
  constexpr int64_t kAudits = 200;
  fmt::print("| {} | {} | {} of {} |\n", source.name, other_name,
             noticed_sources(source.texts, others, 20, other_each, kAudits), kAudits);
}

void print_decisions() {
  constexpr int64_t kAudits = 4000;
  fmt::print(kDecisionText, kAudits);
  for (const DecisionCase& setting : decision_cases()) {
    const DecisionCoverage coverage = decision_coverage(setting, kAudits);
    fmt::print("| {} | {:.1f}% | {:.1f}% | {:.1f}% |\n", setting.name, 100 * coverage.tpr,
               100 * coverage.fpr, 100 * coverage.fpr_by_example);
  }
}

}  // namespace
}  // namespace palimpsest::attack

int main(int argc, char** argv) {
  using namespace palimpsest;
  using namespace palimpsest::attack;
  const std::string folder = argc > 1 ? argv[1] : "";
  std::vector<Source> sources;
  sources.emplace_back("made-up authors", made_up_authors(180, 20));
  if (!folder.empty())
    sources.emplace_back("TOFU, retain90", read_authors(folder + "/retain90.json", 20));
  print_answers(sources);
  print_dependence(sources);
  fmt::print("{}", kSourceText);
  print_other_source(sources[0], "notes on made-up towns", made_up_towns(60, 20), 20);
  for (const char* name : {"real_authors", "world_facts"}) {
    if (folder.empty()) continue;
    const AuthorTexts others = read_authors(folder + "/" + name + "_perturbed.json", 1);
    print_other_source(sources[1], name, others, 60);
  }
  print_decisions();
}
