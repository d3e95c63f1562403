// Unit tests of the table, and the laws of metric.h checked on every entry of it.

#include "palimpsest/metric/metric_table.h"

#include <map>
#include <set>

#include "palimpsest/metric/per_domain_metric.h"
#include "palimpsest/stat/stat_file.h"
#include "tests/metric/fixtures.h"

namespace palimpsest::metric {

// For the names of the tests.
void PrintTo(const MetricKind& kind, std::ostream* out) {
  *out << kind.name;
}

namespace {

constexpr int64_t kExamples = 9;
constexpr int64_t kLength = 5;
constexpr int64_t kClasses = 4;
constexpr double kRounding = 1e-12;

TEST(MetricTableTest, UnknownNamesAndArgumentsListTheValidOnes) {
  const std::string name = error_of([] { make_metric("acuracy"); });
  EXPECT_TRUE(
      name.starts_with("metric 'acuracy': there is no metric 'acuracy' (expected one of "
                       "cross_entropy_loss, accuracy, top_k_accuracy"))
      << name;
  EXPECT_EQ(error_of([] { make_metric("top_k_accuracy:k=3,n=2"); }),
            "metric 'top_k_accuracy:k=3,n=2': there is no argument 'n' (expected k, target_key, "
            "pred_key)");
  EXPECT_EQ(error_of([] { make_metric("top_k_accuracy"); }),
            "metric 'top_k_accuracy': the argument 'k' is missing; write top_k_accuracy:k=…");
  EXPECT_EQ(error_of([] { make_metric("sequence_token_oov_rate:oov_target_values=[]"); }),
            "metric 'sequence_token_oov_rate:oov_target_values=[]': oov_target_values is empty");
  EXPECT_NE(error_of([] { make_metric(""); }), "");
}

// The names of fedjax's classes.
TEST(MetricTableTest, ClassNamesAreKnown) {
  for (const char* name :
       {"CrossEntropyLoss", "Accuracy", "TopKAccuracy:k=2", "ConfusionMatrix:num_classes=3",
        "SequenceTokenCrossEntropyLoss", "SequenceCrossEntropyLoss", "SequenceTokenAccuracy",
        "SequenceTokenTopKAccuracy:k=2", "SequenceTokenCount", "SequenceCount",
        "SequenceTruncationRate:eos_target_value=1", "SequenceTokenOOVRate:oov_target_values=[1]",
        "SequenceLength"}) {
    EXPECT_NE(make_metric(name), nullptr) << name;
  }
}

TEST(MetricTableTest, AProgramAddsItsOwnMetric) {
  MetricTable table = default_metric_table();
  table.push_back({.name = "mine",
                   .summary = "accuracy under another name",
                   .args = {},
                   .make = [](const MetricArgs&) { return make_metric("accuracy"); }});
  EXPECT_NE(make_metric("mine", table), nullptr);
  EXPECT_NE(error_of([] { make_metric("mine"); }), "");
}

TEST(MetricTableTest, NamesAreUniqueAndEverythingIsExplained) {
  std::set<std::string> names;
  for (const MetricKind& kind : default_metric_table()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.summary.empty());
    for (const MetricArg& arg : kind.args) {
      EXPECT_FALSE(arg.meaning.empty() || arg.type.empty()) << arg.name;
    }
  }
  EXPECT_FALSE(names.empty());
}

class MetricConformanceTest : public ::testing::TestWithParam<MetricKind> {
 protected:
  MetricConformanceTest() {
    Random random(11);
    const bool sequence = GetParam().name.starts_with("sequence_");
    const int64_t length = sequence ? kLength : 1;
    for (int64_t i = 0; i < kExamples * length; ++i) {
      targets_.push_back(static_cast<int32_t>(random.below(kClasses)));
      for (int64_t v = 0; v < kClasses; ++v) logits_.push_back(3 * random.normal());
    }
    for (int64_t i = 0; i < kExamples; ++i) {
      domains_.push_back(static_cast<int64_t>(random.below(3)));
      mask_.push_back(random.below(2) != 0);
    }
    target_shape_ = sequence ? Shape{kExamples, kLength} : Shape{kExamples};
    logit_shape_ = target_shape_;
    logit_shape_.push_back(kClasses);
  }

  // The metric with the required arguments, and more of them.
  static std::string spec(const std::string& more = "") {
    static const std::map<std::string, std::string> kRequired = {
        {"k", "2"}, {"num_classes", "4"}, {"eos_target_value", "3"}, {"oov_target_values", "1,3"}};
    std::string args;
    for (const MetricArg& arg : GetParam().args) {
      if (!arg.default_value.empty()) continue;
      args += (args.empty() ? "" : ",") + arg.name + "=" + kRequired.at(arg.name);
    }
    if (!more.empty()) args += (args.empty() ? "" : ",") + more;
    return GetParam().name + (args.empty() ? "" : ":" + args);
  }

  // Every metric of this kind: as it is, and for each position where it can do that.
  static std::vector<MetricPtr> metrics() {
    std::vector<MetricPtr> made = {make_metric(spec())};
    for (const MetricArg& arg : GetParam().args) {
      if (arg.name == "per_position") made.push_back(make_metric(spec("per_position=true")));
    }
    return made;
  }

  Features examples() const {
    return {{"y", TensorView(target_shape_, targets_)},
            {"domain_id", TensorView({kExamples}, domains_)}};
  }
  TensorView predictions() const { return {logit_shape_, logits_}; }

  stat::AnyStat loop(const Metric& metric, bool masked) const {
    stat::AnyStat stat = metric.zero();
    for (int64_t i = 0; i < kExamples; ++i) {
      if (masked && mask_[static_cast<size_t>(i)] == 0) continue;
      stat = stat.merge(metric.evaluate_example(examples().row(i), predictions().row(i)));
    }
    return stat;
  }

  std::vector<int32_t> targets_;
  std::vector<double> logits_;
  std::vector<int64_t> domains_;
  std::vector<uint8_t> mask_;
  Shape target_shape_;
  Shape logit_shape_;
};

TEST_P(MetricConformanceTest, ZeroIsTheIdentity) {
  for (const MetricPtr& metric : metrics()) {
    const stat::AnyStat stat = evaluate_batch(*metric, examples(), predictions());
    EXPECT_TRUE(near(metric->zero().merge(stat), stat, 0));
    EXPECT_TRUE(near(stat.merge(metric->zero()), stat, 0));
    EXPECT_EQ(metric->has_fixed_shape(),
              accum_of(stat).shape() == accum_of(metric->zero()).shape());
  }
}

TEST_P(MetricConformanceTest, ABatchIsALoopOfExamples) {
  for (const MetricPtr& metric : metrics()) {
    EXPECT_TRUE(
        near(evaluate_batch(*metric, examples(), predictions()), loop(*metric, false), kRounding));
  }
}

TEST_P(MetricConformanceTest, AMaskIsARemoval) {
  for (const MetricPtr& metric : metrics()) {
    EXPECT_TRUE(near(evaluate_batch(*metric, examples(), predictions(), mask_), loop(*metric, true),
                     kRounding));
    const std::vector<uint8_t> none(kExamples, 0);
    EXPECT_TRUE(near(evaluate_batch(*metric, examples(), predictions(), none), metric->zero(), 0));
  }
}

TEST_P(MetricConformanceTest, DomainsMergeToTheWhole) {
  for (const MetricPtr& metric : metrics()) {
    const PerDomainMetric per_domain(metric, {.num_domains = 4});
    const stat::AnyStat stat = evaluate_batch(per_domain, examples(), predictions());
    EXPECT_TRUE(
        near(stat.reduce(0), evaluate_batch(*metric, examples(), predictions()), kRounding));
    EXPECT_TRUE(near(stat, loop(per_domain, false), kRounding));
    EXPECT_TRUE(near(per_domain.zero().merge(stat), stat, 0));
    EXPECT_TRUE(near(evaluate_batch(per_domain, examples(), predictions(), mask_),
                     loop(per_domain, true), kRounding));
    EXPECT_EQ(accum_of(stat).rank(), accum_of(stat.reduce(0)).rank() + 1);
  }
}

TEST_P(MetricConformanceTest, DefaultsAreWhatTheTableSays) {
  const stat::AnyStat stat = evaluate_batch(*make_metric(spec()), examples(), predictions());
  for (const MetricArg& arg : GetParam().args) {
    if (arg.default_value.empty()) continue;
    const MetricPtr explicitly = make_metric(spec(arg.name + "=" + arg.default_value));
    const Prediction prediction = arg.name == "pred_key"
                                      ? Prediction(Features{{"pred", predictions()}})
                                      : Prediction(predictions());
    EXPECT_TRUE(near(evaluate_batch(*explicitly, examples(), prediction), stat, 0)) << arg.name;
  }
}

TEST_P(MetricConformanceTest, TheStatedInputsAreThoseThatAreRead) {
  const MetricPtr metric = make_metric(spec());
  const MetricInputs inputs = metric->inputs();
  EXPECT_EQ(inputs.example_keys, std::vector<std::string>{"y"});
  const Features only_targets = {{"y", examples().at("y")}};
  const bool needs_prediction = !inputs.prediction_keys.empty();
  EXPECT_EQ(error_of([&] { evaluate_batch(*metric, only_targets, {}); }).empty(),
            !needs_prediction);
  EXPECT_EQ(error_of([&] { evaluate_batch(*metric, only_targets, predictions()); }), "");
  EXPECT_NE(error_of([&] { evaluate_batch(*metric, {}, predictions()); }), "");
}

TEST_P(MetricConformanceTest, ElementTypesDoNotMatter) {
  const std::vector<double> targets(targets_.begin(), targets_.end());
  const std::vector<float> logits(logits_.begin(), logits_.end());
  for (const MetricPtr& metric : metrics()) {
    const stat::AnyStat stat = evaluate_batch(*metric, {{"y", TensorView(target_shape_, targets)}},
                                              TensorView(logit_shape_, logits));
    EXPECT_TRUE(near(stat, evaluate_batch(*metric, examples(), predictions()), 1e-6));
  }
}

TEST_P(MetricConformanceTest, StatisticsSurviveAFile) {
  for (const MetricPtr& metric : metrics()) {
    const stat::AnyStat stat = evaluate_batch(*metric, examples(), predictions());
    const stat::NamedStats read =
        stat::stats_from_json(stat::stats_to_json({{"m", stat}}), "memory");
    EXPECT_TRUE(near(read[0].second, stat, 0));
  }
}

TEST_P(MetricConformanceTest, RefusesTargetsOfTheOtherKind) {
  const Array other = GetParam().name.starts_with("sequence_") ? Array::zeros({kExamples})
                                                               : Array::zeros({kExamples, 2});
  EXPECT_NE(error_of([&] {
              evaluate_batch(*make_metric(spec()), {{"y", other}}, predictions());
            }),
            "");
}

INSTANTIATE_TEST_SUITE_P(Table, MetricConformanceTest, ::testing::ValuesIn(default_metric_table()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace palimpsest::metric
