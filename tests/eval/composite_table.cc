// Prints the section of docs/calibration.md about composites.
#include <fmt/format.h>

#include "tests/eval/composite_calibration.h"

namespace {

constexpr const char* kText = R"(
## Composites

Some numbers are computed from several others. The table gives the coverage of their 95% intervals, by the
jackknife over clusters. As in TOFU, model utility is the harmonic mean of nine numbers: the probability,
the ROUGE and the truth ratio of three files. One file has questions about authors, and the other two have
questions that are independent of each other. "Probability 0.05" means that the probability of the answers
about authors is near 0.05, so that it dominates the harmonic mean. Privleak compares with a retrained
model on the same examples. In the row "taken as known", the AUC of the retrained model counts as fixed.
There are {} simulations per row, so the standard deviation of an entry is 0.35 points. A test requires a
coverage of 92.5 to 97.5%, with a tolerance for chance at a level of 5% over these rows.

| number | covers |
|---|---|
)";

}  // namespace

int main() {
  constexpr int64_t kRepetitions = 4000;
  fmt::print(kText, kRepetitions);
  for (const auto& setting : palimpsest::eval::composite_cases()) {
    fmt::print("| {} | {:.1f}% |\n", setting.name,
               100 * palimpsest::eval::composite_coverage(setting, kRepetitions));
  }
}
