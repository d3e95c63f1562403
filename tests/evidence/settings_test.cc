#include "palimpsest/evidence/settings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/evidence/contains_all.h"

namespace palimpsest::evidence {
namespace {

std::optional<std::string> value_of(const Settings& settings, const std::string& option) {
  const auto found = std::ranges::find(settings, option, &Setting::option);
  return found == settings.end() ? std::optional<std::string>("(no such setting)") : found->value;
}

// A value that is no default for every setting.
audit::AuditSpec unusual_spec() {
  audit::AuditModels models;
  models.preparation.kind = data::DatasetKind::kCompletion;
  models.preparation.text_key = "body";
  models.preparation.prompt_template = data::TemplateKind::kTags;
  models.preparation.tags.user_start_tag = "Q, \"quoted\": ";
  models.preparation.system_prompt = "";
  models.preparation.chat.variables = {{"date", "\"26 Jul 2024\""}, {"tools", "[1,2]"}};
  models.preparation.max_length = 77;
  models.preparation.insert_space = true;
  models.preparation.attention_mask = data::AttentionMask::kFull;
  models.preparation.few_shot = "shots.json";
  audit::AuditSpec spec{
      .source = models, .attacks = "loss,min_k:k=0.3", .parameters = {{"k", 0.1}, {"p", 2}}};
  spec.options.primary = "loss";
  spec.options.margin = 0.07;
  spec.options.clusters.key = "author";
  spec.options.fprs = {0.05, 1e-5};
  spec.options.bootstrap.confidence = 0.9;
  spec.options.bootstrap.resamples = 200;
  spec.options.bootstrap.seed = 18446744073709551615U;
  spec.options.false_discovery_rate = 0.01;
  spec.options.group_keys = {"topic", "year"};
  spec.options.blind_baseline = false;
  spec.options.allow_overlap = true;
  spec.options.costs = {10, 0.5};
  spec.options.validation_split = 0.3;
  return spec;
}

TEST(SettingsTest, ValuesAreWrittenAsOnTheCommandLine) {
  const Settings settings = settings_of(unusual_spec());
  EXPECT_EQ(value_of(settings, "--attacks"), "loss,min_k:k=0.3");
  EXPECT_EQ(value_of(settings, "-k"), "0.1");
  EXPECT_EQ(value_of(settings, "--fpr"), "0.05,1e-05");
  EXPECT_EQ(value_of(settings, "--seed"), "18446744073709551615");
  EXPECT_EQ(value_of(settings, "--blind-baseline"), "no");
  EXPECT_EQ(value_of(settings, "--group-key"), "topic,year");
  EXPECT_EQ(value_of(settings, "--dataset"), "completion");
  EXPECT_EQ(value_of(settings, "--system-prompt"), "") << "an empty text is not an absent one";
  EXPECT_EQ(value_of(settings, "--prefix-key"), std::nullopt);
  EXPECT_EQ(value_of(settings, "--var"), R"({"date":"26 Jul 2024","tools":[1,2]})");
}

TEST(SettingsTest, ApplyingGivesTheSameSettings) {
  const Settings settings = settings_of(unusual_spec());
  audit::AuditSpec spec{.source = audit::AuditModels{}, .parameters = {{"k", 0.2}, {"p", 1}}};
  EXPECT_NE(settings_of(spec), settings);
  apply_settings(settings, spec);
  EXPECT_EQ(settings_of(spec), settings);
}

TEST(SettingsTest, TracesHaveNoPreparation) {
  const Settings settings = settings_of({.source = audit::AuditTraces{}});
  EXPECT_EQ(value_of(settings, "--dataset"), "(no such setting)");
  EXPECT_EQ(value_of(settings, "--margin"), "0.05");
}

TEST(SettingsTest, WhatCannotBeApplied) {
  audit::AuditSpec spec{.source = audit::AuditTraces{}};
  expect_all(error_of([&] { apply_settings({{"--margin", "wide"}}, spec); }), {"--margin", "wide"});
  expect_all(error_of([&] { apply_settings({{"--margin", std::nullopt}}, spec); }), {"--margin"});
  expect_all(error_of([&] { apply_settings({{"--independent", "1"}}, spec); }), {"--independent"});
  expect_all(error_of([&] { apply_settings({{"--colour", "red"}}, spec); }), {"--colour"});
}

TEST(FollowTest, TakesThePlanAndRefusesToDeviate) {
  audit::AuditSpec planned{.source = audit::AuditTraces{}};
  planned.options.margin = 0.1;
  const Settings plan = settings_of(planned);
  const auto nothing = [](const std::string&) { return false; };
  audit::AuditSpec spec{.source = audit::AuditTraces{}};
  follow(plan, spec, nothing);
  EXPECT_EQ(spec.options.margin, 0.1);

  spec = {.source = audit::AuditTraces{}};  // the default, but given
  const auto margin = [](const std::string& option) { return option == "--margin"; };
  expect_all(error_of([&] { follow(plan, spec, margin); }),
             {"--margin", "'0.1'", "'0.05'", "plan"});
  spec.options.margin = 0.1;
  EXPECT_NO_THROW(follow(plan, spec, margin)) << "given as planned";
}

TEST(FollowTest, AFlagIsRefusedByItsName) {
  const Settings plan = settings_of({.source = audit::AuditTraces{}});
  audit::AuditSpec spec{.source = audit::AuditTraces{}};
  spec.options.blind_baseline = false;
  expect_all(error_of([&] {
               follow(plan, spec, [](const std::string& o) { return o == "--no-blind-baseline"; });
             }),
             {"--no-blind-baseline", "'yes'", "'no'"});
}

TEST(FollowTest, APlanOfTheOtherFormIsRefused) {
  const Settings models = settings_of({.source = audit::AuditModels{}});
  const Settings traces = settings_of({.source = audit::AuditTraces{}});
  const auto nothing = [](const std::string&) { return false; };
  audit::AuditSpec of_traces{.source = audit::AuditTraces{}};
  audit::AuditSpec of_models{.source = audit::AuditModels{}};
  expect_all(error_of([&] { follow(models, of_traces, nothing); }), {"--dataset"});
  expect_all(error_of([&] { follow(traces, of_models, nothing); }), {"--dataset"});
}

}  // namespace
}  // namespace palimpsest::evidence
