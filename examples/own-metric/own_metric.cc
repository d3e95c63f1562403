// A metric handler of one's own, beside those that ship: copy the default table, add a line, pass
// it on. A description of an evaluation, or a configuration, may then say `handler: longest_run`.
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
using palimpsest::eval::Parameter;

namespace {

eval::Number longest_run(const palimpsest::trace::Trace& trace) {
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

eval::EvaluationSpec description(const char* model, const char* data, const char* out) {
  const eval::DatasetSpec questions{
      .name = "questions",
      .handler = "QADataset",
      .args = Parameter::Map{{"hf_args", Parameter::Map{{"path", data}}}, {"max_length", 64}}};
  const eval::MetricSpec metric{
      .name = "longest_run", .handler = "longest_run", .datasets = {questions}};
  return {.model = {.name = model, .prompt = eval::PromptSettings{.chat_template = true}},
          .evaluators = {{.name = "OWN", .output_dir = out, .metrics = {metric}}}};
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
    palimpsest::engine::EngineLoader loader;
    const auto done = eval::evaluate(description(argv[1], argv[2], argv[3]),
                                     {.loader = loader, .handlers = handlers});
    std::fputs(eval::results_table(done.front()).c_str(), stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "own_metric: %s\n", error.what());
    return 1;
  }
}
