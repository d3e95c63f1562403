// The interface through which the rest of the library uses a model. It takes token ids and returns
// a few numbers per token. Reductions over the vocabulary happen inside the model, so no logits
// cross this interface. It does not depend on the structure of the network, so a model behind a
// service or in another language can implement it. palimpsest/engine implements it for checkpoints,
// and internal/fake_model.h for tests.
//
//   std::unique_ptr<LanguageModel> model = loader.load("checkpoint", {});
//   std::vector<SequenceScores> scores = model->score(sequences, {});
//
// A model must be used by one thread at a time. Wrong input (such as an id beyond the vocabulary,
// or a sequence longer than the model supports) throws Error; running out of memory throws
// SystemError; a stop that was requested throws Stopped. The model stays usable after each of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "palimpsest/base/labels.h"

namespace palimpsest::model {

// A text to be scored. There are as many labels as ids. labels[t] is the token that the model
// should predict for position t from ids[0, t), or kIgnoredLabel if position t is not scored.
struct Sequence {
  std::vector<int64_t> ids;
  std::vector<int64_t> labels;
};

// The order p of a p-norm.
enum class NormOrder { kOne, kTwo, kInfinity };

struct ScoreOptions {
  // Tokens with this id are hidden from attention at every position, like padding. They still count
  // as positions. (Command lines call this mask `ne_pad`.)
  std::optional<int64_t> masked_token = std::nullopt;
  // The orders p for which gradient norms are computed. The p-norm is taken of the gradient of each
  // parameter tensor, and then averaged over the tensors.
  std::vector<NormOrder> gradient_norms = {};
  // Whether SequenceScores::rank is computed, which takes two more passes over the logits. Must be
  // false if there are gradient norms.
  bool ranks = false;
  // A long call checks this from time to time, and throws Stopped if a stop was requested.
  std::stop_token stop = {};
};

// The scores of a sequence. Each array but gradient_norms has one entry per labelled position
// t >= 1, in order.
struct SequenceScores {
  std::vector<double> logprob;  // log p of the label
  std::vector<double> mean;     // Σ_v p log p
  std::vector<double> var;      // Σ_v p (log p)² - mean²
  std::vector<int64_t> argmax;  // the most likely token; among ties, the smallest id
  // The number of tokens that are more likely than the label, plus the number of tokens that are
  // equally likely and have a smaller id. Empty unless ScoreOptions::ranks.
  std::vector<int64_t> rank = {};
  // One mean norm for each entry of ScoreOptions::gradient_norms. The gradient is that of the loss,
  // which is minus the mean of all entries of `logprob` but the last. Empty if `logprob` has fewer
  // than two entries.
  std::vector<double> gradient_norms;
};

// A text to be continued.
struct Prompt {
  std::vector<int64_t> ids;  // at least one
  // The beginning of the greedy continuation, if it is already known. Decoding continues after
  // these tokens. They count as generated.
  std::vector<int64_t> known = {};
  // A guess of the whole continuation, including the known tokens; for example the true answer. It
  // can make greedy decoding faster but never changes the result. Ignored when sampling.
  std::vector<int64_t> draft = {};
};

struct GenerateOptions {
  int64_t max_new_tokens = 200;
  // Generation stops after one of these; it is part of the result.
  std::vector<int64_t> eos_ids = {};
  // Called on the thread that called generate(), after every new token of a prompt except an end
  // token. A known token counts as new, too. The function gets all new tokens of the prompt so far,
  // and returns whether the generation ends here. An exception that it throws ends generate(). See
  // internal/stop_strings.h.
  std::function<bool(std::span<const int64_t> new_ids)> should_stop = {};
  double repetition_penalty = 1;  // 1: none
  // Tokens of the prompt with this id are hidden from attention and do not count as positions.
  std::optional<int64_t> masked_token = std::nullopt;

  bool sample = false;     // false: greedy decoding, and the next four fields are ignored
  double temperature = 1;  // >= 1e-30
  int64_t top_k = 0;       // 0: all tokens
  double top_p = 1;        // (0, 1]
  uint64_t seed = 0;       // prompt i draws from Random(seed).split(i)

  int64_t max_batch = 64;  // prompts that are decoded at the same time
  // Called on the thread that called generate(), with the number of prompts just finished. An
  // exception that it throws ends generate().
  std::function<void(int64_t)> on_finished = {};
  std::stop_token stop = {};  // as in ScoreOptions
};

struct Generation {
  std::vector<int64_t> ids;  // the new tokens, including known ones
  bool stopped = false;      // ended by eos_ids or should_stop, not by max_new_tokens
  // The number of tokens that were run through the model for this prompt, including its own. A
  // beginning that all prompts share is counted for only one of them.
  int64_t forward_tokens = 0;
};

// A checkpoint's own settings for generation, such as its end tokens, from generation_config.json.
struct GenerationConfig {
  std::vector<int64_t> eos_ids;  // eos_token_id: one id or a list
  double repetition_penalty = 1;
  // Settings that would change greedy output and are not supported, each as "name=value". Loading
  // keeps them; generating throws an Error that names them.
  std::vector<std::string> unsupported;
};

// The ways to keep the weights of a model in memory. internal/memory.h determines which of them fit
// into the available memory.
enum class Residence {
  kResident,  // all weights are in memory, in the type of the computation
  // All weights are in memory, in the 16-bit type in which they are stored. They are widened when
  // they are used.
  k16Bit,
  kStreamed,  // one layer is in memory at a time
  // The model does not fit into memory, not even one layer at a time. This is only an answer of
  // internal/memory.h; ModelOptions::residence must not be kNone.
  kNone,
};

// Facts about a model that callers need, or that the record of a run states. A model that does not
// know a fact about its weights leaves the default.
struct ModelInfo {
  std::string source;  // the requested folder or hub id, for messages
  int64_t vocab_size = 0;
  std::optional<int64_t> max_positions = {};  // the longest sequence; nullopt: no limit
  // Whether a token gets the same result in sequences of these two lengths if the same tokens
  // precede it. Some scaled rotary embeddings depend on the length of the whole sequence, so for
  // them the results may differ. If absent, the results are always the same.
  std::function<bool(int64_t, int64_t)> positions_agree = {};
  GenerationConfig generation = {};

  std::string device = {};
  std::string dtype = {};                      // number type of the computation
  std::string stored_dtype = {};               // number type of the weights in the files
  int64_t num_parameters = 0;                  // 0: unknown
  Residence residence = Residence::kResident;  // how the weights are kept
  int64_t weight_bytes = 0;                    // memory that the weights take
};

class LanguageModel {
 public:
  virtual ~LanguageModel() = default;

  virtual const ModelInfo& info() const = 0;

  // Returns one result per sequence, in the same order. Sequences are packed, and shared beginnings
  // are computed once. The packing may change results by at most 1e-6. A stage (stage_link.h) other
  // than the last returns nothing.
  virtual std::vector<SequenceScores> score(std::span<const Sequence> sequences,
                                            const ScoreOptions& options) = 0;

  // Returns one result per prompt, in the same order.
  virtual std::vector<Generation> generate(std::span<const Prompt> prompts,
                                           const GenerateOptions& options) = 0;
};

}  // namespace palimpsest::model
