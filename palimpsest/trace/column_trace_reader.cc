#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/mapped_file.h"
#include "palimpsest/base/safetensors.h"
#include "palimpsest/text/utf8.h"
#include "palimpsest/trace/internal/fill_block.h"
#include "palimpsest/trace/internal/trace_columns.h"

namespace palimpsest::trace {
namespace {

constexpr int64_t kColumnVersion = 1;
constexpr size_t kColumnBlock = 4096;  // traces that are made at once

// The numbers of one column, wherever they lie in the file.
class Numbers {
 public:
  Numbers() = default;
  // Throws Error unless the column has one of these types.
  Numbers(const SafetensorsEntry& entry, std::initializer_list<const char*> types,
          const std::string& where)
      : bytes_(entry.bytes), type_(entry.dtype) {
    const bool fits = std::ranges::any_of(types, [&](const char* type) { return type_ == type; });
    if (!fits || entry.shape.size() != 1) {
      throw Error({.what = fmt::format("the column '{}' has the wrong type", entry.name),
                   .where = where,
                   .expected = fmt::format("{} in one dimension", fmt::join(types, " or ")),
                   .found = fmt::format("{} in {}", type_, entry.shape.size())});
    }
    size_ = static_cast<size_t>(entry.shape[0]);
    width_ = type_ == "U16" ? 2 : type_ == "I32" ? 4 : 8;
  }

  bool is_given() const { return !type_.empty(); }
  size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }
  template <class T>
  T at(size_t i) const {
    T value;
    std::memcpy(&value, bytes_.data() + i * sizeof(T), sizeof(T));
    return value;
  }
  int64_t whole(size_t i) const {
    return width_ == 2 ? at<uint16_t>(i) : width_ == 4 ? at<int32_t>(i) : at<int64_t>(i);
  }

 private:
  std::span<const std::byte> bytes_;
  std::string type_;
  size_t size_ = 0;
  int width_ = 8;  // bytes of a whole number
};

struct Range {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

// Where the elements of item i lie. Throws Error for offsets that lead elsewhere.
Range range_of(const Numbers& offsets, size_t i, size_t limit, const char* name) {
  const auto begin = offsets.at<int64_t>(i);
  const auto end = offsets.at<int64_t>(i + 1);
  if (begin >= 0 && begin <= end && static_cast<uint64_t>(end) <= limit)
    return {static_cast<size_t>(begin), static_cast<size_t>(end)};
  throw Error({.what = fmt::format("'{}' leads out of its column", name),
               .expected = fmt::format("0 to {}, never less than the one before", limit),
               .found = fmt::format("{} and {}", begin, end)});
}

// As in JSON lines, texts are UTF-8, so that two names that differ stay different in every output, and
// no longer than a line may be.
std::string_view text_at(const Numbers& offsets, size_t i, const Numbers& bytes, const char* name) {
  const Range range = range_of(offsets, i, bytes.size(), name);
  const std::string_view text = bytes.text().substr(range.begin, range.size());
  if (static_cast<int64_t>(text.size()) > LineReader::kMaxLine)
    throw Error(fmt::format("'{}' is longer than {} bytes", name, LineReader::kMaxLine));
  if (const std::optional<size_t> place = text::find_invalid_utf8(text))
    throw Error(fmt::format("'{}' is not valid UTF-8 at its byte {}", name, *place));
  return text;
}

class Columns {
 public:
  Columns(std::span<const std::byte> file, std::string where)
      : where_(std::move(where)), entries_(parse_safetensors(file, where_)) {}

  Numbers find(const std::string& name, std::initializer_list<const char*> types,
               std::optional<size_t> size = {}) const {
    const auto found = std::ranges::find(entries_, name, &SafetensorsEntry::name);
    if (found == entries_.end()) return {};
    Numbers numbers(*found, types, where_);
    if (size) require_size(name, numbers, *size);
    return numbers;
  }
  Numbers require(const std::string& name, std::initializer_list<const char*> types) const {
    Numbers numbers = find(name, types);
    if (numbers.is_given()) return numbers;
    throw Error({.what = fmt::format("the column '{}' is missing", name),
                 .where = where_,
                 .hint = "write the file with `palimpsest trace` or `palimpsest convert`"});
  }
  void require_size(const std::string& name, const Numbers& numbers, size_t size) const {
    if (numbers.size() == size) return;
    throw Error({.what = fmt::format("the column '{}' does not fit the others", name),
                 .where = where_,
                 .expected = fmt::format("{} elements", size),
                 .found = std::to_string(numbers.size())});
  }
  // Offsets of so many items, which cover a column of `size` elements (any, if none is given).
  Numbers require_offsets(const std::string& name, size_t count,
                          std::optional<size_t> size = {}) const {
    Numbers offsets = require(name, {"I64"});
    require_size(name, offsets, count + 1);
    const auto first = offsets.at<int64_t>(0);
    const auto last = offsets.at<int64_t>(count);
    if (first == 0 && last >= 0 && (!size || static_cast<uint64_t>(last) == *size)) return offsets;
    throw Error({.what = fmt::format("the column '{}' does not fit the others", name),
                 .where = where_,
                 .expected = size ? fmt::format("offsets from 0 to {}", *size) : "offsets from 0",
                 .found = fmt::format("{} to {}", first, last)});
  }
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }

 private:
  std::string where_;
  std::vector<SafetensorsEntry> entries_;
};

// A text per trace, which some traces may lack.
class Texts {
 public:
  Texts() = default;
  Texts(const Columns& columns, const char* name, size_t count)
      : name_(name), bytes_(columns.find(name, {"U8"})) {
    if (!bytes_.is_given()) return;
    offsets_ = columns.require_offsets(name_ + ".offsets", count, bytes_.size());
    present_ = columns.find(name_ + ".present", {"U8"}, count);
  }
  bool is_given() const { return bytes_.is_given(); }
  const Numbers& bytes() const { return bytes_; }
  std::optional<std::string> at(size_t i) const {
    if (!bytes_.is_given() || (present_.is_given() && present_.at<uint8_t>(i) == 0))
      return std::nullopt;
    return std::string(text_at(offsets_, i, bytes_, name_.c_str()));
  }

 private:
  std::string name_;
  Numbers bytes_;
  Numbers offsets_;
  Numbers present_;
};

// A number per token, which some traces may lack.
class PerToken {
 public:
  PerToken() = default;
  PerToken(const Columns& columns, const char* name, std::initializer_list<const char*> types,
           Range all)
      : values_(columns.find(name, types, all.end)) {
    if (values_.is_given())
      present_ = columns.find(std::string(name) + ".present", {"U8"}, all.begin);
  }
  const Numbers& values() const { return values_; }
  bool has(size_t i) const {
    return values_.is_given() && (!present_.is_given() || present_.at<uint8_t>(i) != 0);
  }
  void floats(size_t i, Range range, std::optional<std::vector<double>>& out) const {
    if (!has(i)) return;
    std::vector<double>& numbers = out.emplace(range.size());
    for (size_t t = 0; t < numbers.size(); ++t)
      numbers[t] = static_cast<double>(values_.at<float>(range.begin + t));
  }
  void wholes(size_t i, Range range, std::optional<std::vector<int64_t>>& out) const {
    if (!has(i)) return;
    std::vector<int64_t>& numbers = out.emplace(range.size());
    for (size_t t = 0; t < numbers.size(); ++t) numbers[t] = values_.whole(range.begin + t);
  }

 private:
  Numbers values_;
  Numbers present_;
};

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
  explicit ColumnTraceReader(const std::filesystem::path& path)
      : path_(path), file_(path), header_(read_header()), columns_(file_.bytes(), path.string()) {
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

  bool next_block(std::vector<LocatedTrace>& block, WorkerPool& pool) override {
    const size_t count = std::min(kColumnBlock, count_ - next_);
    fill_block(block, next_, count, *this, distinct_, pool, [&](size_t i) { return trace_at(i); });
    next_ += count;
    release_read();
    return count > 0;
  }

 private:
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
    require_version(version, kColumnVersion, "trace file", path_.string());
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
    logprob_.floats(i, range, trace.logprob);
    mean_.floats(i, range, trace.mean);
    var_.floats(i, range, trace.var);
    argmax_.wholes(i, range, trace.argmax);
    label_.wholes(i, range, trace.label);
    if (tokens_.has(i)) trace.tokens = words_at(range);
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
        throw Error(fmt::format("'tokens' holds {}, which is no number of a text", id));
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
    constexpr size_t kEvery = 4096;
    if (next_ < released_ + kEvery && next_ < count_) return;
    const auto part = [&](const Numbers& numbers) {
      if (!numbers.is_given() || count_ == 0) return;
      const double share = static_cast<double>(next_) / static_cast<double>(count_);
      const double before = static_cast<double>(released_) / static_cast<double>(count_);
      const auto size = static_cast<double>(numbers.bytes().size());
      const auto begin = static_cast<size_t>(before * size);
      const auto end = std::min(static_cast<size_t>(share * size), numbers.bytes().size());
      if (end > begin) file_.release(numbers.bytes().subspan(begin, end - begin));
    };
    for (const PerToken* column : {&logprob_, &mean_, &var_, &argmax_, &label_, &tokens_})
      part(column->values());
    for (const Texts* column : {&index_, &prompt_, &text_, &groups_}) part(column->bytes());
    released_ = next_;
  }

  std::filesystem::path path_;
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

std::unique_ptr<TraceFile> open_column_traces(const std::filesystem::path& path) {
  return std::make_unique<ColumnTraceReader>(path);
}

}  // namespace palimpsest::trace
