#include "palimpsest/tokenizer/internal/post_processors.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "palimpsest/text/utf8.h"
#include "palimpsest/tokenizer/internal/byte_level.h"
#include "palimpsest/tokenizer/internal/unicode.h"

namespace palimpsest::tokenizer {
namespace {

// Templates of real tokenizers have a handful of pieces. Each piece for the text copies its encoding,
// and each of a special token adds that token's ids: a file of a few megabytes could fill the memory.
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

class PostProcessorSequence final : public PostProcessor {
 public:
  explicit PostProcessorSequence(std::vector<PostProcessorPtr> members)
      : members_(std::move(members)) {}

  int64_t added_tokens() const override {
    int64_t sum = 0;
    for (const PostProcessorPtr& member : members_) sum += member->added_tokens();
    return sum;
  }
  void process(std::vector<Encoding>& parts, bool add_special_tokens) const override {
    for (const PostProcessorPtr& member : members_) member->process(parts, add_special_tokens);
  }
  bool trims_offsets() const override {
    return std::any_of(members_.begin(), members_.end(),
                       [](const PostProcessorPtr& member) { return member->trims_offsets(); });
  }

 private:
  std::vector<PostProcessorPtr> members_;
};

class ByteLevelPostProcessor final : public PostProcessor {
 public:
  ByteLevelPostProcessor(bool trim, bool add_prefix_space)
      : trim_(trim), add_prefix_space_(add_prefix_space) {}

  int64_t added_tokens() const override { return 0; }
  void process(std::vector<Encoding>& parts, bool) const override {
    if (!trim_) return;
    for (Encoding& part : parts) trim_offsets(part, add_prefix_space_);
  }
  bool trims_offsets() const override { return trim_; }

 private:
  bool trim_;
  bool add_prefix_space_;
};

struct TemplatePiece {
  int sequence = -1;  // 0: the text, 1: the second text; -1: special tokens
  std::vector<NamedToken> tokens;
  uint8_t type_id = 0;
};

class Template final : public PostProcessor {
 public:
  Template(std::vector<TemplatePiece> single, std::vector<TemplatePiece> pair)
      : single_(std::move(single)), pair_(std::move(pair)) {}

  int64_t added_tokens() const override {
    int64_t sum = 0;
    for (const TemplatePiece& piece : single_) sum += static_cast<int64_t>(piece.tokens.size());
    return sum;
  }

  void process(std::vector<Encoding>& parts, bool add_special_tokens) const override {
    if (parts.empty() || parts.size() > 2) {
      throw Error("a TemplateProcessing cannot follow another one that makes several parts");
    }
    std::vector<Encoding> result;
    for (const TemplatePiece& piece : parts.size() == 1 ? single_ : pair_) {
      if (piece.sequence >= 0) {
        Encoding part = parts[static_cast<size_t>(piece.sequence)];
        part.type_ids.assign(part.ids.size(), piece.type_id);
        result.push_back(std::move(part));
      } else if (add_special_tokens) {
        result.push_back(special_encoding(piece.tokens, piece.type_id, parts[0]));
      }
    }
    parts = std::move(result);
  }

 private:
  std::vector<TemplatePiece> single_;
  std::vector<TemplatePiece> pair_;
};

// [CLS] text [SEP]; RoBERTa's kind also trims offsets.
class Classifier final : public PostProcessor {
 public:
  Classifier(NamedToken cls, NamedToken sep, std::optional<ByteLevelPostProcessor> trim,
             bool roberta)
      : cls_(std::move(cls)), sep_(std::move(sep)), trim_(std::move(trim)), roberta_(roberta) {}

  int64_t added_tokens() const override { return 2; }
  void process(std::vector<Encoding>& parts, bool add_special_tokens) const override {
    if (trim_) trim_->process(parts, add_special_tokens);
    for (size_t i = 0; i < parts.size(); ++i) {
      Encoding& part = parts[i];
      if (roberta_) part.type_ids.assign(part.ids.size(), 0);
      if (!add_special_tokens) continue;
      const uint8_t type_id = i == 0 || roberta_ ? 0 : 1;
      Encoding whole;
      // What a processor before this one marked as special is plain from here on.
      std::fill(part.special_tokens_mask.begin(), part.special_tokens_mask.end(), uint8_t{0});
      std::vector<NamedToken> front;
      if (i == 0) front.push_back(cls_);
      if (i > 0 && roberta_) front.push_back(sep_);
      whole = special_encoding(front, type_id, part);
      Encoding back = special_encoding({sep_}, type_id, part);
      append(whole, std::move(part));
      append(whole, std::move(back));
      part = std::move(whole);
    }
  }
  bool trims_offsets() const override { return trim_ && trim_->trims_offsets(); }

 private:
  NamedToken cls_;
  NamedToken sep_;
  std::optional<ByteLevelPostProcessor> trim_;
  bool roberta_;
};

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

std::vector<TemplatePiece> parse_template(ComponentFields& fields, std::string_view key,
                                          const SpecialTokens& special_tokens) {
  const Json& list = fields.require(key);
  if (!list.is_array()) fields.fail(key, "is not an array");
  if (list.size() > kMaxPieces) {
    fields.fail(key, fmt::format("has {} pieces; at most {} are taken", list.size(), kMaxPieces));
  }
  std::vector<TemplatePiece> pieces;
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

PostProcessorPtr load_template_post_processor(ComponentFields& fields) {
  // Some public files carry fields of ByteLevel here; the package does not look at them.
  for (const char* unused : {"add_prefix_space", "trim_offsets", "use_regex"}) fields.find(unused);
  const SpecialTokens special_tokens = parse_special_tokens(fields);
  std::vector<TemplatePiece> single = parse_template(fields, "single", special_tokens);
  std::vector<TemplatePiece> pair = parse_template(fields, "pair", special_tokens);
  if (std::any_of(single.begin(), single.end(),
                  [](const TemplatePiece& piece) { return piece.sequence > 0; })) {
    fields.fail("single", "uses the second text");
  }
  return std::make_shared<const Template>(std::move(single), std::move(pair));
}

// ["[SEP]", 102]
NamedToken parse_named_token(ComponentFields& fields, std::string_view key) {
  const Json& value = fields.require(key);
  if (!value.is_array() || value.size() != 2 || !value[0].is_string()) {
    fields.fail(key, "is not a token and its id");
  }
  return {value[0].get<std::string>(), parse_id(value[1], fields, key)};
}

PostProcessorPtr load_bert_post_processor(ComponentFields& fields) {
  NamedToken sep = parse_named_token(fields, "sep");
  return std::make_shared<const Classifier>(parse_named_token(fields, "cls"), std::move(sep),
                                            std::nullopt, false);
}

PostProcessorPtr load_roberta_post_processor(ComponentFields& fields) {
  NamedToken sep = parse_named_token(fields, "sep");
  const bool trim = fields.require_bool("trim_offsets");
  const ByteLevelPostProcessor trimmer(trim, fields.require_bool("add_prefix_space"));
  return std::make_shared<const Classifier>(parse_named_token(fields, "cls"), std::move(sep),
                                            trimmer, true);
}

PostProcessorPtr load_byte_level_post_processor(ComponentFields& fields) {
  const bool trim = fields.require_bool("trim_offsets");
  fields.bool_or("use_regex", true);
  return std::make_shared<const ByteLevelPostProcessor>(trim,
                                                        fields.require_bool("add_prefix_space"));
}

PostProcessorPtr load_sequence_post_processor(ComponentFields& fields) {
  auto sequence = std::make_shared<const PostProcessorSequence>(
      load_sequence<PostProcessorPtr>(fields, "processors", load_post_processor));
  if (sequence->added_tokens() > kMaxTemplateTokens) {
    fields.fail("processors", fmt::format("add more than {} special tokens", kMaxTemplateTokens));
  }
  return sequence;
}

}  // namespace

const std::vector<PostProcessorKind>& post_processor_table() {
  static const std::vector<PostProcessorKind> table = {
      {"TemplateProcessing", load_template_post_processor},
      {"ByteLevel", load_byte_level_post_processor},
      {"BertProcessing", load_bert_post_processor},
      {"RobertaProcessing", load_roberta_post_processor},
      {"Sequence", load_sequence_post_processor},
  };
  return table;
}

PostProcessorPtr load_post_processor(const Json& json, const std::string& where) {
  ComponentFields fields(json, where);
  PostProcessorPtr processor = component_kind(post_processor_table(), fields).load(fields);
  fields.finish();
  return processor;
}

Encoding post_process(const PostProcessor& processor, Encoding encoding, bool add_special_tokens) {
  std::vector<Encoding> parts;
  parts.push_back(std::move(encoding));
  processor.process(parts, add_special_tokens);
  Encoding whole;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i == 0) {
      whole = std::move(parts[i]);
    } else {
      append(whole, std::move(parts[i]));
    }
  }
  return whole;
}

PostProcessorPtr make_bos_eos_processor(const NamedToken& bos, const NamedToken& eos) {
  const auto around = [&](int sequence) {
    std::vector<TemplatePiece> pieces;
    const auto type_id = static_cast<uint8_t>(sequence);
    if (!bos.token.empty()) pieces.push_back({-1, {bos}, type_id});
    pieces.push_back({sequence, {}, type_id});
    if (!eos.token.empty()) pieces.push_back({-1, {eos}, type_id});
    return pieces;
  };
  std::vector<TemplatePiece> pair = around(0);
  for (TemplatePiece& piece : around(1)) pair.push_back(std::move(piece));
  return std::make_shared<const Template>(around(0), std::move(pair));
}

}  // namespace palimpsest::tokenizer
