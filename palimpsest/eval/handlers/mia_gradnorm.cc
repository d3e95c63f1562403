// mia_gradnorm: the size of the gradient tells members from others.
// Formula and orientation are in attack/gradnorm.h.

#include <cmath>
#include <limits>

#include "palimpsest/base/error.h"
#include "palimpsest/eval/handlers/handlers.h"
#include "palimpsest/eval/mia_metric.h"

namespace palimpsest::eval {
namespace {

double norm_of(const MetricSetting& setting) {
  const config::Value& p = setting.config.at("p");
  const bool infinite = p.is_text() && (p.as_text() == "inf" || p.as_text() == "Infinity");
  const double value = infinite ? std::numeric_limits<double>::infinity() : p.as_real();
  if (value == 1 || value == 2 || (std::isinf(value) && value > 0)) return value;
  throw Error({.what = "there is no such norm", .where = p.where(), .expected = "1, 2 or .inf"});
}

NormOrder order_of(double p) {
  if (p == 1) return NormOrder::kOne;
  return p == 2 ? NormOrder::kTwo : NormOrder::kInfinity;
}

MetricNeeds mia_gradnorm_needs(const MetricSetting& setting) {
  MetricNeeds needs = mia_needs();
  needs.gradient_norms = {order_of(norm_of(setting))};
  return needs;
}

MetricResult compute_mia_gradnorm(const MetricInput& input) {
  return mia_auc(input, "gradnorm", {.p = norm_of(input.setting)});
}

}  // namespace

Handler mia_gradnorm_handler() {
  return {.name = "mia_gradnorm",
          .measures = "AUC of the attack 'gradnorm': size of the gradient",
          .orientation = kAucOrientation,
          .keys = {{"p", "which norm of each weight's gradient: 1, 2 or .inf"}},
          .needs = mia_gradnorm_needs,
          .compute = compute_mia_gradnorm,
          .is_attack = true};
}

}  // namespace palimpsest::eval
