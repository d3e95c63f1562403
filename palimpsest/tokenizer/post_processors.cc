#include "palimpsest/tokenizer/internal/post_processors.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "palimpsest/text/internal/utf8.h"
#include "palimpsest/tokenizer/internal/byte_level.h"
#include "palimpsest/tokenizer/internal/unicode.h"

namespace palimpsest::tokenizer {
namespace {

// Templates of real tokenizers have a handful of pieces. Each piece for the text copies its
// encoding, and each of a special token adds that token's ids: a file of a few megabytes could fill
// the memory.
constexpr size_t kMaxPieces = 1000;
constexpr size_t kMaxCopies = 16;
constexpr int64_t kMaxTemplateTokens = 10'000;
constexpr int64_t kMaxSpecialId = std::numeric_limits<int32_t>::max();

// An encoding of special tokens alone, shaped like `like`.
Encoding special_encoding(const std::vector<NamedToken>& tokens, uint8_t type_id,
                          const Encoding& like) {
  Encoding encoding;
  encoding.with_tokens = like.with_tokens;
  encoding.with_offsets = like.with_offsets;
  for (const NamedToken& token : tokens) {
    encoding.ids.push_back(token.id);
    if (like.with_tokens) encoding.tokens.push_back(token.token);
  }
  encoding.type_ids.assign(tokens.size(), type_id);
  encoding.special_tokens_mask.assign(tokens.size(), 1);
  if (like.with_offsets) encoding.offsets.resize(tokens.size());
  return encoding;
}

void append(Encoding& encoding, Encoding more) {
  const auto add = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  add(encoding.ids, more.ids);
  add(encoding.type_ids, more.type_ids);
  add(encoding.special_tokens_mask, more.special_tokens_mask);
  add(encoding.tokens, more.tokens);
  add(encoding.offsets, more.offsets);
}

// Leaves the white space at either end of a token out of its offsets.
void trim_offsets(Encoding& encoding, bool add_prefix_space) {
  const char32_t space = byte_level_character(' ');
  const auto blank = [&](char32_t c) { return c == space || is_white_space(c); };
  for (size_t i = 0; i < encoding.offsets.size() && i < encoding.tokens.size(); ++i) {
    const std::u32string token = text::to_code_points(encoding.tokens[i]);
    auto leading = std::find_if_not(token.begin(), token.end(), blank) - token.begin();
    const auto trailing = std::find_if_not(token.rbegin(), token.rend(), blank) - token.rbegin();
    TextOffset& offset = encoding.offsets[i];
    // A space that was put in front is not in the text.
    if (leading == 1 && add_prefix_space && (i == 0 || offset.begin == 0)) leading = 0;
    if (leading > 0) offset.begin = std::min(offset.begin + leading, offset.end);
    if (trailing > 0 && offset.end >= trailing) {
      offset.end = std::max(offset.end - trailing, offset.begin);
    }
  }
}

void trim_offsets(std::vector<Encoding>& parts, bool add_prefix_space) {
  for (Encoding& part : parts) trim_offsets(part, add_prefix_space);
}

struct TemplatePiece {
  int sequence = -1;  // 0: the text, 1: the second text; -1: special tokens
  std::vector<NamedToken> tokens;
  uint8_t type_id = 0;
};
using TemplatePieces = std::vector<TemplatePiece>;

PostProcessor make_template(TemplatePieces single, TemplatePieces pair) {
  PostProcessor processor;
  for (const TemplatePiece& piece : single) processor.added_tokens += std::ssize(piece.tokens);
  processor.process = [single = std::move(single), pair = std::move(pair)](
                          std::vector<Encoding>& parts, bool add_special_tokens) {
    if (parts.empty() || parts.size() > 2) {
      throw Error("a TemplateProcessing cannot follow another one that makes several parts");
    }
    std::vector<Encoding> result;
    for (const TemplatePiece& piece : parts.size() == 1 ? single : pair) {
      if (piece.sequence >= 0) {
        Encoding part = parts[static_cast<size_t>(piece.sequence)];
        part.type_ids.assign(part.ids.size(), piece.type_id);
        result.push_back(std::move(part));
      } else if (add_special_tokens) {
        result.push_back(special_encoding(piece.tokens, piece.type_id, parts[0]));
      }
    }
    parts = std::move(result);
  };
  return processor;
}

// [CLS] text [SEP] as BERT and, slightly differently, RoBERTa have it.
struct ClassifierTokens {
  NamedToken cls;
  NamedToken sep;
  bool roberta = false;
};

void add_classifier_tokens(const ClassifierTokens& tokens, std::vector<Encoding>& parts,
                           bool add_special_tokens) {
  for (size_t i = 0; i < parts.size(); ++i) {
    Encoding& part = parts[i];
    if (tokens.roberta) part.type_ids.assign(part.ids.size(), 0);
    if (!add_special_tokens) continue;
    const uint8_t type_id = i == 0 || tokens.roberta ? 0 : 1;
    // What a processor before this one marked as special is plain from here on.
    std::fill(part.special_tokens_mask.begin(), part.special_tokens_mask.end(), uint8_t{0});
    std::vector<NamedToken> front;
    if (i == 0) front.push_back(tokens.cls);
    if (i > 0 && tokens.roberta) front.push_back(tokens.sep);
    Encoding whole = special_encoding(front, type_id, part);
    Encoding back = special_encoding({tokens.sep}, type_id, part);
    append(whole, std::move(part));
    append(whole, std::move(back));
    part = std::move(whole);
  }
}

int64_t parse_id(const Json& json, const ComponentFields& fields, std::string_view key) {
  if (!json.is_number_integer() || json.get<int64_t>() < 0 || json.get<int64_t>() > kMaxSpecialId) {
    fields.fail(key, "has an id that is not a number from 0 on");
  }
  return json.get<int64_t>();
}

using SpecialTokens = std::map<std::string, std::vector<NamedToken>, std::less<>>;

SpecialTokens parse_special_tokens(ComponentFields& fields) {
  constexpr std::string_view kKey = "special_tokens";
  const Json& object = fields.require(kKey);
  if (!object.is_object()) fields.fail(kKey, "is not an object");
  SpecialTokens result;
  for (const auto& item : object.items()) {
    const std::string where = fields.where() + ": " + item.key();
    const Json& ids = require(item.value(), "ids", where);
    const Json& tokens = require(item.value(), "tokens", where);
    if (!ids.is_array() || !tokens.is_array() || ids.size() != tokens.size()) {
      fields.fail(kKey, "needs as many 'ids' as 'tokens'");
    }
    std::vector<NamedToken>& named = result[item.key()];
    for (size_t i = 0; i < ids.size(); ++i) {
      if (!tokens[i].is_string()) fields.fail(kKey, "has a token that is not a string");
      named.push_back({tokens[i].get<std::string>(), parse_id(ids[i], fields, kKey)});
    }
  }
  return result;
}

TemplatePieces parse_template(ComponentFields& fields, std::string_view key,
                              const SpecialTokens& special_tokens) {
  const Json& list = fields.require(key);
  if (!list.is_array()) fields.fail(key, "is not an array");
  if (list.size() > kMaxPieces) {
    fields.fail(key, fmt::format("has {} pieces; at most {} are taken", list.size(), kMaxPieces));
  }
  TemplatePieces pieces;
  size_t copies = 0;
  int64_t added = 0;
  for (const Json& entry : list) {
    if (!entry.is_object() || entry.size() != 1) fields.fail(key, "has an unknown piece");
    const std::string kind = entry.begin().key();
    const Json& body = entry.begin().value();
    const Json& id = require(body, "id", fields.where());
    const Json& type_id = require(body, "type_id", fields.where());
    if (!id.is_string() || !type_id.is_number_integer() || type_id.get<int64_t>() < 0 ||
        type_id.get<int64_t>() > std::numeric_limits<uint8_t>::max()) {
      fields.fail(key, "has a piece without a proper 'id' and 'type_id'");
    }
    TemplatePiece piece;
    piece.type_id = static_cast<uint8_t>(type_id.get<int64_t>());
    const auto name = id.get<std::string>();
    if (kind == "Sequence" && (name == "A" || name == "B")) {
      piece.sequence = name == "A" ? 0 : 1;
      if (++copies > kMaxCopies) {
        fields.fail(key, fmt::format("holds the text more than {} times", kMaxCopies));
      }
    } else if (kind == "SpecialToken") {
      const auto found = special_tokens.find(name);
      if (found == special_tokens.end()) {
        fields.fail(key, fmt::format("uses '{}', which 'special_tokens' lacks", name));
      }
      piece.tokens = found->second;
      added += std::ssize(piece.tokens);
      if (added > kMaxTemplateTokens) {
        fields.fail(key, fmt::format("adds more than {} special tokens", kMaxTemplateTokens));
      }
    } else {
      fields.fail(key, fmt::format("has an unknown piece '{}'", kind));
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

PostProcessor load_template_post_processor(ComponentFields& fields) {
  // Some public files carry fields of ByteLevel here; the package does not look at them.
  for (const char* unused : {"add_prefix_space", "trim_offsets", "use_regex"}) fields.find(unused);
  const SpecialTokens special_tokens = parse_special_tokens(fields);
  TemplatePieces single = parse_template(fields, "single", special_tokens);
  TemplatePieces pair = parse_template(fields, "pair", special_tokens);
  if (std::any_of(single.begin(), single.end(),
                  [](const TemplatePiece& piece) { return piece.sequence > 0; })) {
    fields.fail("single", "uses the second text");
  }
  return make_template(std::move(single), std::move(pair));
}

// ["[SEP]", 102]
NamedToken parse_named_token(ComponentFields& fields, std::string_view key) {
  const Json& value = fields.require(key);
  if (!value.is_array() || value.size() != 2 || !value[0].is_string()) {
    fields.fail(key, "is not a token and its id");
  }
  return {value[0].get<std::string>(), parse_id(value[1], fields, key)};
}

PostProcessor load_bert_post_processor(ComponentFields& fields) {
  NamedToken sep = parse_named_token(fields, "sep");
  const ClassifierTokens tokens{.cls = parse_named_token(fields, "cls"), .sep = std::move(sep)};
  return {.process =
              [tokens](std::vector<Encoding>& parts, bool add_special_tokens) {
                add_classifier_tokens(tokens, parts, add_special_tokens);
              },
          .added_tokens = 2};
}

PostProcessor load_roberta_post_processor(ComponentFields& fields) {
  NamedToken sep = parse_named_token(fields, "sep");
  const bool trim = fields.require_bool("trim_offsets");
  const bool add_prefix_space = fields.require_bool("add_prefix_space");
  const ClassifierTokens tokens{
      .cls = parse_named_token(fields, "cls"), .sep = std::move(sep), .roberta = true};
  return {.process =
              [=](std::vector<Encoding>& parts, bool add_special_tokens) {
                if (trim) trim_offsets(parts, add_prefix_space);
                add_classifier_tokens(tokens, parts, add_special_tokens);
              },
          .added_tokens = 2,
          .trims_offsets = trim};
}

PostProcessor load_byte_level_post_processor(ComponentFields& fields) {
  const bool trim = fields.require_bool("trim_offsets");
  fields.bool_or("use_regex", true);
  const bool add_prefix_space = fields.require_bool("add_prefix_space");
  return {.process =
              [=](std::vector<Encoding>& parts, bool) {
                if (trim) trim_offsets(parts, add_prefix_space);
              },
          .trims_offsets = trim};
}

PostProcessor load_sequence_post_processor(ComponentFields& fields) {
  auto members = load_sequence<PostProcessor>(fields, "processors", load_post_processor);
  PostProcessor sequence;
  for (const PostProcessor& member : members) {
    sequence.added_tokens += member.added_tokens;
    sequence.trims_offsets = sequence.trims_offsets || member.trims_offsets;
  }
  if (sequence.added_tokens > kMaxTemplateTokens) {
    fields.fail("processors", fmt::format("add more than {} special tokens", kMaxTemplateTokens));
  }
  sequence.process = [members = std::move(members)](std::vector<Encoding>& parts,
                                                    bool add_special_tokens) {
    for (const PostProcessor& member : members) member.process(parts, add_special_tokens);
  };
  return sequence;
}

constexpr ComponentKind<PostProcessor> kPostProcessors[] = {
    {"TemplateProcessing", load_template_post_processor},
    {"ByteLevel", load_byte_level_post_processor},
    {"BertProcessing", load_bert_post_processor},
    {"RobertaProcessing", load_roberta_post_processor},
    {"Sequence", load_sequence_post_processor},
};

}  // namespace

PostProcessor load_post_processor(const Json& json, const std::string& where) {
  return load_component(kPostProcessors, json, where);
}

Encoding post_process(const PostProcessor& processor, Encoding encoding, bool add_special_tokens) {
  std::vector<Encoding> parts;
  parts.push_back(std::move(encoding));
  processor.process(parts, add_special_tokens);
  if (parts.empty()) return {};
  Encoding whole = std::move(parts[0]);
  for (size_t i = 1; i < parts.size(); ++i) append(whole, std::move(parts[i]));
  return whole;
}

PostProcessor make_bos_eos_processor(const NamedToken& bos, const NamedToken& eos) {
  const auto around = [&](int sequence) {
    TemplatePieces pieces;
    const auto type_id = static_cast<uint8_t>(sequence);
    if (!bos.token.empty()) pieces.push_back({-1, {bos}, type_id});
    pieces.push_back({sequence, {}, type_id});
    if (!eos.token.empty()) pieces.push_back({-1, {eos}, type_id});
    return pieces;
  };
  TemplatePieces pair = around(0);
  for (TemplatePiece& piece : around(1)) pair.push_back(std::move(piece));
  return make_template(around(0), std::move(pair));
}

}  // namespace palimpsest::tokenizer
