// Trains a tiny model from nothing, or a checkpoint of any supported family further: all weights,
// AdamW. For experiments and tests, in one process on the CPU; not for production training.
//
//   train_model({.data = {"data/full.json", "data/general.json"}, .tokenizer = "data/tokenizer",
//                .out = "full"});
//
// The result is an ordinary Hugging Face folder. The same files, options and kind of processor give
// the same bytes, on any number of threads. Where the folder is there already and was made from the
// same, nothing is done. Bad input throws Error, before anything is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <vector>

#include "palimpsest/base/progress.h"
#include "palimpsest/lab/adamw.h"
#include "palimpsest/lab/tiny_config.h"

namespace palimpsest::lab {

struct TrainOptions {
  std::vector<std::filesystem::path> data;  // question and answer; all of it, shuffled
  std::filesystem::path tokenizer;          // a folder with tokenizer and chat template
  std::filesystem::path out;
  // A checkpoint of any supported family to go on from, with its own tokenizer; empty: a tiny llama
  // of this shape from nothing.
  std::filesystem::path from = {};
  TinyShape shape = {};
  AdamWOptions optimizer = {};
  int64_t epochs = 15;         // 0: random initialisation, or the checkpoint as it is
  int64_t batch_size = 32;     // sequences per step
  int64_t micro_batch = 4096;  // tokens that run together; a step accumulates as many as it needs
  uint64_t seed = 0;           // of initialisation and order
  int threads = 0;             // 0: one for each core
  ProgressDisplay* display = nullptr;
  std::stop_token stop =
      {};  // checked before every step; throws Stopped, and nothing is left behind
};

struct TrainResult {
  bool reused = false;  // the folder was there already
  int64_t parameters = 0;
  int64_t examples = 0;
  int64_t steps = 0;
  double loss = 0;  // mean negative log-probability of a labelled token over the last epoch
};

TrainResult train_model(const TrainOptions& options);

}  // namespace palimpsest::lab
