// mia_min_k_plus_plus: the least likely tokens, standardised, tell members from others.
// Formula and orientation are in attack/min_k_plus_plus.h.

#include "palimpsest/eval/handlers/handlers.h"
#include "palimpsest/eval/mia_metric.h"

namespace palimpsest::eval {
namespace {

MetricResult compute_mia_min_k_plus_plus(const MetricInput& input) {
  return mia_auc(input, "min_k_plus_plus", share_options(input.setting));
}

}  // namespace

Handler mia_min_k_plus_plus_handler() {
  return {
      .name = "mia_min_k_plus_plus",
      .measures = "AUC of the attack 'min_k_plus_plus': Min-K on standardised log-probabilities",
      .orientation = kAucOrientation,
      .keys = {{"k", "share of the least likely tokens, in (0, 1]"}},
      .needs = share_needs,
      .compute = compute_mia_min_k_plus_plus,
      .is_attack = true};
}

}  // namespace palimpsest::eval
