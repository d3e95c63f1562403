#include "palimpsest/lab/internal/tiny_config.h"

#include <gtest/gtest.h>

#include "palimpsest/lab/internal/tokenizer_files.h"
#include "palimpsest/model/internal/architecture.h"
#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

tokenizer::Tokenizer tokenizer() {
  return tokenizer::Tokenizer::from_texts(train_tokenizer({}, min_vocab_size()), "test");
}

TEST(TinyConfigTest, TheConfigIsWhatTheLibraryReads) {
  const model::Architecture a = model::read_architecture(
      tiny_config({.layers = 3, .width = 48, .heads = 4, .mlp = 100}, tokenizer()), "config");
  EXPECT_EQ(a.family, "llama");
  EXPECT_EQ(a.num_layers, 3);
  EXPECT_EQ(a.hidden_size, 48);
  EXPECT_EQ(a.num_heads, 4);
  EXPECT_EQ(a.head_dim, 12);
  EXPECT_EQ(a.mlp_size, 100);
  EXPECT_EQ(a.vocab_size, min_vocab_size());
  EXPECT_TRUE(a.tied_embeddings);
}

TEST(TinyConfigTest, RefusesShapesThatCannotBe) {
  expect_contains(error_of([] { tiny_config({.width = 36, .heads = 4}, tokenizer()); }),
                  "a multiple of 8");
  expect_contains(error_of([] { tiny_config({.layers = 0}, tokenizer()); }), "number of layers");
  expect_contains(error_of([] { tiny_config({.heads = 0}, tokenizer()); }), "number of heads");
  expect_contains(error_of([] { tiny_config({.mlp = -1}, tokenizer()); }), "MLP");
  expect_contains(error_of([] { tiny_config({.max_positions = 1 << 20}, tokenizer()); }),
                  "positions");
}

}  // namespace
}  // namespace palimpsest::lab
