// The configurations that ship in configs/: every experiment, model, evaluation and metric
// composes, and what evaluation reads can be read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "palimpsest/config/compose.h"
#include "palimpsest/config/internal/config_source.h"
#include "tests/config/golden_values.h"

namespace palimpsest::config {
namespace {

const std::filesystem::path kConfigs =
    std::filesystem::path(PALIMPSEST_GOLDEN_DIR).parent_path().parent_path() / "configs";

Value composed(const std::vector<std::string>& lines) {
  const ConfigContext context = golden_context();
  const Composition job =
      compose({.folders = {kConfigs}, .config_name = "eval.yaml"}, parse_overrides(lines), context);
  return resolve(job, context, OnFailure::kKeep);
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
                    fmt::format("eval/{0}@eval.{1}.{0}=[{2}]", group, suite, metric)});
      const Value::Map& metrics = config.at("eval").at(suite).at("metrics").as_map();
      ASSERT_EQ(metrics.size(), 1U);
      EXPECT_FALSE(metrics[0].second.at("handler").as_text().empty());
      expect_readable(config);
    }
  }
}

// TOFU asks twenty questions about each author; MUSE's files do not say what belongs together.
TEST(ShippedConfigsTest, TofuSaysWhichQuestionsBelongTogether) {
  for (const std::string name : {"tofu", "quick", "audit", "tofu_reference"}) {
    const Value config = composed({"eval=" + name, "task_name=t"});
    const Value& tofu = config.at("eval").at("tofu");
    EXPECT_EQ(tofu.at("cluster_size").as_int(), 20) << name;
    EXPECT_EQ(tofu.at("margin").as_real(), 0.05) << name;
    EXPECT_TRUE(tofu.at("primary").is_null()) << name;
  }
  const Value muse = composed({"eval=muse", "task_name=t"});
  EXPECT_TRUE(muse.at("eval").at("muse").at("cluster_size").is_null());
  const Value demo = composed({"experiment=demo", "task_name=t"});
  EXPECT_EQ(demo.at("eval").at("tofu").at("cluster_size").as_int(), 2);
  const Value facts = composed({"eval=tofu", "task_name=t"});
  const Value& parts = facts.at("eval").at("tofu").at("metrics").at("model_utility");
  EXPECT_EQ(parts.at("pre_compute")
                .at("wf_Q_A_ROUGE")
                .at("datasets")
                .at("TOFU_QA_wf")
                .at("cluster_size")
                .as_int(),
            1);
}

// Published lists keep k = 0.4, those that are ours alone have what the papers say; privleak is the
// published one everywhere.
TEST(ShippedConfigsTest, TheShareOfMinKIsThePublishedOneWhereNumbersArePublished) {
  const auto metrics = [](const std::string& name) {
    return composed({"eval=" + name, "task_name=t"}).at("eval").at("tofu").at("metrics");
  };
  const Value tofu = metrics("tofu");
  EXPECT_EQ(tofu.at("privleak").at("pre_compute").at("mia_min_k").at("k").as_real(), 0.4);
  const Value audit = metrics("audit");
  EXPECT_EQ(audit.at("mia_min_k").at("k").as_real(), 0.2);
  EXPECT_EQ(audit.at("mia_min_k_plus_plus").at("k").as_real(), 0.2);
  const Value& privleak = audit.at("privleak");
  EXPECT_EQ(privleak.at("pre_compute").at("privleak_min_k").at("k").as_real(), 0.4);
  EXPECT_EQ(privleak.at("pre_compute").at("privleak_min_k").at("handler").as_text(), "mia_min_k");
  const Value reference = metrics("tofu_reference");
  EXPECT_EQ(reference.at("mia_min_k").at("k").as_real(), 0.4);
  EXPECT_EQ(reference.at("audit_min_k").at("k").as_real(), 0.2);
  EXPECT_EQ(metrics("quick").at("mia_min_k").at("k").as_real(), 0.2);
}

TEST(ShippedConfigsTest, SeveralRetainLogsAreAList) {
  const Value config =
      composed({"experiment=eval/tofu/default", "task_name=t", "retain_logs_path=[a.json,b.json]"});
  const Value& tofu = config.at("eval").at("tofu");
  EXPECT_EQ(tofu.at("retain_logs_path").as_list().size(), 2U);
  const Value& logs = tofu.at("metrics").at("forget_quality").at("reference_logs");
  EXPECT_EQ(logs.at("retain_model_logs").at("path").as_list()[1].as_text(), "b.json");
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
