#include "palimpsest/attack/example_facts.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

#include "palimpsest/base/internal/hash.h"

namespace palimpsest::attack {
namespace {

bool is_word_byte(unsigned char c) {
  return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// The kind keeps a text apart from ids that happen to have the same bytes.
ContentKey key_of(std::string_view kind, std::string_view bytes) {
  const auto [high, low] = Fingerprint().add(kind).add(bytes).value();
  return {high, low};
}

ContentKey key_without_text(const ExampleFacts& facts) {
  if (facts.text_hash) return key_of("hash", *facts.text_hash);
  if (!facts.label || facts.label->empty()) return {};
  return key_of("label", {reinterpret_cast<const char*>(facts.label->data()),
                          facts.label->size() * sizeof(int64_t)});
}

// Calls take(id, count) for every id of the label. Ids of the usual size are counted without
// sorting, since this is done for every example of a large set.
template <class Take>
void for_each_id(const std::vector<int64_t>& label, const Take& take) {
  constexpr int64_t kUsual = 1 << 20;
  thread_local std::vector<int64_t> counts;  // by id; all 0 between calls
  std::vector<int64_t> ids;
  std::vector<int64_t> unusual;
  for (const int64_t id : label) {
    if (id < 0 || id >= kUsual) {
      unusual.push_back(id);
      continue;
    }
    if (id >= std::ssize(counts)) counts.resize(static_cast<size_t>(id) + 1);
    if (counts[static_cast<size_t>(id)]++ == 0) ids.push_back(id);
  }
  for (const int64_t id : ids) take(id, std::exchange(counts[static_cast<size_t>(id)], 0));
  std::sort(unusual.begin(), unusual.end());
  for (auto begin = unusual.begin(); begin != unusual.end();) {
    const auto end = std::upper_bound(begin, unusual.end(), *begin);
    take(*begin, end - begin);
    begin = end;
  }
}

void count_labels(const std::vector<int64_t>& label, bool is_scored, DroppedTotals& totals) {
  if (is_scored) ++totals.lengths[std::ssize(label)];
  for_each_id(label, [&](int64_t id, int64_t count) {
    totals.labels[id] += count;
    if (!is_scored) totals.unscored[id] += count;
    if (is_scored && count > 1) ++totals.repeated[{id, count}];
  });
}

template <class T>
std::vector<uint64_t> evenly_spaced(const std::vector<T>& all) {
  const size_t count = std::min(all.size(), kKeptUnigrams);
  std::vector<uint64_t> some;
  some.reserve(count);
  for (size_t i = 0; i < count; ++i)
    some.push_back(static_cast<uint64_t>(all[i * all.size() / count]));
  return some;
}

}  // namespace

void DroppedTotals::merge(const DroppedTotals& other) {
  const auto add = [](auto& to, const auto& from) {
    for (const auto& [key, count] : from) to[key] += count;
  };
  add(labels, other.labels);
  add(words, other.words);
  add(lengths, other.lengths);
  add(repeated, other.repeated);
  add(unscored, other.unscored);
}

int64_t content_bytes(const ExampleFacts& facts) {
  return (facts.text ? std::ssize(*facts.text) : 0) +
         (facts.label ? std::ssize(*facts.label) * static_cast<int64_t>(sizeof(int64_t)) : 0);
}

void drop_content(ExampleFacts& facts, DroppedTotals& totals) {
  DroppedContent dropped{.had_text = facts.text.has_value(),
                         .had_label = facts.label.has_value(),
                         .exact = exact_content(facts),
                         .normalised = normalised_content(facts)};
  // Examples without a labelled token have no part in the frequencies.
  if (facts.label) {
    if (facts.num_labels > 0) dropped.unigrams = evenly_spaced(*facts.label);
    count_labels(*facts.label, facts.logprob_sum.has_value(), totals);
  } else if (facts.text && facts.num_labels > 0) {
    std::vector<uint64_t> words;
    for (const std::string& word : words_of(*facts.text)) words.push_back(word_hash(word));
    for (const uint64_t word : words) ++totals.words[word];
    dropped.unigrams = evenly_spaced(words);
  }
  facts.text.reset();
  facts.label.reset();
  facts.dropped = std::move(dropped);
}

bool has_text(const ExampleFacts& facts) {
  return facts.dropped ? facts.dropped->had_text : facts.text.has_value();
}

ContentKey exact_content(const ExampleFacts& facts) {
  if (facts.dropped) return facts.dropped->exact;
  if (!facts.text) return key_without_text(facts);
  return facts.text->empty() ? ContentKey() : key_of("text", *facts.text);
}

ContentKey normalised_content(const ExampleFacts& facts) {
  if (facts.dropped) return facts.dropped->normalised;
  if (!facts.text) return key_without_text(facts);
  const std::string text = normalised_text(*facts.text);
  return text.empty() ? ContentKey() : key_of("text", text);
}

uint64_t word_hash(const std::string& word) {
  return std::hash<std::string>()(word);
}

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
  std::string normalised;
  bool pending = false;  // a blank that is written if something follows
  for (char c : text) {
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      pending = !normalised.empty();
      continue;
    }
    if (pending) normalised += ' ';
    pending = false;
    normalised += lower(c);
  }
  return normalised;
}

}  // namespace palimpsest::attack
