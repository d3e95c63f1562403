// The table of model families: which architecture a config.json of each model_type describes, with
// the defaults of that family's configuration class in transformers. Supporting one more family
// whose blocks the decoder already knows is one more row. For source files only (shows nlohmann's
// types); architecture.h has what everybody else needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/model/architecture.h"
#include "palimpsest/model/internal/config_fields.h"

namespace palimpsest::model {

struct FamilyRow {
  ModelFamily family;
  // eos_token_id where config.json has none.
  std::optional<int64_t> eos_id;
  // Everything but Architecture::family and stored_dtype, which are read alike for all.
  Architecture (*read)(const ConfigFields& config);
};

using FamilyTable = std::vector<FamilyRow>;
const FamilyTable& default_family_table();

// The row for config.json's model_type. Throws Error if there is none; it lists those there are.
const FamilyRow& find_family(const FamilyTable& table, const ConfigFields& config);

}  // namespace palimpsest::model
