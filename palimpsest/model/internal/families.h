// The table of model families. For each model_type, a row turns config.json into an Architecture,
// with the defaults of that family's configuration class in transformers. A further family whose
// blocks the decoder already knows needs only one more row. This header is for source files only,
// because it uses nlohmann's types; other code uses architecture.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "palimpsest/model/internal/architecture.h"
#include "palimpsest/model/internal/config_fields.h"

namespace palimpsest::model {

struct FamilyRow {
  ModelFamily family;
  // The end token if config.json has no eos_token_id.
  std::optional<int64_t> eos_id;
  // Reads everything except Architecture::family and stored_dtype, which are read in the same way
  // for all families.
  Architecture (*read)(const ConfigFields& config);
};

using FamilyTable = std::vector<FamilyRow>;
const FamilyTable& default_family_table();

// The row for the model_type of config.json. Throws Error if there is none; the message lists the
// known ones.
const FamilyRow& find_family(const FamilyTable& table, const ConfigFields& config);

}  // namespace palimpsest::model
