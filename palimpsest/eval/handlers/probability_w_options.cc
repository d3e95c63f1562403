// probability_w_options: the right answer's share of the probability of all options.
//
//   prob = p(correct) / (p(correct) + Σ p(wrong) + 1e-10); agg_value is the mean
//
// Higher: better known.

#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/internal/paired_results.h"

namespace palimpsest::eval {
namespace {

constexpr double kShareOffset = 1e-10;  // as published

MetricNeeds probability_w_options_needs(const MetricSetting& setting) {
  require_computed(setting, {"correct", "wrong"});
  return {};
}

// The sum over alternatives; undefined if one is.
Number sum_of(const Field* field) {
  if (field == nullptr) return std::nullopt;
  if (const auto* number = std::get_if<Number>(field)) return *number;
  const auto* numbers = std::get_if<std::vector<Number>>(field);
  if (numbers == nullptr) return std::nullopt;
  double sum = 0;
  for (const Number& number : *numbers) {
    if (!number) return std::nullopt;
    sum += *number;
  }
  return sum;
}

MetricResult compute_probability_w_options(const MetricInput& input) {
  const auto [correct, wrong] = paired_results(input, "correct", "wrong");
  const std::vector<Number> right = column(*correct, "prob", input.setting.name);
  MetricResult result;
  std::vector<Number> shares;
  for (size_t i = 0; i < right.size(); ++i) {
    const Number others = sum_of(wrong->value_by_index[i].find("prob"));
    Number share;
    if (right[i] && others) share = *right[i] / (*right[i] + *others + kShareOffset);
    shares.push_back(share);
    result.value_by_index.push_back(
        {.index = correct->value_by_index[i].index, .fields = {{"prob", share}}});
  }
  set_mean(result, shares);
  return result;
}

}  // namespace

Handler probability_w_options_handler() {
  return {.name = "probability_w_options",
          .measures =
              "the right answer's share of the probability of all options "
              "(pre_compute: correct, wrong)",
          .orientation = "0 to 1, higher: better known",
          .needs = probability_w_options_needs,
          .compute = compute_probability_w_options,
          .averaged = [](const MetricSetting&) { return AveragedField{.field = "prob"}; }};
}

}  // namespace palimpsest::eval
