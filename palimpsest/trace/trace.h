// A trace holds a few numbers per labelled token of one example. A token is labelled if it is
// scored, as opposed to the tokens of a prompt. The numbers come from one pass of the model over
// the true tokens (teacher forcing). Every forward-only attack and every memorization metric is
// computed from traces, without the model.
//
// The arrays have one entry per labelled position t >= 1, including the last. log p(x_t | x_<t)
// comes from the logits at t-1, so a label at position 0 has no entry. Hence the arrays have
// num_labels entries, or one fewer. A trace must have index and num_labels. Of the arrays, it needs
// only those that the requested scores read.
//
// Numbers that a model computed (logprob, mean, var, grad_norm) are always float32 values:
// round_to_float32() is applied when a trace is made and when it is read. Files store each of them
// with the fewest digits that give the same float32. avg_loss is derived from them: it is a sum in
// double precision, and files store all of its digits. So a trace is exactly the same in memory,
// read from a text file or read from a binary file, and so is every score.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace palimpsest::trace {

struct Trace {
  std::string index;        // the example's stable name in its data set
  int64_t alternative = 0;  // number of the answer, if one question has several
  // The tokens before the labelled ones, decoded without special tokens; for people to read.
  std::optional<std::string> prompt;
  std::optional<std::string> text;  // the labelled tokens decoded without special tokens
  int64_t num_labels = 0;           // number of labelled positions, including position 0

  std::optional<std::vector<double>> logprob;      // natural log p of the true token
  std::optional<std::vector<double>> mean;         // Σ_v p log p under the model's distribution
  std::optional<std::vector<double>> var;          // Σ_v p (log p)² - mean²
  std::optional<std::vector<int64_t>> argmax;      // the model's most likely token
  std::optional<std::vector<int64_t>> label;       // the true token
  std::optional<std::vector<std::string>> tokens;  // the text of the true token; for people to read

  // Only if the text was removed from the trace to hide it (attack/internal/hidden_texts.h): the
  // size of the compressed text in bytes, and a salted hash of prompt and text.
  std::optional<int64_t> zlib_size = {};
  std::optional<std::string> text_hash = {};

  std::optional<double> given_avg_loss;       // the value stated in the file; see avg_loss()
  std::map<std::string, std::string> groups;  // key -> value; results can be split by them
  std::map<std::string, double> grad_norm;    // keyed by the order p of the norm: "1", "2", "inf"
};

// The nearest float32. It is infinite if the value is beyond the largest float32.
double to_float32(double value);
// Applies to_float32() to every number that a model computed.
void round_to_float32(Trace& trace);

// The sum of -log p over the labelled positions t >= 1, divided by num_labels. Returns the stated
// value if there is one, otherwise computes it from the log-probabilities. Returns nullopt if there
// is no labelled token, or neither a stated value nor log-probabilities.
std::optional<double> avg_loss(const Trace& trace);

// The log-probabilities that token-wise scores use: all but the last, which predicts the end of the
// text. Empty if there are none or if the trace has no 'logprob'. The result is a view into the
// trace.
std::span<const double> token_logprobs(const Trace& trace);

// The number of tokens that token_logprobs() covers. It is computed from num_labels if the trace
// has no 'logprob'.
int64_t num_tokens(const Trace& trace);

// Throws Error unless the parts of the trace fit together: array lengths match, numbers are finite,
// log-probabilities are <= 0, variances and the stated avg_loss are not negative, and the stated
// avg_loss is that of the log-probabilities. Numbers may be rounded as coarsely as 16-bit floats.
void require_consistent(const Trace& trace);

}  // namespace palimpsest::trace
