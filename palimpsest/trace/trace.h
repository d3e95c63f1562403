// A trace: the few numbers per labelled token that one teacher-forced pass over an example leaves
// behind, and from which every forward-only attack and memorization metric is computed without the
// model.
//
// The arrays run over the labelled positions t >= 1, the last one included. log p(x_t | x_<t) comes
// from the logits at t-1, so a label at position 0 has no entry: the arrays hold num_labels
// numbers, or one fewer. Only index, num_labels and what a score needs must be there.
//
// The numbers that a model computed (logprob, mean, var, grad_norm) are float32 values, wherever the
// trace lies: round_to_float32() is applied where a trace is made and where one is read, and files
// hold the shortest digits that give the same float32. avg_loss is derived: a sum in double over
// float32 values, which files hold in all its digits. So a trace in memory, one that was read from a
// text file and one in a binary file agree to the bit, and with them every score.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace palimpsest {

struct Trace {
  std::string index;                  // the example's stable name in its data set
  int64_t alternative = 0;            // which of several answers to one question
  std::optional<std::string> prompt;  // what stands before them, likewise; for people to read
  std::optional<std::string> text;    // the labelled tokens decoded without special tokens
  int64_t num_labels = 0;             // labelled positions, position 0 included

  std::optional<std::vector<double>> logprob;      // log p of the true token, natural
  std::optional<std::vector<double>> mean;         // Σ_v p log p under the model's distribution
  std::optional<std::vector<double>> var;          // Σ_v p (log p)² - mean²
  std::optional<std::vector<int64_t>> argmax;      // the model's own choice
  std::optional<std::vector<int64_t>> label;       // the true token
  std::optional<std::vector<std::string>> tokens;  // its text; for people to read

  std::optional<double> given_avg_loss;       // as the file has it; see avg_loss()
  std::map<std::string, std::string> groups;  // columns to split results by
  std::map<std::string, double> grad_norm;    // by p: "1", "2", "inf"
};

// The nearest float32; infinite beyond the largest.
double to_float32(double value);
// Of every number that a model computed.
void round_to_float32(Trace& trace);

// (Σ -log p over labelled t >= 1) / num_labels: the one that was given, else from the
// log-probabilities. nullopt where there is no labelled token, or neither is there.
std::optional<double> avg_loss(const Trace& trace);

// The token log-probabilities that token-wise scores look at: all but the last, which predicts the
// end of the text. Empty where there is none, or no 'logprob'. A view into the trace.
std::span<const double> token_logprobs(const Trace& trace);

// How many tokens those are; from num_labels where the trace has no 'logprob'.
int64_t num_tokens(const Trace& trace);

// Throws Error unless the trace's parts fit together: lengths, finite numbers, log-probabilities <=
// 0.
void require_consistent(const Trace& trace);

}  // namespace palimpsest
