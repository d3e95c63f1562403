#include <fmt/format.h>

#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/json_events.h"
#include "palimpsest/text/internal/utf8.h"
#include "palimpsest/trace/internal/column_file.h"
#include "palimpsest/trace/internal/trace_files.h"

namespace palimpsest::trace {
namespace {

// A column that a trace may lack. It is written only if some trace has it; if some lack it, a
// column NAME.present says which have it.
class OptionalColumn {
 public:
  OptionalColumn(ColumnFile& file, const std::string& name)
      : file_(file), present_(file.add(name + ".present", ColumnType::kByte)) {}

  void note(bool is_present) {
    file_.append_int(present_, is_present ? 1 : 0);
    (is_present ? any_ : lacking_) = true;
  }
  // Adds what is not to be written.
  void leave_out(std::vector<size_t>& columns, std::initializer_list<size_t> own) const {
    if (!any_) columns.insert(columns.end(), own);
    if (!any_ || !lacking_) columns.push_back(present_);
  }

 private:
  ColumnFile& file_;
  size_t present_;
  bool any_ = false;
  bool lacking_ = false;
};

// One text per trace: the bytes of all, and where each begins.
class TextColumn {
 public:
  TextColumn(ColumnFile& file, const std::string& name)
      : file_(file),
        bytes_(file.add(name, ColumnType::kByte)),
        offsets_(file.add(name + ".offsets", ColumnType::kInt64)),
        optional_(file, name) {
    file_.append_int(offsets_, 0);
  }
  void write(const std::optional<std::string>& text) {
    if (text) file_.append_bytes(bytes_, text::lossy_utf8(*text));  // as JSON lines
    file_.append_int(offsets_, file_.size(bytes_));
    optional_.note(text.has_value());
  }
  void leave_out(std::vector<size_t>& columns) const {
    optional_.leave_out(columns, {bytes_, offsets_});
  }

 private:
  ColumnFile& file_;
  size_t bytes_;
  size_t offsets_;
  OptionalColumn optional_;
};

// One number per token.
class TokenColumn {
 public:
  TokenColumn(ColumnFile& file, const std::string& name, ColumnType type)
      : file_(file), type_(type), values_(file.add(name, type)), optional_(file, name) {}

  template <class T>
  void write(const std::optional<std::vector<T>>& values, size_t length) {
    optional_.note(values.has_value());
    for (size_t i = 0; i < length; ++i) {
      if (type_ == ColumnType::kFloat32) {
        file_.append_float(values_, values ? static_cast<double>((*values)[i]) : 0);
      } else {
        file_.append_int(values_, values ? static_cast<int64_t>((*values)[i]) : 0);
      }
    }
  }
  void leave_out(std::vector<size_t>& columns) const { optional_.leave_out(columns, {values_}); }

 private:
  ColumnFile& file_;
  ColumnType type_;
  size_t values_;
  OptionalColumn optional_;
};

std::optional<std::string> groups_text(const Trace& trace) {
  if (trace.groups.empty()) return std::nullopt;
  return to_line(Json(trace.groups));
}

class ColumnTraceWriter : public TraceSink {
 public:
  ColumnTraceWriter(const std::filesystem::path& path, TraceHeader header)
      : header_(std::move(header)), file_(path) {
    file_.append_int(offsets_, 0);
    file_.append_int(word_offsets_, 0);
  }

  void write(const Trace& trace) override {
    const size_t length = length_of(trace);
    index_.write(trace.index);
    file_.append_int(alternative_, trace.alternative);
    has_alternatives_ = has_alternatives_ || trace.alternative != 0;
    file_.append_int(num_labels_, trace.num_labels);
    file_.append_float(avg_loss_,
                       avg_loss(trace).value_or(std::numeric_limits<double>::quiet_NaN()));
    tokens_so_far_ += static_cast<int64_t>(length);
    file_.append_int(offsets_, tokens_so_far_);
    logprob_.write(trace.logprob, length);
    mean_.write(trace.mean, length);
    var_.write(trace.var, length);
    argmax_.write(trace.argmax, length);
    label_.write(trace.label, length);
    tokens_.write(word_ids(trace.tokens), length);
    prompt_.write(trace.prompt);
    text_.write(trace.text);
    text_hash_.write(trace.text_hash);
    groups_.write(groups_text(trace));
    file_.append_int(zlib_size_, trace.zlib_size.value_or(-1));
    has_zlib_sizes_ = has_zlib_sizes_ || trace.zlib_size.has_value();
    write_norms(trace);
    ++count_;
  }

  void commit() override {
    std::map<std::string, std::string> metadata = {
        {"palimpsest_trace", std::to_string(kTraceVersion)}};
    if (!header_.model.empty()) metadata["model"] = header_.model;
    if (!header_.dataset.empty()) metadata["dataset"] = header_.dataset;
    if (!header_.fingerprint.empty()) metadata["fingerprint"] = header_.fingerprint;
    std::vector<size_t> left_out;
    index_.leave_out(left_out);
    for (const TokenColumn* column : {&logprob_, &mean_, &var_, &argmax_, &label_, &tokens_})
      column->leave_out(left_out);
    for (const TextColumn* column : {&prompt_, &text_, &text_hash_, &groups_})
      column->leave_out(left_out);
    if (!has_alternatives_) left_out.push_back(alternative_);
    if (!has_zlib_sizes_) left_out.push_back(zlib_size_);
    if (words_.empty()) left_out.insert(left_out.end(), {words_bytes_, word_offsets_});
    file_.commit(metadata, left_out);
  }

 private:
  static size_t length_of(const Trace& trace) {
    size_t length = 0;
    const auto take = [&](const auto& array) {
      if (array) length = array->size();
    };
    take(trace.logprob);
    take(trace.mean);
    take(trace.var);
    take(trace.argmax);
    take(trace.label);
    take(trace.tokens);
    return length;
  }

  // Texts of tokens repeat: each is kept once, and traces refer to it by its number.
  std::optional<std::vector<int64_t>> word_ids(
      const std::optional<std::vector<std::string>>& tokens) {
    if (!tokens) return std::nullopt;
    std::vector<int64_t> ids;
    for (const std::string& token : *tokens) {
      const auto [found, is_new] = words_.try_emplace(token, std::ssize(words_));
      if (is_new) {
        file_.append_bytes(words_bytes_, text::lossy_utf8(token));
        file_.append_int(word_offsets_, file_.size(words_bytes_));
      }
      ids.push_back(found->second);
    }
    return ids;
  }

  void write_norms(const Trace& trace) {
    constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
    for (const auto& [order, norm] : trace.grad_norm) {
      if (norms_.contains(order)) continue;
      // Each is a column of its own, and its name a tensor's.
      constexpr size_t kMaxOrders = 16;
      if (norms_.size() == kMaxOrders)
        throw Error(fmt::format("'grad_norm' has more than {} orders", kMaxOrders));
      if (!is_printable_name("grad_norm." + order))
        throw Error("'grad_norm' has an order that is not a number");
      const size_t column = file_.add("grad_norm." + order, ColumnType::kFloat32);
      for (int64_t i = 0; i < count_; ++i) file_.append_float(column, kAbsent);
      norms_[order] = column;
    }
    for (const auto& [order, column] : norms_) {
      const auto found = trace.grad_norm.find(order);
      file_.append_float(column, found != trace.grad_norm.end() ? found->second : kAbsent);
    }
  }

  TraceHeader header_;
  ColumnFile file_;
  TextColumn index_{file_, "index"};
  size_t alternative_ = file_.add("alternative", ColumnType::kInt64);
  size_t num_labels_ = file_.add("num_labels", ColumnType::kInt64);
  size_t avg_loss_ = file_.add("avg_loss", ColumnType::kFloat64);
  size_t offsets_ = file_.add("offsets", ColumnType::kInt64);
  TokenColumn logprob_{file_, "logprob", ColumnType::kFloat32};
  TokenColumn mean_{file_, "mean", ColumnType::kFloat32};
  TokenColumn var_{file_, "var", ColumnType::kFloat32};
  TokenColumn argmax_{file_, "argmax", ColumnType::kId};
  TokenColumn label_{file_, "label", ColumnType::kId};
  TokenColumn tokens_{file_, "tokens", ColumnType::kId};
  size_t words_bytes_ = file_.add("token_texts", ColumnType::kByte);
  size_t word_offsets_ = file_.add("token_texts.offsets", ColumnType::kInt64);
  TextColumn prompt_{file_, "prompt"};
  TextColumn text_{file_, "text"};
  TextColumn text_hash_{file_, "text_hash"};
  TextColumn groups_{file_, "groups"};
  size_t zlib_size_ = file_.add("zlib_size", ColumnType::kInt64);
  std::map<std::string, size_t> norms_;  // by order
  std::unordered_map<std::string, int64_t> words_;
  int64_t tokens_so_far_ = 0;
  int64_t count_ = 0;  // traces
  bool has_alternatives_ = false;
  bool has_zlib_sizes_ = false;
};

}  // namespace

std::unique_ptr<TraceSink> write_column_traces(const std::filesystem::path& path,
                                               const TraceHeader& header) {
  return std::make_unique<ColumnTraceWriter>(path, header);
}

}  // namespace palimpsest::trace
