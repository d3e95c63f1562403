#include "palimpsest/stat/stat_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/mean_stat.h"
#include "palimpsest/stat/sum_stat.h"

namespace palimpsest::stat {
namespace {

// The message of the Error that reading this text throws; empty if it throws none.
std::string refusal(const std::string& text) {
  try {
    stats_from_json(text, "f.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(StatFileTest, ReadsTheDocumentedFormat) {
  const NamedStats stats = stats_from_json(
      R"({"palimpsest_stat": 1, "stats": {"accuracy": {"type": "mean", "accum": 3.0, "weight": 4.0}}})",
      "f.json");
  ASSERT_EQ(stats.size(), 1U);
  EXPECT_EQ(stats[0].first, "accuracy");
  EXPECT_EQ(stats[0].second.result().scalar(), 0.75);
}

TEST(StatFileTest, WritesResultsBesideTheStatistics) {
  const std::string text =
      stats_to_json({{"accuracy", MeanStat::make(3, 4)}, {"empty", MeanStat()}});
  EXPECT_EQ(text, R"({
  "palimpsest_stat": 1,
  "stats": {
    "accuracy": {"type": "mean", "accum": 3.0, "weight": 4.0},
    "empty": {"type": "mean", "accum": 0.0, "weight": 0.0}
  },
  "results": {"accuracy": 0.75, "empty": null}
}
)");
}

TEST(StatFileTest, AnInfiniteLossSurvives) {
  const double infinity = std::numeric_limits<double>::infinity();
  const NamedStats read =
      stats_from_json(stats_to_json({{"loss", MeanStat::make(infinity, 2)}}), "f.json");
  EXPECT_EQ(read[0].second.result().scalar(), infinity);
}

TEST(StatFileTest, RefusesWhatIsNotAStatisticsFileOfThisVersion) {
  EXPECT_NE(refusal("[1, 2").find("f.json: this is not valid JSON"), std::string::npos);
  EXPECT_NE(refusal("{}").find("not a statistics file"), std::string::npos);
  EXPECT_NE(refusal("[]").find("not a statistics file"), std::string::npos);
  EXPECT_NE(refusal(R"({"palimpsest_stat": 2, "stats": {}})").find("(expected version 1, found 2)"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"palimpsest_stat": 1})").find("'stats' is missing"), std::string::npos);
  EXPECT_NE(refusal(R"({"palimpsest_stat": 1, "stats": []})").find("'stats' is not an object"),
            std::string::npos);
}

TEST(StatFileTest, RefusesABrokenStatisticAndNamesIt) {
  auto with = [](const std::string& stat) {
    return refusal(R"({"palimpsest_stat": 1, "stats": {"accuracy": )" + stat + "}}");
  };
  EXPECT_NE(with("3").find("f.json: accuracy"), std::string::npos);
  EXPECT_NE(with(R"({"type": 3})").find("'type' is not a string"), std::string::npos);
  EXPECT_NE(with(R"({"type": "mean", "accum": 1})").find("no field 'weight'"), std::string::npos);
  EXPECT_NE(with(R"({"type": "mean", "accum": "x", "weight": 1})").find("accuracy.accum"),
            std::string::npos);
  EXPECT_NE(with(R"({"type": "mean", "accum": [1, 2], "weight": 1})").find("[2] and []"),
            std::string::npos);
  EXPECT_NE(with(R"({"type": "mean", "accum": [[1], [2, 3]], "weight": 1})").find("one length"),
            std::string::npos);
  EXPECT_NE(with(R"({"type": "mean", "accum": 1, "weight": -1})").find("holds -1"),
            std::string::npos);
  EXPECT_NE(with(R"({"type": "mean", "accum": null, "weight": 1})").find("not a number"),
            std::string::npos);
}

TEST(StatFileTest, MergesByName) {
  const NamedStats a = {{"x", MeanStat::make(1, 2)}, {"y", SumStat::make(1)}};
  const NamedStats b = {{"y", SumStat::make(10)}, {"x", MeanStat::make(2, 3)}};
  const NamedStats merged = merge_stats(a, b);
  ASSERT_EQ(merged.size(), 2U);
  EXPECT_EQ(merged[0].second.result().scalar(), 0.6);
  EXPECT_EQ(merged[1].second.result().scalar(), 11);
}

TEST(StatFileTest, RefusesFilesThatDoNotBelongTogether) {
  const NamedStats x = {{"x", MeanStat::make(1, 2)}};
  EXPECT_THROW(merge_stats(x, {{"y", MeanStat::make(1, 2)}}), Error);
  EXPECT_THROW(merge_stats(x, {}), Error);
  EXPECT_THROW(merge_stats({}, x), Error);
  EXPECT_THROW(merge_stats(x, {{"x", SumStat::make(1)}}), Error);
  EXPECT_THROW(merge_stats(x, {{"x", MeanStat::make(Array::vector({1}), Array::vector({1}))}}),
               Error);
}

}  // namespace
}  // namespace palimpsest::stat
