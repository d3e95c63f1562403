#include "palimpsest/trace/trace_file.h"

#include <fmt/format.h>

#include "palimpsest/base/error.h"
#include "palimpsest/base/json.h"

namespace palimpsest {
namespace {

constexpr int kVersion = 1;

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
  if (header["palimpsest_trace"] != kVersion) {
    throw Error({.what = "this trace file is of another version",
                 .where = where,
                 .expected = fmt::format("version {}", kVersion),
                 .found = header["palimpsest_trace"].dump()});
  }
  return {string_or_empty(header, "model"), string_or_empty(header, "dataset")};
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
  if (const Json* value = find(object, "text")) trace.text = to_string(*value, "text");
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
  require_consistent(trace);
  return trace;
}

}  // namespace

TraceReader::TraceReader(const std::filesystem::path& path) : lines_(path) {
  std::string line;
  if (!lines_.next(line)) throw Error({.what = "the trace file is empty", .where = path.string()});
  header_ = parse_header(line, lines_.where());
}

bool TraceReader::next(Trace& trace) {
  std::string line;
  do {
    if (!lines_.next(line)) return false;
  } while (line.find_first_not_of(" \t") == std::string::npos);
  const Json object = parse_json(line, where());
  try {
    trace = parse_trace(object);
  } catch (const Error& error) {
    throw error.located(where());
  }
  if (!seen_.emplace(trace.index, trace.alternative).second) {
    throw Error(
        {.what = fmt::format("the index '{}' was there before", trace.index),
         .where = where(),
         .hint =
             "give each example its own index, or each alternative of one its own 'alternative'"});
  }
  return true;
}

}  // namespace palimpsest
