#include "palimpsest/metric/features.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

const Array kNumbers = Array::vector({1, 2, 3});

TEST(FeaturesTest, AMissingKeyListsThoseThatAreThere) {
  const Features features = {{"x", kNumbers}, {"label", kNumbers}};
  EXPECT_EQ(error_of([&] { features.at("y"); }),
            "the example has no feature 'y' (found the keys x, label)");
  EXPECT_EQ(error_of([&] { Features().at("y"); }),
            "the example has no feature 'y' (found no keys)");
  EXPECT_EQ(features.at("label").size(), 3);
}

TEST(FeaturesTest, AKeyIsGivenOnce) {
  Features features = {{"x", kNumbers}};
  EXPECT_EQ(error_of([&] { features.add("x", kNumbers); }), "the key 'x' is given twice");
}

TEST(FeaturesTest, RowsAndLeadingAxesReachEveryView) {
  const Features features = {{"x", kNumbers}, {"y", kNumbers}};
  const Features rows = features.row(2);
  const Features batch = features.with_leading_axis();
  for (const char* key : {"x", "y"}) {
    EXPECT_EQ(rows.at(key).rank(), 0);
    EXPECT_EQ(batch.at(key).rank(), 2);
  }
}

TEST(PredictionTest, TheSingleViewHasTheEmptyKey) {
  const Prediction prediction = TensorView(kNumbers);
  EXPECT_EQ(prediction.at("").size(), 3);
  EXPECT_EQ(error_of([&] { prediction.at("logits"); }),
            "the prediction has no key 'logits' (found a single array); leave pred_key out");
}

TEST(PredictionTest, NamedViewsAreLookedUpByKey) {
  const Prediction prediction = Features{{"logits", kNumbers}};
  EXPECT_EQ(prediction.at("logits").size(), 3);
  EXPECT_EQ(error_of([&] { prediction.at(""); }),
            "the metric reads a single prediction (found the keys logits); name one of them with "
            "pred_key");
  EXPECT_EQ(error_of([&] { prediction.at("x"); }),
            "the prediction has no key 'x' (found the keys logits); name one of them with "
            "pred_key");
}

TEST(PredictionTest, NothingIsAPredictionToo) {
  EXPECT_TRUE(Prediction().items().empty());
  EXPECT_NE(error_of([&] { Prediction().at(""); }), "");
}

}  // namespace
}  // namespace palimpsest::metric
