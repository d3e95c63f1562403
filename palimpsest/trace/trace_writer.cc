#include "palimpsest/trace/trace_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/trace/internal/trace_files.h"

namespace palimpsest::trace {
namespace {

Json shortest(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(shortest_float32(value));
  return array;
}

class LineTraceWriter : public TraceSink {
 public:
  LineTraceWriter(const std::filesystem::path& path, const TraceHeader& header) : file_(path) {
    file_.write(trace_header_line(header) + "\n");
  }
  void write(const Trace& trace) override { file_.write(trace_line(trace) + "\n"); }
  void commit() override { file_.commit(); }

 private:
  AtomicFile file_;
};

}  // namespace

double shortest_float32(double value) {
  const double rounded = to_float32(value);
  if (!std::isfinite(rounded)) return rounded;
  const auto number = static_cast<float>(rounded);
  const double shortest = std::strtod(fmt::format("{}", number).c_str(), nullptr);
  // Whoever reads it goes through a double, which may lie halfway between two float32 where the
  // digits do not. Nine digits are always near enough.
  if (to_float32(shortest) == rounded) return shortest;
  return std::strtod(fmt::format("{:.9g}", number).c_str(), nullptr);
}

std::string trace_header_line(const TraceHeader& header) {
  Json json = {{"palimpsest_trace", kTraceVersion}};
  if (!header.model.empty()) json["model"] = header.model;
  if (!header.dataset.empty()) json["dataset"] = header.dataset;
  if (!header.fingerprint.empty()) json["fingerprint"] = header.fingerprint;
  return to_line(json);
}

std::string trace_line(const Trace& trace) {
  Json json = {{"index", trace.index}};
  if (trace.alternative != 0) json["alternative"] = trace.alternative;
  if (trace.prompt) json["prompt"] = *trace.prompt;
  if (trace.text) json["text"] = *trace.text;
  if (trace.zlib_size) json["zlib_size"] = *trace.zlib_size;
  if (trace.text_hash) json["text_hash"] = *trace.text_hash;
  json["num_labels"] = trace.num_labels;
  if (const std::optional<double> loss = avg_loss(trace)) json["avg_loss"] = *loss;
  if (trace.logprob) json["logprob"] = shortest(*trace.logprob);
  if (trace.mean) json["mean"] = shortest(*trace.mean);
  if (trace.var) json["var"] = shortest(*trace.var);
  if (trace.argmax) json["argmax"] = *trace.argmax;
  if (trace.label) json["label"] = *trace.label;
  if (trace.tokens) json["tokens"] = *trace.tokens;
  if (!trace.groups.empty()) json["groups"] = trace.groups;
  for (const auto& [order, norm] : trace.grad_norm) {
    json["grad_norm"][order] = shortest_float32(norm);
  }
  return to_line(json);
}

TraceWriter::TraceWriter(const std::filesystem::path& path, const TraceHeader& header) {
  if (path.extension() == ".safetensors") {
    file_ = write_column_traces(path, header);
  } else {
    file_ = std::make_unique<LineTraceWriter>(path, header);
  }
}

TraceWriter::~TraceWriter() = default;

void TraceWriter::write(const Trace& trace) {
  file_->write(trace);
}

void TraceWriter::commit() {
  file_->commit();
}

}  // namespace palimpsest::trace
