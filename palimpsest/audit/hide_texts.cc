#include "palimpsest/audit/internal/hide_texts.h"

#include "palimpsest/attack/internal/hidden_texts.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest::audit {
namespace {

void hide_in_file(const std::string& salt, const std::filesystem::path& file) {
  trace::TraceReader reader(file);
  trace::TraceHeader header = reader.header();
  header.fingerprint += ", without texts";
  trace::TraceWriter writer(file, header);
  for (trace::Trace trace; reader.next(trace);) {
    attack::hide_texts(salt, trace);
    writer.write(trace);
  }
  writer.commit();
}

void hide_in(const std::string& salt, trace::TraceInput& input) {
  if (!trace::is_given(input)) return;
  if (const std::filesystem::path file = trace::file_of(input); !file.empty())
    return hide_in_file(salt, file);
  trace::TraceSet set = *std::get<std::shared_ptr<const trace::TraceSet>>(input);
  for (trace::Trace& trace : set.traces) attack::hide_texts(salt, trace);
  input = std::make_shared<const trace::TraceSet>(std::move(set));
}

}  // namespace

void disguise_groups(const std::string& salt, attack::TraceScores& scores) {
  for (attack::ExampleFacts& facts : scores.facts) {
    for (auto& [key, value] : facts.groups) value = attack::salted_hash(salt, value);
  }
}

void hide_texts(const std::string& salt, AuditTraces& traces) {
  for (BothSets<trace::TraceInput>* sets : {&traces.audited, &traces.reference, &traces.baseline}) {
    hide_in(salt, sets->forget);
    hide_in(salt, sets->holdout);
  }
}

}  // namespace palimpsest::audit
