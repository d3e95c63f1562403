#include "palimpsest/model/internal/generation_config.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::model {
namespace {

using Ids = std::vector<int64_t>;
using Names = std::vector<std::string>;

GenerationConfig read_generation(const std::string& generation_config) {
  const TempFolder folder;
  folder.write("generation_config.json", generation_config);
  return read_generation_config(folder.path());
}

TEST(GenerationConfigTest, ReadsOneOrSeveralEndTokens) {
  EXPECT_EQ(read_generation(R"({"eos_token_id": 7})").eos_ids, Ids({7}));
  EXPECT_EQ(read_generation(R"({"eos_token_id": [7, 9]})").eos_ids, Ids({7, 9}));
  EXPECT_EQ(read_generation(R"({"eos_token_id": null})").eos_ids, Ids());
  EXPECT_EQ(read_generation("{}").eos_ids, Ids());
  EXPECT_EQ(read_generation(R"({"eos_token_id": [-1, 3]})").eos_ids, Ids({3}));
}

TEST(GenerationConfigTest, ReadsTheRepetitionPenalty) {
  EXPECT_EQ(read_generation(R"({"repetition_penalty": 1.3})").repetition_penalty, 1.3);
  EXPECT_EQ(read_generation(R"({"repetition_penalty": null})").repetition_penalty, 1);
  EXPECT_EQ(read_generation("{}").repetition_penalty, 1);
}

TEST(GenerationConfigTest, NamesWhatWouldChangeGreedyOutput) {
  const GenerationConfig config = read_generation(
      R"({"num_beams": 4, "no_repeat_ngram_size": 3, "forced_bos_token_id": 0, "penalty_alpha": 0.6,
          "min_length": 5, "suppress_tokens": [1, 2], "guidance_scale": 1.5,
          "encoder_repetition_penalty": 1.1, "bad_words_ids": [[1]], "token_healing": true})");
  EXPECT_EQ(config.unsupported,
            Names({"num_beams=4", "penalty_alpha=0.6", "guidance_scale=1.5", "bad_words_ids=[[1]]",
                   "no_repeat_ngram_size=3", "encoder_repetition_penalty=1.1", "min_length=5",
                   "forced_bos_token_id=0", "suppress_tokens=[1,2]", "token_healing=true"}));
}

TEST(GenerationConfigTest, NeutralAndSamplingFieldsAreFine) {
  EXPECT_EQ(read_generation(R"({"num_beams": 1, "num_beam_groups": 1, "diversity_penalty": 0.0,
                     "no_repeat_ngram_size": 0, "min_length": 0, "min_new_tokens": null,
                     "encoder_repetition_penalty": 1.0, "guidance_scale": 1, "penalty_alpha": 0,
                     "suppress_tokens": [], "sequence_bias": {}, "token_healing": false,
                     "do_sample": true, "temperature": 0.7, "top_k": 20, "top_p": 0.8, "min_p": 0.1,
                     "renormalize_logits": true, "prompt_lookup_num_tokens": 10,
                     "cache_implementation": "hybrid", "max_length": 20})")
                .unsupported,
            Names());
}

TEST(GenerationConfigTest, FallsBackToConfigJson) {
  const TempFolder folder;
  folder.write("config.json",
               R"({"model_type": "llama", "eos_token_id": 5, "repetition_penalty": 1.2})");
  EXPECT_EQ(read_generation_config(folder.path()).eos_ids, Ids({5}));
  EXPECT_EQ(read_generation_config(folder.path()).repetition_penalty, 1.2);
  // The file beside it wins as a whole.
  folder.write("generation_config.json", "{}");
  EXPECT_EQ(read_generation_config(folder.path()).eos_ids, Ids());
  EXPECT_EQ(read_generation_config(folder.path()).repetition_penalty, 1);
}

TEST(GenerationConfigTest, FamiliesHaveTheirOwnEndToken) {
  const TempFolder folder;
  folder.write("config.json", R"({"model_type": "gpt2"})");
  EXPECT_EQ(read_generation_config(folder.path()).eos_ids, Ids({50256}));
  folder.write("config.json", R"({"model_type": "gpt2", "eos_token_id": null})");
  EXPECT_EQ(read_generation_config(folder.path()).eos_ids, Ids());
  folder.write("config.json", R"({"model_type": "qwen2"})");
  EXPECT_EQ(read_generation_config(folder.path()).eos_ids, Ids());
  folder.write("config.json", R"({"model_type": "unheard of"})");
  EXPECT_EQ(read_generation_config(folder.path()).eos_ids, Ids());
}

TEST(GenerationConfigTest, RefusesMalformedFiles) {
  expect_contains(error_of([] { read_generation("{"); }),
                  "generation_config.json: this is not valid JSON");
  expect_contains(error_of([] { read_generation("[]"); }), "not a JSON object");
  expect_contains(error_of([] { read_generation(R"({"eos_token_id": "</s>"})"); }),
                  "eos_token_id is not");
  expect_contains(error_of([] { read_generation(R"({"eos_token_id": [1.5]})"); }),
                  "eos_token_id is not");
  expect_contains(error_of([] { read_generation(R"({"repetition_penalty": 0})"); }),
                  "repetition_penalty");
  expect_contains(error_of([] { read_generation(R"({"repetition_penalty": "x"})"); }),
                  "repetition_penalty");
  expect_contains(error_of([] { read_generation_config(TempFolder().path()); }), "config.json");
}

TEST(GenerationConfigGoldenTest, ReadsTheGoldenCheckpoints) {
  const std::string golden = PALIMPSEST_GOLDEN_DIR "/model/";
  const GenerationConfig qwen2 = read_generation_config(golden + "qwen2");
  EXPECT_EQ(qwen2.eos_ids, Ids({130, 136}));
  EXPECT_EQ(qwen2.repetition_penalty, 1.3);
  EXPECT_EQ(qwen2.unsupported, Names());
  EXPECT_EQ(read_generation_config(golden + "gemma2").eos_ids, Ids({106, 134}));
  EXPECT_EQ(read_generation_config(golden + "llama").eos_ids, Ids({2}));
}

}  // namespace
}  // namespace palimpsest::model
