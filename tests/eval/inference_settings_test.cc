#include "palimpsest/eval/evaluation_spec.h"

#include <gtest/gtest.h>

#include "tests/eval/setup.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

InferenceSettings settings_of(const Json& evaluator) {
  return read_inference_settings(value_of(evaluator, "eval.tofu"));
}

std::string settings_error(const Json& evaluator) {
  return error_of([&] { settings_of(evaluator); });
}

// open-unlearning's own configurations say nothing of all this.
TEST(InferenceSettingsTest, NothingSaidIsIndependentExamples) {
  const InferenceSettings settings = settings_of({{"handler", "TOFUEvaluator"},
                                                  {"retain_logs_path", nullptr},
                                                  {"cluster_size", nullptr},
                                                  {"primary", nullptr}});
  EXPECT_FALSE(settings.clusters.is_given());
  EXPECT_FALSE(settings.clusters.independent);
  EXPECT_EQ(settings.margin, 0.05);
  EXPECT_EQ(settings.primary, "");
  EXPECT_TRUE(settings.retain_logs.empty());
}

TEST(InferenceSettingsTest, ReadsWhatIsSaid) {
  const InferenceSettings settings = settings_of({{"cluster_size", 20},
                                                  {"independent", false},
                                                  {"margin", 0.1},
                                                  {"primary", "mia_loss"},
                                                  {"retain_logs_path", "a.json"}});
  EXPECT_EQ(settings.clusters.size, 20);
  EXPECT_EQ(settings.margin, 0.1);
  EXPECT_EQ(settings.primary, "mia_loss");
  EXPECT_EQ(settings.retain_logs, std::vector<std::string>{"a.json"});
  EXPECT_EQ(settings_of({{"cluster_key", "author"}}).clusters.key, "author");
  EXPECT_TRUE(settings_of({{"independent", true}}).clusters.independent);
  EXPECT_EQ(settings_of({{"retain_logs_path", {"a", "b"}}}).retain_logs.size(), 2U);
}

TEST(InferenceSettingsTest, NamesTheKeyOfWhatIsWrong) {
  expect_contains(settings_error({{"cluster_size", "twenty"}}), "eval.tofu.cluster_size");
  expect_contains(settings_error({{"cluster_size", 0}}), "eval.tofu.cluster_size");
  expect_contains(settings_error({{"cluster_size", 2.5}}), "eval.tofu.cluster_size");
  expect_contains(settings_error({{"cluster_key", 3}}), "eval.tofu.cluster_key");
  expect_contains(settings_error({{"independent", "very"}}), "eval.tofu.independent");
  expect_contains(settings_error({{"margin", 0.5}}), "eval.tofu.margin");
  expect_contains(settings_error({{"margin", true}}), "eval.tofu.margin");
  expect_contains(settings_error({{"primary", 1}}), "eval.tofu.primary");
  expect_contains(settings_error({{"retain_logs_path", {"a", 1}}}), "eval.tofu.retain_logs_path");
}

TEST(InferenceSettingsTest, OneWayOfGroupingOnly) {
  const std::string message = settings_error({{"cluster_size", 2}, {"cluster_key", "author"}});
  expect_contains(message, "cluster_size, cluster_key and independent");
  expect_contains(settings_error({{"cluster_size", 2}, {"independent", true}}), "one way only");
}

}  // namespace
}  // namespace palimpsest::eval
