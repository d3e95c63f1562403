#include "palimpsest/text/tokenizer/added_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/text/unicode.h"
#include "palimpsest/text/utf8.h"

namespace palimpsest {
namespace {

bool ends_in_word(std::string_view text) {
  if (text.empty()) return false;
  size_t position = previous_boundary(text, text.size());
  return is_word_character(next_code_point(text, position));
}

bool starts_with_word(std::string_view text) {
  size_t position = 0;
  return !text.empty() && is_word_character(next_code_point(text, position));
}

size_t before_trailing_space(std::string_view text) {
  size_t end = text.size();
  while (end > 0) {
    const size_t previous = previous_boundary(text, end);
    size_t position = previous;
    if (!is_white_space(next_code_point(text, position))) break;
    end = previous;
  }
  return end;
}

size_t behind_leading_space(std::string_view text) {
  size_t begin = 0;
  while (begin < text.size()) {
    size_t next = begin;
    if (!is_white_space(next_code_point(text, next))) break;
    begin = next;
  }
  return begin;
}

}  // namespace

void AddedVocabulary::Matcher::add(std::string_view pattern, int64_t id) {
  uint32_t node = 0;
  for (const char c : pattern) {
    const auto byte = static_cast<unsigned char>(c);
    auto& children = nodes_[node].children;
    const auto found = std::find_if(children.begin(), children.end(),
                                    [&](const auto& child) { return child.first == byte; });
    if (found != children.end()) {
      node = found->second;
      continue;
    }
    const auto fresh = static_cast<uint32_t>(nodes_.size());
    children.emplace_back(byte, fresh);
    if (node == 0) first_[byte] = fresh;
    nodes_.emplace_back();
    node = fresh;
  }
  if (nodes_[node].id < 0) nodes_[node].id = id;  // of equal patterns the first counts
}

std::optional<AddedVocabulary::Matcher::Match> AddedVocabulary::Matcher::find(std::string_view text,
                                                                              size_t from) const {
  for (size_t begin = from; begin < text.size(); ++begin) {
    uint32_t node = first_[static_cast<unsigned char>(text[begin])];
    if (node == 0) continue;
    Match match;
    for (size_t end = begin + 1;; ++end) {
      if (nodes_[node].id >= 0) match = {begin, end, nodes_[node].id};
      if (end == text.size()) break;
      const auto byte = static_cast<unsigned char>(text[end]);
      const auto& children = nodes_[node].children;
      const auto found = std::find_if(children.begin(), children.end(),
                                      [&](const auto& child) { return child.first == byte; });
      if (found == children.end()) break;
      node = found->second;
    }
    if (match.id >= 0) return match;
  }
  return std::nullopt;
}

int64_t AddedVocabulary::id_of(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? -1 : found->second;
}

const AddedToken* AddedVocabulary::token_of(int64_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &found->second;
}

int64_t AddedVocabulary::id_in(std::string_view token, const Vocabulary& model) const {
  const int64_t id = id_of(token);
  return id >= 0 ? id : model.id_of(token);
}

void AddedVocabulary::add(const std::vector<AddedToken>& tokens, const Vocabulary& model) {
  for (const AddedToken& token : tokens) {
    if (!token.special || token.content.empty() || is_special(token.content)) continue;
    special_tokens_.push_back(token);
    special_contents_.insert(token.content);
  }
  for (const AddedToken& token : tokens) {
    if (token.content.empty()) continue;
    int64_t id = id_in(token.content, model);
    const AddedToken* known = id >= 0 ? token_of(id) : nullptr;
    if (known != nullptr && *known == token) continue;
    if (id < 0) id = std::max(model.id_count(), largest_id_ + 1);
    ids_[token.content] = id;
    by_id_[id] = token;
    largest_id_ = std::max(largest_id_, id);
    if (!is_special(token.content)) other_tokens_.push_back(token);
  }
}

void AddedVocabulary::finish(const Normalizer* normalizer, const Vocabulary& model) {
  as_written_ = {};
  as_normalized_ = {};
  const auto add_all = [&](const std::vector<AddedToken>& tokens) {
    for (const AddedToken& token : tokens) {
      const int64_t id = id_in(token.content, model);
      if (!token.normalized) {
        as_written_.add(token.content, id);
        continue;
      }
      NormalizedString content(token.content, false);
      if (normalizer != nullptr) normalizer->normalize(content);
      if (content.empty()) {
        throw Error({.what = fmt::format("the added token '{}' becomes empty when it is normalized",
                                         token.content),
                     .hint = "give it \"normalized\": false"});
      }
      as_normalized_.add(content.text(), id);
    }
  };
  add_all(special_tokens_);
  add_all(other_tokens_);
}

void AddedVocabulary::cut(const Matcher& matcher, std::string_view text,
                          std::vector<PreTokenizedString::Part>& parts) const {
  size_t done = 0;
  for (size_t from = 0;;) {
    const auto match = matcher.find(text, from);
    if (!match) break;
    from = match->end;
    const AddedToken& token = by_id_.at(match->id);
    if (split_special_tokens_ && is_special(token.content)) continue;
    size_t begin = match->begin;
    size_t end = match->end;
    if (token.single_word &&
        (ends_in_word(text.substr(0, begin)) || starts_with_word(text.substr(end)))) {
      continue;
    }
    if (token.lstrip) begin = std::max(before_trailing_space(text.substr(0, begin)), done);
    if (token.rstrip) end += behind_leading_space(text.substr(end));
    if (done < begin) {
      parts.push_back({{static_cast<uint32_t>(done), static_cast<uint32_t>(begin)}});
    }
    parts.push_back({{static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}, match->id});
    done = end;
  }
  if (done < text.size()) {
    parts.push_back({{static_cast<uint32_t>(done), static_cast<uint32_t>(text.size())}});
  }
}

void AddedVocabulary::extract(const Normalizer* normalizer, PreTokenizedString& text) const {
  if (!as_written_.empty()) {
    text.cut_pieces([&](std::string_view piece, auto& parts) { cut(as_written_, piece, parts); });
  }
  if (normalizer != nullptr) {
    text.rewrite([](const Piece&) { return true; },
                 [&](NormalizedString& piece) { normalizer->normalize(piece); });
  }
  if (!as_normalized_.empty()) {
    text.cut_pieces(
        [&](std::string_view piece, auto& parts) { cut(as_normalized_, piece, parts); });
  }
}

}  // namespace palimpsest
