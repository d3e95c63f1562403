#include "palimpsest/metric/evaluate_records.h"

#include <filesystem>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/metric/metric_table.h"
#include "palimpsest/metric/per_domain_metric.h"
#include "tests/metric/fixtures.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::metric {
namespace {

class EvaluateRecordsTest : public ::testing::Test {
 protected:
  RecordEvaluation evaluate(const std::string& text, const std::vector<std::string>& specs,
                            const RecordOptions& options = {}) const {
    write_file(path_, text);
    NamedMetrics metrics;
    for (const std::string& spec : specs) metrics.emplace_back(spec, make_metric(spec));
    return evaluate_records(path_, metrics, options);
  }

  // The error without the folder in front.
  std::string error(const std::string& text, const std::string& spec,
                    const RecordOptions& options = {}) const {
    const std::string message = error_of([&] { evaluate(text, {spec}, options); });
    const size_t name = message.find(path_.filename().string());
    EXPECT_EQ(name, path_.parent_path().string().size() + 1) << message;
    return message.substr(name + path_.filename().string().size());
  }

  const TempFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "records.jsonl";
};

TEST_F(EvaluateRecordsTest, EachLineIsAnExample) {
  const RecordEvaluation evaluation = evaluate(
      "{\"y\": 1, \"pred\": [0, 1], \"text\": \"ignored\"}\n\n{\"y\": 1, \"pred\": [1, 0]}\r\n",
      {"accuracy", "top_k_accuracy:k=2"});
  EXPECT_EQ(evaluation.num_examples, 2);
  EXPECT_EQ(evaluation.num_masked, 0);
  EXPECT_EQ(evaluation.stats[0].first, "accuracy");
  EXPECT_EQ(evaluation.stats[0].second.result(), Array(0.5));
  EXPECT_EQ(evaluation.stats[1].second.result(), Array(1));
}

TEST_F(EvaluateRecordsTest, MetricsReadDifferentMembers) {
  const RecordEvaluation evaluation =
      evaluate("{\"y\": 1, \"pred\": [0, 1], \"other\": [1, 0], \"z\": [1, 2, 0]}",
               {"accuracy", "accuracy:pred_key=other", "sequence_token_count:target_key=z"});
  EXPECT_EQ(evaluation.stats[0].second.result(), Array(1));
  EXPECT_EQ(evaluation.stats[1].second.result(), Array(0));
  EXPECT_EQ(evaluation.stats[2].second.result(), Array(2));
}

TEST_F(EvaluateRecordsTest, SequencesMayDifferInLength) {
  const RecordEvaluation evaluation = evaluate(
      "{\"y\": [1, 1], \"pred\": [[0, 1], [1, 0]]}\n{\"y\": [], \"pred\": []}\n"
      "{\"y\": [1], \"pred\": [[0, 1]]}\n",
      {"sequence_token_accuracy", "sequence_count"});
  EXPECT_TRUE(near(evaluation.stats[0].second.result(), 2.0 / 3, 1e-15));
  EXPECT_EQ(evaluation.stats[1].second.result(), Array(2));
  EXPECT_EQ(evaluation.num_examples, 3);
}

// More records than are held at once, and a shape that changes now and then.
TEST_F(EvaluateRecordsTest, BatchesAreAnInnerMatter) {
  std::string text;
  int64_t tokens = 0;
  for (int64_t i = 0; i < 5000; ++i) {
    text += i % 700 == 699 ? "{\"y\": [1, 2]}\n" : "{\"y\": [3]}\n";
    tokens += i % 700 == 699 ? 2 : 1;
  }
  const RecordEvaluation evaluation = evaluate(text, {"sequence_token_count", "sequence_length"});
  EXPECT_EQ(evaluation.num_examples, 5000);
  EXPECT_EQ(evaluation.stats[0].second.result(), Array(static_cast<double>(tokens)));
  EXPECT_EQ(weight_of(evaluation.stats[1].second), Array(5000));
}

TEST_F(EvaluateRecordsTest, AMaskDropsRecordsUnseen) {
  const RecordEvaluation evaluation = evaluate(
      "{\"y\": 1, \"pred\": [0, 1], \"keep\": true}\n{\"keep\": 0}\n{\"y\": 99, \"keep\": false}\n",
      {"accuracy"}, {.mask_key = "keep"});
  EXPECT_EQ(evaluation.num_examples, 1);
  EXPECT_EQ(evaluation.num_masked, 2);
  EXPECT_EQ(weight_of(evaluation.stats[0].second), Array(1));
  EXPECT_EQ(
      error("{\"y\": 1, \"pred\": [0, 1], \"keep\": \"no\"}", "accuracy", {.mask_key = "keep"}),
      ":1: 'keep' is not a mask (expected true, false or a number, found a string)");
}

TEST_F(EvaluateRecordsTest, PythonsNumbersAreNumbers) {
  const RecordEvaluation evaluation =
      evaluate("{\"y\": 0, \"pred\": [0, -Infinity]}", {"cross_entropy_loss"});
  EXPECT_EQ(evaluation.stats[0].second.result(), Array(0));
}

TEST_F(EvaluateRecordsTest, ErrorsNameTheLine) {
  const std::string good = "{\"y\": 1, \"pred\": [0, 1]}\n";
  EXPECT_TRUE(error(good + "\n{\"y\": 1", "accuracy").starts_with(":3: this is not valid JSON"));
  EXPECT_EQ(error(good + "[1]", "accuracy"), ":2: this is not a JSON object (found an array)");
  EXPECT_EQ(error(good + "{\"y\": 1}", "accuracy"),
            ":2: the key 'pred' is missing (found the keys y)");
  EXPECT_EQ(error(good + good + "{\"y\": 2, \"pred\": [0, 1]}\n" + good, "accuracy"),
            ":3: accuracy: the target 2 is not a class (expected 0 … 1)");
  EXPECT_EQ(error(good + "{\"y\": 1, \"pred\": [0, NaN]}", "accuracy"),
            ":2: accuracy: the logit of class 1 is not a number");
  EXPECT_EQ(error("{\"y\": [1, 0], \"pred\": [[0, 1]]}", "sequence_token_accuracy"),
            ":1: sequence_token_accuracy: the prediction does not fit the target 'y' (expected the "
            "shape [2, V], V >= 1, found the shape [1, 2])");
  EXPECT_EQ(error("{\"y\": 1, \"pred\": [0, [1]]}", "accuracy").substr(0, 9), ":1: pred:");
  EXPECT_EQ(error("{\"y\": 1, \"pred\": [[[[[[[[1]]]]]]]]}", "accuracy"),
            ":1: pred: the arrays are nested too deep");
}

TEST_F(EvaluateRecordsTest, PositionsNeedSequencesOfOneLength) {
  EXPECT_EQ(error("{\"y\": [1]}\n{\"y\": [2]}\n{\"y\": [1, 2]}\n",
                  "sequence_token_oov_rate:oov_target_values=2,per_position=true"),
            ":3: sequence_token_oov_rate:oov_target_values=2,per_position=true: statistics of the "
            "shapes [1] and [2] do not merge; per_position needs sequences that all have the same "
            "length");
}

TEST_F(EvaluateRecordsTest, AFileWithoutRecordsIsRefused) {
  EXPECT_EQ(error("", "accuracy"), ": the file holds no record; write one JSON object per line");
  EXPECT_EQ(error("\n  \n", "accuracy"),
            ": the file holds no record; write one JSON object per line");
}

TEST_F(EvaluateRecordsTest, DomainsAreMembersToo) {
  write_file(path_, "{\"y\": 1, \"pred\": [0, 1], \"client\": 2}\n");
  const MetricPtr metric = std::make_shared<PerDomainMetric>(
      make_metric("accuracy"), PerDomainOptions{.num_domains = 3, .domain_id_key = "client"});
  const RecordEvaluation evaluation = evaluate_records(path_, {{"accuracy", metric}});
  EXPECT_EQ(weight_of(evaluation.stats[0].second), Array::vector({0, 0, 1}));
}

}  // namespace
}  // namespace palimpsest::metric
