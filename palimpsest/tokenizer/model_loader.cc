// From the "model" of tokenizer.json to a TokenModel.

#include "palimpsest/tokenizer/internal/bpe.h"
#include "palimpsest/tokenizer/internal/component_fields.h"
#include "palimpsest/tokenizer/internal/file.h"
#include "palimpsest/tokenizer/internal/unigram.h"
#include "palimpsest/tokenizer/internal/wordpiece.h"

namespace palimpsest::tokenizer {
namespace {

using ModelPtr = std::shared_ptr<const TokenModel>;

void require_vocab(const ComponentFields& fields, const ModelTables& tables, bool list) {
  if (!tables.has_vocab) fields.fail("vocab", "is missing");
  if (tables.vocab_is_list != list) {
    fields.fail("vocab", list ? "is not an array" : "is not an object");
  }
}

ModelPtr load_bpe(ComponentFields& fields, ModelTables&& tables) {
  require_vocab(fields, tables, false);
  if (!tables.has_merges) fields.fail("merges", "is missing");
  BpeOptions options;
  options.unk_token = fields.find_string("unk_token");
  options.continuing_subword_prefix = fields.find_string("continuing_subword_prefix").value_or("");
  options.end_of_word_suffix = fields.find_string("end_of_word_suffix").value_or("");
  options.fuse_unk = fields.bool_or("fuse_unk", false);
  options.byte_fallback = fields.bool_or("byte_fallback", false);
  options.ignore_merges = fields.bool_or("ignore_merges", false);
  const Json* dropout = fields.find("dropout");
  if (dropout != nullptr && *dropout != 0) {
    fields.fail("dropout", "makes the tokens random, which is not supported");
  }
  return std::make_shared<const Bpe>(std::move(options), tables);
}

ModelPtr load_unigram(ComponentFields& fields, ModelTables&& tables) {
  require_vocab(fields, tables, true);
  UnigramOptions options;
  if (fields.find("unk_id") != nullptr) options.unk_id = fields.require_count("unk_id");
  options.byte_fallback = fields.bool_or("byte_fallback", false);
  return std::make_shared<const Unigram>(options, std::move(tables));
}

ModelPtr load_wordpiece(ComponentFields& fields, ModelTables&& tables) {
  require_vocab(fields, tables, false);
  WordPieceOptions options;
  options.unk_token = fields.require_string("unk_token");
  options.continuing_subword_prefix = fields.require_string("continuing_subword_prefix");
  options.max_input_chars_per_word = fields.require_count("max_input_chars_per_word");
  return std::make_shared<const WordPiece>(std::move(options), tables);
}

ModelPtr load_word_level(ComponentFields& fields, ModelTables&& tables) {
  require_vocab(fields, tables, false);
  std::string unk_token = fields.require_string("unk_token");
  return std::make_shared<const WordLevel>(std::move(unk_token), tables);
}

struct ModelKind {
  std::string_view type;
  ModelPtr (*load)(ComponentFields& fields, ModelTables&& tables);
};

constexpr ModelKind kModels[] = {
    {"BPE", load_bpe},
    {"Unigram", load_unigram},
    {"WordPiece", load_wordpiece},
    {"WordLevel", load_word_level},
};

// Files of the first years do not say which model they hold.
std::string_view guess_type(const Json& json, const ModelTables& tables) {
  if (tables.has_merges) return "BPE";
  if (tables.vocab_is_list) return "Unigram";
  return json.contains("max_input_chars_per_word") ? "WordPiece" : "WordLevel";
}

}  // namespace

std::shared_ptr<const TokenModel> load_model(const Json& json, ModelTables tables,
                                             const std::string& where) {
  Json typed = json;
  if (json.is_object() && !json.contains("type")) typed["type"] = guess_type(json, tables);
  ComponentFields fields(typed, where);
  ModelPtr model = component_kind(kModels, fields).load(fields, std::move(tables));
  fields.finish();
  return model;
}

}  // namespace palimpsest::tokenizer
