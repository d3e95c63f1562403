// Prints the section of docs/calibration.md about composites.
#include <fmt/format.h>

#include "tests/eval/composite_calibration.h"

namespace {

constexpr const char* kText = R"(
## Composites

Some numbers are computed from several others. The table gives the coverage of their 95% intervals, by the
jackknife over clusters. Model utility is the harmonic mean of probability, ROUGE and truth ratio over
authors and two files of single questions, as in TOFU. Privleak compares with a retrained model on the
same examples. There are {} simulations per row, so the standard deviation of an entry is 0.35 points. A
test requires a coverage of 92.5 to 97.5%, with a tolerance for chance at a level of 5% over these rows.

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
