// mia_loss: the average loss tells members from others.
// Formula and orientation are in attack/loss.h.

#include "palimpsest/eval/handlers/handlers.h"
#include "palimpsest/eval/mia_metric.h"

namespace palimpsest::eval {
namespace {

MetricNeeds mia_loss_needs(const MetricSetting&) {
  return mia_needs();
}

MetricResult compute_mia_loss(const MetricInput& input) {
  return mia_auc(input, "loss", {});
}

}  // namespace

Handler mia_loss_handler() {
  return {.name = "mia_loss",
          .measures = "AUC of the attack 'loss': the average loss",
          .orientation = kAucOrientation,
          .needs = mia_loss_needs,
          .compute = compute_mia_loss,
          .is_attack = true};
}

}  // namespace palimpsest::eval
