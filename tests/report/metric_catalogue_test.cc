#include "palimpsest/report/internal/metric_catalogue.h"

#include <gtest/gtest.h>

namespace palimpsest::report {
namespace {

TEST(MetricCatalogueTest, KnownMetricsHaveNamesForPeople) {
  EXPECT_EQ(facts_of("model_utility").shown, "Utility on everything else");
  EXPECT_EQ(facts_of("model_utility").question, MetricQuestion::kIntact);
  EXPECT_EQ(facts_of("forget_Q_A_ROUGE").question, MetricQuestion::kAnswers);
  EXPECT_EQ(facts_of("forget_knowmem_ROUGE").shown, facts_of("forget_Q_A_ROUGE").shown);
  EXPECT_EQ(facts_of("wf_Q_A_Prob_normalised").shown,
            "Probability against wrong answers, world facts");
  EXPECT_EQ(facts_of("wf_Q_A_Prob_normalised").question, MetricQuestion::kIntact);
  EXPECT_EQ(facts_of("forget_Truth_Ratio").question, MetricQuestion::kAnswers);
}

TEST(MetricCatalogueTest, OnlyAnAucHasAMiddle) {
  EXPECT_EQ(facts_of("mia_min_k (k=0.4)").shown, "Recognised by min_k (k=0.4) (AUC)");
  EXPECT_EQ(facts_of("mia_min_k (k=0.4)").scale, CellScale::kAuc);
  EXPECT_EQ(facts_of("retain_Q_A_ROUGE").scale, CellScale::kShare);
  // A p-value has no scale on which a distance would mean something.
  EXPECT_EQ(facts_of("forget_quality").scale, CellScale::kNone);
}

TEST(MetricCatalogueTest, OtherMetricsKeepTheirNames) {
  EXPECT_EQ(facts_of("my_metric").shown, "my_metric");
  EXPECT_EQ(facts_of("my_metric").question, MetricQuestion::kOther);
  EXPECT_EQ(facts_of("my_metric").scale, CellScale::kNone);
}

}  // namespace
}  // namespace palimpsest::report
