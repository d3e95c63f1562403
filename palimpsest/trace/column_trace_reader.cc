#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/mapped_file.h"
#include "palimpsest/base/safetensors.h"
#include "palimpsest/trace/internal/fill_block.h"
#include "palimpsest/trace/internal/trace_columns.h"

namespace palimpsest::trace {
namespace {

constexpr int64_t kColumnVersion = 1;
// What is made at once: so many traces, but no more than so many tokens, unless a single trace has more.
constexpr size_t kColumnBlock = 4096;
constexpr uint64_t kColumnBlockTokens = 1 << 18;

// The numbers of one column, wherever they lie in the file.
class Numbers {
 public:
  Numbers() = default;
  // Throws Error unless the column has one of these types.
  Numbers(const SafetensorsEntry& entry, std::initializer_list<const char*> types,
          const std::string& where)
      : bytes_(entry.bytes), type_(entry.dtype) {
    std::string expected;
    for (const char* type : types)
      expected += fmt::format("{}{}", expected.empty() ? "" : " or ", type);
    const bool fits = std::ranges::any_of(types, [&](const char* type) { return type_ == type; });
    if (!fits || entry.shape.size() != 1) {
      throw Error({.what = fmt::format("the column '{}' has the wrong type", entry.name),
                   .where = where,
                   .expected = expected + " in one dimension",
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
    switch (width_) {
      case 2:
        return at<uint16_t>(i);
      case 4:
        return at<int32_t>(i);
      default:
        return at<int64_t>(i);
    }
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

class Columns {
 public:
  Columns(std::span<const std::byte> file, std::string where)
      : where_(std::move(where)), entries_(parse_safetensors(file, where_)) {}

  Numbers find(const std::string& name, std::initializer_list<const char*> types) const {
    const auto found = std::ranges::find(entries_, name, &SafetensorsEntry::name);
    return found == entries_.end() ? Numbers() : Numbers(*found, types, where_);
  }
  Numbers find(const std::string& name, std::initializer_list<const char*> types,
               size_t size) const {
    Numbers numbers = find(name, types);
    if (numbers.is_given()) require_size(name, numbers, size);
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
    offsets_ = columns.require(name_ + ".offsets", {"I64"});
    columns.require_size(name_ + ".offsets", offsets_, count + 1);
    present_ = columns.find(name_ + ".present", {"U8"}, count);
  }
  bool is_given() const { return bytes_.is_given(); }
  const Numbers& bytes() const { return bytes_; }
  std::optional<std::string> at(size_t i) const {
    if (!bytes_.is_given() || (present_.is_given() && present_.at<uint8_t>(i) == 0))
      return std::nullopt;
    const Range range = range_of(offsets_, i, bytes_.size(), name_.c_str());
    return std::string(bytes_.text().substr(range.begin, range.size()));
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
  ColumnTraceReader(const std::filesystem::path& path, TraceParts parts)
      : path_(path),
        parts_(parts),
        file_(path),
        header_(read_header()),
        columns_(file_.bytes(), path.string()) {
    num_labels_ = columns_.require("num_labels", {"I64"});
    count_ = num_labels_.size();
    offsets_ = columns_.require("offsets", {"I64"});
    columns_.require_size("offsets", offsets_, count_ + 1);
    const auto total = static_cast<size_t>(std::max<int64_t>(offsets_.at<int64_t>(count_), 0));
    const Range all{.begin = count_, .end = total};  // numbers of traces and of tokens
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
    if (tokens_.values().is_given()) {
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
    const auto total = static_cast<size_t>(std::max<int64_t>(offsets_.at<int64_t>(count_), 0));
    const Range range = range_of(offsets_, i, total, "offsets");
    logprob_.floats(i, range, trace.logprob);
    mean_.floats(i, range, trace.mean);
    var_.floats(i, range, trace.var);
    argmax_.wholes(i, range, trace.argmax);
    label_.wholes(i, range, trace.label);
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
    std::vector<std::string> words;
    words.reserve(range.size());
    for (size_t t = range.begin; t < range.end; ++t) {
      const int64_t id = tokens_.values().whole(t);
      if (id < 0 || static_cast<uint64_t>(id) + 1 >= word_offsets_.size())
        throw Error(fmt::format("'tokens' holds {}, which is no number of a text", id));
      const Range word =
          range_of(word_offsets_, static_cast<size_t>(id), words_.size(), "token_texts.offsets");
      words.emplace_back(words_.text().substr(word.begin, word.size()));
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
  TraceParts parts_;
  MappedFile file_;
  TraceHeader header_;
  Columns columns_;
  size_t count_ = 0;
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

bool is_column_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // a pipe would wait
  // Eight bytes with the length of the header, of which the upper ones are 0, and then the header.
  std::ifstream file(path, std::ios::binary);
  char head[9] = {};
  if (!file.read(head, sizeof head)) return false;
  return head[4] == 0 && head[5] == 0 && head[6] == 0 && head[7] == 0 && head[8] == '{';
}

std::unique_ptr<TraceFile> open_column_traces(const std::filesystem::path& path, TraceParts parts) {
  return std::make_unique<ColumnTraceReader>(path, parts);
}

}  // namespace palimpsest::trace
