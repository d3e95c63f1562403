#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/torch/generator.h"
#include "palimpsest/torch/scorer.h"
#include "palimpsest/torch/torch_loader.h"
#include "tests/torch/golden_models.h"

// What runs on other devices and types, tried on this one: libtorch's own operators instead of our
// kernels, held to the same goldens.
namespace palimpsest {
namespace {

class PortableGoldenTest : public testing::TestWithParam<std::string> {};

TEST_P(PortableGoldenTest, MatchesTransformers) {
  const std::filesystem::path folder = golden_model_folder(GetParam());
  const nlohmann::json golden = golden_of(GetParam());
  WorkerPool pool(2);
  const palimpsest::torch::WeightSource source(
      read_architecture(read_file(folder / "config.json"), "config.json"), Checkpoint::open(folder),
      std::nullopt, pool);
  const auto ops = palimpsest::torch::make_portable_ops(source.architecture(),
                                                        at::TensorOptions().dtype(at::kFloat));
  for (const bool streamed : {false, true}) {
    palimpsest::torch::Decoder decoder(source, *ops, streamed);
    const auto sequences = sequences_of(golden.at("sequences"));
    expect_scores(palimpsest::torch::score_sequences(decoder, sequences, {}, {}),
                  golden.at("sequences"));
    if (golden.contains("masked_sequences")) {
      const auto masked = sequences_of(golden.at("masked_sequences"));
      const int64_t pad = golden.at("manifest").at("pad_token_id").get<int64_t>();
      expect_scores(palimpsest::torch::score_sequences(decoder, masked, {.masked_token = pad}, {}),
                    golden.at("masked_sequences"));
    }
    std::vector<Prompt> prompts;
    for (const auto& line : golden.at("greedy")) {
      prompts.push_back({.ids = line.at("prompt").get<std::vector<int64_t>>(),
                         .draft = line.at("new").get<std::vector<int64_t>>()});
    }
    const auto found =
        palimpsest::torch::generate_texts(decoder, prompts, {.max_new_tokens = 64}, {});
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].ids, golden.at("greedy").at(i).at("new").get<std::vector<int64_t>>());
    }
  }
}

// Eight bits of precision: near the float32 numbers, not equal to them.
TEST_P(PortableGoldenTest, RunsInBfloat16) {
  const nlohmann::json golden = golden_of(GetParam());
  const auto model =
      TorchLoader().load(golden_model_folder(GetParam()), {.dtype = DType::kBFloat16});
  EXPECT_EQ(model->info().dtype, "bfloat16");
  const auto scores = model->score(sequences_of(golden.at("sequences")), {});
  double difference = 0;
  int64_t count = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    const auto exact = golden.at("sequences").at(i).at("logprob").get<std::vector<double>>();
    ASSERT_EQ(scores[i].logprob.size(), exact.size());
    for (size_t t = 0; t < exact.size(); ++t, ++count)
      difference += std::abs(scores[i].logprob[t] - exact[t]);
  }
  EXPECT_LT(difference / static_cast<double>(count), 0.3);
  EXPECT_GT(difference, 0);
}

std::vector<std::string> models_with_weights() {
  std::vector<std::string> names = golden_model_names();
  std::erase_if(names, [](const std::string& name) {
    return !std::filesystem::exists(golden_model_folder(name) / "config.json");
  });
  return names;
}

INSTANTIATE_TEST_SUITE_P(Models, PortableGoldenTest, testing::ValuesIn(models_with_weights()),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace palimpsest
