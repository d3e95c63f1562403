#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/trace/trace_file.h"
#include "palimpsest/trace/trace_source.h"
#include "python/src/arguments.h"
#include "python/src/bindings.h"

namespace palimpsest::python {
namespace {

using trace::Trace;
using trace::TraceSet;
using Texts = std::vector<std::string>;

template <class T>
using Column = std::optional<std::vector<T>> Trace::*;

constexpr std::pair<const char*, Column<double>> kNumbers[] = {
    {"logprob", &Trace::logprob}, {"mean", &Trace::mean}, {"var", &Trace::var}};
constexpr std::pair<const char*, Column<int64_t>> kIds[] = {{"argmax", &Trace::argmax},
                                                            {"label", &Trace::label}};

[[noreturn]] void refuse_length(const std::string& name, size_t expected, size_t found) {
  throw Error({.what = "the array has the wrong length",
               .where = name,
               .expected = std::to_string(expected),
               .found = std::to_string(found)});
}

// Fills a column of the traces from one array that holds the values of all of them, one trace after
// the other.
template <class T>
void set_column(std::vector<Trace>& traces, std::span<const int64_t> offsets, const char* name,
                Column<T> column, nb::handle argument) {
  const Numbers<T> numbers(argument, name);
  const std::span<const T> values = numbers.values();
  if (values.size() != static_cast<size_t>(offsets.back()))
    refuse_length(name, static_cast<size_t>(offsets.back()), values.size());
  for (size_t i = 0; i < traces.size(); ++i) {
    (traces[i].*column).emplace(values.begin() + offsets[i], values.begin() + offsets[i + 1]);
  }
}

void require_offsets(std::span<const int64_t> offsets) {
  bool rises = !offsets.empty() && offsets.front() == 0;
  for (size_t i = 1; i < offsets.size(); ++i) rises = rises && offsets[i - 1] <= offsets[i];
  if (!rises) {
    throw Error({.what = "the offsets do not say where the traces begin",
                 .where = "offsets",
                 .expected = "rising numbers from 0 on, one more than there are traces"});
  }
}

// The values of a list with one entry per trace; empty if it is not given.
template <class T>
T per_trace(const nb::dict& columns, const char* name, size_t expected) {
  T values;
  if (!columns.contains(name) || nb::object(columns[name]).is_none()) return values;
  const nb::object given = columns[name];
  if constexpr (std::is_same_v<T, Texts>) {
    if (!nb::try_cast(given, values))
      throw Error({.what = "it is not a list of texts", .where = name});
  } else {
    values = Numbers<typename T::value_type>(given, name).to_vector();
  }
  if (values.size() != expected) refuse_length(name, expected, values.size());
  return values;
}

std::shared_ptr<TraceSet> traces_of_arrays(nb::handle offsets_argument, const nb::dict& columns,
                                           std::string model, std::string dataset) {
  const Numbers<int64_t> numbers(offsets_argument, "offsets");
  const std::span<const int64_t> offsets = numbers.values();
  require_offsets(offsets);
  auto set = std::make_shared<TraceSet>();
  set->header = {.model = std::move(model), .dataset = std::move(dataset)};
  std::vector<Trace>& traces = set->traces;
  traces.resize(offsets.size() - 1);
  const size_t count = traces.size();
  for (const auto& [name, column] : kNumbers) {
    if (columns.contains(name)) set_column(traces, offsets, name, column, columns[name]);
  }
  for (const auto& [name, column] : kIds) {
    if (columns.contains(name)) set_column(traces, offsets, name, column, columns[name]);
  }
  Texts index = per_trace<Texts>(columns, "index", count);
  Texts text = per_trace<Texts>(columns, "text", count);
  Texts prompt = per_trace<Texts>(columns, "prompt", count);
  const auto alternative = per_trace<std::vector<int64_t>>(columns, "alternative", count);
  const auto num_labels = per_trace<std::vector<int64_t>>(columns, "num_labels", count);
  const auto avg_loss = per_trace<std::vector<double>>(columns, "avg_loss", count);
  for (size_t i = 0; i < count; ++i) {
    traces[i].index = index.empty() ? std::to_string(i) : std::move(index[i]);
    if (!text.empty()) traces[i].text = std::move(text[i]);
    if (!prompt.empty()) traces[i].prompt = std::move(prompt[i]);
    if (!alternative.empty()) traces[i].alternative = alternative[i];
    if (!avg_loss.empty()) traces[i].given_avg_loss = avg_loss[i];
    traces[i].num_labels = num_labels.empty() ? offsets[i + 1] - offsets[i] : num_labels[i];
  }
  if (columns.contains("groups")) {
    const auto groups = nb::cast<nb::dict>(columns["groups"]);
    for (const auto& [key, values] : groups) {
      const auto name = nb::cast<std::string>(key);
      Texts texts = per_trace<Texts>(groups, name.c_str(), count);
      for (size_t i = 0; i < count; ++i) traces[i].groups[name] = std::move(texts[i]);
    }
  }
  if (columns.contains("grad_norm")) {
    const auto norms = nb::cast<nb::dict>(columns["grad_norm"]);
    for (const auto& [key, values] : norms) {
      const auto order = nb::cast<std::string>(key);
      const auto norm = per_trace<std::vector<double>>(norms, order.c_str(), count);
      for (size_t i = 0; i < count; ++i) traces[i].grad_norm[order] = norm[i];
    }
  }
  for (const Trace& trace : traces) trace::require_consistent(trace);
  return set;
}

// A column of all traces in one array; None if one of them lacks it.
template <class T>
nb::object joined(const std::vector<Trace>& traces, Column<T> column) {
  std::vector<T> values;
  for (const Trace& trace : traces) {
    if (!(trace.*column)) return nb::none();
    values.insert(values.end(), (trace.*column)->begin(), (trace.*column)->end());
  }
  return to_numpy(std::move(values));
}

nb::object joined_texts(const std::vector<Trace>& traces, std::optional<std::string> Trace::*text) {
  nb::list texts;
  for (const Trace& trace : traces) {
    if (!(trace.*text)) return nb::none();
    texts.append(nb::cast(*(trace.*text)));
  }
  return texts;
}

size_t num_entries(const Trace& trace) {
  for (const auto& [name, column] : kNumbers) {
    if (trace.*column) return (trace.*column)->size();
  }
  for (const auto& [name, column] : kIds) {
    if (trace.*column) return (trace.*column)->size();
  }
  return 0;
}

nb::dict arrays_of(const TraceSet& set) {
  const std::vector<Trace>& traces = set.traces;
  std::vector<int64_t> offsets = {0};
  std::vector<int64_t> num_labels;
  std::vector<int64_t> alternative;
  std::vector<double> avg_loss;
  nb::list index;
  nb::list groups;
  nb::list grad_norm;
  for (const Trace& trace : traces) {
    offsets.push_back(offsets.back() + static_cast<int64_t>(num_entries(trace)));
    num_labels.push_back(trace.num_labels);
    alternative.push_back(trace.alternative);
    if (trace.given_avg_loss) avg_loss.push_back(*trace.given_avg_loss);
    index.append(nb::cast(trace.index));
    groups.append(nb::cast(trace.groups));
    grad_norm.append(nb::cast(trace.grad_norm));
  }
  nb::dict arrays;
  arrays["index"] = index;
  arrays["alternative"] = to_numpy(std::move(alternative));
  arrays["num_labels"] = to_numpy(std::move(num_labels));
  arrays["avg_loss"] =
      avg_loss.size() == traces.size() ? to_numpy(std::move(avg_loss)) : nb::object(nb::none());
  arrays["offsets"] = to_numpy(std::move(offsets));
  for (const auto& [name, column] : kNumbers) arrays[name] = joined(traces, column);
  for (const auto& [name, column] : kIds) arrays[name] = joined(traces, column);
  arrays["text"] = joined_texts(traces, &Trace::text);
  arrays["prompt"] = joined_texts(traces, &Trace::prompt);
  arrays["groups"] = groups;
  arrays["grad_norm"] = grad_norm;
  return arrays;
}

std::shared_ptr<TraceSet> read_traces(const std::filesystem::path& path) {
  const nb::gil_scoped_release released;
  trace::TraceReader reader(path);
  auto set = std::make_shared<TraceSet>();
  set->header = reader.header();
  Trace trace;
  while (reader.next(trace)) set->traces.push_back(std::move(trace));
  return set;
}

}  // namespace

nb::dict trace_to_python(const Trace& trace) {
  nb::dict fields;
  fields["index"] = trace.index;
  fields["alternative"] = trace.alternative;
  fields["num_labels"] = trace.num_labels;
  if (trace.text) fields["text"] = *trace.text;
  if (trace.prompt) fields["prompt"] = *trace.prompt;
  if (trace.given_avg_loss) fields["avg_loss"] = *trace.given_avg_loss;
  for (const auto& [name, column] : kNumbers) {
    if (trace.*column) fields[name] = to_numpy(*(trace.*column));
  }
  for (const auto& [name, column] : kIds) {
    if (trace.*column) fields[name] = to_numpy(*(trace.*column));
  }
  fields["groups"] = trace.groups;
  fields["grad_norm"] = trace.grad_norm;
  return fields;
}

void write_trace_file(const TraceSet& set, const std::filesystem::path& path) {
  trace::TraceWriter writer(path, set.header);
  for (Trace trace : set.traces) {
    trace::round_to_float32(trace);
    writer.write(trace);
  }
  writer.commit();
}

void add_traces(nb::module_& module) {
  nb::class_<TraceSet>(module, "TraceSet")
      .def("__len__", [](const TraceSet& set) { return set.traces.size(); })
      .def_prop_ro("model", [](const TraceSet& set) { return set.header.model; })
      .def_prop_ro("dataset", [](const TraceSet& set) { return set.header.dataset; })
      .def("__getitem__",
           [](const TraceSet& set, int64_t i) {
             const auto size = static_cast<int64_t>(set.traces.size());
             if (i < 0) i += size;
             if (i < 0 || i >= size) throw nb::index_error("there is no such trace");
             return trace_to_python(set.traces[static_cast<size_t>(i)]);
           })
      .def("arrays", arrays_of)
      .def("save", write_trace_file, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>());
  module.def("traces_of_arrays", traces_of_arrays, nb::arg("offsets"), nb::arg("columns"),
             nb::arg("model"), nb::arg("dataset"));
  module.def("read_traces", read_traces, nb::arg("path"));
}

}  // namespace palimpsest::python
