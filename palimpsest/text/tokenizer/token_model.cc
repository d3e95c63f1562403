#include "palimpsest/text/tokenizer/token_model.h"

#include "palimpsest/base/error.h"

namespace palimpsest {

void TokenModel::tokenize_bytes(std::string_view, std::vector<ModelToken>&) const {
  PALIMPSEST_CHECK(takes_raw_bytes());
}

}  // namespace palimpsest
