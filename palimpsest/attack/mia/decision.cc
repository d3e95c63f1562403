#include "palimpsest/attack/mia/decision.h"

#include "palimpsest/base/random.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/binomial.h"
#include "palimpsest/stat/validation_part.h"

namespace palimpsest {
namespace {

using Column = std::span<const std::optional<double>>;

// The scores of the validation part, or those of the rest.
ScoreColumn part_of(Column scores, const std::vector<bool>& in_validation, bool validation) {
  ScoreColumn part;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (in_validation[i] == validation) part.push_back(scores[i]);
  }
  return part;
}

}  // namespace

void require_valid(const DecisionOptions& options) {
  require_valid(options.costs);
  require_validation_share(options.validation_split);
  require_confidence(options.confidence);
}

std::optional<Decision> decide(const ScoreColumns& scores, const DecisionOptions& options) {
  require_valid(options);
  const Random random(options.seed);
  auto drawn = [&](Column column, uint64_t stratum) {
    return draw_validation_part(column.size(), options.validation_split, random.split(stratum));
  };
  const std::vector<bool> forget_part = drawn(scores.forget, 1);
  const std::vector<bool> holdout_part = drawn(scores.holdout, 0);
  auto labelled = [&](bool validation) {
    const ScoreColumn forget = part_of(scores.forget, forget_part, validation);
    const ScoreColumn holdout = part_of(scores.holdout, holdout_part, validation);
    return to_labelled({forget, holdout});
  };
  const LabelledScores validation = labelled(true);
  const LabelledScores rest = labelled(false);
  const auto best = least_cost(validation, options.costs);
  if (!best || !rest.has_both_classes()) return std::nullopt;
  const Confusion counts = confusion_at(rest, best->threshold);
  const int64_t examples = counts.positives() + counts.negatives();
  return Decision{
      .validation_auc = *auc(validation),
      .validation_cost = best->value,
      .score_at_most = flip_orientation(best->threshold),
      .counts = counts,
      .tpr = *counts.true_positive_rate(),
      .fpr = *counts.false_positive_rate(),
      .tpr_interval =
          clopper_pearson(counts.true_positives, counts.positives(), options.confidence),
      .fpr_interval =
          clopper_pearson(counts.false_positives, counts.negatives(), options.confidence),
      .cost = (options.costs.false_positive * static_cast<double>(counts.false_positives) +
               options.costs.false_negative * static_cast<double>(counts.false_negatives)) /
              static_cast<double>(examples)};
}

}  // namespace palimpsest
