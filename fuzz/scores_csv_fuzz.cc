// Any bytes as a scores file: rows that belong together, or an Error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "fuzz/input_file.h"
#include "palimpsest/base/error.h"
#include "palimpsest/report/scores_file.h"

namespace palimpsest {
namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

void use(const report::ScoresTable& table) {
  for (const report::AttackRows& rows : table.attacks) {
    check(rows.values.size() == table.columns.size());
    check(rows.scores.empty() || rows.scores.size() == rows.labels.size());
    check(rows.predictions.empty() || rows.predictions.size() == rows.labels.size());
    for (const double score : rows.scores) check(std::isfinite(score));
    for (const int32_t label : rows.labels) {
      check(label >= 0 && static_cast<size_t>(label) < table.classes.size());
    }
  }
}

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  const report::ScoresInput input{input_folder().write("scores.csv", input_text(data, size))};
  try {
    use(report::read_scores(std::span(&input, 1)));
  } catch (const Error&) {
    // The expected end of most inputs.
  }
  return 0;
}
