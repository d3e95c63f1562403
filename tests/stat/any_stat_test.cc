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

// As a program may write it: reduce() of one given axis only.
class CountOfOne {
 public:
  static constexpr std::string_view kType = "count_of_one";
  explicit CountOfOne(Array count) : count_(std::move(count)) {}
  CountOfOne zero() const { return CountOfOne(Array::zeros(count_.shape())); }
  CountOfOne merge(const CountOfOne& other) const { return CountOfOne(add(count_, other.count_)); }
  CountOfOne reduce(int64_t axis) const { return CountOfOne(sum_axis(count_, axis)); }
  Array result() const { return count_; }
  Fields save() const { return {{"count", count_}}; }
  static CountOfOne load(const Fields& fields) { return CountOfOne(field(fields, "count")); }

 private:
  Array count_;
};

TEST(AnyStatTest, ReducesTheFirstAxisAnyAxisOrAllOfThem) {
  const Array counts({2, 2}, {1, 2, 3, 4});
  for (const AnyStat& stat : {AnyStat(SumStat::make(counts)), AnyStat(CountOfOne(counts))}) {
    EXPECT_EQ(stat.reduce().result(), Array::vector({4, 6}));
    EXPECT_EQ(stat.reduce(-1).result(), Array::vector({3, 7}));
    EXPECT_EQ(stat.reduce(std::nullopt).result(), Array(10));
  }
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
