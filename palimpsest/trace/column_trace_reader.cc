#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/mapped_file.h"
#include "palimpsest/base/internal/safetensors.h"
#include "palimpsest/trace/internal/column_numbers.h"
#include "palimpsest/trace/internal/fill_block.h"
#include "palimpsest/trace/internal/trace_files.h"

namespace palimpsest::trace {
namespace {

// What is made at once: so many traces, but no more than so many tokens, unless a single trace has
// more.
constexpr size_t kColumnBlock = 4096;
constexpr uint64_t kColumnBlockTokens = 1 << 18;

void read_groups(const std::string& text, std::map<std::string, std::string>& groups) {
  const Json object = parse_json(text, "'groups'");
  if (!object.is_object()) throw Error("'groups' is not an object");
  for (const auto& item : object.items()) {
    const Json& value = item.value();
    groups[item.key()] = value.is_string() ? value.get<std::string>() : value.dump();
  }
}

class ColumnTraceReader : public TraceFile {
 public:
  ColumnTraceReader(const std::filesystem::path& path, TraceParts parts)
      : path_(path),
        parts_(parts),
        file_(path),
        header_(read_header()),
        columns_(file_.bytes(), path.string()) {
    num_labels_ = columns_.require("num_labels", {"I64"});
    count_ = num_labels_.size();
    offsets_ = columns_.require_offsets("offsets", count_);
    total_ = static_cast<size_t>(offsets_.at<int64_t>(count_));
    const Range all{.begin = count_, .end = total_};  // numbers of traces and of tokens
    index_ = Texts(columns_, "index", count_);
    if (!index_.is_given() && count_ > 0) columns_.require("index", {"U8"});
    alternative_ = columns_.find("alternative", {"I64"}, count_);
    avg_loss_ = columns_.find("avg_loss", {"F64"}, count_);
    zlib_size_ = columns_.find("zlib_size", {"I64"}, count_);
    logprob_ = PerToken(columns_, "logprob", {"F32"}, all);
    mean_ = PerToken(columns_, "mean", {"F32"}, all);
    var_ = PerToken(columns_, "var", {"F32"}, all);
    argmax_ = PerToken(columns_, "argmax", {"U16", "I32", "I64"}, all);
    label_ = PerToken(columns_, "label", {"U16", "I32", "I64"}, all);
    tokens_ = PerToken(columns_, "tokens", {"U16", "I32", "I64"}, all);
    if (tokens_.values().size() > 0) {
      words_ = columns_.require("token_texts", {"U8"});
      word_offsets_ = columns_.require("token_texts.offsets", {"I64"});
    }
    prompt_ = Texts(columns_, "prompt", count_);
    text_ = Texts(columns_, "text", count_);
    text_hash_ = Texts(columns_, "text_hash", count_);
    groups_ = Texts(columns_, "groups", count_);
    constexpr std::string_view kNorm = "grad_norm.";
    for (const SafetensorsEntry& entry : columns_.entries()) {
      if (!entry.name.starts_with(kNorm)) continue;
      norms_.emplace_back(entry.name.substr(kNorm.size()),
                          columns_.find(entry.name, {"F32"}, count_));
    }
  }

  const TraceHeader& header() const override { return header_; }
  std::string name() const override { return path_.string(); }
  std::string where(int64_t line) const override {
    return fmt::format("{}, trace {}", path_.string(), line);
  }
  std::string where_last() const override { return where(static_cast<int64_t>(next_)); }

  bool next(Trace& trace) override {
    if (next_ == count_) return false;
    const size_t i = next_++;
    try {
      trace = trace_at(i);
    } catch (const Error& error) {
      throw error.located(where_last());
    }
    distinct_.add(trace, *this, static_cast<int64_t>(next_));
    release_read();
    return true;
  }

  bool skip(size_t count) override {
    if (count > count_ - next_) return false;
    next_ += count;
    release_read();
    return true;
  }

  bool next_block(std::vector<LocatedTrace>& block, WorkerPool& pool) override {
    const size_t count = block_size();
    fill_block(block, next_, count, *this, distinct_, pool, [&](size_t i) { return trace_at(i); });
    next_ += count;
    release_read();
    return count > 0;
  }

 private:
  // Of the next block. Offsets that make no sense are reported when the traces are made.
  size_t block_size() const {
    const size_t most = std::min(kColumnBlock, count_ - next_);
    const auto begin = offsets_.at<uint64_t>(next_);
    for (size_t count = 1; count < most; ++count) {
      const auto end = offsets_.at<uint64_t>(next_ + count + 1);
      if (end - begin > kColumnBlockTokens) return count;
    }
    return most;
  }

  TraceHeader read_header() const {
    const std::map<std::string, std::string> metadata =
        safetensors_metadata(file_.bytes(), path_.string());
    const auto text = [&](const char* key) {
      const auto found = metadata.find(key);
      return found != metadata.end() ? found->second : std::string();
    };
    if (!metadata.contains("palimpsest_trace")) {
      throw Error({.what = "this is not a trace file: its metadata lack the key 'palimpsest_trace'",
                   .where = path_.string()});
    }
    Json version;
    try {
      version = parse_json(text("palimpsest_trace"), path_.string());
    } catch (const Error&) {
      version = text("palimpsest_trace");
    }
    require_version(version, kTraceVersion, "trace file", path_.string());
    return {.model = text("model"), .dataset = text("dataset"), .fingerprint = text("fingerprint")};
  }

  Trace trace_at(size_t i) const {
    Trace trace;
    trace.index = index_.at(i).value_or("");
    trace.num_labels = num_labels_.at<int64_t>(i);
    if (alternative_.is_given()) trace.alternative = alternative_.at<int64_t>(i);
    if (avg_loss_.is_given() && !std::isnan(avg_loss_.at<double>(i)))
      trace.given_avg_loss = avg_loss_.at<double>(i);
    if (zlib_size_.is_given() && zlib_size_.at<int64_t>(i) >= 0)
      trace.zlib_size = zlib_size_.at<int64_t>(i);
    const Range range = range_of(offsets_, i, total_, "offsets");
    logprob_.read_floats(i, range, trace.logprob);
    mean_.read_floats(i, range, trace.mean);
    var_.read_floats(i, range, trace.var);
    argmax_.read_integers(i, range, trace.argmax);
    label_.read_integers(i, range, trace.label);
    if (parts_ == TraceParts::kAll && tokens_.has(i)) trace.tokens = words_at(range);
    trace.prompt = prompt_.at(i);
    trace.text = text_.at(i);
    trace.text_hash = text_hash_.at(i);
    if (const std::optional<std::string> groups = groups_.at(i)) read_groups(*groups, trace.groups);
    for (const auto& [order, norms] : norms_) {
      const double norm = norms.at<float>(i);
      if (!std::isnan(norm)) trace.grad_norm[order] = norm;
    }
    require_consistent(trace);
    return trace;
  }

  std::vector<std::string> words_at(Range range) const {
    constexpr const char* kName = "token_texts";
    // First the sizes: a text that many tokens share takes more memory than the file has bytes.
    size_t bytes = 0;
    for (size_t t = range.begin; t < range.end; ++t) {
      const int64_t id = tokens_.values().whole(t);
      if (id < 0 || static_cast<uint64_t>(id) + 1 >= word_offsets_.size())
        throw Error(fmt::format("'tokens' holds {}, which is not the number of a text", id));
      bytes += range_of(word_offsets_, static_cast<size_t>(id), words_.size(), kName).size();
      if (bytes > static_cast<size_t>(LineReader::kMaxLine))
        throw Error(fmt::format("'tokens' is longer than {} bytes", LineReader::kMaxLine));
    }
    std::vector<std::string> words;
    words.reserve(range.size());
    for (size_t t = range.begin; t < range.end; ++t) {
      const auto id = static_cast<size_t>(tokens_.values().whole(t));
      words.emplace_back(text_at(word_offsets_, id, words_, kName));
    }
    return words;
  }

  // Pages of traces that were read leave the process: memory does not grow with the file.
  void release_read() {
    const auto tokens = [&](size_t i) { return offsets_.at<uint64_t>(i); };
    const bool is_much =
        next_ >= released_ + kColumnBlock || tokens(next_) - tokens(released_) > kColumnBlockTokens;
    if (!is_much && next_ < count_) return;
    for (const PerToken* column : {&logprob_, &mean_, &var_, &argmax_, &label_, &tokens_})
      release(column->values(), tokens(released_), tokens(next_));
    for (const Texts* column : {&index_, &prompt_, &text_, &groups_})
      release(column->bytes(), column->begin_of(released_), column->begin_of(next_));
    released_ = next_;
  }

  // The elements begin … end of a column; offsets that make no sense release nothing.
  void release(const Numbers& column, uint64_t begin, uint64_t end) {
    if (!column.is_given() || begin >= end || end > column.size()) return;
    const size_t width = column.bytes().size() / column.size();
    file_.release(column.bytes().subspan(begin * width, (end - begin) * width));
  }

  std::filesystem::path path_;
  TraceParts parts_;
  MappedFile file_;
  TraceHeader header_;
  Columns columns_;
  size_t count_ = 0;  // traces
  size_t total_ = 0;  // tokens
  Numbers num_labels_;
  Numbers offsets_;
  Numbers alternative_;
  Numbers avg_loss_;
  Numbers zlib_size_;
  Texts index_;
  PerToken logprob_;
  PerToken mean_;
  PerToken var_;
  PerToken argmax_;
  PerToken label_;
  PerToken tokens_;
  Numbers words_;
  Numbers word_offsets_;
  Texts prompt_;
  Texts text_;
  Texts text_hash_;
  Texts groups_;
  std::vector<std::pair<std::string, Numbers>> norms_;  // by order
  DistinctExamples distinct_;
  size_t next_ = 0;
  size_t released_ = 0;
};

}  // namespace

std::unique_ptr<TraceFile> open_column_traces(const std::filesystem::path& path, TraceParts parts) {
  return std::make_unique<ColumnTraceReader>(path, parts);
}

}  // namespace palimpsest::trace
