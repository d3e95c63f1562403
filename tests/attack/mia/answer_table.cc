// Prints the section of docs/calibration.md about the answer: answer_table [FILE [QUESTIONS]], where
// FILE holds records with a question and an answer, QUESTIONS (20) consecutive ones per author.
#include <fmt/format.h>

#include <cstdlib>

#include "tests/attack/mia/answer_calibration.h"

namespace palimpsest {
namespace {

void print_cases(const char* title, const char* heading, const std::vector<HeadlineCase>& cases,
                 int64_t (*counted)(const HeadlineRates&)) {
  constexpr int64_t kAudits = 4000;
  fmt::print("{}\n\n| setting | {} |\n|---|---|\n", title, heading);
  for (const HeadlineCase& setting : cases) {
    const HeadlineRates rates = simulate_headline(setting, kAudits);
    fmt::print("| {} | {:.1f}% |\n", setting.name,
               100 * static_cast<double>(counted(rates)) / static_cast<double>(kAudits));
  }
  fmt::print("\n");
}

void print_splits(const std::string& name, const AuthorTexts& texts) {
  const int64_t authors = texts.authors.back() + 1;
  const ScoredAuthors scored = score_authors(texts, authors / 3);
  const HeadlineRates rates = audit_splits(scored, 20, 2000);
  const int64_t blind = blind_alarms(scored.texts, 20, 200);
  fmt::print("| {} | {:.1f}% | {:.1f}% | {} of 200 |\n", name,
             100 * static_cast<double>(rates.alarms()) / static_cast<double>(rates.audits),
             100 * static_cast<double>(rates.equivalent + rates.within_margin) /
                 static_cast<double>(rates.audits),
             blind);
}

}  // namespace
}  // namespace palimpsest

int main(int argc, char** argv) {
  using namespace palimpsest;
  fmt::print(
      "\n## The answer\n\nThe verdict of a whole audit, from clusters, intervals, permutation test "
      "and "
      "tail, at a margin\nof 0.05 unless said. Binormal scores with a latent effect per author; "
      "attacks "
      "have a correlation of\n0.8. 4,000 audits per row, standard deviation of 5% 0.34 points; the "
      "slow "
      "test allows what chance\nexplains at 1% over all rows.\n\n");
  print_cases("Nothing is remembered: every \"remembered\" or \"over-forgotten\" is false.",
              "false alarms, at most 5%", innocent_cases(),
              [](const HeadlineRates& rates) { return rates.alarms(); });
  print_cases("The truth lies on the margin: every clearance is false.", "cleared, at most 5%",
              marginal_cases(),
              [](const HeadlineRates& rates) { return rates.equivalent + rates.within_margin; });
  print_cases("Something is remembered.", "found", guilty_cases(),
              [](const HeadlineRates& rates) { return rates.remembered; });
  fmt::print(
      "Random splits of 20 against 20 authors under a trigram model that saw neither.\n\n"
      "| texts | false alarms | within 0.05 | blind baseline, p ≤ 0.05 |\n|---|---|---|---|\n");
  print_splits("made-up authors", made_up_authors(180, 20));
  if (argc > 1)
    print_splits("TOFU, retain90", read_authors(argv[1], argc > 2 ? std::atoll(argv[2]) : 20));
}
