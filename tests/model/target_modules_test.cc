#include "palimpsest/model/internal/target_modules.h"

#include <gtest/gtest.h>

namespace palimpsest::model {
namespace {

// The expected values are those of PEFT's check_target_module_exists().

TEST(TargetModulesTest, NothingGivenMeansEverything) {
  const TargetModules targets;
  EXPECT_FALSE(targets.is_given());
  EXPECT_TRUE(targets.contain("model.layers.0.mlp.up_proj", false));
  EXPECT_TRUE(targets.contain("lm_head", true));
}

TEST(TargetModulesTest, NamesCountFromTheEnd) {
  const TargetModules targets{.modules = ModuleNames{.names = {"q_proj", "layers.1.mlp.up_proj"}}};
  EXPECT_TRUE(targets.is_given());
  EXPECT_TRUE(targets.contain("model.layers.0.self_attn.q_proj", false));
  EXPECT_TRUE(targets.contain("q_proj", false));
  EXPECT_FALSE(targets.contain("model.layers.0.self_attn.my_q_proj", false));
  EXPECT_FALSE(targets.contain("model.layers.0.self_attn.q_proj.x", false));
  EXPECT_TRUE(targets.contain("model.layers.1.mlp.up_proj", false));
  EXPECT_FALSE(targets.contain("model.layers.11.mlp.up_proj", false));
}

TEST(TargetModulesTest, ATextIsAnExpressionForTheWholeName) {
  const TargetModules targets{
      .modules = ModuleNames{.names = {}, .expression = ModuleRegex(R"(.*\.[01]\..*_proj)", "")}};
  EXPECT_TRUE(targets.contain("model.layers.0.self_attn.q_proj", false));
  EXPECT_FALSE(targets.contain("model.layers.2.self_attn.q_proj", false));
}

TEST(TargetModulesTest, AllLinearLeavesTheHeadOut) {
  const TargetModules targets{.all_linear = true};
  EXPECT_TRUE(targets.is_given());
  EXPECT_TRUE(targets.contain("model.layers.0.self_attn.q_proj", false));
  EXPECT_FALSE(targets.contain("lm_head", true));
}

TEST(TargetModulesTest, ExcludedModulesAreNotMeant) {
  const TargetModules targets{.all_linear = true, .excluded = {.names = {"layers.0.mlp.up_proj"}}};
  EXPECT_FALSE(targets.contain("model.layers.0.mlp.up_proj", false));
  EXPECT_TRUE(targets.contain("model.layers.1.mlp.up_proj", false));
}

TEST(TargetModulesTest, LayersToTransform) {
  TargetModules targets{.modules = ModuleNames{.names = {"q_proj", "model.layers.3.q_proj"}},
                        .layers = std::vector<int64_t>{0, 12}};
  EXPECT_TRUE(targets.contain("model.layers.0.self_attn.q_proj", false));
  EXPECT_TRUE(targets.contain("model.layers.12.self_attn.q_proj", false));
  EXPECT_FALSE(targets.contain("model.layers.1.self_attn.q_proj", false));
  EXPECT_FALSE(targets.contain("model.q_proj", false));
  // A name in full counts whatever its layer.
  EXPECT_TRUE(targets.contain("model.layers.3.q_proj", false));
  targets.layer_patterns.emplace_back(layer_expression("blocks"), "");
  EXPECT_FALSE(targets.contain("model.layers.0.self_attn.q_proj", false));
  targets.layer_patterns.emplace_back(layer_expression("layers"), "");
  EXPECT_TRUE(targets.contain("model.layers.0.self_attn.q_proj", false));
}

}  // namespace
}  // namespace palimpsest::model
