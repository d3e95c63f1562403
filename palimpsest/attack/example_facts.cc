#include "palimpsest/attack/example_facts.h"

#include <utility>

namespace palimpsest {
namespace {

bool is_word_byte(unsigned char c) {
  return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

ExampleFacts facts_of(Trace&& trace) {
  return {trace.num_labels, std::move(trace.text), std::move(trace.label), std::move(trace.groups)};
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

}  // namespace palimpsest
