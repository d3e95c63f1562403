// truth_ratio (Maini et al. 2024, "TOFU", arXiv 2401.06121): how likely false answers are against
// the true one. c and w are exp(-mean avg_loss) of the correct and the wrong answers.
//
//   closer_to_1_better   score = w/(c + 1e-10), agg_value = mean min(score, 1/(score + 1e-10))
//   true_better          the same score,        agg_value = mean max(0, 1 - score)
//   prob_mean            score = c/(c + w + 1e-10), agg_value = mean score
//
// The older form has no aggregator and the access keys paraphrase and perturb:
//
//   truth_ratio = mean probability of the perturbed answers / that of the paraphrased one;
//   agg_value the mean

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/internal/paired_results.h"
#include "palimpsest/stat/internal/truth_ratio.h"

namespace palimpsest::eval {
namespace {

constexpr const char* kOlderField = "truth_ratio";

bool is_older_form(const MetricSetting& setting) {
  return std::ranges::find(setting.pre_compute, "paraphrase") != setting.pre_compute.end();
}

MetricNeeds truth_ratio_needs(const MetricSetting& setting) {
  if (is_older_form(setting)) {
    require_computed(setting, {"paraphrase", "perturb"});
    return {};
  }
  require_computed(setting, {"correct", "wrong"});
  const Parameter& aggregator = setting.parameters.at("aggregator");
  const std::string& name = aggregator.as_text();
  if (name != "closer_to_1_better" && name != "true_better" && name != "prob_mean") {
    throw Error({.what = fmt::format("there is no aggregator '{}'", name),
                 .where = aggregator.where(),
                 .expected = "closer_to_1_better, true_better or prob_mean"});
  }
  return {};
}

// One ratio per example; `field` names it in the log.
MetricResult with_ratios(const MetricResult& examples, const std::vector<Number>& ratios,
                         const char* field) {
  MetricResult result;
  for (size_t i = 0; i < ratios.size(); ++i) {
    result.value_by_index.push_back(
        {.index = examples.value_by_index[i].index, .fields = {{field, ratios[i]}}});
  }
  return result;
}

MetricResult compute_older_form(const MetricInput& input) {
  const auto [paraphrase, perturb] = paired_results(input, "paraphrase", "perturb");
  const std::vector<Number> below = column(*paraphrase, "prob", input.setting.name);
  const std::vector<Number> above = column(*perturb, "prob", input.setting.name);
  std::vector<Number> ratios;
  for (size_t i = 0; i < below.size(); ++i) {
    const bool defined = below[i] && above[i] && *below[i] > 0;
    ratios.push_back(defined ? Number(*above[i] / *below[i]) : std::nullopt);
  }
  MetricResult result = with_ratios(*paraphrase, ratios, kOlderField);
  set_mean(result, ratios);
  return result;
}

AveragedField averaged_truth_ratio(const MetricSetting& setting) {
  if (is_older_form(setting)) return {.field = kOlderField};
  const std::string& aggregator = setting.parameters.at("aggregator").as_text();
  return {.field = "score", .form = aggregator == "prob_mean" ? "" : aggregator};
}

MetricResult compute_truth_ratio(const MetricInput& input) {
  if (is_older_form(input.setting)) return compute_older_form(input);
  const std::string& aggregator = input.setting.parameters.at("aggregator").as_text();
  const auto [correct, wrong] = paired_results(input, "correct", "wrong");
  const std::vector<Number> right = column(*correct, "avg_loss", input.setting.name);
  const std::vector<Number> others = column(*wrong, "avg_loss", input.setting.name);
  std::vector<Number> scores;
  for (size_t i = 0; i < right.size(); ++i) {
    Number score;
    if (right[i] && others[i]) {
      const double c = std::exp(-*right[i]);
      const double w = std::exp(-*others[i]);
      score = aggregator == "prob_mean" ? c / (c + w + stat::kTruthRatioOffset)
                                        : w / (c + stat::kTruthRatioOffset);
    }
    scores.push_back(score);
  }
  MetricResult result = with_ratios(*correct, scores, "score");
  set_mean(result,
           averaged_values(result, averaged_truth_ratio(input.setting), input.setting.name));
  return result;
}

}  // namespace

Handler truth_ratio_handler() {
  return {.name = "truth_ratio",
          .measures =
              "how likely wrong answers are against the right one (pre_compute: correct, "
              "wrong; in the older form paraphrase, perturb)",
          .orientation =
              "closer_to_1_better: 1 where both are equally likely; true_better, "
              "prob_mean: higher where the truth is preferred",
          .keys = {{"aggregator", "closer_to_1_better, true_better or prob_mean"}},
          .needs = truth_ratio_needs,
          .compute = compute_truth_ratio,
          .averaged = averaged_truth_ratio};
}

}  // namespace palimpsest::eval
