#include "palimpsest/tokenizer/internal/token_model.h"

#include <fmt/format.h>

#include "palimpsest/base/error.h"

namespace palimpsest::tokenizer {

std::string TokenModel::token_text(std::string_view, const ModelToken& token) const {
  return std::string(vocabulary_.token_of(token.id).value_or(""));
}

void TokenModel::tokenize_bytes(std::string_view, std::vector<ModelToken>&) const {
  PALIMPSEST_CHECK(takes_raw_bytes());
}

size_t ModelTables::vocab_bytes() const {
  size_t bytes = 0;
  for (const auto& [token, id] : vocab) bytes += token.size();
  return bytes;
}

Vocabulary make_vocabulary(const ModelTables& tables) {
  Vocabulary vocabulary;
  vocabulary.reserve(tables.vocab.size(), tables.vocab_bytes());
  for (const auto& [token, id] : tables.vocab) vocabulary.add(token, id);
  return vocabulary;
}

std::array<int64_t, 256> fallback_ids(const Vocabulary& vocabulary) {
  std::array<int64_t, 256> ids{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    ids[byte] = vocabulary.id_of(fmt::format("<0x{:02X}>", byte));
  }
  return ids;
}

}  // namespace palimpsest::tokenizer
