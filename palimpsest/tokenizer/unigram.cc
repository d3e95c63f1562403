#include "palimpsest/tokenizer/internal/unigram.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "palimpsest/base/error.h"
#include "palimpsest/text/internal/utf8.h"
#include "palimpsest/tokenizer/internal/normalized_string.h"

namespace palimpsest::tokenizer {
namespace {

// An unknown character is this much worse than the worst token.
constexpr double kUnkPenalty = 10;

uint64_t child_key(uint32_t node, char byte) {
  return (static_cast<uint64_t>(node) << 8) | static_cast<unsigned char>(byte);
}

}  // namespace

const uint32_t* Unigram::Trie::child(uint32_t node, char byte) const {
  return children_.find(child_key(node, byte));
}

void Unigram::Trie::add(std::string_view token, int64_t id) {
  uint32_t node = 0;
  for (const char byte : token) {
    const uint32_t* existing = child(node, byte);
    const auto next = existing != nullptr ? *existing : static_cast<uint32_t>(ids_.size());
    if (existing == nullptr) {
      children_.insert_or_assign(child_key(node, byte), next);
      ids_.push_back(-1);
    }
    node = next;
  }
  if (!token.empty()) ids_[node] = id;
}

Unigram::Unigram(const UnigramOptions& options, ModelTables tables)
    : byte_fallback_(options.byte_fallback),
      scores_(std::move(tables.scores)),
      trie_(tables.vocab_bytes()) {
  unk_id_ = options.unk_id;
  vocabulary_.reserve(tables.vocab.size(), tables.vocab_bytes());
  double worst = std::numeric_limits<double>::infinity();
  for (size_t id = 0; id < tables.vocab.size(); ++id) {
    const std::string& token = tables.vocab[id].first;
    vocabulary_.add_again(token, static_cast<int64_t>(id));
    trie_.add(token, static_cast<int64_t>(id));
    worst = std::min(worst, scores_[id]);
  }
  if (unk_id_ >= vocabulary_.id_count()) {
    throw Error({.what = fmt::format("'unk_id' is {}", unk_id_),
                 .where = "model (Unigram)",
                 .expected = fmt::format("less than the {} tokens", vocabulary_.id_count())});
  }
  unk_score_ = worst - kUnkPenalty;
  fallback_ids_ = fallback_ids(vocabulary_);
}

std::vector<Unigram::Step> Unigram::best_steps(std::string_view piece) const {
  std::vector<Step> steps(piece.size() + 1);
  const auto offer = [&](size_t start, size_t end, double score, int64_t id) {
    Step& step = steps[end];
    if (step.start != UINT32_MAX && score <= step.score) return;
    if (id < 0) {
      throw Error({.what = fmt::format("the text has '{}', which is not in the vocabulary",
                                       piece.substr(start, end - start)),
                   .expected = "an 'unk_id' in the model"});
    }
    step = {score, static_cast<uint32_t>(start), id};
  };
  for (size_t start = 0; start < piece.size();) {
    const double so_far = steps[start].score;
    const size_t length = text::utf8_length(piece[start]);
    bool character_is_token = false;
    uint32_t node = 0;
    for (size_t end = start; end < piece.size();) {
      const uint32_t* child = trie_.child(node, piece[end]);
      if (child == nullptr) break;
      node = *child;
      ++end;
      const int64_t id = trie_.id(node);
      if (id < 0) continue;
      offer(start, end, scores_[static_cast<size_t>(id)] + so_far, id);
      character_is_token = character_is_token || end - start == length;
    }
    if (!character_is_token) offer(start, start + length, unk_score_ + so_far, unk_id_);
    start += length;
  }
  return steps;
}

void Unigram::add_token(std::string_view piece, uint32_t begin, uint32_t end,
                        std::vector<ModelToken>& tokens) const {
  const std::string_view text = piece.substr(begin, end - begin);
  const int64_t id = vocabulary_.id_of(text);
  if (id >= 0) {
    tokens.push_back({id, begin, end});
    return;
  }
  const auto byte_id = [&](char byte) { return fallback_ids_[static_cast<unsigned char>(byte)]; };
  if (byte_fallback_ &&
      std::all_of(text.begin(), text.end(), [&](char byte) { return byte_id(byte) >= 0; })) {
    for (const char byte : text) tokens.push_back({byte_id(byte), begin, end});
    return;
  }
  tokens.push_back({unk_id_, begin, end});
}

void Unigram::tokenize(std::string_view piece, std::vector<ModelToken>& tokens) const {
  const std::vector<Step> steps = best_steps(piece);
  // From the back; neighbouring unknown ones are one.
  std::vector<ByteSpan> spans;
  bool last_unknown = false;
  for (auto end = static_cast<uint32_t>(piece.size()); end > 0;) {
    const Step& step = steps[end];
    PALIMPSEST_CHECK(step.start < end);
    const bool unknown = step.id == unk_id_;
    if (unknown && last_unknown) {
      spans.back().begin = step.start;
    } else {
      spans.push_back({step.start, end});
    }
    last_unknown = unknown;
    end = step.start;
  }
  for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
    add_token(piece, span->begin, span->end, tokens);
  }
}

std::string Unigram::token_text(std::string_view piece, const ModelToken& token) const {
  if (token.id == unk_id_) {
    return std::string(piece.substr(token.begin, token.end - token.begin));
  }
  return TokenModel::token_text(piece, token);
}

}  // namespace palimpsest::tokenizer
