#include "palimpsest/tokenizer/internal/token_texts.h"

#include <string_view>

namespace palimpsest::tokenizer {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // what half a character decodes to

bool is_whole(std::string_view text) {
  return text.find(kReplacement) == std::string_view::npos;
}

}  // namespace

std::vector<std::string> token_texts(const Tokenizer& tokenizer, std::span<const int64_t> ids) {
  std::vector<std::string> texts;
  texts.reserve(ids.size());
  std::string before;  // the token before, alone
  for (size_t i = 0; i < ids.size(); ++i) {
    std::string alone = tokenizer.decode({&ids[i], 1}, {.clean_up_tokenization_spaces = false});
    // Decoders drop the space that opens a text, so a token is read behind its neighbour.
    std::string text = alone;
    if (i > 0) {
      const std::string both =
          tokenizer.decode(ids.subspan(i - 1, 2), {.clean_up_tokenization_spaces = false});
      if (both.starts_with(before)) text = both.substr(before.size());
    }
    if (!is_whole(text) || text.empty()) text = tokenizer.id_to_token(ids[i]).value_or(text);
    texts.push_back(std::move(text));
    before = std::move(alone);
  }
  return texts;
}

}  // namespace palimpsest::tokenizer
