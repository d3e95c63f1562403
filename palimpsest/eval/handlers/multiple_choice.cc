// multiple_choice: does the model find the right option the likeliest? (WMDP, MMLU)
//
//   acc       the option with the largest Σ log p is the right one (the first of equals)
//   acc_norm  the same with Σ log p over the option's length in bytes
//
// agg_value is the share of questions that acc is true for. Higher: better known.

#include <algorithm>
#include <numeric>
#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/trace_metric.h"

namespace palimpsest::eval {
namespace {

struct Choice {
  int64_t option = -1;
  double value = 0;

  void consider(int64_t candidate, double its_value) {
    if (option >= 0 && its_value <= value) return;
    option = candidate;
    value = its_value;
  }
};

MetricResult compute_multiple_choice(const MetricInput& input) {
  const PreparedData& data = *input.data.at(kOnlyData);
  if (data.answers.empty()) {
    throw Error({.what = "the data set has no options to choose from",
                 .where = input.setting.name,
                 .expected = "handler: MultipleChoiceDataset"});
  }
  std::vector<Choice> plain(data.answers.size());
  std::vector<Choice> normalised(data.answers.size());
  std::vector<std::vector<Number>> sums(data.answers.size());
  const std::vector<trace::Trace>& traces = *input.traces.at(kOnlyData);
  for (size_t i = 0; i < traces.size(); ++i) {
    const size_t question = std::stoull(traces[i].index);
    const std::vector<double>& logprob = *traces[i].logprob;
    if (logprob.empty()) {  // nothing of it was scored: it is not the likeliest
      sums[question].push_back(std::nullopt);
      continue;
    }
    const double sum = std::accumulate(logprob.begin(), logprob.end(), 0.0);
    const auto option = static_cast<size_t>(traces[i].alternative);
    sums[question].push_back(sum);
    plain[question].consider(traces[i].alternative, sum);
    const auto bytes = static_cast<double>(data.option_bytes[question][option]);
    normalised[question].consider(traces[i].alternative, sum / std::max(bytes, 1.0));
  }
  MetricResult result;
  std::vector<Number> right;
  std::vector<Number> right_normalised;
  for (size_t i = 0; i < data.answers.size(); ++i) {
    right.emplace_back(plain[i].option == data.answers[i] ? 1 : 0);
    right_normalised.emplace_back(normalised[i].option == data.answers[i] ? 1 : 0);
    result.value_by_index.push_back(
        {.index = std::to_string(i),
         .fields = {{"acc", right.back()},
                    {"acc_norm", right_normalised.back()},
                    {"answer", Number(static_cast<double>(data.answers[i]))},
                    {"choice", Number(static_cast<double>(plain[i].option))},
                    {"choice_norm", Number(static_cast<double>(normalised[i].option))},
                    {"logprob", sums[i]}}});
  }
  set_mean(result, right);
  result.numbers = {{"acc", result.agg_value}, {"acc_norm", mean_of(right_normalised)}};
  return result;
}

}  // namespace

Handler multiple_choice_handler() {
  return {.name = "multiple_choice",
          .measures = "share of questions whose right option is the likeliest",
          .orientation = "0 to 1, higher: better known",
          .needs = trace_needs,
          .compute = compute_multiple_choice,
          .averaged = [](const MetricSetting&) { return AveragedField{.field = "acc"}; }};
}

}  // namespace palimpsest::eval
