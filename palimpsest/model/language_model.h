// The interface through which the rest of the library uses a model: token ids in, a few numbers per
// token out. Reductions over the vocabulary happen inside the model, so no logits cross this
// interface. It does not depend on the structure of the network, so a model behind a service or in
// another language can implement it. palimpsest/engine implements it for checkpoints, fake_model.h
// for tests.
//
//   std::unique_ptr<LanguageModel> model = loader.load("checkpoint", {});
//   std::vector<SequenceScores> scores = model->score(sequences, {});
//
// A model must be used by one thread at a time. Bad input (an id beyond the vocabulary, a sequence
// longer than the model supports) throws Error; running out of memory throws SystemError; a stop that
// was requested throws Stopped. The model stays usable after all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "palimpsest/base/labels.h"
#include "palimpsest/model/generation_config.h"
#include "palimpsest/model/residence.h"

namespace palimpsest::model {

// A text to be scored. labels[t] is the token that position t should hold, or kIgnoredLabel. There
// are as many labels as ids. log p(labels[t]) is predicted from ids[0, t).
struct Sequence {
  std::vector<int64_t> ids;
  std::vector<int64_t> labels;
};

// p of a gradient's p-norm.
enum class NormOrder { kOne, kTwo, kInfinity };

struct ScoreOptions {
  // Tokens with this id are hidden from attention at every position, like padding (`ne_pad`). They
  // still count as positions.
  std::optional<int64_t> masked_token = std::nullopt;
  // The orders for which gradient norms are computed: the norm of the gradient of each parameter
  // tensor, averaged over the tensors.
  std::vector<NormOrder> gradient_norms = {};
  std::stop_token stop =
      {};  // a model that works for long looks at it now and then; throws Stopped
};

// Over the labelled positions t >= 1 of a sequence, in order.
struct SequenceScores {
  std::vector<double> logprob;  // log p of the label
  std::vector<double> mean;     // Σ_v p log p
  std::vector<double> var;      // Σ_v p (log p)² - mean²
  std::vector<int64_t> argmax;  // the most likely token; the first of equals
  // One mean norm per requested order, in the same order. The gradient is that of the loss, which
  // is minus the mean of logprob without its last entry. Empty if no entry is left.
  std::vector<double> gradient_norms;
};

// A text to be continued.
struct Prompt {
  std::vector<int64_t> ids;  // at least one
  // Tokens that are known to be the beginning of the greedy continuation. They are taken as they
  // are, and decoding continues after them. They count as generated.
  std::vector<int64_t> known = {};
  // A guess at the whole continuation, including the known tokens; for example the ground truth. It
  // can make greedy decoding faster but never changes its result. Ignored when sampling.
  std::vector<int64_t> draft = {};
};

struct GenerateOptions {
  int64_t max_new_tokens = 200;
  std::vector<int64_t> eos_ids = {};  // generation stops after one of these, which is kept
  // Called after every new token; returns whether to stop here. See stop_strings.h.
  std::function<bool(std::span<const int64_t> new_ids)> should_stop = {};
  double repetition_penalty = 1;  // 1: none
  // Tokens of the prompt with this id are hidden from attention and not counted in positions.
  std::optional<int64_t> masked_token = std::nullopt;

  bool sample = false;     // false: greedy decoding, and the next four fields are ignored
  double temperature = 1;  // > 0
  int64_t top_k = 0;       // 0: all
  double top_p = 1;        // (0, 1]
  uint64_t seed = 0;       // prompt i draws from the seed's i-th generator

  int64_t max_batch = 64;                         // prompts decoded at once
  std::function<void(int64_t)> on_finished = {};  // called with how many more prompts are done
  std::stop_token stop = {};                      // as in ScoreOptions
};

struct Generation {
  std::vector<int64_t> ids;  // the new tokens, known ones included
  bool stopped = false;      // by eos or should_stop, not by max_new_tokens
  // Tokens run through the model for this prompt, including those of the prompt. A beginning that
  // all prompts share is counted for one prompt only.
  int64_t forward_tokens = 0;
};

// What a caller must know about a model in order to use it, and what the record of a run says about
// it. A model that has no information about its weights leaves the defaults of these fields.
struct ModelInfo {
  std::string source;  // for messages: the folder or hub id that was asked for
  int64_t vocab_size = 0;
  std::optional<int64_t> max_positions = {};  // the longest sequence; nullopt: no limit
  // Whether a token with the same tokens before it gets the same result in sequences of these two
  // lengths. With some scaled rotary positions it does not, because they depend on the length of
  // the whole sequence. Empty: always true.
  std::function<bool(int64_t, int64_t)> positions_agree = {};
  GenerationConfig generation = {};

  std::string device = {};
  std::string dtype = {};                      // of the computation
  std::string stored_dtype = {};               // of the weights in the files
  int64_t num_parameters = 0;                  // 0: unknown
  Residence residence = Residence::kResident;  // how the weights are kept
  int64_t weight_bytes = 0;                    // that the weights take in memory
};

class LanguageModel {
 public:
  virtual ~LanguageModel() = default;

  virtual const ModelInfo& info() const = 0;

  // One result per sequence, in their order. Sequences are packed, and shared beginnings are
  // computed once. How this is done changes results by at most 1e-6.
  virtual std::vector<SequenceScores> score(std::span<const Sequence> sequences,
                                            const ScoreOptions& options) = 0;

  // One result per prompt, in their order.
  virtual std::vector<Generation> generate(std::span<const Prompt> prompts,
                                           const GenerateOptions& options) = 0;
};

}  // namespace palimpsest::model
