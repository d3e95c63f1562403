// Trains a tiny model from scratch, or continues the training of a checkpoint of any supported
// family. All weights are trained, with AdamW, in one process on the CPU. This is for experiments
// and tests, not for production training.
//
//   train_model({.data = {"data/full.json", "data/general.json"}, .tokenizer = "data/tokenizer",
//                .out = "full"});
//
// The result is an ordinary Hugging Face folder. The same files, options and kind of processor give
// the same bytes, on any number of threads. If the folder exists already and was made from the same
// files and options, nothing is done. A folder that the lab made from other files or options is
// replaced. Throws Error if the folder holds anything that the lab did not write, or if another run
// is writing to it. Bad input throws Error before anything is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <vector>

#include "palimpsest/base/progress.h"

namespace palimpsest::lab {

// The shape of a tiny model, a decoder of the llama family that trains in half a minute on two
// cores.
struct TinyShape {
  int64_t layers = 2;
  int64_t width = 128;  // width of the residual stream; a multiple of 2 · heads
  int64_t heads = 4;    // number of attention heads
  int64_t mlp = 384;    // width inside the MLP
  int64_t max_positions = 256;
};

// The optimizer, AdamW. The learning rate warms up and then falls along a cosine.
struct AdamWOptions {
  double learning_rate = 3e-3;  // the highest one, which is reached at the end of the warm-up
  double final_share = 0.1;     // the last learning rate, as a share of the highest
  double warmup_share = 0.1;    // the share of the steps that belong to the warm-up
  double weight_decay = 0.01;   // for matrices; biases and the weights of norms do not decay
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double max_gradient_norm = 1;  // a gradient with a larger norm is scaled down to it; 0: no limit
};

struct TrainOptions {
  // Files of records with question and answer, or with text. All records are used, shuffled.
  std::vector<std::filesystem::path> data;
  std::filesystem::path tokenizer;  // a folder with a tokenizer and a chat template
  std::filesystem::path out;
  // The checkpoint to continue from, of any supported family. Its own tokenizer is used. If empty,
  // a tiny llama model of the shape `shape` is trained from scratch.
  std::filesystem::path from = {};
  TinyShape shape = {};
  AdamWOptions optimizer = {};
  int64_t epochs = 15;      // 0: the initial weights, random or from the checkpoint, are written
  int64_t batch_size = 32;  // sequences per step
  // Number of tokens in a micro-batch. A step adds up the gradients of as many micro-batches as its
  // sequences need.
  int64_t micro_batch = 4096;
  uint64_t seed = 0;  // for the initial weights and the order of the examples
  int threads = 0;    // 0: one per core
  ProgressDisplay* display = nullptr;
  std::stop_token stop =
      {};  // checked before every step; throws Stopped, and nothing is left behind
};

struct TrainResult {
  bool reused = false;  // whether the folder existed already
  int64_t parameters = 0;
  int64_t examples = 0;
  int64_t steps = 0;
  double loss = 0;  // mean negative log-probability of a labelled token over the last epoch
};

TrainResult train_model(const TrainOptions& options);

}  // namespace palimpsest::lab
