// A metric handler of one's own, beside those that ship: copy the default table, add a line, pass it
// on. The configuration may then say `handler: longest_run`.
//
//   own_metric MODEL DATA OUT_DIR
//
// The metric: the longest run of answer tokens that the model would choose itself.

#include <algorithm>
#include <cstdio>
#include <exception>

#include "palimpsest/engine/engine_loader.h"
#include "palimpsest/eval/evaluate.h"
#include "palimpsest/eval/trace_metric.h"

namespace eval = palimpsest::eval;
using palimpsest::config::Value;

namespace {

eval::Number longest_run(const palimpsest::Trace& trace) {
  int64_t run = 0;
  int64_t longest = 0;
  for (size_t i = 0; i < trace.argmax->size(); ++i) {
    run = (*trace.argmax)[i] == (*trace.label)[i] ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return static_cast<double>(longest);
}

eval::MetricResult compute(const eval::MetricInput& input) {
  return eval::score_each(input, longest_run);
}

// What `palimpsest eval` composes from YAML files, written out.
Value configuration(const char* model, const char* data, const char* out) {
  const Value dataset(Value::Map{
      {"handler", "QADataset"},
      {"args", Value::Map{{"hf_args", Value::Map{{"path", data}}}, {"max_length", 64}}}});
  const Value metric(
      Value::Map{{"handler", "longest_run"}, {"datasets", Value::Map{{"questions", dataset}}}});
  return Value::Map{
      {"model", Value::Map{{"model_args", Value::Map{{"pretrained_model_name_or_path", model}}},
                           {"template_args", Value::Map{{"apply_chat_template", true}}}}},
      {"seed", 0},
      {"eval", Value::Map{{"own", Value::Map{{"handler", "Evaluator"},
                                             {"output_dir", out},
                                             {"metrics", Value::Map{{"longest_run", metric}}}}}}}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: own_metric MODEL DATA OUT_DIR\n"), 2;
  try {
    eval::HandlerTable handlers = eval::default_handler_table();
    handlers.push_back({.name = "longest_run",
                        .measures = "longest run of tokens that the model would choose itself",
                        .orientation = "higher: more is memorised",
                        .needs = eval::trace_needs,
                        .compute = compute});
    palimpsest::EngineLoader loader;
    const auto done = eval::evaluate(configuration(argv[1], argv[2], argv[3]),
                                     {.loader = loader, .handlers = handlers});
    std::fputs(eval::results_table(done.front()).c_str(), stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "own_metric: %s\n", error.what());
    return 1;
  }
}
