#include "palimpsest/stat/any_stat.h"

#include <gtest/gtest.h>

#include "palimpsest/stat/mean_stat.h"
#include "palimpsest/stat/sum_stat.h"

namespace palimpsest::stat {
namespace {

TEST(AnyStatTest, BehavesLikeTheStatisticInside) {
  const AnyStat a = MeanStat::make(1, 2);
  const AnyStat b = MeanStat::make(2, 3);
  EXPECT_EQ(a.merge(b).result().scalar(), 0.6);
  EXPECT_EQ(a.merge(b).type(), "mean");
  ASSERT_NE(a.get<MeanStat>(), nullptr);
  EXPECT_EQ(a.get<MeanStat>()->weight().scalar(), 2);
  EXPECT_EQ(a.get<SumStat>(), nullptr);
}

TEST(AnyStatTest, DifferentTypesDoNotMerge) {
  const AnyStat a = MeanStat::make(1, 2);
  const AnyStat b = SumStat::make(1);
  EXPECT_THROW(a.merge(b), Error);
}

TEST(StatTableTest, UnknownTypeListsTheKnownOnes) {
  try {
    load_stat(default_stat_table(), "median", {});
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("median"), std::string::npos) << message;
    EXPECT_NE(message.find("mean, sum, moments, histogram, binned_roc"), std::string::npos)
        << message;
  }
}

TEST(StatTableTest, AProgramCanAddItsOwnKind) {
  StatTable table = default_stat_table();
  table.push_back({"twice", "a test", [](const Fields& fields) -> AnyStat {
                     return SumStat::make(2 * field(fields, "accum").scalar());
                   }});
  EXPECT_EQ(load_stat(table, "twice", {{"accum", 4}}).result().scalar(), 8);
}

}  // namespace
}  // namespace palimpsest::stat
