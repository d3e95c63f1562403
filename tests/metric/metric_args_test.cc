#include "palimpsest/metric/metric_args.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

template <class Value>
Value read(std::string_view spec, Value value = {}) {
  MetricArgs::parse(spec).read("a", value);
  return value;
}

using Integers = std::vector<int64_t>;
using Numbers = std::vector<double>;

TEST(MetricArgsTest, ANameAloneHasNoArguments) {
  const MetricArgs args = MetricArgs::parse("accuracy");
  EXPECT_EQ(args.name(), "accuracy");
  EXPECT_TRUE(args.given().empty());
  EXPECT_EQ(read<int64_t>("m", 7), 7);
}

TEST(MetricArgsTest, APieceWithoutAnEqualsSignContinuesTheList) {
  const MetricArgs args = MetricArgs::parse("m:a=2,3,b=true");
  EXPECT_EQ(args.given(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read<Integers>("m:a=2,3,b=true"), (Integers{2, 3}));
}

TEST(MetricArgsTest, BracketsAroundAListAreAllowed) {
  EXPECT_EQ(read<Integers>("m:a=[2,3],b=1"), (Integers{2, 3}));
  EXPECT_EQ(read<Integers>("m:a=[5]"), (Integers{5}));
  EXPECT_EQ(read<Integers>("m:a=[]", {0}), Integers{});
  EXPECT_EQ(read<Integers>("m:b=1,a=-100"), (Integers{-100}));
}

TEST(MetricArgsTest, ValuesOfEachKind) {
  EXPECT_EQ(read<std::string>("m:a=logits"), "logits");
  EXPECT_EQ(read<std::string>("m:a=x=y"), "x=y");
  EXPECT_TRUE(read<bool>("m:a=true"));
  EXPECT_FALSE(read<bool>("m:a=false", true));
  EXPECT_EQ(read<int64_t>("m:a=-3"), -3);
  EXPECT_EQ(read<Numbers>("m:a=0,-inf,1.5e-3"), (Numbers{0, -HUGE_VAL, 1.5e-3}));
}

TEST(MetricArgsTest, WrongValuesSayWhatIsExpected) {
  EXPECT_EQ(error_of([] { read<int64_t>("m:a=x"); }),
            "the value of 'a' is wrong (expected a whole number, found 'x')");
  for (const char* spec : {"m:a=", "m:a=1.5", "m:a=1 ", "m:a=+1", "m:a=99999999999999999999",
                           "m:a=1,2", "m:a=[1]", "m:a=[]"}) {
    EXPECT_NE(error_of([&] { read<int64_t>(spec); }), "") << spec;
  }
  for (const char* spec : {"m:a=", "m:a=1,,2", "m:a=[1", "m:a=1]", "m:a=[1],2", "m:a=x"}) {
    EXPECT_NE(error_of([&] { read<Integers>(spec); }), "") << spec;
  }
  for (const char* spec : {"m:a=inf", "m:a=nan", "m:a=", "m:a=1e999", "m:a=0x"}) {
    EXPECT_NE(error_of([&] { read<Numbers>(spec); }), "") << spec;
  }
  for (const char* spec : {"m:a=yes", "m:a=1", "m:a=", "m:a=True"}) {
    EXPECT_NE(error_of([&] { read<bool>(spec); }), "") << spec;
  }
  EXPECT_EQ(error_of([] { read<std::string>("m:a="); }),
            "the value of 'a' is wrong (expected a key, found '')");
}

TEST(MetricArgsTest, WhatIsNotAnArgumentIsRefused) {
  EXPECT_EQ(error_of([] { MetricArgs::parse("m:a=1,a=2"); }), "the argument 'a' is given twice");
  EXPECT_EQ(error_of([] { MetricArgs::parse("m:3"); }),
            "'3' is not an argument (expected NAME:arg=value,arg=value)");
  EXPECT_NE(error_of([] { MetricArgs::parse("m:"); }), "");
  EXPECT_NE(error_of([] { MetricArgs::parse("m:=3"); }), "");
}

}  // namespace
}  // namespace palimpsest::metric
