// The configurations that ship in configs/: every experiment, model, evaluation and metric
// composes, and what evaluation reads can be read.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "palimpsest/config/compose.h"
#include "palimpsest/config/config_source.h"
#include "tests/config/golden_values.h"

namespace palimpsest::config {
namespace {

const std::filesystem::path kConfigs =
    std::filesystem::path(PALIMPSEST_GOLDEN_DIR).parent_path().parent_path() / "configs";

Value composed(const std::vector<std::string>& lines) {
  const Surroundings surroundings = golden_surroundings();
  const Composition job = compose({.folders = {kConfigs}, .config_name = "eval.yaml"},
                                  parse_overrides(lines), surroundings);
  return resolve(job, surroundings, OnFailure::kKeep);
}

// Every value but those that must still be given is readable.
void expect_readable(const Value& value) {
  if (value.is_map()) {
    for (const auto& [key, item] : value.as_map()) expect_readable(item);
  } else if (value.is_list()) {
    for (const Value& item : value.as_list()) expect_readable(item);
  } else {
    EXPECT_FALSE(value.is_unreadable()) << value.where();
  }
}

TEST(ShippedConfigsTest, EveryExperimentComposes) {
  int64_t count = 0;
  const std::filesystem::path folder = kConfigs / "experiment";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().lexically_relative(folder).replace_extension().string();
    SCOPED_TRACE(name);
    const Value config = composed({"experiment=" + name, "task_name=t"});
    expect_readable(config);
    for (const auto& [suite, evaluation] : config.at("eval").as_map()) {
      EXPECT_EQ(evaluation.at("output_dir").as_text(), "./saves/eval/t");
      EXPECT_FALSE(evaluation.at("metrics").as_map().empty());
    }
    ++count;
  }
  EXPECT_GE(count, 4);
}

TEST(ShippedConfigsTest, EveryModelComposes) {
  const std::vector<std::string> models = ConfigSource({kConfigs}).options("model");
  EXPECT_GE(models.size(), 20U);
  for (const std::string& model : models) {
    SCOPED_TRACE(model);
    const Value config = composed({"model='" + model + "'", "task_name=t"});
    const Value& args = config.at("model").at("model_args");
    EXPECT_FALSE(args.at("pretrained_model_name_or_path").as_text().empty());
    config.at("model").at("template_args").at("apply_chat_template").as_bool();
    for (const char* tag : {"user_start_tag", "user_end_tag", "asst_start_tag", "asst_end_tag"}) {
      config.at("model").at("template_args").at(tag).as_text();
    }
  }
}

TEST(ShippedConfigsTest, EveryMetricComposesAlone) {
  for (const std::string suite : {"tofu", "muse"}) {
    const std::string group = suite + "_metrics";
    for (const std::string& metric : ConfigSource({kConfigs}).options("eval/" + group)) {
      SCOPED_TRACE(metric);
      const Value config =
          composed({"eval=" + suite, "task_name=t",
                    "eval/" + group + "@eval." + suite + "." + group + "=[" + metric + "]"});
      const Value::Map& metrics = config.at("eval").at(suite).at("metrics").as_map();
      ASSERT_EQ(metrics.size(), 1U);
      EXPECT_FALSE(metrics[0].second.at("handler").as_text().empty());
      expect_readable(config);
    }
  }
}

TEST(ShippedConfigsTest, TheOlderCommandLineWorks) {
  const Value config = composed({"model=Llama-3.1-8B-Instruct", "eval=tofu", "output_dir=evals"});
  EXPECT_EQ(config.at("eval").at("tofu").at("output_dir").as_text(), "evals");
  const Value older = composed({"experiment=eval/tofu/older_names", "output_dir=evals"});
  const Value& ratio = older.at("eval").at("tofu").at("metrics").at("truth_ratio");
  EXPECT_EQ(ratio.at("pre_compute").at("Q_A_PERT_Prob").at("access_key").as_text(), "perturb");
}

}  // namespace
}  // namespace palimpsest::config
