// What the rest of the library sees of a model: token ids in, a few numbers a token out. The
// vocabulary is reduced inside; no logits cross this interface. palimpsest/engine implements it for
// checkpoints, fake_model.h for tests.
//
//   std::unique_ptr<LanguageModel> model = loader.load("checkpoint", {});
//   std::vector<SequenceScores> scores = model->score(sequences, {});
//
// A model belongs to one thread at a time. Bad input (an id beyond the vocabulary, a sequence
// longer than the model's positions) throws Error, running out of memory SystemError; the model
// stays usable after both.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/base/labels.h"
#include "palimpsest/model/architecture.h"
#include "palimpsest/model/generation_config.h"
#include "palimpsest/model/memory.h"

namespace palimpsest {

// A text to be scored. labels[t] is the token that position t should hold or kIgnoredLabel; as many
// labels as ids. log p(labels[t]) is predicted from ids[0, t).
struct Sequence {
  std::vector<int64_t> ids;
  std::vector<int64_t> labels;
};

// p of a gradient's p-norm.
enum class NormOrder { kOne, kTwo, kInfinity };

struct ScoreOptions {
  // Tokens with this id are hidden from attention wherever they stand, as padding is (`ne_pad`);
  // positions count them all the same.
  std::optional<int64_t> masked_token = std::nullopt;
  // For each of these orders: the norm of the gradient of every parameter tensor.
  std::vector<NormOrder> gradient_norms = {};
};

// Over the labelled positions t >= 1 of a sequence, in order.
struct SequenceScores {
  std::vector<double> logprob;  // log p of the label
  std::vector<double> mean;     // Σ_v p log p
  std::vector<double> var;      // Σ_v p (log p)² - mean²
  std::vector<int64_t> argmax;  // the most likely token; the first of equals
  // gradient_norms[i][j]: order i of the options, parameter j of parameters(). The loss is minus
  // the mean of logprob without its last entry; empty where nothing is left.
  std::vector<std::vector<double>> gradient_norms;
};

// A text to be continued.
struct Prompt {
  std::vector<int64_t> ids;  // at least one
  // Tokens that are known to be the greedy continuation: taken as they are, decoding goes on after
  // them. They count as generated.
  std::vector<int64_t> known = {};
  // A guess at the whole continuation, known tokens included (the ground truth). Changes the time
  // that greedy decoding takes, never its result. Ignored when sampling.
  std::vector<int64_t> draft = {};
};

struct GenerateOptions {
  int64_t max_new_tokens = 200;
  std::vector<int64_t> eos_ids = {};  // generation stops after one of these, which is kept
  // Asked after every new token: whether to stop here. See stop_strings.h.
  std::function<bool(std::span<const int64_t> new_ids)> should_stop = {};
  double repetition_penalty = 1;  // 1: none
  // Tokens of the prompt with this id are hidden from attention and not counted in positions.
  std::optional<int64_t> masked_token = std::nullopt;

  bool sample = false;     // else greedy; then the next four fields are ignored
  double temperature = 1;  // > 0
  int64_t top_k = 0;       // 0: all
  double top_p = 1;        // (0, 1]
  uint64_t seed = 0;       // prompt i draws from the seed's i-th generator

  int64_t max_batch = 64;                         // prompts decoded at once
  std::function<void(int64_t)> on_finished = {};  // called with how many more prompts are done
};

struct Generation {
  std::vector<int64_t> ids;  // the new tokens, known ones included
  bool stopped = false;      // by eos or should_stop, not by max_new_tokens
  // Tokens run through the model for it, the prompt's included; what all prompts begin with counts
  // for one of them.
  int64_t forward_tokens = 0;
};

struct ModelInfo {
  Architecture architecture;
  std::string source;  // the folder or hub id that was asked for
  int64_t num_parameters = 0;
  std::string stored_dtype;  // of the weights in the files
  std::string dtype;         // of the computation
  std::string device;
  Residence residence = Residence::kWhole;  // how the weights are kept
  int64_t weight_bytes = 0;                 // that the weights take in memory
  GenerationConfig generation;
};

class LanguageModel {
 public:
  virtual ~LanguageModel() = default;

  virtual const ModelInfo& info() const = 0;

  // One result a sequence, in their order. Sequences are packed, shared beginnings computed once;
  // the result does not depend on how (to 1e-6).
  virtual std::vector<SequenceScores> score(std::span<const Sequence> sequences,
                                            const ScoreOptions& options) = 0;

  // One result a prompt, in their order.
  virtual std::vector<Generation> generate(std::span<const Prompt> prompts,
                                           const GenerateOptions& options) = 0;
};

}  // namespace palimpsest
