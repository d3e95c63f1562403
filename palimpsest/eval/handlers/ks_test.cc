// ks_test: do the examples' scores come from the same distribution as those of a model that never
// saw the forget set? agg_value is the p-value of the two-sample Kolmogorov-Smirnov test (TOFU's
// forget quality over the truth ratio); undefined without a log of such a model.
//
// Higher: harder to tell from a model that never knew.

#include <fmt/format.h>

#include "palimpsest/base/error.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/internal/forget_quality.h"
#include "palimpsest/eval/internal/reference_value.h"
#include "palimpsest/stat/kolmogorov_smirnov.h"

namespace palimpsest::eval {
namespace {

MetricNeeds ks_test_needs(const MetricSetting& setting) {
  require_computed(setting, {"forget"});
  if (setting.reference_logs.empty()) return {};
  const MetricResult* retain = retained(setting);
  if (retain == nullptr || retain->value_by_index.empty()) {
    throw Error({.what = fmt::format("the reference log has no values per example for the metric "
                                     "'{}' to compare with",
                                     setting.name),
                 .where = setting.where,
                 .hint = "evaluate the retain model with the same metric first, or set the path "
                         "of reference_logs to null"});
  }
  scores_of(*retain, setting.name + ", reference log");
  return {};
}

MetricResult compute_ks_test(const MetricInput& input) {
  const MetricResult* retain = retained(input.setting);
  if (retain == nullptr) {
    return {.notes = {fmt::format(
                "{}: there is no log of a retain model (reference_logs); it stays undefined",
                input.setting.name)}};
  }
  const auto test = stat::ks_two_sample(scores_of(input.computed("forget"), input.setting.name),
                                        scores_of(*retain, input.setting.name));
  if (!test) return {};
  return {.agg_value = test->p_value};
}

}  // namespace

Handler ks_test_handler() {
  return {.name = "ks_test",
          .measures =
              "p-value that the scores come from the distribution of a model that never "
              "saw the forget set (pre_compute: forget)",
          .orientation = "0 to 1, higher: harder to tell from a model that never knew",
          .needs = ks_test_needs,
          .compute = compute_ks_test,
          .tests_distribution = true};
}

}  // namespace palimpsest::eval
