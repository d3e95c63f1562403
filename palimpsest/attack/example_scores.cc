#include "palimpsest/attack/internal/example_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/base/error.h"

namespace palimpsest::attack {

const TraceNeed* unmet_need(const std::vector<TraceNeed>& needs, const trace::Trace& trace,
                            const ParameterValues& values) {
  const auto unmet = std::ranges::find_if(
      needs, [&](const TraceNeed& need) { return !need.is_met(trace, values); });
  return unmet == needs.end() ? nullptr : &*unmet;
}

ExampleScores score_examples(const Attack& attack, const ExampleTraces& examples,
                             WorkerPool& pool) {
  const ParameterValues values = attack.values();
  ExampleScores result{.scores = ScoreColumn(examples.own.size()), .unmet = {}};
  std::vector<UnmetNeed> unmet(examples.own.size());
  const auto score_range = [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      const trace::Trace& own = *examples.own[i];
      const trace::Trace* reference = attack.needs_reference() ? examples.reference[i] : nullptr;
      unmet[i] = {.need = unmet_need(attack.needs, own, values), .example = i};
      if (unmet[i].need == nullptr && reference != nullptr)
        unmet[i] = {unmet_need(attack.reference_needs, *reference, values), i, true};
      if (unmet[i].need == nullptr) result.scores[i] = attack.score_of(own, reference, values);
    }
  };
  if (attack.any_thread) {
    pool.for_ranges(std::ssize(unmet), 1, score_range);
  } else {
    score_range(0, std::ssize(unmet));
  }
  for (size_t i = 0; i < unmet.size(); ++i) {
    if (unmet[i].need != nullptr) {
      result.scores.resize(i);
      result.unmet = unmet[i];
      break;
    }
    if (result.scores[i] && !std::isfinite(*result.scores[i])) {
      throw Error(
          fmt::format("{}: the {} score is NaN or infinite", examples.where(i), attack.name));
    }
  }
  return result;
}

}  // namespace palimpsest::attack
