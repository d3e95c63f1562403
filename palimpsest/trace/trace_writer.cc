#include "palimpsest/trace/trace_writer.h"

#include <fmt/format.h>

#include <cstdlib>

#include "palimpsest/base/json.h"

namespace palimpsest {
namespace {

Json rounded(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(rounded_for_trace(value));
  return array;
}

}  // namespace

double rounded_for_trace(double value) {
  return std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr);
}

std::string trace_header_line(const TraceHeader& header) {
  Json json = {{"palimpsest_trace", 1}};
  if (!header.model.empty()) json["model"] = header.model;
  if (!header.dataset.empty()) json["dataset"] = header.dataset;
  return to_line(json);
}

std::string trace_line(const Trace& trace) {
  Json json = {{"index", trace.index}};
  if (trace.alternative != 0) json["alternative"] = trace.alternative;
  if (trace.prompt) json["prompt"] = *trace.prompt;
  if (trace.text) json["text"] = *trace.text;
  json["num_labels"] = trace.num_labels;
  if (const std::optional<double> loss = avg_loss(trace)) {
    json["avg_loss"] = rounded_for_trace(*loss);
  }
  if (trace.logprob) json["logprob"] = rounded(*trace.logprob);
  if (trace.mean) json["mean"] = rounded(*trace.mean);
  if (trace.var) json["var"] = rounded(*trace.var);
  if (trace.argmax) json["argmax"] = *trace.argmax;
  if (trace.label) json["label"] = *trace.label;
  if (trace.tokens) json["tokens"] = *trace.tokens;
  if (!trace.groups.empty()) json["groups"] = trace.groups;
  for (const auto& [order, norm] : trace.grad_norm) {
    json["grad_norm"][order] = rounded_for_trace(norm);
  }
  return to_line(json);
}

TraceWriter::TraceWriter(const std::filesystem::path& path, const TraceHeader& header)
    : file_(path) {
  file_.write(trace_header_line(header) + "\n");
}

void TraceWriter::write(const Trace& trace) {
  file_.write(trace_line(trace) + "\n");
}

}  // namespace palimpsest
