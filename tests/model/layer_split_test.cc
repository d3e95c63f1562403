#include "palimpsest/model/internal/layer_split.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/expect_error.h"

namespace palimpsest::model {
namespace {

struct Shape {
  int layers = 12;
  int width = 768;
  int vocabulary = 32000;
  bool tied = true;
};

Architecture llama_of(const Shape& shape) {
  return read_architecture(R"({"model_type": "llama", "num_attention_heads": 4, "vocab_size": )" +
                               std::to_string(shape.vocabulary) + R"(, "hidden_size": )" +
                               std::to_string(shape.width) + R"(, "intermediate_size": )" +
                               std::to_string(shape.width * 8 / 3) + R"(, "num_hidden_layers": )" +
                               std::to_string(shape.layers) + R"(, "tie_word_embeddings": )" +
                               (shape.tied ? "true" : "false") + "}",
                           "config.json");
}

int64_t largest(const std::vector<StagePart>& parts) {
  return std::ranges::max(parts, {}, &StagePart::elements).elements;
}

// All ways to divide so few layers, tried one by one.
int64_t least_largest(const Architecture& a, int64_t count, int64_t begin, int64_t layer,
                      int64_t first, int64_t last) {
  if (count == 1) return (a.num_layers - begin) * layer + (begin == 0 ? first : 0) + last;
  int64_t best = INT64_MAX;
  for (int64_t end = begin + 1; end <= a.num_layers - count + 1; ++end) {
    const int64_t here = (end - begin) * layer + (begin == 0 ? first : 0);
    best = std::min(best, std::max(here, least_largest(a, count - 1, end, layer, first, last)));
  }
  return best;
}

TEST(LayerSplitTest, EveryLayerOnceAndNothingTwiceButATiedTable) {
  for (const bool tied : {true, false}) {
    for (const int vocabulary : {100, 32000, 256000}) {
      const Architecture a = llama_of({.layers = 7, .vocabulary = vocabulary, .tied = tied});
      const int64_t whole = num_parameters(a);
      const int64_t table = int64_t{vocabulary} * 768;
      const int64_t layer = (whole - 768 - (tied ? 1 : 2) * table) / 7;
      for (int64_t count = 1; count <= 7; ++count) {
        SCOPED_TRACE(testing::Message() << tied << " " << vocabulary << " " << count);
        const std::vector<StagePart> parts = split_layers(a, count);
        ASSERT_EQ(std::ssize(parts), count);
        int64_t next = 0;
        int64_t sum = 0;
        for (const StagePart& part : parts) {
          EXPECT_EQ(part.first_layer, next);
          EXPECT_GT(part.layers(), 0);
          next = part.end_layer;
          sum += part.elements;
        }
        EXPECT_EQ(next, 7);
        EXPECT_EQ(sum, whole + (tied && count > 1 ? table : 0));
        if (count == 1) continue;
        const int64_t least = least_largest(a, count, 0, layer, table, table + 768);
        EXPECT_LE(largest(parts), least + least / 8);
      }
    }
  }
}

// Six layers each would be balanced by bytes; the head multiplies, and the embedding does not.
TEST(LayerSplitTest, WithinTheBoundTheArithmeticIsBalanced) {
  const std::vector<StagePart> parts = split_layers(llama_of({}), 2);
  EXPECT_EQ(parts[0].layers(), 7);
  EXPECT_EQ(parts[1].layers(), 5);
  // A table of which the bound leaves no room for another layer.
  const std::vector<StagePart> few = split_layers(llama_of({.layers = 4, .vocabulary = 20}), 2);
  EXPECT_EQ(few[0].layers(), 2);
}

TEST(LayerSplitTest, NeedsOfAStage) {
  const Architecture a = llama_of({});
  const MemoryNeed whole = memory_need(a, 4, true);
  const std::vector<StagePart> parts = split_layers(a, 2);
  const MemoryNeed need = stage_need(parts[1], a, whole, 4);
  EXPECT_EQ(need.resident_weights, 4 * parts[1].elements);
  EXPECT_EQ(need.weights_16bit, 2 * parts[1].elements);
  EXPECT_EQ(need.scoring_per_token, whole.scoring_per_token);
  EXPECT_EQ(need.cache_per_token, whole.cache_per_token / 12 * 5);
  EXPECT_EQ(stage_need(parts[0], a, memory_need(a), 4).weights_16bit, 0);
  EXPECT_EQ(stage_need(split_layers(a, 1)[0], a, whole, 4).resident_weights,
            whole.resident_weights);
}

TEST(LayerSplitTest, MoreProcessesThanLayers) {
  expect_contains(error_of([] { split_layers(llama_of({.layers = 3}), 4); }),
                  "the 3 layers of the model cannot be split among 4 processes");
}

}  // namespace
}  // namespace palimpsest::model
