// rouge (Lin 2004): how much of the right answer the model's own text repeats, by Google's
// rouge_score with stemming. agg_value is the mean of the field that rouge_type names.
//
// Higher: more is repeated.

#include <fmt/format.h>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/text/rouge.h"

namespace palimpsest::eval {
namespace {

MetricNeeds rouge_needs(const MetricSetting& setting) {
  const Parameter& type = setting.parameters.at("rouge_type");
  const std::string& name = type.as_text();
  if (name != "rouge1_recall" && name != "rougeL_f1" && name != "rougeL_recall") {
    throw Error({.what = fmt::format("there is no rouge_type '{}'", name),
                 .where = type.where(),
                 .expected = "rouge1_recall, rougeL_f1 or rougeL_recall"});
  }
  return {.data = {kOnlyData},
          .generation = read_generation_args(setting.parameters.at("generation_args"))};
}

AveragedField averaged_rouge(const MetricSetting& setting) {
  return {.field = setting.parameters.at("rouge_type").as_text()};
}

MetricResult compute_rouge(const MetricInput& input) {
  const std::vector<GeneratedText>& texts = *input.generations.at(kOnlyData);
  const text::RougeScorer scorer({.types = {"rouge1", "rougeL"}, .use_stemmer = true});
  std::vector<text::RougeScores> scores(texts.size());
  const auto count = static_cast<int64_t>(texts.size());
  parallel_for(count, input.threads, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      scores[i] = scorer.score(texts[i].ground_truth, texts[i].generation);
    }
  });
  IndexedValues values;
  for (size_t i = 0; i < texts.size(); ++i) {
    values.add(texts[i].index, {{"rouge1_recall", Number(scores[i].at("rouge1").recall)},
                                {"rougeL_f1", Number(scores[i].at("rougeL").fmeasure)},
                                {"rougeL_recall", Number(scores[i].at("rougeL").recall)},
                                {"input", texts[i].input},
                                {"ground_truth", texts[i].ground_truth},
                                {"generation", texts[i].generation}});
  }
  MetricResult result{.value_by_index = values.take()};
  set_mean(result, averaged_values(result, averaged_rouge(input.setting), input.setting.name));
  return result;
}

}  // namespace

Handler rouge_handler() {
  return {.name = "rouge",
          .measures = "how much of the right answer the model's own text repeats",
          .orientation = "0 to 1, higher: more is repeated",
          .keys = {{"rouge_type", "rouge1_recall, rougeL_f1 or rougeL_recall"},
                   {"generation_args", "max_new_tokens, do_sample, stopwords …"}},
          .needs = rouge_needs,
          .compute = compute_rouge,
          .averaged = averaged_rouge};
}

}  // namespace palimpsest::eval
