// How weights are kept, widened, in 16 bits or streamed, decides memory and time, never a result.
#include <gtest/gtest.h>

#include "palimpsest/engine/engine_loader.h"
#include "palimpsest/engine/internal/ops.h"
#include "palimpsest/model/internal/architecture.h"
#include "palimpsest/model/internal/memory.h"
#include "tests/engine/same_scores.h"
#include "tests/support/checkpoint_copy.h"

namespace palimpsest::engine {
namespace {

constexpr model::Residence kResidences[] = {model::Residence::kResident, model::Residence::k16Bit,
                                            model::Residence::kStreamed};

// A golden checkpoint, stored in 16 bits if it is not already.
struct Stored {
  std::string golden;
  std::optional<kernels::DType> dtype = std::nullopt;  // nothing: as it is
};

class ResidenceTest : public testing::TestWithParam<Stored> {
 protected:
  ResidenceTest() {
    const auto& [golden, dtype] = GetParam();
    folder_ = golden_model_folder(golden);
    if (dtype) {
      copy_.emplace(golden);
      copy_->store_in(*dtype);
      folder_ = copy_->write();
    }
  }

  std::optional<CheckpointCopy> copy_;
  std::filesystem::path folder_;
};

std::vector<model::Prompt> prompts_of(const std::string& golden) {
  const nlohmann::json lines = golden_of(golden).at("greedy");
  std::vector<model::Prompt> prompts;
  for (const nlohmann::json& line : lines) {
    prompts.push_back({.ids = line.at("prompt").get<std::vector<int64_t>>()});
  }
  return prompts;
}

std::vector<std::vector<int64_t>> texts(model::LanguageModel& model,
                                        const std::vector<model::Prompt>& prompts,
                                        int64_t max_batch) {
  std::vector<std::vector<int64_t>> ids;
  for (const model::Generation& generation :
       model.generate(prompts, {.max_new_tokens = 24, .max_batch = max_batch})) {
    ids.push_back(generation.ids);
  }
  return ids;
}

// Scores, norms taken both ways, and texts decoded alone and together.
void expect_same_results(model::LanguageModel& found, model::LanguageModel& expected,
                         const std::string& golden) {
  const auto sequences = sequences_for(golden, expected.info().vocab_size);
  expect_same(found.score(sequences, {}), expected.score(sequences, {}));
  for (const auto& orders : {std::vector{model::NormOrder::kTwo},
                             {model::NormOrder::kOne, model::NormOrder::kInfinity}}) {
    const model::ScoreOptions options{.gradient_norms = orders};
    expect_same(found.score(sequences, options), expected.score(sequences, options));
  }
  const std::vector<model::Prompt> prompts = prompts_of(golden);
  ASSERT_FALSE(prompts.empty());
  for (const int64_t max_batch : {1, 64}) {
    EXPECT_EQ(texts(found, prompts, max_batch), texts(expected, prompts, max_batch)) << max_batch;
  }
}

TEST_P(ResidenceTest, ChangesNoResult) {
  EngineLoader loader;
  const auto whole = loader.load(folder_, {.threads = 2, .residence = model::Residence::kResident});
  for (const model::Residence residence : kResidences) {
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(testing::Message()
                   << "residence " << static_cast<int>(residence) << ", threads " << threads);
      const auto model = loader.load(folder_, {.threads = threads, .residence = residence});
      EXPECT_EQ(model->info().residence, residence);
      expect_same_results(*model, *whole, GetParam().golden);
    }
  }
}

TEST_P(ResidenceTest, ShortWeightsTakeHalfTheMemory) {
  EngineLoader loader;
  const auto whole = loader.load(folder_, {.residence = model::Residence::kResident});
  const auto narrow = loader.load(folder_, {.residence = model::Residence::k16Bit});
  EXPECT_EQ(2 * narrow->info().weight_bytes, whole->info().weight_bytes);
  EXPECT_EQ(narrow->info().dtype, "float32");
  EXPECT_NE(narrow->info().stored_dtype, "float32");
}

// The first that fits: widened, narrow, a layer at a time.
TEST_P(ResidenceTest, IsChosenByMemory) {
  EngineLoader loader;
  const std::filesystem::path config = folder_ / "config.json";
  const model::MemoryNeed need =
      model::memory_need(model::read_architecture(read_file(config), config.string()), 4, true);
  const int64_t work = need.scoring_per_token * model::kDefaultBatchTokens;
  const auto chosen = [&](int64_t limit) {
    return loader.load(folder_, {.memory_limit = limit})->info().residence;
  };
  EXPECT_EQ(chosen(need.resident_weights + work), model::Residence::kResident);
  EXPECT_EQ(chosen(need.resident_weights + work - 1), model::Residence::k16Bit);
  EXPECT_EQ(chosen(need.weights_16bit + work), model::Residence::k16Bit);
  EXPECT_EQ(chosen(need.weights_16bit + work - 1), model::Residence::kStreamed);
}

// Every way that weights are stored: projections apart, fused, by head, transposed; tied or not;
// with biases, post norms, soft caps, a bias at the head.
INSTANTIATE_TEST_SUITE_P(Models, ResidenceTest,
                         testing::Values(Stored{"llama_gqa_tied"}, Stored{"qwen2"},
                                         Stored{"llama_biases"}, Stored{"gpt_neox"},
                                         Stored{"gpt2", kernels::DType::kBFloat16},
                                         Stored{"gemma2", kernels::DType::kFloat16},
                                         Stored{"phi", kernels::DType::kBFloat16},
                                         Stored{"phi3", kernels::DType::kFloat16},
                                         Stored{"olmo2", kernels::DType::kBFloat16}),
                         [](const auto& model) { return model.param.golden; });

TEST(FloatResidenceTest, WeightsOf32BitsAreNotShortened) {
  const auto model =
      EngineLoader().load(golden_model_folder("llama"), {.residence = model::Residence::k16Bit});
  EXPECT_EQ(model->info().residence, model::Residence::kResident);
}

class AdapterResidenceTest : public testing::TestWithParam<std::string> {};

TEST_P(AdapterResidenceTest, ChangesNoResult) {
  const std::filesystem::path folder = golden_model_folder(GetParam());
  EngineLoader loader;
  const auto whole = loader.load(folder, {.threads = 2, .residence = model::Residence::kResident});
  for (const model::Residence residence :
       {model::Residence::kResident, model::Residence::kStreamed}) {
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(testing::Message()
                   << "residence " << static_cast<int>(residence) << ", threads " << threads);
      const auto model = loader.load(folder, {.threads = threads, .residence = residence});
      EXPECT_EQ(model->info().residence, residence);
      expect_same_results(*model, *whole, GetParam());
    }
  }
}

// What an adapter has changed does not fit into 16 bits and stays wide; the rest does not.
TEST_P(AdapterResidenceTest, OverA16BitBase) {
  const std::string base = GetParam().substr(0, GetParam().find('_'));
  CheckpointCopy copy(base);
  copy.store_in(kernels::DType::kBFloat16);
  const std::filesystem::path folder = copy.write();
  for (const char* file : {"adapter_config.json", "adapter_model.safetensors"}) {
    std::filesystem::copy(golden_model_folder(GetParam()) / file, folder / file);
  }
  EngineLoader loader;
  const auto whole = loader.load(folder, {.threads = 2, .residence = model::Residence::kResident});
  for (const model::Residence residence : kResidences) {
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(testing::Message()
                   << "residence " << static_cast<int>(residence) << ", threads " << threads);
      const auto model = loader.load(folder, {.threads = threads, .residence = residence});
      EXPECT_EQ(model->info().residence, residence);
      expect_same_results(*model, *whole, GetParam());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Adapters, AdapterResidenceTest, testing::Values("llama_lora", "gpt2_lora"),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace palimpsest::engine
