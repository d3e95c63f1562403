// Every metric against fedjax.metrics on random cases: tools/golden/metric.py makes them and says
// where ours are meant to differ. Tolerances: counts are exact; losses of double logits agree to
// rounding, 1e-12; losses of float logits to 1e-6, since fedjax then sums in float.

#include <filesystem>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/metric/cross_entropy.h"
#include "palimpsest/metric/evaluate_model.h"
#include "palimpsest/metric/metric_table.h"
#include "palimpsest/metric/per_domain_metric.h"
#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

const Json& golden() {
  static const Json file = [] {
    const auto path = std::filesystem::path(PALIMPSEST_GOLDEN_DIR) / "metric" / "metric.json";
    return parse_json(read_file(path), path.string());
  }();
  return file;
}

Array array_of(const Json& object, const char* key) {
  return array_from_json(require(object, key, "golden"), key);
}

// Numbers in the type in which the case was computed.
struct Typed {
  Typed(const Json& object, const char* key)
      : doubles(array_of(object, key)),
        floats(doubles.values().begin(), doubles.values().end()),
        is_float(object["dtype"] == "float32") {}
  TensorView view() const {
    return is_float ? TensorView(doubles.shape(), floats) : TensorView(doubles);
  }
  Array doubles;
  std::vector<float> floats;
  bool is_float;
};

double tolerance_of(const Json& object, bool is_loss) {
  if (!is_loss) return 0;
  return object["dtype"] == "float32" ? 1e-6 : 1e-12;
}

stat::AnyStat evaluate(const Json& test) {
  MetricPtr metric = make_metric(test["spec"].get<std::string>());
  const Array targets = array_of(test, "y");
  Features examples = {{"y", targets}};
  Array domains;
  if (test.contains("num_domains")) {
    domains = array_of(test, "domain_id");
    examples.add("domain_id", domains);
    metric = std::make_shared<PerDomainMetric>(
        metric, PerDomainOptions{.num_domains = test["num_domains"].get<int64_t>()});
  }
  std::vector<uint8_t> mask;
  if (test.contains("mask")) mask = test["mask"].get<std::vector<uint8_t>>();
  const Typed logits(test, "pred");
  return evaluate_batch(*metric, examples, logits.view(),
                        mask.empty() ? std::nullopt : std::optional<Mask>(mask));
}

TEST(MetricGoldenTest, StatisticsAreThoseOfFedjax) {
  ASSERT_GT(golden()["cases"].size(), 200U);
  for (const Json& test : golden()["cases"]) {
    const stat::AnyStat stat = evaluate(test);
    const bool is_loss = test["spec"].get<std::string>().find("loss") != std::string::npos;
    const double tolerance = tolerance_of(test, is_loss);
    const Json& expected = test["stat"];
    EXPECT_EQ(stat.type(), expected["type"].get<std::string>());
    EXPECT_TRUE(near(accum_of(stat), array_of(expected, "accum"), tolerance)) << test;
    if (expected.contains("weight")) {
      EXPECT_TRUE(near(weight_of(stat), array_of(expected, "weight"), 0)) << test;
    }
    EXPECT_TRUE(near(stat.result(), array_of(test, "result"), tolerance)) << test;
  }
}

TEST(MetricGoldenTest, LossesOfRowsAreThoseOfFedjax) {
  ASSERT_GT(golden()["losses"].size(), 10U);
  for (const Json& test : golden()["losses"]) {
    const bool sparse = test["is_sparse_targets"].get<bool>();
    const Typed targets(test, "targets");
    const Typed preds(test, "preds");
    const Array losses = unreduced_cross_entropy_loss(targets.view(), preds.view(), sparse);
    EXPECT_TRUE(near(losses, array_of(test, "losses"), tolerance_of(test, true))) << test;
  }
}

TEST(MetricGoldenTest, EvaluateModelGivesWhatFedjaxGives) {
  const Json& test = golden()["model"];
  struct Stored {
    Array y;
    Array x;
    std::vector<uint8_t> mask;
  };
  std::vector<Stored> stored;
  for (const Json& batch : test["batches"]) {
    stored.push_back(
        {array_of(batch, "y"), array_of(batch, "x"), batch["mask"].get<std::vector<uint8_t>>()});
  }
  std::vector<EvaluationBatch> batches;
  for (const Stored& batch : stored) {
    batches.emplace_back(Features{{"y", batch.y}, {"x", batch.x}}, batch.mask);
  }
  const auto twice = [](const Features& examples) {
    const TensorView& x = examples.at("x");
    const auto values = std::get<std::span<const double>>(x.values());
    Array logits(x.shape(), {values.begin(), values.end()});
    for (double& logit : logits.values()) logit *= 2;
    return logits;
  };
  const NamedMetrics metrics = {{"accuracy", make_metric("accuracy")},
                                {"cross_entropy_loss", make_metric("cross_entropy_loss")}};
  for (const auto& [name, stat] : evaluate_model(twice, batches, metrics)) {
    EXPECT_TRUE(near(stat.result(), array_of(test["results"], name.c_str()), 1e-12)) << name;
  }
}

}  // namespace
}  // namespace palimpsest::metric
