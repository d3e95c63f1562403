#include "palimpsest/run/trace_run.h"

#include <utility>

#include "palimpsest/run/lazy_model.h"
#include "palimpsest/trace/trace_writer.h"

namespace palimpsest {

TraceRun::TraceRun(ModelLoader& loader, TraceRunOptions options)
    : loader_(loader), options_(std::move(options)) {}

TraceCounts TraceRun::trace(const TracedModel& model, const std::vector<TraceTask>& tasks,
                            const TraceOptions& options, const Tokenizer& tokenizer) {
  loader_.check(options_.model, !options.gradient_norms.empty());
  std::vector<ExampleList> lists;
  for (const TraceTask& task : tasks) {
    lists.push_back({.name = task.dataset, .examples = task.examples});
  }
  LazyModel lazy(loader_, model.name, model.folder, options_.model);
  ScoredLists scored = score_lists(lazy, lists, options,
                                   {.folder = options_.folder,
                                    .display = options_.display,
                                    .batch_tokens = options_.batch_tokens});
  lazy.drop();
  scored.counts.model_fingerprint = lazy.fingerprint();
  for (size_t t = 0; t < tasks.size(); ++t) {
    TraceWriter writer(tasks[t].out, {.model = model.name, .dataset = tasks[t].dataset});
    for (size_t i = 0; i < tasks[t].examples->size(); ++i) {
      writer.write(to_trace((*tasks[t].examples)[i], scored.of(t, i), options, tokenizer));
    }
    writer.commit();
  }
  return scored.counts;
}

}  // namespace palimpsest
