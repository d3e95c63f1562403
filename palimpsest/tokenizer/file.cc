#include "palimpsest/tokenizer/internal/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::tokenizer {
namespace {

constexpr size_t kMaxDepth = 64;
// Of an object outside the vocabulary, which Json searches from end to end for each new member.
constexpr size_t kMaxMembers = 10'000;
constexpr int64_t kMaxId = std::numeric_limits<int32_t>::max();

// Receives the events of nlohmann's parser.
class Reader {
 public:
  TokenizerFile take() { return {std::move(root_), std::move(tables_)}; }
  const std::string& failure() const { return failure_; }

  bool null() { return value(nullptr); }
  bool boolean(bool v) { return value(v); }
  bool number_integer(int64_t v) {
    if (mode_ != Mode::kVocab) return value(v);
    if (!tables_.vocab_is_list) return fail(fmt::format("the token '{}' has the id {}", key_, v));
    return score(static_cast<double>(v));
  }
  bool number_unsigned(uint64_t v) {
    if (mode_ != Mode::kVocab) return value(v);
    if (tables_.vocab_is_list) return score(static_cast<double>(v));
    if (v > static_cast<uint64_t>(kMaxId)) {
      return fail(fmt::format("the token '{}' has the id {}, which is too large", key_, v));
    }
    tables_.vocab.emplace_back(std::move(key_), static_cast<int64_t>(v));
    return true;
  }
  bool number_float(double v, const std::string&) {
    return mode_ == Mode::kVocab ? score(v) : value(v);
  }
  bool string(std::string& v) {
    if (mode_ == Mode::kVocab) return vocab_string(v);
    if (mode_ == Mode::kMerges) return merge_string(v);
    return value(std::move(v));
  }
  bool binary(Json::binary_t&) { return fail("binary data"); }

  bool start_object(size_t) {
    if (enters_table("vocab", Mode::kVocab)) return open_table(false);
    if (mode_ != Mode::kJson) return unexpected();
    return open(Json::object());
  }
  bool key(std::string& v) {
    key_ = std::move(v);
    return true;
  }
  bool end_object() { return close(); }
  bool start_array(size_t) {
    if (enters_table("vocab", Mode::kVocab)) return open_table(true);
    if (enters_table("merges", Mode::kMerges)) return open_table(true);
    if (mode_ == Mode::kJson) return open(Json::array());
    // One entry of a list: [token, score] or [left, right].
    if (depth() != table_depth_ || (mode_ == Mode::kVocab && !tables_.vocab_is_list)) {
      return unexpected();
    }
    entry_.clear();
    has_score_ = false;
    ++table_entries_open_;
    return true;
  }
  bool end_array() {
    if (mode_ == Mode::kJson || table_entries_open_ == 0) return close();
    --table_entries_open_;
    if (mode_ == Mode::kMerges) {
      if (entry_.size() != 2) return fail("a merge does not have two parts");
      tables_.merges.emplace_back(std::move(entry_[0]), std::move(entry_[1]));
      return true;
    }
    if (entry_.size() != 1 || !has_score_) return fail("an entry is not a token and its score");
    tables_.vocab.emplace_back(std::move(entry_[0]), static_cast<int64_t>(tables_.vocab.size()));
    tables_.scores.push_back(score_);
    return true;
  }
  bool parse_error(size_t position, const std::string&, const Json::exception& error) {
    const std::string_view what = error.what();
    const size_t start = what.find("] ");
    return fail(fmt::format("this is not valid JSON (byte {}): {}", position,
                            start == std::string_view::npos ? what : what.substr(start + 2)));
  }

 private:
  enum class Mode { kJson, kVocab, kMerges };

  size_t depth() const { return stack_.size() + table_entries_open_; }

  bool fail(std::string what) {
    failure_ = std::move(what);
    return false;
  }
  bool unexpected() {
    return fail(mode_ == Mode::kVocab ? "the vocabulary has an entry that is not a token"
                                      : "the merges have an entry that is not a merge");
  }

  bool enters_table(std::string_view name, Mode mode) {
    if (mode_ != Mode::kJson || stack_.size() != 2 || key_ != name || !in_model_) return false;
    mode_ = mode;
    return true;
  }
  bool open_table(bool list) {
    (mode_ == Mode::kVocab ? tables_.has_vocab : tables_.has_merges) = true;
    if (mode_ == Mode::kVocab) {
      tables_.vocab_is_list = list;
      tables_.vocab.clear();
      tables_.scores.clear();
    } else {
      tables_.merges.clear();
    }
    stack_.push_back(nullptr);
    table_depth_ = stack_.size();
    return true;
  }

  bool open(Json container) {
    if (stack_.size() >= kMaxDepth)
      return fail(fmt::format("it is nested over {} deep", kMaxDepth));
    if (!has_room()) return false;
    if (stack_.size() == 1) in_model_ = key_ == "model";
    Json* inserted = insert(std::move(container));
    stack_.push_back(inserted);
    return true;
  }
  bool close() {
    stack_.pop_back();
    mode_ = Mode::kJson;
    if (stack_.size() < 2) in_model_ = false;
    return true;
  }

  Json* insert(Json v) {
    if (stack_.empty()) {
      root_ = std::move(v);
      return &root_;
    }
    Json& parent = *stack_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(v));
      return &parent.back();
    }
    Json& member = parent[key_];
    member = std::move(v);
    return &member;
  }
  // Whether the innermost list or object may have one more entry; says so if not.
  bool has_room() {
    if (stack_.empty()) return true;
    const bool is_list = stack_.back()->is_array();
    const size_t most = is_list ? kMaxAddedTokens : kMaxMembers;
    if (stack_.back()->size() < most) return true;
    return fail(fmt::format("it has {} of more than {} entries beside the vocabulary",
                            is_list ? "a list" : "an object", most));
  }
  bool value(Json v) {
    if (mode_ != Mode::kJson) return unexpected();
    if (!has_room()) return false;
    insert(std::move(v));
    return true;
  }

  bool score(double v) {
    if (table_entries_open_ == 0 || has_score_) return unexpected();
    score_ = v;
    has_score_ = true;
    return true;
  }
  bool vocab_string(std::string& v) {
    if (table_entries_open_ == 0 || has_score_) return unexpected();
    entry_.push_back(std::move(v));
    return true;
  }
  bool merge_string(std::string& v) {
    if (table_entries_open_ > 0) {
      entry_.push_back(std::move(v));
      return true;
    }
    if (v.starts_with("#version")) return true;  // the first line of a merges.txt
    const size_t space = v.find(' ');
    if (space == std::string::npos || v.find(' ', space + 1) != std::string::npos) {
      return fail(fmt::format("the merge '{}' is not two parts with a space between", v));
    }
    tables_.merges.emplace_back(v.substr(0, space), v.substr(space + 1));
    return true;
  }

  Json root_;
  ModelTables tables_;
  std::string failure_;
  std::vector<Json*> stack_;  // null: a table
  std::string key_;
  Mode mode_ = Mode::kJson;
  bool in_model_ = false;
  size_t table_depth_ = 0;
  size_t table_entries_open_ = 0;
  std::vector<std::string> entry_;
  double score_ = 0;
  bool has_score_ = false;
};

bool member_bool(const Json& json, const char* key, const std::string& where, bool fallback) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return fallback;
  if (!found->is_boolean()) {
    throw Error({.what = fmt::format("'{}' is not true or false", key), .where = where});
  }
  return found->get<bool>();
}

}  // namespace

TokenizerFile parse_tokenizer_file(std::string_view text, const std::string& where) {
  require_no_zero_byte(text, where);
  Reader reader;
  if (!Json::sax_parse(text, &reader)) throw Error({.what = reader.failure(), .where = where});
  TokenizerFile file = reader.take();
  if (!file.json.is_object()) throw Error({.what = "this is not a JSON object", .where = where});
  return file;
}

AddedToken parse_added_token(const Json& json, const std::string& where) {
  AddedToken token;
  const Json& content = require(json, "content", where);
  if (!content.is_string()) throw Error({.what = "'content' is not a string", .where = where});
  token.content = content.get<std::string>();
  token.special = member_bool(json, "special", where, false);
  token.single_word = member_bool(json, "single_word", where, false);
  token.lstrip = member_bool(json, "lstrip", where, false);
  token.rstrip = member_bool(json, "rstrip", where, false);
  token.normalized = member_bool(json, "normalized", where, !token.special);
  for (const auto& item : json.items()) {
    static constexpr std::string_view kKnown[] = {"id",     "content", "special",    "single_word",
                                                  "lstrip", "rstrip",  "normalized", "__type"};
    if (std::find(std::begin(kKnown), std::end(kKnown), item.key()) == std::end(kKnown)) {
      throw Error({.what = fmt::format("'{}' is a field that is not supported", item.key()),
                   .where = where});
    }
  }
  return token;
}

std::vector<AddedToken> parse_added_tokens(const Json& json, const std::string& where) {
  if (!json.is_array()) throw Error({.what = "this is not an array", .where = where});
  std::vector<AddedToken> tokens;
  for (size_t i = 0; i < json.size(); ++i) {
    tokens.push_back(parse_added_token(json[i], fmt::format("{}[{}]", where, i)));
  }
  return tokens;
}

}  // namespace palimpsest::tokenizer
