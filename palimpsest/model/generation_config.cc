#include "palimpsest/model/internal/generation_config.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/model/internal/config_fields.h"
#include "palimpsest/model/internal/families.h"

namespace palimpsest::model {
namespace {

// A field that changes what greedy decoding gives, unless it is null, false, empty or the neutral
// number. Fields that only shape sampling, caches or drafting are not here.
struct GreedyField {
  std::string_view name;
  std::optional<double> neutral = 0;
};

constexpr GreedyField kGreedyFields[] = {
    {"num_beams", 1},
    {"num_beam_groups", 1},
    {"diversity_penalty"},
    {"constraints"},
    {"force_words_ids"},
    {"penalty_alpha"},  // contrastive search
    {"dola_layers"},
    {"guidance_scale", 1},
    {"sequence_bias"},
    {"bad_words_ids"},
    {"no_repeat_ngram_size"},
    {"encoder_no_repeat_ngram_size"},
    {"encoder_repetition_penalty", 1},
    {"min_length"},
    {"min_new_tokens"},
    {"exponential_decay_length_penalty"},
    {"forced_bos_token_id", std::nullopt},
    {"forced_eos_token_id", std::nullopt},
    {"forced_decoder_ids"},
    {"suppress_tokens"},
    {"begin_suppress_tokens"},
    {"watermarking_config"},
    {"token_healing"},
    {"stop_strings"},
};

bool is_neutral(const Json& value, std::optional<double> neutral) {
  if (value.is_null()) return true;
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number()) return value.get<double>() == neutral;
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  return value.empty();
}

std::string assignment(std::string_view name, const Json& value) {
  return fmt::format("{}={}", name, shown(value));
}

std::vector<int64_t> read_eos_ids(const ConfigFields& fields) {
  constexpr const char* kKey = "eos_token_id";
  const Json* value = fields.find(kKey);
  if (value == nullptr) return {};
  std::vector<int64_t> ids;
  for (const Json& id : value->is_array() ? *value : Json::array({*value})) {
    if (!id.is_number_integer()) fields.fail(kKey, "is not a token id or a list of them");
    // A negative id, which some files have, is no token and so ends nothing.
    if (id.get<int64_t>() >= 0) ids.push_back(id.get<int64_t>());
  }
  return ids;
}

GenerationConfig read_fields(const ConfigFields& fields) {
  GenerationConfig config;
  config.eos_ids = read_eos_ids(fields);
  config.repetition_penalty = fields.positive_or("repetition_penalty", 1);
  for (const GreedyField& field : kGreedyFields) {
    const Json* value = fields.find(field.name);
    if (value == nullptr || is_neutral(*value, field.neutral)) continue;
    config.unsupported.push_back(assignment(field.name, *value));
  }
  return config;
}

// The eos id that the family's configuration class has where config.json names none.
std::optional<int64_t> family_eos(const ConfigFields& config) {
  const std::optional<std::string> type = config.text("model_type");
  for (const FamilyRow& row : default_family_table()) {
    if (type == row.family.model_type) return row.eos_id;
  }
  return std::nullopt;
}

}  // namespace

GenerationConfig read_generation_config(const std::filesystem::path& folder) {
  const std::filesystem::path own = folder / "generation_config.json";
  const bool has_own = is_listed(own);
  const std::filesystem::path path = has_own ? own : folder / "config.json";
  const Json json = parse_json(read_file(path), path.string());
  const ConfigFields fields(json, path.string());
  GenerationConfig config = read_fields(fields);
  if (!has_own && !fields.has("eos_token_id")) {
    if (const auto id = family_eos(fields)) config.eos_ids.push_back(*id);
  }
  return config;
}

}  // namespace palimpsest::model
