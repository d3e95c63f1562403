// The benchmarks against open-unlearning's own results (tools/golden/eval.py), with the real
// engine.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/engine/engine_loader.h"
#include "palimpsest/eval/evaluate.h"
#include "tests/eval/setup.h"
#include "tests/support/golden.h"

namespace palimpsest::eval {
namespace {

// Paths of the golden file's own folder and of this run.
Json localised(const Json& value, const std::string& out) {
  if (value.is_string()) {
    auto text = value.get<std::string>();
    for (const auto& [name, path] : {std::pair<std::string, std::string>{
                                         "@golden", std::string(PALIMPSEST_GOLDEN_DIR) + "/eval"},
                                     {"@out", out}}) {
      if (text.starts_with(name)) text.replace(0, name.size(), path);
    }
    return text;
  }
  Json copy = value;
  if (value.is_structured()) {
    for (auto item = copy.begin(); item != copy.end(); ++item) *item = localised(*item, out);
  }
  return copy;
}

// Texts are equal, numbers within the tolerance, whatever the nesting. golden_file.py writes NaN as
// a text; ours is null.
void expect_same(const Json& ours, const Json& theirs, double tolerance, const std::string& where) {
  if (theirs.is_number() && ours.is_number()) {
    const double expected = theirs.get<double>();
    EXPECT_NEAR(ours.get<double>(), expected, tolerance * (1 + std::abs(expected))) << where;
    return;
  }
  if (theirs == "nan") {
    EXPECT_TRUE(ours.is_null()) << where;
    return;
  }
  ASSERT_EQ(ours.type_name(), std::string(theirs.type_name())) << where;
  if (!theirs.is_structured()) {
    EXPECT_EQ(ours, theirs) << where;
    return;
  }
  ASSERT_EQ(ours.size(), theirs.size()) << where;
  if (theirs.is_array()) {
    for (size_t i = 0; i < theirs.size(); ++i) {
      expect_same(ours[i], theirs[i], tolerance, where + "[" + std::to_string(i) + "]");
    }
    return;
  }
  for (const auto& [key, value] : theirs.items()) {
    ASSERT_TRUE(ours.contains(key)) << where << "." << key;
    expect_same(ours[key], value, tolerance, fmt::format("{}.{}", where, key));
  }
}

class EvaluateGoldenTest : public testing::TestWithParam<const char*> {
 protected:
  // The log that we write for the golden file's configuration.
  Json run(const Json& golden) {
    Json config = localised(golden.at("config"), folder_.path().string());
    config["seed"] = 0;
    config["data_dir"] = std::string(PALIMPSEST_GOLDEN_DIR) + "/eval/data";
    engine::EngineLoader loader;
    const auto done = evaluate_config(config, {.loader = loader});
    EXPECT_EQ(done.size(), 1U);
    summary_ = parse_json(read_file(done.at(0).summary), "summary");
    return parse_json(read_file(done.at(0).log), "log");
  }

  const TempFolder folder_;
  Json summary_;
};

TEST_P(EvaluateGoldenTest, EveryValueIsThatOfOpenUnlearning) {
  const Json golden = read_golden(std::string("eval/") + GetParam() + ".json");
  const Json log = run(golden);
  const Json& expected = golden.at("log");
  ASSERT_EQ(log.size(), expected.size());
  int64_t values = 0;
  for (const auto& [metric, result] : expected.items()) {
    ASSERT_TRUE(log.contains(metric)) << metric;
    expect_same(log[metric], result, 1e-4, metric);
    values += static_cast<int64_t>(result.size());
  }
  EXPECT_GT(values, 20);
  expect_same(summary_, golden.at("summary"), 1e-4, "summary");
  // A p-value depends on ranks alone.
  if (golden.at("summary").contains("forget_quality")) {
    const auto p_value = golden.at("summary").at("forget_quality").get<double>();
    EXPECT_NEAR(summary_.at("forget_quality").get<double>() / p_value, 1, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, EvaluateGoldenTest,
                         testing::Values("tofu_chat", "tofu_tags", "muse"));

}  // namespace
}  // namespace palimpsest::eval
