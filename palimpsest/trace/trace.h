// A trace: the few numbers per labelled token that one teacher-forced pass over an example leaves
// behind, and from which every forward-only attack and memorization metric is computed without the
// model.
//
// The arrays run over the labelled positions t >= 1, the last one included. log p(x_t | x_<t) comes
// from the logits at t-1, so a label at position 0 has no entry: the arrays hold num_labels
// numbers, or one fewer. Only index, num_labels and the parts that a score needs are required.
//
// The numbers that a model computed (logprob, mean, var, grad_norm) are always float32 values.
// round_to_float32() is applied when a trace is made and when one is read. Files hold the fewest
// digits that give the same float32. avg_loss is derived: it is a sum in double precision over
// float32 values, and files hold all its digits. So a trace in memory, one read from a text file
// and one in a binary file are exactly equal, and so is every score.
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
  int64_t alternative = 0;  // which of several answers to one question
  // The tokens before the labelled ones, decoded in the same way; for people to read.
  std::optional<std::string> prompt;
  std::optional<std::string> text;  // the labelled tokens decoded without special tokens
  int64_t num_labels = 0;           // labelled positions, position 0 included

  std::optional<std::vector<double>> logprob;      // log p of the true token, natural
  std::optional<std::vector<double>> mean;         // Σ_v p log p under the model's distribution
  std::optional<std::vector<double>> var;          // Σ_v p (log p)² - mean²
  std::optional<std::vector<int64_t>> argmax;      // the model's own choice
  std::optional<std::vector<int64_t>> label;       // the true token
  std::optional<std::vector<std::string>> tokens;  // its text; for people to read

  std::optional<double> given_avg_loss;       // the value in the file; see avg_loss()
  std::map<std::string, std::string> groups;  // columns to split results by
  std::map<std::string, double> grad_norm;    // by p: "1", "2", "inf"
};

// The nearest float32; infinite if the value is beyond the largest float32.
double to_float32(double value);
// Applies to_float32() to every number that a model computed.
void round_to_float32(Trace& trace);

// (Σ -log p over labelled t >= 1) / num_labels: the given value if there is one, otherwise computed
// from the log-probabilities. Returns nullopt if there is no labelled token or if both are missing.
std::optional<double> avg_loss(const Trace& trace);

// The token log-probabilities that token-wise scores look at: all but the last, which predicts the
// end of the text. Empty if there is none, or if the trace has no 'logprob'. The result is a view
// into the trace.
std::span<const double> token_logprobs(const Trace& trace);

// How many tokens token_logprobs() covers; computed from num_labels if the trace has no 'logprob'.
int64_t num_tokens(const Trace& trace);

// Throws Error unless the trace's parts fit together: lengths, finite numbers, log-probabilities <=
// 0.
void require_consistent(const Trace& trace);

}  // namespace palimpsest::trace
