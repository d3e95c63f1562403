#include "palimpsest/audit/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "tests/audit/audit_inputs.h"
#include "tests/support/expect_error.h"

namespace palimpsest::audit {
namespace {

TEST(AuditTest, FromTraceFilesItIsWhatMiaSays) {
  const Audit done = audit({.source = trace_files()});
  const attack::AttackTable& attacks = attack::default_attack_table();
  const attack::TraceScores forget =
      attack::score_traces(example_file("traces/forget.jsonl"), attacks, {});
  const attack::TraceScores holdout =
      attack::score_traces(example_file("traces/holdout.jsonl"), attacks, {});
  const attack::MiaReport report =
      attack::mia({.attacks = attacks, .forget = forget, .holdout = holdout}, {});
  EXPECT_EQ(found_by(done), attack::mia_to_json(report));
  EXPECT_FALSE(done.report.outcomes.empty());
  EXPECT_FALSE(done.report.answer.sentence.empty());
}

TEST(AuditTest, TracesInMemoryGiveTheSameAsFiles) {
  // Those that the traces allow; what others lack is said of a place.
  const std::string attacks = "loss,min_k,min_k_plus_plus,zlib,surp";
  const Audit files = audit({.source = trace_files(), .attacks = attacks}, {.threads = 1});
  const Audit memory = audit({.source = memory_traces(), .attacks = attacks}, {.threads = 3});
  EXPECT_EQ(found_by(files), found_by(memory));
  EXPECT_EQ(trace::file_of(files.traces.audited.forget), example_file("traces/forget.jsonl"));
  EXPECT_TRUE(trace::is_given(memory.traces.audited.forget));
  EXPECT_EQ(trace::file_of(memory.traces.audited.forget), "");
}

TEST(AuditTest, ScoresInMemoryGiveTheSameAsTraces) {
  const attack::AttackTable attacks =
      attack::select_attacks(attack::default_attack_table(), "loss,min_k:k=0.3");
  const auto scored = [&](const char* file) {
    return std::make_shared<const attack::TraceScores>(
        attack::score_traces(example_file(file), attacks, {}));
  };
  AuditSpec spec{.source = trace_files(), .attacks = "loss,min_k:k=0.3"};
  const Audit traces = audit(spec);
  spec.source =
      AuditScores{.audited = {scored("traces/forget.jsonl"), scored("traces/holdout.jsonl")}};
  EXPECT_EQ(found_by(audit(spec)), found_by(traces));
  spec.attacks = "loss";
  expect_contains(error_of([&] { audit(spec); }), "not those of the selected attacks");
}

// Groups are often people: their names must not be in what an audit without texts leaves behind.
TEST(AuditTest, ScoresInMemoryLeaveNoValuesOfGroupsBehindEither) {
  const attack::AttackTable attacks =
      attack::select_attacks(attack::default_attack_table(), "loss");
  const auto scored = [&](const char* file) {
    attack::TraceScores scores = attack::score_traces(example_file(file), attacks, {});
    for (size_t i = 0; i < scores.facts.size(); ++i)
      scores.facts[i].groups["author"] = i % 2 == 0 ? "Ada Lovelace" : "Alan Turing";
    return std::make_shared<const attack::TraceScores>(std::move(scores));
  };
  const AuditScores scores = {
      .audited = {scored("traces/forget.jsonl"), scored("traces/holdout.jsonl")},
      .baseline = {scored("traces/forget.jsonl"), scored("traces/holdout.jsonl")}};
  AuditSpec spec{.source = scores, .attacks = "loss"};
  spec.options.group_keys = {"author"};
  const Audit open = audit(spec);
  expect_contains(found_by(open), "Ada Lovelace");
  spec.hide_texts_with = "salt";
  const Audit hidden = audit(spec);
  EXPECT_EQ(found_by(hidden).find("Ada"), std::string::npos);
  EXPECT_EQ(hidden.report.groups.size(), open.report.groups.size());
  for (const attack::Subgroup& group : hidden.report.groups)
    EXPECT_EQ(group.name.find("Alan"), std::string::npos);
  EXPECT_EQ(scores.audited.forget->facts[0].groups.at("author"), "Ada Lovelace");  // the caller's
}

TEST(AuditTest, ScoresMustBeOnePerExample) {
  const attack::AttackTable attacks =
      attack::select_attacks(attack::default_attack_table(), "loss");
  const attack::TraceScores whole =
      attack::score_traces(example_file("traces/forget.jsonl"), attacks, {});
  const auto cut = [&](auto shorten) {
    attack::TraceScores scores = whole;
    shorten(scores);
    const auto given = std::make_shared<const attack::TraceScores>(std::move(scores));
    const auto complete = std::make_shared<const attack::TraceScores>(whole);
    return error_of([&] {
      audit({.source = AuditScores{.audited = {complete, complete}, .baseline = {given, complete}},
             .attacks = "loss"});
    });
  };
  for (const std::string& message :
       {cut([](attack::TraceScores& scores) { scores.columns[0].pop_back(); }),
        cut([](attack::TraceScores& scores) { scores.facts.pop_back(); }),
        cut([](attack::TraceScores& scores) { scores.reference_loss.resize(3); })})
    expect_contains(message, "there is not one score per example");
}

// With as many threads as there are the attack is called from this one alone, once per trace,
// however it captures; those of the library go to all threads.
TEST(AuditTest, AnAttackOfOnesOwnRunsOnTheCallingThread) {
  std::set<std::thread::id> threads;
  int64_t needs_asked = 0;
  int64_t scored = 0;
  AuditContext context{.threads = 4};
  context.attacks.push_back(
      {.name = "own",
       .measures = "number of labelled tokens",
       .needs = {{.name = "labels",
                  .is_met =
                      [&](const trace::Trace&, const attack::ParameterValues&) {
                        threads.insert(std::this_thread::get_id());
                        return ++needs_asked > 0;
                      }}},
       .score = [&](const trace::Trace& trace,
                    const attack::ParameterValues&) -> std::optional<double> {
         threads.insert(std::this_thread::get_id());
         ++scored;
         return static_cast<double>(trace.num_labels);
       }});
  const Audit done = audit({.source = memory_traces(), .attacks = "loss,own"}, context);
  ASSERT_EQ(done.report.outcomes.size(), 2U);
  EXPECT_EQ(done.report.outcomes[1].name, "own");
  const auto examples =
      static_cast<int64_t>(done.report.forget.size() + done.report.holdout.size());
  EXPECT_EQ(scored, examples);
  EXPECT_EQ(needs_asked, examples);
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST(AuditTest, NotesHoldWhatTheReportNotes) {
  const Audit done = audit({.source = trace_files()});
  ASSERT_FALSE(done.report.notes.empty());  // attacks that compare are left out
  EXPECT_EQ(done.notes, done.report.notes);
}

TEST(AuditTest, RedFlagsAreThere) {
  AuditSpec spec{.source = trace_files(), .attacks = "loss"};
  spec.options.fprs = {1e-4};
  const Audit done = audit(spec);
  EXPECT_TRUE(std::ranges::any_of(
      done.report.flags, [](const attack::RedFlag& flag) { return flag.code == "small_sample"; }));
}

TEST(AuditTest, ABaselineAndAReferenceTakePart) {
  AuditTraces traces = memory_traces();
  traces.reference = traces.audited;
  traces.baseline = trace_files().audited;
  const Audit done = audit({.source = traces, .attacks = "loss,reference"});
  EXPECT_EQ(done.report.outcomes.size(), 2U);
  EXPECT_TRUE(std::ranges::any_of(done.notes, [](const std::string& note) {
    return note.find("come from the audited model itself") != std::string::npos;
  }));
}

TEST(AuditTest, AStopTokenEndsIt) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(audit({.source = trace_files()}, {.stop = source.get_token()}), Stopped);
}

// Scores are there from the beginning: what is left to stop is the statistics.
TEST(AuditTest, AStopTokenEndsTheStatistics) {
  const attack::AttackTable attacks =
      attack::select_attacks(attack::default_attack_table(), "loss");
  const auto scored = [&](const char* file) {
    return std::make_shared<const attack::TraceScores>(
        attack::score_traces(example_file(file), attacks, {}));
  };
  AuditSpec spec{.source = AuditScores{.audited = {scored("traces/forget.jsonl"),
                                                   scored("traces/holdout.jsonl")}},
                 .attacks = "loss"};
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(audit(spec, {.stop = source.get_token()}), Stopped);
}

TEST(AuditTest, ProgressIsACallback) {
  int64_t states = 0;
  const auto display = progress_to([&](const ProgressState&) { ++states; }, 0);
  audit({.source = memory_traces(), .attacks = "loss"}, {.display = display.get()});
  EXPECT_GE(states, 2);  // both sets
}

TEST(AuditTest, RefusesHalvesAndWhatIsNotThere) {
  expect_contains(error_of([] { audit({}); }), "the audited model needs both");
  AuditTraces traces = trace_files();
  traces.reference.forget = traces.audited.forget;
  expect_contains(error_of([&] { audit({.source = traces}); }), "the reference model needs both");
  expect_contains(error_of([] { audit({.source = AuditScores{}}); }),
                  "the audited model needs both");
  expect_contains(error_of([] { audit({.source = trace_files(), .attacks = "magic"}); }),
                  "unknown attack 'magic'");
  AuditSpec wrong{.source = trace_files()};
  wrong.options.margin = 2;
  expect_contains(error_of([&] { audit(wrong); }), "margin");
}

}  // namespace
}  // namespace palimpsest::audit
