// mia_reference: the average loss against that of a reference model tells members from others.
// Formula and orientation are in attack/reference.h.

#include "palimpsest/eval/handlers/handlers.h"
#include "palimpsest/eval/mia_metric.h"

namespace palimpsest::eval {
namespace {

MetricNeeds mia_reference_needs(const MetricSetting& setting) {
  MetricNeeds needs = mia_needs();
  needs.reference_model = setting.config.at("reference_model_path").as_text();
  return needs;
}

MetricResult compute_mia_reference(const MetricInput& input) {
  return mia_auc(input, "reference", {});
}

}  // namespace

Handler mia_reference_handler() {
  return {.name = "mia_reference",
          .measures = "AUC of the attack 'reference': average loss minus a reference model's",
          .orientation = kAucOrientation,
          .keys = {{"reference_model_path", "folder or hub id of a model that never saw the data"}},
          .needs = mia_reference_needs,
          .compute = compute_mia_reference,
          .is_attack = true};
}

}  // namespace palimpsest::eval
