// mia_zlib: the average loss over the text's compressed size tells members from others.
// Formula and orientation are in attack/zlib.h.

#include "palimpsest/eval/handlers/handlers.h"
#include "palimpsest/eval/mia_metric.h"

namespace palimpsest::eval {
namespace {

MetricNeeds mia_zlib_needs(const MetricSetting&) {
  return mia_needs();
}

MetricResult compute_mia_zlib(const MetricInput& input) {
  return mia_auc(input, "zlib", {});
}

}  // namespace

Handler mia_zlib_handler() {
  return {
      .name = "mia_zlib",
      .measures = "AUC of the attack 'zlib': the average loss over the compressed size of the text",
      .orientation = kAucOrientation,
      .needs = mia_zlib_needs,
      .compute = compute_mia_zlib,
      .is_attack = true};
}

}  // namespace palimpsest::eval
