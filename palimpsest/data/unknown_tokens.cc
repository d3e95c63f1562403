#include "palimpsest/data/internal/unknown_tokens.h"

#include <fmt/format.h>

#include <cstdint>

#include "palimpsest/base/labels.h"

namespace palimpsest::data {

std::optional<std::string> unknown_tokens_note(const std::string& title,
                                               const std::vector<Example>& examples,
                                               const tokenizer::Tokenizer& tokenizer) {
  const std::optional<int64_t> unknown = tokenizer.unknown_id();
  if (!unknown) return std::nullopt;
  int64_t labels = 0;
  int64_t found = 0;
  for (const Example& example : examples) {
    for (const int64_t label : example.labels) {
      if (label == kIgnoredLabel) continue;
      ++labels;
      if (label == *unknown) ++found;
    }
  }
  if (static_cast<double>(found) <= kManyUnknown * static_cast<double>(labels)) return std::nullopt;
  return fmt::format(
      "{}: {} of {} labelled tokens are '{}', for text that the tokenizer cannot represent; is it "
      "the tokenizer of another model?",
      title, found, labels, tokenizer.id_to_token(*unknown).value_or(""));
}

}  // namespace palimpsest::data
