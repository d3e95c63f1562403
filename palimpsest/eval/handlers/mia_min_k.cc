// mia_min_k: the least likely tokens tell members from others.
// Formula and orientation are in attack/min_k.h.

#include "palimpsest/eval/handlers/handlers.h"
#include "palimpsest/eval/mia_metric.h"

namespace palimpsest::eval {
namespace {

MetricResult compute_mia_min_k(const MetricInput& input) {
  return mia_auc(input, "min_k", share_options(input.setting));
}

}  // namespace

Handler mia_min_k_handler() {
  return {.name = "mia_min_k",
          .measures = "AUC of the attack 'min_k': average loss of the least likely tokens",
          .orientation = kAucOrientation,
          .keys = {{"k", "share of the least likely tokens, in (0, 1]"}},
          .needs = share_needs,
          .compute = compute_mia_min_k,
          .is_attack = true};
}

}  // namespace palimpsest::eval
