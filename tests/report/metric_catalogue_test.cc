#include "palimpsest/report/internal/metric_catalogue.h"

#include <gtest/gtest.h>

namespace palimpsest::report {
namespace {

TEST(MetricCatalogueTest, KnownMetricsHaveNamesForPeople) {
  EXPECT_EQ(facts_of("model_utility", false).shown, "Utility on everything else");
  EXPECT_EQ(facts_of("model_utility", false).question, MetricQuestion::kIntact);
  EXPECT_EQ(facts_of("forget_Q_A_ROUGE", false).question, MetricQuestion::kAnswers);
  EXPECT_EQ(facts_of("forget_knowmem_ROUGE", false).shown,
            facts_of("forget_Q_A_ROUGE", false).shown);
  EXPECT_EQ(facts_of("wf_Q_A_Prob_normalised", false).shown,
            "Probability against wrong answers, world facts");
  EXPECT_EQ(facts_of("wf_Q_A_Prob_normalised", false).question, MetricQuestion::kIntact);
  EXPECT_EQ(facts_of("forget_Truth_Ratio", false).question, MetricQuestion::kAnswers);
}

TEST(MetricCatalogueTest, OnlyAnAucHasAMiddle) {
  EXPECT_EQ(facts_of("mia_min_k (k=0.4)", true).shown, "Recognised by min_k (k=0.4) (AUC)");
  EXPECT_EQ(facts_of("mia_min_k (k=0.4)", true).scale, CellScale::kAuc);
  EXPECT_EQ(facts_of("leak", true).shown, "Recognised by leak (AUC)");
  EXPECT_EQ(facts_of("retain_Q_A_ROUGE", false).scale, CellScale::kShare);
  // A p-value has no scale on which a distance would mean something.
  EXPECT_EQ(facts_of("forget_quality", false).scale, CellScale::kNone);
}

TEST(MetricCatalogueTest, OtherMetricsKeepTheirNames) {
  EXPECT_EQ(facts_of("my_metric", false).shown, "my_metric");
  EXPECT_EQ(facts_of("my_metric", false).question, MetricQuestion::kOther);
  EXPECT_EQ(facts_of("my_metric", false).scale, CellScale::kNone);
}

}  // namespace
}  // namespace palimpsest::report
