#include "palimpsest/eval/run_record.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/temp_folder.h"

namespace palimpsest::eval {
namespace {

TEST(RunRecordTest, WhatIsWrittenIsRead) {
  const TempFolder folder;
  RunRecord record{.name = "TOFU",
                   .versions = {{"palimpsest", "1"}},
                   .model = "m",
                   .model_fingerprint = "f",
                   .tokenizer_fingerprint = "t",
                   .device = "cpu",
                   .dtype = "float32",
                   .parameters = 7,
                   .seed = 3,
                   .planned = {{"a", "x"}},
                   .passes = {{.kind = "traces", .model = "m", .items = 4, .seconds = 0.5}}};
  record.metrics["a"] = {.fingerprint = "x",
                         .handler = "probability",
                         .requested = true,
                         .agg_value = 0.25,
                         .interval = Interval{0.1, 0.4},
                         .examples = 9};
  record.metrics["b"] = {.fingerprint = "y", .handler = "ks_test"};
  record.metrics["c"] = {.fingerprint = "z",
                         .handler = "mean",
                         .interval = Interval{0, std::numeric_limits<double>::infinity()}};
  write_run_record(folder.path() / "r.json", record);
  const auto read = read_run_record(folder.path() / "r.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->model_fingerprint, "f");
  EXPECT_EQ(read->planned, record.planned);
  EXPECT_EQ(read->seed, 3U);
  EXPECT_FALSE(read->complete);
  EXPECT_EQ(read->metrics.at("a").interval, record.metrics.at("a").interval);
  EXPECT_EQ(read->metrics.at("a").agg_value, 0.25);
  EXPECT_EQ(read->metrics.at("b").agg_value, std::nullopt);
  EXPECT_EQ(read->metrics.at("b").interval, std::nullopt);
  EXPECT_EQ(read->metrics.at("c").interval, record.metrics.at("c").interval);
  ASSERT_EQ(read->passes.size(), 1U);
  EXPECT_EQ(read->passes[0].items, 4);
}

TEST(RunRecordTest, ADamagedOneIsNone) {
  const TempFolder folder;
  EXPECT_FALSE(read_run_record(folder.path() / "absent.json"));
  for (const char* bytes : {"", "{", "[]", R"({"name": 3})", R"({"name": "TOFU"})"}) {
    EXPECT_FALSE(read_run_record(folder.write("r.json", bytes))) << bytes;
  }
}

}  // namespace
}  // namespace palimpsest::eval
