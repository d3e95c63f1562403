#include "palimpsest/tokenizer/internal/token_model.h"

#include "palimpsest/base/error.h"

namespace palimpsest::tokenizer {

void TokenModel::tokenize_bytes(std::string_view, std::vector<ModelToken>&) const {
  PALIMPSEST_CHECK(takes_raw_bytes());
}

}  // namespace palimpsest::tokenizer
