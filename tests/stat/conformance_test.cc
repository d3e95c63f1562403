// The laws of palimpsest/stat/statistic.h, tested over every statistic by one suite: a new
// statistic joins by one line in `Statistics` and a way to make random data.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/any_stat.h"
#include "palimpsest/stat/binned_roc_stat.h"
#include "palimpsest/stat/histogram_stat.h"
#include "palimpsest/stat/mean_stat.h"
#include "palimpsest/stat/moments_stat.h"
#include "palimpsest/stat/stat_file.h"
#include "palimpsest/stat/sum_stat.h"

namespace palimpsest::stat {
namespace {

// Two random numbers per element, drawn element by element: a [2, 3] draw is two [3] draws one
// after the other.
struct Draw {
  Array x;
  Array y;
};

Draw draw(Random& random, const Shape& shape) {
  Draw drawn{Array::zeros(shape), Array::zeros(shape)};
  for (int64_t i = 0; i < drawn.x.size(); ++i) {
    drawn.x.values()[i] = 4 * random.normal() + 1;
    drawn.y.values()[i] = random.normal() + 1;
  }
  return drawn;
}

// random_stat<S>(): the statistics of single examples, one per element of the shape.
template <class S>
S random_stat(Random& random, const Shape& shape);

template <>
MeanStat random_stat(Random& random, const Shape& shape) {
  const Draw drawn = draw(random, shape);
  return MeanStat::make(drawn.x, drawn.y);  // some weights are negative: sanitised to the identity
}
template <>
SumStat random_stat(Random& random, const Shape& shape) {
  return SumStat::make(draw(random, shape).x);
}
template <>
MomentsStat random_stat(Random& random, const Shape& shape) {
  return MomentsStat::make(draw(random, shape).x);
}
template <>
HistogramStat random_stat(Random& random, const Shape& shape) {
  return HistogramStat::make(draw(random, shape).x, {-3, 0, 0.5, 2, 5});
}
template <>
BinnedRocStat random_stat(Random& random, const Shape& shape) {
  Draw drawn = draw(random, shape);
  for (double& label : drawn.y.values()) label = label > 1 ? 1 : 0;
  return BinnedRocStat::make(drawn.y, drawn.x, {.low = -5, .high = 7, .bins = 12});
}

void expect_near(const Array& a, const Array& b) {
  ASSERT_EQ(a.shape(), b.shape());
  for (int64_t i = 0; i < a.size(); ++i) {
    const double x = a.values()[i];
    const double y = b.values()[i];
    if (std::isnan(x) || std::isnan(y)) {
      EXPECT_EQ(std::isnan(x), std::isnan(y)) << "at " << i;
    } else {
      EXPECT_NEAR(x, y, 1e-12 * (1 + std::abs(x))) << "at " << i;
    }
  }
}

template <class S>
void expect_near(const S& a, const S& b) {
  const Fields fields_a = a.save();
  const Fields fields_b = b.save();
  ASSERT_EQ(fields_a.size(), fields_b.size());
  for (size_t i = 0; i < fields_a.size(); ++i) {
    EXPECT_EQ(fields_a[i].first, fields_b[i].first);
    expect_near(fields_a[i].second, fields_b[i].second);
  }
  expect_near(a.result(), b.result());
}

template <class S>
class ConformanceTest : public testing::Test {
 protected:
  // Every law is checked over these shapes with several draws.
  template <class Body>
  void for_each_case(const Body& body) {
    const Shape shapes[] = {{}, {1}, {5}, {2, 3}, {3, 2, 4}};
    for (const Shape& shape : shapes) {
      for (uint64_t draw = 0; draw < 20; ++draw) {
        Random random = Random(7).split(draw);
        SCOPED_TRACE("shape " + to_string(shape) + ", draw " + std::to_string(draw));
        body(random, shape);
      }
    }
  }
};

using Statistics = testing::Types<MeanStat, SumStat, MomentsStat, HistogramStat, BinnedRocStat>;
TYPED_TEST_SUITE(ConformanceTest, Statistics);

template <class... S>
std::vector<std::string_view> types_of(testing::Types<S...> /*statistics*/) {
  return {S::kType...};
}

TYPED_TEST(ConformanceTest, ZeroIsTheIdentity) {
  this->for_each_case([](Random& random, const Shape& shape) {
    const auto a = random_stat<TypeParam>(random, shape);
    expect_near(a.merge(a.zero()), a);
    expect_near(a.zero().merge(a), a);
    expect_near(a.zero().merge(a.zero()), a.zero());
  });
}

TYPED_TEST(ConformanceTest, MergeIsCommutative) {
  this->for_each_case([](Random& random, const Shape& shape) {
    const auto a = random_stat<TypeParam>(random, shape);
    const auto b = random_stat<TypeParam>(random, shape);
    expect_near(a.merge(b), b.merge(a));
  });
}

TYPED_TEST(ConformanceTest, MergeIsAssociative) {
  this->for_each_case([](Random& random, const Shape& shape) {
    const auto a = random_stat<TypeParam>(random, shape);
    const auto b = random_stat<TypeParam>(random, shape);
    const auto c = random_stat<TypeParam>(random, shape);
    expect_near(a.merge(b).merge(c), a.merge(b.merge(c)));
  });
}

// One statistic over 40 examples equals the merge of the statistics of its parts, wherever it is
// cut.
TYPED_TEST(ConformanceTest, SplitAndMergeEqualsWhole) {
  Random random(11);
  std::vector<TypeParam> examples;
  for (int i = 0; i < 40; ++i) examples.push_back(random_stat<TypeParam>(random, {3}));
  auto merge_range = [&](size_t begin, size_t end) {
    TypeParam merged = examples[0].zero();
    for (size_t i = begin; i < end; ++i) merged = merged.merge(examples[i]);
    return merged;
  };
  const TypeParam whole = merge_range(0, examples.size());
  for (size_t cut = 0; cut <= examples.size(); ++cut) {
    expect_near(merge_range(0, cut).merge(merge_range(cut, examples.size())), whole);
  }
}

TYPED_TEST(ConformanceTest, ReduceOfTheFirstAxisMergesItsElements) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random batched(seed);
    Random one_by_one(seed);
    const auto batch = random_stat<TypeParam>(batched, {3, 2});
    const auto a = random_stat<TypeParam>(one_by_one, {2});
    const auto b = random_stat<TypeParam>(one_by_one, {2});
    const auto c = random_stat<TypeParam>(one_by_one, {2});
    expect_near(batch.reduce(0), a.merge(b).merge(c));
  }
}

TYPED_TEST(ConformanceTest, AxesReduceInAnyOrder) {
  Random random(5);
  const auto batch = random_stat<TypeParam>(random, {3, 2, 4});
  const auto expected = batch.reduce(0).reduce(0).reduce(0);
  for (int64_t first = 0; first < 3; ++first) {
    for (int64_t second = 0; second < 2; ++second) {
      expect_near(batch.reduce(first).reduce(second).reduce(0), expected);
    }
    expect_near(batch.reduce(first - 3), batch.reduce(first));  // from the back
  }
  expect_near(batch.reduce(), batch.reduce(0));
  expect_near(batch.reduce(std::nullopt), expected);
  expect_near(expected.reduce(std::nullopt), expected);  // no axis is left
}

TYPED_TEST(ConformanceTest, SaveAndLoadRoundTripBitForBit) {
  this->for_each_case([](Random& random, const Shape& shape) {
    const auto a = random_stat<TypeParam>(random, shape);
    EXPECT_EQ(TypeParam::load(a.save()).save(), a.save());
    const AnyStat any = a;
    const NamedStats read = stats_from_json(stats_to_json({{"x", any}}), "test");
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(read[0].second.type(), TypeParam::kType);
    EXPECT_EQ(read[0].second.save(), a.save());
  });
}

TYPED_TEST(ConformanceTest, LoadRefusesAMissingField) {
  Random random(3);
  const Fields fields = random_stat<TypeParam>(random, {2}).save();
  for (size_t drop = 0; drop < fields.size(); ++drop) {
    Fields incomplete = fields;
    incomplete.erase(incomplete.begin() + static_cast<int64_t>(drop));
    EXPECT_THROW(TypeParam::load(incomplete), Error) << fields[drop].first;
  }
}

TYPED_TEST(ConformanceTest, LoadRefusesUndefinedValues) {
  Random random(3);
  const Fields fields = random_stat<TypeParam>(random, {2}).save();
  for (size_t poison = 0; poison < fields.size(); ++poison) {
    Fields poisoned = fields;
    poisoned[poison].second.values()[0] = std::nan("");
    EXPECT_THROW(TypeParam::load(poisoned), Error) << fields[poison].first;
  }
}

TYPED_TEST(ConformanceTest, DifferentShapesDoNotMerge) {
  Random random(3);
  const auto a = random_stat<TypeParam>(random, {2});
  const auto b = random_stat<TypeParam>(random, {3});
  EXPECT_THROW(a.merge(b), Error);
}

TYPED_TEST(ConformanceTest, ReduceRefusesAnAxisThatIsNotThere) {
  Random random(3);
  EXPECT_THROW(random_stat<TypeParam>(random, {2}).reduce(1), Error);
  EXPECT_THROW(random_stat<TypeParam>(random, {}).reduce(0), Error);
}

TEST(ConformanceTableTest, EveryKindOfTheTableIsTested) {
  const std::vector<std::string_view> tested = types_of(Statistics());
  ASSERT_EQ(default_stat_table().size(), tested.size());
  for (size_t i = 0; i < tested.size(); ++i) EXPECT_EQ(default_stat_table()[i].type, tested[i]);
}

}  // namespace
}  // namespace palimpsest::stat
