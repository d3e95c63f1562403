#include "palimpsest/attack/example_facts.h"

#include <functional>
#include <numeric>
#include <utility>

namespace palimpsest::attack {
namespace {

bool is_word_byte(unsigned char c) {
  return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

ExampleFacts facts_of(trace::Trace&& trace) {
  ExampleFacts facts{.num_labels = trace.num_labels,
                     .text = std::move(trace.text),
                     .label = std::move(trace.label),
                     .groups = std::move(trace.groups)};
  facts.text_hash = std::move(trace.text_hash);
  if (trace.prompt) facts.prompt_hash = std::hash<std::string>()(normalised_text(*trace.prompt));
  if (trace.logprob) {
    facts.logprob_sum = std::accumulate(trace.logprob->begin(), trace.logprob->end(), 0.0);
    facts.logprob_count = static_cast<int64_t>(trace.logprob->size());
  }
  return facts;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  bool inside = false;
  for (char c : text) {
    const bool belongs = is_word_byte(static_cast<unsigned char>(c));
    if (belongs && !inside) words.emplace_back();
    if (belongs) words.back() += lower(c);
    inside = belongs;
  }
  return words;
}

std::string normalised_text(const std::string& text) {
  std::string squeezed;
  bool pending = false;  // a blank that is written if something follows
  for (char c : text) {
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      pending = !squeezed.empty();
      continue;
    }
    if (pending) squeezed += ' ';
    pending = false;
    squeezed += lower(c);
  }
  return squeezed;
}

}  // namespace palimpsest::attack
