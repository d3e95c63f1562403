#include "palimpsest/attack/trace_scores.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "palimpsest/base/error.h"

namespace palimpsest {
namespace {

// What the trace lacks for this attack, or an empty string.
std::string missing_for(const Attack& attack, const Trace& trace, const std::string& where) {
  for (const TraceNeed& need : attack.needs) {
    if (!need.is_met(trace)) return fmt::format("{}: {} is missing", where, need.name);
  }
  return "";
}

}  // namespace

std::string ExampleId::key() const {
  return alternative == 0 ? index : fmt::format("{}/{}", index, alternative);
}

TraceScores score_traces(const std::filesystem::path& path, const AttackTable& attacks,
                         const AttackOptions& options, ProgressDisplay* display) {
  require_valid(options);
  TraceReader reader(path);
  TraceScores scores;
  scores.header = reader.header();
  scores.columns.resize(attacks.size());
  scores.lacking.resize(attacks.size());
  Progress progress(display, "reading " + path.filename().string(), 0);
  Trace trace;
  while (reader.next(trace)) {
    scores.examples.push_back({trace.index, trace.alternative});
    scores.facts.push_back(facts_of(trace));
    if (trace.text) scores.text_hashes.push_back(std::hash<std::string>()(*trace.text));
    for (size_t a = 0; a < attacks.size(); ++a) {
      if (scores.lacking[a].empty())
        scores.lacking[a] = missing_for(attacks[a], trace, reader.where());
      if (!scores.lacking[a].empty()) continue;
      const std::optional<double> score = attacks[a].score(trace, options);
      if (score && !std::isfinite(*score)) {
        throw Error({.what = fmt::format("the {} score is NaN or infinite", attacks[a].name),
                     .where = reader.where()});
      }
      scores.columns[a].push_back(score);
    }
    progress.advance(1);
  }
  if (scores.examples.empty()) {
    throw Error({.what = "the trace file holds no examples", .where = path.string()});
  }
  return scores;
}

}  // namespace palimpsest
