#include "palimpsest/metric/per_domain_metric.h"

#include "palimpsest/metric/metric_table.h"
#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

const Array kDomains = Array::vector({0, 0, 1, 2});
const Array kDomainTargets = Array::vector({0, 1, 0, 1});
const Array kDomainLogits({4, 2}, {0, 1, 2, 3, 4, 5, 6, 7});

PerDomainMetric per_domain(const char* spec, int64_t num_domains) {
  return PerDomainMetric(make_metric(spec), {.num_domains = num_domains});
}

Features examples() {
  return {{"domain_id", kDomains}, {"y", kDomainTargets}};
}

TEST(PerDomainMetricTest, WorkedExample) {
  const stat::AnyStat stat =
      evaluate_batch(per_domain("accuracy", 3), examples(), TensorView(kDomainLogits));
  EXPECT_EQ(stat.result(), Array::vector({0.5, 0, 1}));
  EXPECT_EQ(weight_of(stat), Array::vector({2, 1, 1}));
}

TEST(PerDomainMetricTest, ADomainWithoutExamplesIsUndefined) {
  const stat::AnyStat stat =
      evaluate_batch(per_domain("accuracy", 4), examples(), TensorView(kDomainLogits));
  EXPECT_TRUE(std::isnan(stat.result().values()[3]));
}

TEST(PerDomainMetricTest, OneExampleFillsItsDomain) {
  const Array domain = 1;
  const Array target = 0;
  const Array logits = Array::vector({2, 1});
  const stat::AnyStat stat =
      per_domain("accuracy", 3)
          .evaluate_example({{"domain_id", domain}, {"y", target}}, TensorView(logits));
  EXPECT_EQ(accum_of(stat), Array::vector({0, 1, 0}));
}

TEST(PerDomainMetricTest, MatricesGetAThirdAxis) {
  const PerDomainMetric metric = per_domain("confusion_matrix:num_classes=2", 3);
  const stat::AnyStat stat = evaluate_batch(metric, examples(), TensorView(kDomainLogits));
  EXPECT_EQ(accum_of(stat), Array({3, 2, 2}, {0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(accum_of(metric.zero()), Array::zeros({3, 2, 2}));
}

TEST(PerDomainMetricTest, PositionsComeAfterDomains) {
  const Array domains = Array::vector({1, 1});
  const Array y({2, 2}, {1, 0, 1, 1});
  const Array logits({2, 2, 2}, {0, 1, 0, 1, 1, 0, 0, 1});
  const PerDomainMetric metric = per_domain("sequence_token_accuracy:per_position=true", 2);
  const stat::AnyStat stat =
      evaluate_batch(metric, {{"domain_id", domains}, {"y", y}}, TensorView(logits));
  EXPECT_EQ(accum_of(stat), Array({2, 2}, {0, 0, 1, 1}));
  EXPECT_EQ(weight_of(stat), Array({2, 2}, {0, 0, 2, 1}));
  EXPECT_EQ(weight_of(metric.zero().merge(stat)), weight_of(stat));
}

TEST(PerDomainMetricTest, DomainsNest) {
  const auto inner = std::make_shared<PerDomainMetric>(per_domain("accuracy", 2));
  const PerDomainMetric outer(inner, {.num_domains = 3, .domain_id_key = "client"});
  const Array client = 2;
  const Array domain = 1;
  const Array target = 0;
  const Array logits = Array::vector({1, 0});
  const stat::AnyStat stat = outer.evaluate_example(
      {{"client", client}, {"domain_id", domain}, {"y", target}}, TensorView(logits));
  EXPECT_EQ(accum_of(stat), Array({3, 2}, {0, 0, 0, 0, 0, 1}));
}

TEST(PerDomainMetricTest, ADomainOutsideTheRangeIsRefused) {
  EXPECT_EQ(error_of([] {
              evaluate_batch(per_domain("accuracy", 2), examples(), TensorView(kDomainLogits));
            }),
            "example 3: 'domain_id' is 2 (expected a domain from 0 to 1)");
  const Array negative = Array::vector({0, -1, 0, 0});
  EXPECT_EQ(error_of([&] {
              evaluate_batch(per_domain("accuracy", 2),
                             {{"domain_id", negative}, {"y", kDomainTargets}},
                             TensorView(kDomainLogits));
            }),
            "example 1: 'domain_id' is -1 (expected a domain from 0 to 1)");
}

TEST(PerDomainMetricTest, ErrorsOfTheBaseMetricNameTheExample) {
  const Array targets = Array::vector({0, 1, 0, 9});
  EXPECT_EQ(error_of([&] {
              evaluate_batch(per_domain("accuracy", 3), {{"domain_id", kDomains}, {"y", targets}},
                             TensorView(kDomainLogits));
            }),
            "example 3: the target 9 is not a class (expected 0 … 1)");
}

TEST(PerDomainMetricTest, RefusesANumberOfDomainsThatMakesNoSense) {
  EXPECT_EQ(error_of([] { per_domain("accuracy", 0); }),
            "the number of domains is 0 (expected at least 1)");
  EXPECT_NE(error_of([] { per_domain("accuracy", int64_t{1} << 40); }), "");
  EXPECT_NE(error_of([] { per_domain("confusion_matrix:num_classes=1000", 100); }), "");
}

}  // namespace
}  // namespace palimpsest::metric
