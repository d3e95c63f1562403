// The smallest models and data that the tests of the lab use.
#pragma once

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/engine/internal/parameter_tensors.h"
#include "palimpsest/lab/internal/tiny_config.h"
#include "palimpsest/lab/internal/tokenizer_files.h"
#include "palimpsest/lab/lab_data.h"
#include "palimpsest/lab/training.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::lab {

constexpr TinyShape kTinyShape = {
    .layers = 1, .width = 32, .heads = 2, .mlp = 48, .max_positions = 96};

inline model::Architecture tiny_architecture(const TinyShape& shape = kTinyShape) {
  const tokenizer::Tokenizer tokenizer =
      tokenizer::Tokenizer::from_texts(train_tokenizer({}, min_vocab_size()), "test");
  return model::read_architecture(tiny_config(shape, tokenizer), "config");
}

// All numbers of a model's weights, one after the other.
inline std::vector<float> numbers_of(const engine::ModelWeights& weights) {
  std::vector<float> numbers;
  for (const engine::WeightBlock& block : engine::weight_blocks(weights)) {
    for (int64_t row = 0; row < block.matrix.rows(); ++row) {
      numbers.insert(numbers.end(), block.matrix.row(row),
                     block.matrix.row(row) + block.matrix.columns());
    }
  }
  return numbers;
}

// The other way round.
inline void set_numbers(const engine::ModelWeights& weights, std::span<const float> numbers) {
  for (const engine::WeightBlock& block : engine::weight_blocks(weights)) {
    for (int64_t row = 0; row < block.matrix.rows(); ++row) {
      const auto count = static_cast<size_t>(block.matrix.columns());
      std::ranges::copy(numbers.first(count), block.matrix.row(row));
      numbers = numbers.subspan(count);
    }
  }
}

// A folder with the data of a few authors and their tokenizer.
class TinyData {
 public:
  explicit TinyData(const LabDataOptions& options = {
                        .seed = 1, .authors = 12, .questions = 2, .forget_percent = 25}) {
    const LabData data = make_lab_data(options);
    write_lab_data(data, path());
    write_tokenizer(train_tokenizer(tokenizer_texts(data), 320), path() / "tokenizer");
  }

  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path file(const std::string& name) const { return path() / (name + ".json"); }

  TrainOptions training(const std::string& out) const {
    return {.data = {file("full")},
            .tokenizer = path() / "tokenizer",
            .out = path() / out,
            .shape = kTinyShape,
            .epochs = 2,
            .batch_size = 8};
  }

 private:
  TempFolder folder_;
};

}  // namespace palimpsest::lab
