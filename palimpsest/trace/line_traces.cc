#include <fmt/format.h>

#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/strings.h"
#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/trace/internal/fast_trace_reader.h"
#include "palimpsest/trace/internal/fill_block.h"
#include "palimpsest/trace/internal/trace_files.h"

namespace palimpsest::trace {
namespace {

constexpr size_t kBlockBytes = size_t{4} << 20;  // read and parsed at once

std::string string_or_empty(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

TraceHeader parse_header(const std::string& line, const std::string& where) {
  const Json header = parse_json(line, where);
  if (!header.is_object() || !header.contains("palimpsest_trace")) {
    throw Error(
        {.what = "this is not a trace file: its first line lacks the key 'palimpsest_trace'",
         .where = where,
         .hint = R"(begin the file with {"palimpsest_trace": 1, "model": "…", "dataset": "…"})"});
  }
  require_version(header["palimpsest_trace"], kTraceVersion, "trace file", where);
  return {.model = string_or_empty(header, "model"),
          .dataset = string_or_empty(header, "dataset"),
          .fingerprint = string_or_empty(header, "fingerprint")};
}

// Whether the member is there; null counts as absent.
const Json* find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

[[noreturn]] void wrong_type(const char* key, const char* expected, const Json& found) {
  throw Error({.what = fmt::format("'{}' has the wrong type", key),
               .expected = expected,
               .found = describe(found)});
}

int64_t to_integer(const Json& value, const char* key) {
  if (!value.is_number_integer()) wrong_type(key, "a whole number", value);
  constexpr auto kLargest = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (value.is_number_unsigned() && value.get<uint64_t>() > kLargest) {
    throw Error({.what = fmt::format("'{}' is too large", key), .found = shown(value)});
  }
  return value.get<int64_t>();
}

double to_number(const Json& value, const char* key) {
  if (!value.is_number()) wrong_type(key, "a number", value);
  return value.get<double>();
}

std::string to_string(const Json& value, const char* key) {
  if (!value.is_string()) wrong_type(key, "a string", value);
  return value.get<std::string>();
}

template <class T, class Convert>
std::optional<std::vector<T>> list(const Json& object, const char* key, const Convert& convert) {
  const Json* array = find(object, key);
  if (array == nullptr) return std::nullopt;
  if (!array->is_array()) wrong_type(key, "an array", *array);
  std::vector<T> values;
  values.reserve(array->size());
  for (const Json& value : *array) values.push_back(convert(value, key));
  return values;
}

// A group's value may be written as a number or as a word.
std::string to_group(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Trace parse_trace(const Json& object) {
  Trace trace;
  const Json& index = require(object, "index", "");
  trace.index = index.is_number_integer() ? index.dump() : to_string(index, "index");
  trace.num_labels = to_integer(require(object, "num_labels", ""), "num_labels");
  if (const Json* value = find(object, "alternative"))
    trace.alternative = to_integer(*value, "alternative");
  if (const Json* value = find(object, "prompt")) trace.prompt = to_string(*value, "prompt");
  if (const Json* value = find(object, "text")) trace.text = to_string(*value, "text");
  if (const Json* value = find(object, "zlib_size"))
    trace.zlib_size = to_integer(*value, "zlib_size");
  if (const Json* value = find(object, "text_hash"))
    trace.text_hash = to_string(*value, "text_hash");
  if (const Json* value = find(object, "avg_loss"))
    trace.given_avg_loss = to_number(*value, "avg_loss");
  trace.logprob = list<double>(object, "logprob", to_number);
  trace.mean = list<double>(object, "mean", to_number);
  trace.var = list<double>(object, "var", to_number);
  trace.argmax = list<int64_t>(object, "argmax", to_integer);
  trace.label = list<int64_t>(object, "label", to_integer);
  trace.tokens = list<std::string>(object, "tokens", to_string);
  if (const Json* groups = find(object, "groups")) {
    if (!groups->is_object()) wrong_type("groups", "an object", *groups);
    for (const auto& item : groups->items()) trace.groups[item.key()] = to_group(item.value());
  }
  if (const Json* norms = find(object, "grad_norm")) {
    if (!norms->is_object()) wrong_type("grad_norm", "an object", *norms);
    for (const auto& item : norms->items())
      trace.grad_norm[item.key()] = to_number(item.value(), "grad_norm");
  }
  round_to_float32(trace);
  return trace;
}

// Errors still lack their place.
Trace read_line(const std::string& line, TraceParts parts) {
  Trace trace;
  if (!read_trace_fast(line, trace, parts)) {
    trace = parse_trace(parse_json(line, "", RepeatedKeys::kRefused));
  }
  require_consistent(trace);
  return trace;
}

class LineTraceReader : public TraceFile {
 public:
  LineTraceReader(std::filesystem::path path, TraceParts parts);

  const TraceHeader& header() const override { return header_; }
  bool next(Trace& trace) override;
  bool skip(size_t count) override;
  bool next_block(std::vector<LocatedTrace>& block, WorkerPool& pool) override;
  std::string name() const override { return path_.string(); }
  std::string where_last() const override { return lines_.where(); }
  std::string where(int64_t line) const override;

 private:
  // A block of lines that were read but not yet parsed.
  struct Lines {
    // Only the first numbers.size() are used; the rest is spare memory.
    std::vector<std::string> texts;
    std::vector<int64_t> numbers;
    std::exception_ptr failure;  // the error that ended the reading, if any
  };
  void read_lines(Lines& lines);
  // Returns false at the end of the file.
  bool next_line(std::string& line);

  std::filesystem::path path_;
  TraceParts parts_;
  LineReader lines_;
  TraceHeader header_;
  DistinctExamples distinct_;
  Lines current_;
  Lines ahead_;
  bool read_ahead_ = false;  // whether ahead_ holds the next lines
};

LineTraceReader::LineTraceReader(std::filesystem::path path, TraceParts parts)
    : path_(std::move(path)), parts_(parts), lines_(path_) {
  std::string line;
  if (!lines_.next(line)) throw Error({.what = "the trace file is empty", .where = path_.string()});
  header_ = parse_header(line, lines_.where());
}

std::string LineTraceReader::where(int64_t line) const {
  return fmt::format("{}:{}", path_.string(), line);
}

bool LineTraceReader::next_line(std::string& line) {
  PALIMPSEST_CHECK(!read_ahead_);
  do {
    if (!lines_.next(line)) return false;
  } while (is_blank(line));
  return true;
}

bool LineTraceReader::skip(size_t count) {
  std::string line;
  for (size_t i = 0; i < count; ++i) {
    if (!next_line(line)) return false;
  }
  return true;
}

bool LineTraceReader::next(Trace& trace) {
  std::string line;
  if (!next_line(line)) return false;
  try {
    trace = read_line(line, parts_);
  } catch (const Error& error) {
    throw error.located(where_last());
  }
  distinct_.add(trace, *this, lines_.line_number());
  return true;
}

void LineTraceReader::read_lines(Lines& lines) {
  lines.numbers.clear();
  try {
    for (size_t bytes = 0; bytes < kBlockBytes;) {
      const size_t count = lines.numbers.size();
      if (count == lines.texts.size()) lines.texts.emplace_back();
      if (!lines_.next(lines.texts[count])) break;
      if (is_blank(lines.texts[count])) continue;
      bytes += lines.texts[count].size();
      lines.numbers.push_back(lines_.line_number());
    }
  } catch (...) {
    lines.failure = std::current_exception();
  }
}

bool LineTraceReader::next_block(std::vector<LocatedTrace>& block, WorkerPool& pool) {
  if (!read_ahead_) read_lines(ahead_);
  read_ahead_ = true;
  std::swap(current_, ahead_);
  const size_t count = current_.numbers.size();
  block.clear();
  block.resize(count);
  std::vector<std::optional<Error>> failures(count);
  auto parse = [&](size_t i) {
    block[i].line = current_.numbers[i];
    try {
      block[i].trace = read_line(current_.texts[i], parts_);
    } catch (const Error& error) {
      failures[i] = error.located(where(block[i].line));
    }
  };
  // One unit reads the file on while the others parse.
  constexpr size_t kPieces = 32;
  pool.run(kPieces + 1, [&](int64_t unit, int) {
    if (unit == 0 && !current_.failure) read_lines(ahead_);
    if (unit == 0) return;
    const auto piece = static_cast<size_t>(unit - 1);
    for (size_t i = count * piece / kPieces; i < count * (piece + 1) / kPieces; ++i) parse(i);
  });
  for (size_t i = 0; i < count; ++i) {
    if (failures[i]) throw *failures[i];
    distinct_.add(block[i].trace, *this, block[i].line);
  }
  if (current_.failure) std::rethrow_exception(current_.failure);
  return count > 0;
}

}  // namespace

std::unique_ptr<TraceFile> open_line_traces(const std::filesystem::path& path, TraceParts parts) {
  return std::make_unique<LineTraceReader>(path, parts);
}

}  // namespace palimpsest::trace
