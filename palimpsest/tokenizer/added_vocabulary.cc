#include "palimpsest/tokenizer/internal/added_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/text/internal/utf8.h"
#include "palimpsest/tokenizer/internal/unicode.h"

namespace palimpsest::tokenizer {
namespace {

bool ends_in_word(std::string_view text) {
  if (text.empty()) return false;
  size_t position = text::previous_boundary(text, text.size());
  return is_word_character(text::next_code_point(text, position));
}

bool starts_with_word(std::string_view text) {
  size_t position = 0;
  return !text.empty() && is_word_character(text::next_code_point(text, position));
}

}  // namespace

AddedVocabulary::Matcher::Matcher(std::vector<std::pair<std::string, int64_t>> patterns) {
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  std::ranges::stable_sort(patterns, {},
                           [](const auto& pattern) -> const std::string& { return pattern.first; });
  patterns.erase(std::unique(patterns.begin(), patterns.end(), same), patterns.end());
  // The patterns of a node's subtree, of which `depth` bytes are spent on the way to it.
  struct Open {
    uint32_t node;
    size_t begin, end, depth;
  };
  std::vector<Open> open = {{0, 0, patterns.size(), 0}};
  for (size_t next = 0; next < open.size(); ++next) {
    auto [node, begin, end, depth] = open[next];
    if (begin < end && patterns[begin].first.size() == depth)
      nodes_[node].id = patterns[begin++].second;
    nodes_[node].first_child = static_cast<uint32_t>(nodes_.size());
    while (begin < end) {
      const std::string& first = patterns[begin].first;
      size_t group = begin + 1;
      while (group < end && patterns[group].first[depth] == first[depth]) ++group;
      // In sorted order what the first and the last have in common all of them have.
      const std::string& last = patterns[group - 1].first;
      const size_t longest = std::min(first.size(), last.size());
      size_t common = depth + 1;
      while (common < longest && first[common] == last[common]) ++common;
      const auto fresh = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back({.label = labels_.size(), .length = static_cast<uint32_t>(common - depth)});
      labels_.append(first, depth, common - depth);
      ++nodes_[node].num_children;
      if (node == 0) first_[static_cast<unsigned char>(first[0])] = fresh;
      open.push_back({fresh, begin, group, common});
      begin = group;
    }
  }
}

uint32_t AddedVocabulary::Matcher::child(const Node& node, char byte) const {
  const auto begin = nodes_.begin() + node.first_child;
  const auto end = begin + node.num_children;
  const auto first_byte = [&](const Node& candidate) {
    return static_cast<unsigned char>(labels_[candidate.label]);
  };
  const auto found =
      std::ranges::lower_bound(begin, end, static_cast<unsigned char>(byte), {}, first_byte);
  if (found == end || first_byte(*found) != static_cast<unsigned char>(byte)) return 0;
  return static_cast<uint32_t>(found - nodes_.begin());
}

std::optional<AddedVocabulary::Matcher::Match> AddedVocabulary::Matcher::find(std::string_view text,
                                                                              size_t from) const {
  for (size_t begin = from; begin < text.size(); ++begin) {
    uint32_t number = first_[static_cast<unsigned char>(text[begin])];
    if (number == 0) continue;
    Match match;
    for (size_t end = begin; number != 0;) {
      const Node& node = nodes_[number];
      if (!text.substr(end).starts_with(label_of(node))) break;
      end += node.length;
      if (node.id >= 0) match = {begin, end, node.id};
      number = end < text.size() ? child(node, text[end]) : 0;
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

void AddedVocabulary::finish(const Normalizer& normalizer, const Vocabulary& model) {
  using Patterns = std::vector<std::pair<std::string, int64_t>>;
  Patterns as_written;
  Patterns as_normalized;
  // All of them together may grow as one text may.
  size_t bytes = 0;
  for (const auto& [content, id] : ids_) bytes += content.size();
  size_t left = NormalizedString::most_bytes(bytes);
  const auto add_all = [&](const std::vector<AddedToken>& tokens) {
    for (const AddedToken& token : tokens) {
      const int64_t id = id_in(token.content, model);
      if (!token.normalized) {
        as_written.emplace_back(token.content, id);
        continue;
      }
      NormalizedString content(token.content, false);
      content.set_most(left);
      if (normalizer) normalizer(content);
      content.require_room(content.text().size());
      left -= content.text().size();
      if (content.empty()) {
        throw Error({.what = fmt::format("the added token '{}' becomes empty when it is normalized",
                                         token.content),
                     .hint = "give it \"normalized\": false"});
      }
      as_normalized.emplace_back(content.text(), id);
    }
  };
  add_all(special_tokens_);
  add_all(other_tokens_);
  as_written_ = Matcher(std::move(as_written));
  as_normalized_ = Matcher(std::move(as_normalized));
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

void AddedVocabulary::extract(const Normalizer& normalizer, PreTokenizedString& text) const {
  if (!as_written_.empty()) {
    text.cut_pieces([&](std::string_view piece, auto& parts) { cut(as_written_, piece, parts); });
  }
  if (normalizer) {
    text.rewrite([](const Piece&) { return true; },
                 [&](NormalizedString& piece) { normalizer(piece); });
  }
  if (!as_normalized_.empty()) {
    text.cut_pieces(
        [&](std::string_view piece, auto& parts) { cut(as_normalized_, piece, parts); });
  }
}

}  // namespace palimpsest::tokenizer
