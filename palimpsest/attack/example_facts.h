// The facts about an example that are kept after its trace has been scored. Results can be split by
// them. The blind baseline (BlindBaseline), a classifier that never sees the model, learns from
// them.
//
// Texts and token ids of a small set are kept. Those of a large set (TraceScoreOptions::kept_bytes)
// would take memory that grows with its tokens. So they are dropped example by example, and what
// stands in their place has the same size for every example: hashes, by which texts are compared,
// and a few unigrams. A unigram is a labelled token id or, in a trace without ids, a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "palimpsest/trace/trace.h"

namespace palimpsest::attack {

// A 128-bit hash that stands for a text or for token ids. The default value means that there is no
// such content.
struct ContentKey {
  uint64_t high = 0;
  uint64_t low = 0;

  bool is_none() const { return high == 0 && low == 0; }
  friend bool operator==(const ContentKey&, const ContentKey&) = default;
};

struct ContentKeyHash {
  size_t operator()(const ContentKey& key) const { return key.low; }
};

// What takes the place of an example's text and label.
struct DroppedContent {
  bool had_text = false;
  bool had_label = false;
  ContentKey exact;       // what exact_content() was
  ContentKey normalised;  // what normalised_content() was
  // At most kKeptUnigrams unigrams, evenly spaced: ids if there were any, otherwise hashed words.
  std::vector<uint64_t> unigrams = {};
};

inline constexpr size_t kKeptUnigrams = 16;

struct ExampleFacts {
  int64_t num_labels = 0;
  std::optional<std::string> text;
  std::optional<std::vector<int64_t>> label;  // the labelled token ids
  std::map<std::string, std::string> groups;  // key -> value; results can be split by them
  // A hash of normalised_text() of the prompt. It distinguishes examples that give the same answer
  // to different questions. Equal prompts have equal hashes only within one process.
  std::optional<uint64_t> prompt_hash;
  std::optional<std::string> text_hash = {};   // a salted hash, if the text was hidden
  std::optional<double> logprob_sum;           // Σ log p over the labelled positions t >= 1
  int64_t logprob_count = 0;                   // the number of these positions
  std::optional<DroppedContent> dropped = {};  // set: text and label were dropped
};

// Counts over all examples of a set whose content was dropped. They grow with the vocabulary.
struct DroppedTotals {
  using Counts = std::unordered_map<int64_t, int64_t>;

  Counts labels;                                // how often each token id was labelled
  std::unordered_map<uint64_t, int64_t> words;  // the same for hashed words, of traces without ids
  // A model that predicts labels worse than a unigram model has collapsed. The log-probability of
  // the dropped labels under the unigram model is computed from `labels`, `lengths`, `repeated` and
  // `unscored`, because the labels themselves are gone. `lengths` and `repeated` count only
  // examples that have both 'label' and 'logprob'. `lengths` holds the number of examples for each
  // length of the label. `repeated` is keyed by a token id and by a number of occurrences above 1.
  // It holds the number of examples whose label has the id exactly that many times.
  Counts lengths;
  std::map<std::pair<int64_t, int64_t>, int64_t> repeated;
  Counts unscored;  // like `labels`, but only of examples that have no 'logprob'

  void merge(const DroppedTotals& other);
};

// Moves the facts out of a trace that is no longer needed.
ExampleFacts facts_of(trace::Trace&& trace);

// The bytes that the text and the label of the example take.
int64_t content_bytes(const ExampleFacts& facts);
// Drops text and label. Must not be called twice for an example.
void drop_content(ExampleFacts& facts, DroppedTotals& totals);

// Whether the trace had a text, kept or not.
bool has_text(const ExampleFacts& facts);
// A hash of the text of an example. If the trace has no text, it is made from the salted hash that
// took the place of the text or, without such a hash, from the token ids. Returns no content
// (is_none()) if the text is empty.
ContentKey exact_content(const ExampleFacts& facts);
// The same, but of normalised_text() of the text.
ContentKey normalised_content(const ExampleFacts& facts);

// The hash by which words are counted. Equal words have equal hashes only within one process.
uint64_t word_hash(const std::string& word);

// The words of a text: runs of ASCII letters, digits and non-ASCII bytes, with ASCII letters in
// lower case. The text need not be valid UTF-8.
std::vector<std::string> words_of(const std::string& text);

// The text in a form for comparison: ASCII letters in lower case, each run of ASCII white space
// replaced by one space, and no white space at the ends.
std::string normalised_text(const std::string& text);

}  // namespace palimpsest::attack
