// The smallest models and data that the tests of the lab use.
#pragma once

#include <filesystem>
#include <string>

#include "palimpsest/lab/lab_data.h"
#include "palimpsest/lab/parameter_layout.h"
#include "palimpsest/lab/tiny_config.h"
#include "palimpsest/lab/tokenizer_files.h"
#include "palimpsest/lab/training.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::lab {

constexpr TinyShape kTinyShape = {
    .layers = 1, .width = 32, .heads = 2, .mlp = 48, .max_positions = 96};

inline ParameterLayout tiny_layout(const TinyShape& shape = kTinyShape) {
  const Tokenizer tokenizer =
      Tokenizer::from_texts(train_tokenizer({}, least_vocab_size()), "test");
  return {read_architecture(tiny_config(shape, tokenizer), "config"), "config"};
}

// A folder with the data of a few authors and their tokenizer.
class TinyWorld {
 public:
  explicit TinyWorld(const LabDataOptions& options = {
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
