#include "palimpsest/tokenizer/internal/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/tokenizer/internal/classes.h"
#include "palimpsest/tokenizer/internal/file.h"

namespace palimpsest::tokenizer {
namespace {

constexpr const char* kAddedTokensKey = "added_tokens_decoder";
constexpr const char* kClassKey = "tokenizer_class";

const Json* member(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<bool> find_bool(const Json& object, std::string_view key, const std::string& where) {
  const Json* value = member(object, key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) {
    throw Error({.what = fmt::format("'{}' is not true or false", key),
                 .where = where,
                 .found = describe(*value)});
  }
  return value->get<bool>();
}

std::string find_text(const Json& object, std::string_view key) {
  const Json* value = member(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

SpecialToken plain_token(std::string_view name) {
  return {.token = {.content = std::string(name), .normalized = false, .special = true},
          .name_only = true};
}

SpecialToken parse_special_token(const Json& json, const std::string& where) {
  if (json.is_string()) return plain_token(json.get<std::string>());
  return {.token = parse_added_token(json, where), .name_only = false};
}

void require_few(const Json& tokens, const char* what, const std::string& where) {
  if (tokens.size() <= kMaxAddedTokens) return;
  throw Error({.what = fmt::format("{} has {} added tokens", what, tokens.size()),
               .where = where,
               .expected = fmt::format("at most {}", kMaxAddedTokens)});
}

std::vector<SpecialToken> parse_special_tokens(const Json& json, const std::string& where) {
  if (!json.is_array()) throw Error({.what = "this is not an array", .where = where});
  require_few(json, "'additional_special_tokens'", where);
  std::vector<SpecialToken> tokens;
  for (const Json& entry : json) tokens.push_back(parse_special_token(entry, where));
  return tokens;
}

std::string class_of(const ConfigFiles& files) {
  std::string name = find_text(files.tokenizer_config, kClassKey);
  if (name.empty()) name = find_text(files.model_config, kClassKey);
  if (name.empty()) {
    name = tokenizer_class_of_model(find_text(files.model_config, "model_type"));
  }
  if (name.ends_with("Fast")) name.erase(name.size() - 4);
  return name;
}

class Resolver {
 public:
  Resolver(const ConfigFiles& files, Json& tokenizer_json)
      : files_(files), json_(tokenizer_json), where_(files.where + "/tokenizer_config.json") {}

  TokenizerConfig run() {
    read_settings();
    read_special_tokens(files_.tokenizer_config, where_, false);
    if (needs_added_tokens(files_.tokenizer_config)) {
      read_older_files();
    } else {
      read_added_tokens_decoder(*member(files_.tokenizer_config, kAddedTokensKey));
    }
    // A special token that is an added token has that one's properties.
    std::map<std::string, AddedToken, std::less<>> by_content;
    for (const auto& [id, token] : result_.added_tokens_decoder) by_content[token.content] = token;
    for (auto& [name, special] : result_.special_tokens) {
      const auto found = by_content.find(special.token.content);
      if (found != by_content.end()) special = {.token = found->second, .name_only = false};
    }
    apply_class();
    return std::move(result_);
  }

 private:
  void read_settings() {
    const Json& config = files_.tokenizer_config;
    if (!config.is_null() && !config.is_object()) {
      throw Error({.what = "this is not a JSON object", .where = where_});
    }
    result_.tokenizer_class = class_of(files_);
    result_.clean_up_tokenization_spaces =
        find_bool(config, "clean_up_tokenization_spaces", where_).value_or(false);
    result_.split_special_tokens =
        find_bool(config, "split_special_tokens", where_).value_or(false);
    std::string side = find_text(config, "truncation_side");
    if (side.empty()) {
      const Json* truncation = member(json_, "truncation");
      if (truncation != nullptr) side = find_text(*truncation, "direction");
    }
    result_.truncate_left = side == "left" || side == "Left";
  }

  void read_special_tokens(const Json& json, const std::string& where, bool force_special) {
    if (json.is_null()) return;
    for (const std::string_view name : kSpecialTokenNames) {
      const Json* value = member(json, name);
      if (value == nullptr) continue;
      SpecialToken token = parse_special_token(*value, where);
      if (force_special) token.token.special = true;
      result_.special_tokens.insert_or_assign(std::string(name), std::move(token));
      named_.insert(std::string(name));
    }
    // An explicit null means: none, not even the class's own.
    for (const std::string_view name : kSpecialTokenNames) {
      if (json.is_object() && json.contains(name)) named_.insert(std::string(name));
    }
    const Json* additional = member(json, "additional_special_tokens");
    if (additional == nullptr) return;
    for (SpecialToken& token : parse_special_tokens(*additional, where)) {
      if (force_special) token.token.special = true;
      if (!additional_.emplace(token.token, token.name_only).second) continue;
      additional_contents_.insert(token.token.content);
      result_.additional_special_tokens.push_back(std::move(token));
    }
  }

  void read_added_tokens_decoder(const Json& json) {
    if (!json.is_object()) {
      throw Error({.what = "'added_tokens_decoder' is not an object", .where = where_});
    }
    require_few(json, "'added_tokens_decoder'", where_);
    for (const auto& item : json.items()) {
      int64_t id = 0;
      const std::string& key = item.key();
      const auto [end, code] = std::from_chars(key.data(), key.data() + key.size(), id);
      if (code != std::errc() || end != key.data() + key.size() || id < 0) {
        throw Error({.what = fmt::format("'added_tokens_decoder' has '{}' for an id", key),
                     .where = where_});
      }
      result_.added_tokens_decoder[id] = parse_added_token(item.value(), where_ + ": " + key);
    }
  }

  // Folders from before added_tokens_decoder.
  void read_older_files() {
    read_special_tokens(files_.special_tokens_map, files_.where + "/special_tokens_map.json", true);
    const std::string where = files_.where + "/added_tokens.json";
    if (files_.added_tokens.is_object()) {
      require_few(files_.added_tokens, "the file", where);
      for (const auto& item : files_.added_tokens.items()) {
        if (!item.value().is_number_integer()) {
          throw Error({.what = fmt::format("'{}' has no id", item.key()), .where = where});
        }
        const bool special = is_special(item.key());
        result_.added_tokens_decoder[item.value().get<int64_t>()] = {
            .content = item.key(), .normalized = !special, .special = special};
      }
    }
    const Json* added = member(json_, "added_tokens");
    if (added == nullptr) return;
    const auto tokens = parse_added_tokens(*added, files_.where + "/tokenizer.json: added_tokens");
    for (size_t i = 0; i < tokens.size(); ++i) {
      const Json* id = member((*added)[i], "id");
      if (id == nullptr || !id->is_number_integer()) {
        throw Error({.what = fmt::format("added token '{}' has no id", tokens[i].content),
                     .where = files_.where + "/tokenizer.json"});
      }
      result_.added_tokens_decoder[id->get<int64_t>()] = tokens[i];
    }
  }

  bool is_special(const std::string& content) const {
    const auto has = [&](const SpecialToken& token) { return token.token.content == content; };
    return std::any_of(result_.special_tokens.begin(), result_.special_tokens.end(),
                       [&](const auto& entry) { return has(entry.second); }) ||
           additional_contents_.contains(content);
  }

  void apply_class() {
    const TokenizerClass* kind = find_tokenizer_class(result_.tokenizer_class);
    if (kind == nullptr) {
      if (!result_.tokenizer_class.empty()) {
        log_warning("{}: the tokenizer class '{}' is not known; tokenizer.json is used as it is",
                    where_, result_.tokenizer_class);
      }
      return;
    }
    for (size_t i = 0; i < kSpecialTokenNames.size(); ++i) {
      const std::string_view token = kind->special_tokens[i];
      if (token.empty() || named_.contains(kSpecialTokenNames[i])) continue;
      result_.special_tokens.emplace(kSpecialTokenNames[i], plain_token(token));
    }
    const Json& config = files_.tokenizer_config;
    if (kind->rebuilds_post_processor) {
      result_.rebuilds_post_processor = true;
      result_.add_bos_token = find_bool(config, "add_bos_token", where_).value_or(kind->adds_bos);
      result_.add_eos_token = find_bool(config, "add_eos_token", where_).value_or(false);
    }
    if (kind->sets_prefix_space) {
      set_prefix_space(find_bool(config, "add_prefix_space", where_).value_or(false));
    }
    if (kind->sets_bert_normalizer) set_bert_normalizer();
    if (kind->adds_extra_ids) add_extra_ids();
  }

  void set_prefix_space(bool value) {
    Json& pre_tokenizer = json_["pre_tokenizer"];
    if (pre_tokenizer.is_object() && pre_tokenizer.contains("add_prefix_space")) {
      pre_tokenizer["add_prefix_space"] = value;
    }
  }

  void set_bert_normalizer() {
    Json& normalizer = json_["normalizer"];
    if (find_text(normalizer, "type") != "BertNormalizer") return;
    const Json& config = files_.tokenizer_config;
    normalizer["lowercase"] = find_bool(config, "do_lower_case", where_).value_or(true);
    normalizer["handle_chinese_chars"] =
        find_bool(config, "tokenize_chinese_chars", where_).value_or(true);
    const auto strip_accents = find_bool(config, "strip_accents", where_);
    normalizer["strip_accents"] = strip_accents ? Json(*strip_accents) : Json(nullptr);
  }

  // T5's sentinel tokens, unless the folder lists them.
  void add_extra_ids() {
    auto& tokens = result_.additional_special_tokens;
    if (std::any_of(tokens.begin(), tokens.end(), [](const SpecialToken& token) {
          return token.token.content.find("<extra_id_") != std::string::npos;
        })) {
      return;
    }
    const Json* count = member(files_.tokenizer_config, "extra_ids");
    const int64_t extra =
        count != nullptr && count->is_number_integer() ? count->get<int64_t>() : 100;
    constexpr int64_t kMaxExtraIds = 10000;
    for (int64_t i = 0; i < std::min(extra, kMaxExtraIds); ++i) {
      tokens.push_back(plain_token(fmt::format("<extra_id_{}>", i)));
    }
  }

  const ConfigFiles& files_;
  Json& json_;
  std::string where_;
  TokenizerConfig result_;
  std::set<std::string, std::less<>> named_;          // special tokens that a file speaks of
  std::set<std::pair<AddedToken, bool>> additional_;  // additional_special_tokens, with name_only
  std::set<std::string, std::less<>> additional_contents_;
};

}  // namespace

bool needs_added_tokens(const Json& tokenizer_config) {
  return member(tokenizer_config, kAddedTokensKey) == nullptr;
}

bool needs_model_config(const Json& tokenizer_config) {
  return find_text(tokenizer_config, kClassKey).empty();
}

TokenizerConfig resolve_tokenizer_config(const ConfigFiles& files, Json& tokenizer_json) {
  return Resolver(files, tokenizer_json).run();
}

std::vector<AddedToken> tokens_to_add(const TokenizerConfig& config,
                                      const std::set<std::string, std::less<>>& known) {
  // All special tokens, each content once, in transformers' order.
  std::vector<SpecialToken> specials;
  std::set<std::string, std::less<>> special_contents;
  for (const std::string_view name : kSpecialTokenNames) {
    const auto found = config.special_tokens.find(name);
    if (found == config.special_tokens.end()) continue;
    if (special_contents.insert(found->second.token.content).second) {
      specials.push_back(found->second);
    }
  }
  for (const SpecialToken& token : config.additional_special_tokens) {
    if (special_contents.insert(token.token.content).second) specials.push_back(token);
  }

  std::vector<AddedToken> tokens;
  std::set<std::string, std::less<>> contents = known;
  for (const auto& [id, token] : config.added_tokens_decoder) {
    tokens.push_back(token);
    contents.insert(token.content);
  }
  const std::set<AddedToken> listed(tokens.begin(), tokens.end());
  for (const SpecialToken& special : specials) {
    const bool there = special.name_only ? contents.contains(special.token.content)
                                         : listed.contains(special.token);
    if (!there) tokens.push_back(special.token);
  }
  for (AddedToken& token : tokens) {
    token.special = token.special || special_contents.contains(token.content);
  }
  return tokens;
}

}  // namespace palimpsest::tokenizer
