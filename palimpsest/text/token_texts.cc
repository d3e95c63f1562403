#include "palimpsest/text/token_texts.h"

namespace palimpsest {

std::vector<std::string> token_texts(const Tokenizer& tokenizer, std::span<const int64_t> ids) {
  const DecodeOptions options{.clean_up_tokenization_spaces = false};
  std::vector<std::string> texts;
  texts.reserve(ids.size());
  std::string previous;  // the token before, decoded alone
  for (size_t i = 0; i < ids.size(); ++i) {
    std::string alone = tokenizer.decode(ids.subspan(i, 1), options);
    // Many decoders drop a space at the beginning of a text, so a token is decoded behind its
    // neighbour.
    std::string pair = i == 0 ? alone : tokenizer.decode(ids.subspan(i - 1, 2), options);
    const bool continues = i > 0 && pair.starts_with(previous);
    texts.push_back(continues ? pair.substr(previous.size()) : alone);
    previous = std::move(alone);
  }
  return texts;
}

}  // namespace palimpsest
