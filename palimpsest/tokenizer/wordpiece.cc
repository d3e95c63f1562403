#include "palimpsest/tokenizer/internal/wordpiece.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::tokenizer {
namespace {

ModelToken unknown_token(std::string_view piece, int64_t unk_id, const std::string& unk_token) {
  if (unk_id < 0) {
    throw Error({.what = fmt::format("the text has '{}', which is not in the vocabulary", piece),
                 .expected = fmt::format("the token '{}' in the vocabulary", unk_token)});
  }
  return {unk_id, 0, static_cast<uint32_t>(piece.size())};
}

}  // namespace

WordPiece::WordPiece(WordPieceOptions options, const ModelTables& tables)
    : options_(std::move(options)) {
  vocabulary_ = make_vocabulary(tables);
  unk_id_ = vocabulary_.id_of(options_.unk_token);
  for (const auto& [token, id] : tables.vocab) {
    longest_token_ = std::max(longest_token_, token.size());
  }
}

void WordPiece::tokenize(std::string_view piece, std::vector<ModelToken>& tokens) const {
  const size_t before = tokens.size();
  bool known =
      static_cast<int64_t>(text::count_code_points(piece)) <= options_.max_input_chars_per_word;
  std::string candidate;
  for (size_t start = 0; known && start < piece.size();) {
    size_t end = std::min(piece.size(), start + longest_token_);
    while (end < piece.size() && text::is_utf8_continuation(piece[end])) --end;
    int64_t id = -1;
    for (; end > start; end = text::previous_boundary(piece, end)) {
      candidate = start > 0 ? options_.continuing_subword_prefix : "";
      candidate += piece.substr(start, end - start);
      id = vocabulary_.id_of(candidate);
      if (id >= 0) break;
    }
    known = id >= 0;
    tokens.push_back({id, static_cast<uint32_t>(start), static_cast<uint32_t>(end)});
    start = end;
  }
  if (!known) {
    tokens.resize(before);
    tokens.push_back(unknown_token(piece, unk_id_, options_.unk_token));
  }
}

WordLevel::WordLevel(std::string unk_token, const ModelTables& tables)
    : unk_token_(std::move(unk_token)) {
  vocabulary_ = make_vocabulary(tables);
  unk_id_ = vocabulary_.id_of(unk_token_);
}

void WordLevel::tokenize(std::string_view piece, std::vector<ModelToken>& tokens) const {
  const int64_t id = vocabulary_.id_of(piece);
  if (id >= 0) {
    tokens.push_back({id, 0, static_cast<uint32_t>(piece.size())});
  } else {
    tokens.push_back(unknown_token(piece, unk_id_, unk_token_));
  }
}

}  // namespace palimpsest::tokenizer
