// A model with the architecture and the tokenizer of another one, and with random weights. It shows
// what an audit finds for a model that has learned nothing: the lower end of the scale.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace palimpsest::lab {

struct RandomModelOptions {
  std::filesystem::path model;  // a checkpoint folder; its weights are not read and may be absent
  std::filesystem::path out;    // the new folder
  uint64_t seed = 0;            // the same seed gives the same weights
};

struct RandomModel {
  std::string family;
  int64_t parameters = 0;
};

// Writes the checkpoint as float32 (engine/internal/parameter_tensors.h says how the weights are
// drawn). Throws Error if `model` is not supported, if `out` is `model` itself or holds something
// that was not made here, or if memory or disk are too small.
RandomModel make_random_model(const RandomModelOptions& options);

}  // namespace palimpsest::lab
