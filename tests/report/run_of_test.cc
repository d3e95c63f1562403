// Runs and reports of what is in memory.

#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/sha256.h"
#include "palimpsest/report/internal/page/run_examples.h"
#include "palimpsest/report/page/mia_page.h"
#include "palimpsest/report/page/page.h"
#include "palimpsest/report/page/report_page.h"
#include "palimpsest/report/report.h"
#include "tests/report/page/audit.h"
#include "tests/report/score_rows.h"
#include "tests/support/expect_error.h"
#include "tests/support/threads_used.h"

namespace palimpsest::report {
namespace {

class RunOfAuditTest : public testing::Test {
 protected:
  attack::MiaReport audit() const {
    return audit_of(write_traces(folder_, {.name = "forget", .count = 60, .loss = 1}),
                    write_traces(folder_, {.name = "holdout", .count = 60, .loss = 2, .seed = 9}),
                    "loss,min_k:k=0.3");
  }

  // The run of the folder that an audit would leave, and the one of the audit itself.
  std::pair<RunResults, RunResults> both(const attack::MiaReport& audit,
                                         const RunReadOptions& options) const {
    std::filesystem::create_directories(folder_.path() / "run");
    folder_.write("run/mia.json", attack::mia_to_json(audit));
    return {read_run(folder_.path() / "run", options), run_of(audit, "run", options)};
  }

  const TempFolder folder_;
};

void expect_same(const RunResults& file, const RunResults& memory) {
  EXPECT_EQ(file.name, memory.name);
  EXPECT_EQ(file.cluster_name, memory.cluster_name);
  ASSERT_TRUE(memory.answer);
  EXPECT_EQ(file.answer->sentence, memory.answer->sentence);
  EXPECT_EQ(file.answer->attack_name, memory.answer->attack_name);
  EXPECT_EQ(file.flags, memory.flags);
  EXPECT_EQ(file.separating_texts.has_value(), memory.separating_texts.has_value());
  ASSERT_EQ(file.metrics.size(), memory.metrics.size());
  for (size_t i = 0; i < file.metrics.size(); ++i) {
    const RunMetric& a = file.metrics[i];
    const RunMetric& b = memory.metrics[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.value, b.value) << a.name;
    EXPECT_EQ(a.interval, b.interval) << a.name;
    EXPECT_EQ(a.parameters, b.parameters) << a.name;
    ASSERT_TRUE(a.scored && b.scored) << a.name;
    EXPECT_EQ(a.scored->name, b.scored->name) << a.name;
    EXPECT_EQ(a.scored->attack, b.scored->attack) << a.name;
    EXPECT_EQ(a.name_has_parameters(), b.name_has_parameters()) << a.name;
    EXPECT_EQ(a.scored->auc_ci_simultaneous, b.scored->auc_ci_simultaneous) << a.name;
    EXPECT_EQ(scores_by_key(a.scored->forget), scores_by_key(b.scored->forget)) << a.name;
    EXPECT_EQ(scores_by_key(a.scored->holdout), scores_by_key(b.scored->holdout)) << a.name;
    EXPECT_EQ(a.forget_clusters, b.forget_clusters) << a.name;
    EXPECT_EQ(a.holdout_clusters, b.holdout_clusters) << a.name;
    EXPECT_EQ(label_of(a), label_of(b));
  }
}

TEST_F(RunOfAuditTest, IsThatOfItsFolder) {
  const attack::MiaReport report = audit();
  ASSERT_EQ(report.outcomes.size(), 2U);
  for (const double confidence : {0.95, 0.9}) {
    const auto [file, memory] = both(report, {.confidence = confidence});
    expect_same(file, memory);
    ASSERT_TRUE(memory.metrics[0].interval);
  }
  const auto [file, memory] = both(report, {.clusters = {.size = 5}});
  expect_same(file, memory);
}

// Sixty examples cannot resolve a rate of 0.1%; a report says what the audit says.
TEST_F(RunOfAuditTest, HasTheFlagsAndTheAttackOfTheAudit) {
  const attack::MiaReport report = audit();
  ASSERT_FALSE(report.flags.empty());
  const auto [file, memory] = both(report, {});
  EXPECT_EQ(file.flags, report.flags);
  ASSERT_FALSE(report.answer.attack_name.empty());
  EXPECT_EQ(leading_attack(file)->name, "mia_" + report.outcomes[*report.leading_attack()].name);
}

// A program that embeds the library may make its rows itself.
TEST_F(RunOfAuditTest, ARowNeedNotStateItsParameters) {
  attack::MiaReport report = audit();
  for (attack::AttackOutcome& outcome : report.outcomes) outcome.parameters = {};
  EXPECT_TRUE(run_of(report, "run", {}).metrics.at(0).parameters->empty());
  EXPECT_FALSE(page_to_html(mia_page(report, {})).empty());
}

TEST_F(RunOfAuditTest, SaysWhichExamplesBelongTogether) {
  attack::MiaReport report = audit();
  report.clusters = {.name = "author", .forget = {}, .holdout = {}};
  for (int64_t i = 0; i < 60; ++i) {
    report.clusters.forget.push_back(i / 20);
    report.clusters.holdout.push_back(3 + i / 20);
  }
  report.clusters.names = {"a", "b", "c", "d", "e", "f"};
  const auto [file, memory] = both(report, {});
  expect_same(file, memory);
  EXPECT_EQ(memory.cluster_name, "author");
  EXPECT_EQ(memory.metrics[0].holdout_clusters.at("59"), "f");
}

// The record names the traces, wherever they are. Without one they were looked for.
TEST_F(RunOfAuditTest, TheRecordNamesTheTraces) {
  const attack::MiaReport report = audit();
  std::filesystem::create_directories(folder_.path() / "run");
  const std::filesystem::path forget = folder_.path() / "forget.jsonl";
  const auto read = [&](const attack::MiaRecord& record) {
    folder_.write("run/mia.json", attack::mia_to_json(report, record));
    return read_run(folder_.path() / "run", {});
  };
  const RunResults run =
      read({{"forget traces", forget.string()}, {"holdout traces", "gone.jsonl"}});
  ASSERT_TRUE(run.metrics[0].traces);
  EXPECT_EQ(trace::file_of(run.metrics[0].traces->forget), forget);
  EXPECT_EQ(trace::file_of(run.metrics[0].traces->holdout), "");
  EXPECT_EQ(run.metrics[0].attack->name, "loss");
  int64_t with_text = 0;
  for (const PageExample& row : run_examples(run).rows) with_text += row.answer ? 1 : 0;
  EXPECT_EQ(with_text, 60);
  // A folder that was moved brings its own traces, and nothing that is not named is looked at.
  std::filesystem::create_directories(folder_.path() / "run/traces");
  std::filesystem::copy(forget, folder_.path() / "run/traces/forget.jsonl");
  EXPECT_EQ(trace::file_of(
                read({{"forget traces", "/elsewhere/forget.jsonl"}}).metrics[0].traces->forget),
            folder_.path() / "run/traces/forget.jsonl");
  EXPECT_TRUE(run_examples(read({})).rows.at(0).tokens.empty());
}

// The name that was typed may be that of another audit's file where the report is made.
class UnfitTracesTest : public RunOfAuditTest {
 protected:
  UnfitTracesTest() {
    audit_ = audit();
    write_traces(folder_, {.name = "other", .count = 60, .loss = 1, .seed = 5, .text = "other"});
    std::filesystem::create_directories(folder_.path() / "run");
  }

  // The audit of the folder, whose record names this file of forget traces.
  Report report_on_run(const std::string& forget) {
    folder_.write("run/mia.json", attack::mia_to_json(audit_, {{"forget traces", forget},
                                                               {"holdout traces", holdout_}}));
    return make_report({folder_.path() / "run"}, {});
  }

  std::string other() const { return (folder_.path() / "other.jsonl").string(); }

  void write_provenance(const char* member, const Json& value) {
    Json document = {{"palimpsest_provenance", 1}, {member, Json::array({value})}};
    document["digest"] = sha256_of(to_text(document));
    folder_.write("run/provenance.json", to_text(document));
  }
  // Says that the audit read the file.
  void write_input(const std::string& role, const std::filesystem::path& file) {
    write_provenance("inputs",
                     {{"role", role},
                      {"sha256", sha256_of_file(file)},
                      {"files", {{{"name", "f"}, {"bytes", std::filesystem::file_size(file)}}}}});
  }
  // Traces of that name in the folder of the audit.
  std::filesystem::path copy_into_run(const std::filesystem::path& file, const std::string& name) {
    std::filesystem::path copy = folder_.path() / "run/traces" / name;
    std::filesystem::create_directories(copy.parent_path());
    std::filesystem::copy(file, copy, std::filesystem::copy_options::overwrite_existing);
    return copy;
  }

  attack::MiaReport audit_;
  std::string holdout_ = (folder_.path() / "holdout.jsonl").string();
};

// How many examples of each set have a text.
std::pair<int, int> with_texts(const PageExamples& examples) {
  std::pair<int, int> sets;
  for (const PageExample& row : examples.rows)
    (row.set == PageSet::kForget ? sets.first : sets.second) += row.answer ? 1 : 0;
  return sets;
}

TEST_F(UnfitTracesTest, AreLeftOutOfEveryPageWithANote) {
  folder_.write("data.jsonl", R"({"question": "q", "answer": "a"})");
  for (const std::string& file :
       {other(), std::string("../other.jsonl"), (folder_.path() / "data.jsonl").string()}) {
    const Report report = report_on_run(file);
    for (const PageData& page : {page_of(report, {}), report_page(report)}) {
      EXPECT_EQ(with_texts(page.examples), std::pair(0, 60)) << file;
      ASSERT_FALSE(page.notes.empty()) << file;
      const std::string name = std::filesystem::path(file).filename().string();
      expect_contains(page.notes.back(), "no texts of " + name + " are shown: ");
      expect_contains(page.notes.back(),
                      name == "other.jsonl" ? "no SHA-256 of it is recorded" : "data.jsonl:1");
      EXPECT_EQ(page.notes.back().find(folder_.path().string()), std::string::npos);
    }
  }
  const Report fitting = report_on_run((folder_.path() / "forget.jsonl").string());
  EXPECT_EQ(with_texts(page_of(fitting, {}).examples), std::pair(60, 60));
  EXPECT_TRUE(fitting.runs.at(0).unfit_traces.empty());
}

// For attacks whose scores single traces do not give.
TEST_F(UnfitTracesTest, AFileThatProvenanceNamesIsNoneOfThem) {
  write_input("forget traces", other());
  EXPECT_EQ(with_texts(page_of(report_on_run(other()), {}).examples), std::pair(60, 60));
  write_input("holdout traces", other());
  EXPECT_EQ(with_texts(page_of(report_on_run(other()), {}).examples), std::pair(0, 60));
  write_input("forget traces", holdout_);
  expect_contains(page_of(report_on_run(other()), {}).notes.back(),
                  "its SHA-256 is not the one in provenance.json");
}

// An earlier audit into the same folder ran a model and left its traces, with texts that are not to
// be shown.
TEST_F(UnfitTracesTest, TracesThatAnEarlierAuditLeftInTheFolderAreNotShown) {
  copy_into_run(other(), "forget.jsonl");
  const Report report = report_on_run((folder_.path() / "forget.jsonl").string());
  EXPECT_TRUE(report.runs.at(0).unfit_traces.empty());
  for (const PageData& page : {page_of(report, {}), report_page(report)}) {
    EXPECT_EQ(with_texts(page.examples), std::pair(60, 60));
    for (const PageExample& row : page.examples.rows) EXPECT_NE(row.answer, "other");
  }
  EXPECT_EQ(with_texts(page_of(report_on_run("traces/forget.jsonl"), {}).examples),
            std::pair(0, 60));
}

// They may even give the scores: texts can be taken out of traces between two audits.
TEST_F(UnfitTracesTest, AFileInTheFolderThatProvenanceShouldListIsOneOfThem) {
  copy_into_run(folder_.path() / "forget.jsonl", "public.jsonl");
  const std::string gone = "elsewhere/public.jsonl";
  EXPECT_EQ(with_texts(page_of(report_on_run(gone), {}).examples), std::pair(60, 60));
  write_provenance("files", {{"name", "scores.csv"}, {"sha256", sha256_of("")}});
  const PageData page = page_of(report_on_run(gone), {});
  EXPECT_EQ(with_texts(page.examples), std::pair(0, 60));
  expect_contains(page.notes.back(), "provenance.json does not list this file");
}

// The results of an audit of a model hold its traces.
TEST_F(UnfitTracesTest, AFileThatProvenanceListsMustHaveItsHash) {
  const std::filesystem::path traces = copy_into_run(other(), "forget.jsonl");
  write_provenance("files", {{"name", "traces/forget.jsonl"}, {"sha256", sha256_of_file(other())}});
  EXPECT_EQ(with_texts(page_of(report_on_run("traces/forget.jsonl"), {}).examples),
            std::pair(60, 60));
  // The first traces give the scores, but a later one was changed.
  copy_into_run(folder_.path() / "forget.jsonl", "forget.jsonl");
  for (const std::string& file : {std::string("traces/forget.jsonl"), traces.string()}) {
    const PageData page = page_of(report_on_run(file), {});
    EXPECT_EQ(with_texts(page.examples), std::pair(0, 60));
    expect_contains(page.notes.back(),
                    "no texts of forget.jsonl are shown: forget.jsonl: this is not the file whose "
                    "hash provenance.json has");
    EXPECT_EQ(std::ranges::count(page.notes, page.notes.back()), 1);
  }
  // Nor does the page say where the folder is if the file is also found from the current folder.
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path() / "run");
  const PageData page = page_of(report_on_run("traces/forget.jsonl"), {});
  std::filesystem::current_path(before);
  const auto about_texts = [](const std::string& note) { return note.starts_with("no texts of"); };
  EXPECT_EQ(std::ranges::count_if(page.notes, about_texts), 1);
  for (const std::string& note : page.notes)
    EXPECT_EQ(note.find(folder_.path().string()), std::string::npos) << note;
}

// Audits of earlier versions say it there alone.
TEST_F(UnfitTracesTest, NoneIsLookedForIfProvenanceSaysThatTextsWereLeftOut) {
  const std::string forget = (folder_.path() / "forget.jsonl").string();
  write_provenance("left_out", "texts");
  const Report report = report_on_run(forget);
  EXPECT_EQ(with_texts(page_of(report, {}).examples), std::pair(0, 0));
  EXPECT_EQ(with_texts(report_page(report).examples), std::pair(0, 0));
  write_provenance("left_out", "paths");
  EXPECT_EQ(with_texts(page_of(report_on_run(forget), {}).examples), std::pair(60, 60));
}

// Of several places the first that fits counts.
TEST_F(UnfitTracesTest, AnotherPlaceIsLookedAt) {
  copy_into_run(folder_.path() / "forget.jsonl", "other.jsonl");
  const Report report = report_on_run(other());
  EXPECT_EQ(with_texts(page_of(report, {}).examples), std::pair(60, 60));
  EXPECT_TRUE(report.runs.at(0).unfit_traces.empty());
}

TEST_F(RunOfAuditTest, TextsThatWereLeftOutAreNotLookedFor) {
  const attack::MiaReport report = audit();
  std::filesystem::create_directories(folder_.path() / "run");
  folder_.write(
      "run/mia.json",
      attack::mia_to_json(report, {{"forget traces", (folder_.path() / "forget.jsonl").string()},
                                   {"holdout traces", (folder_.path() / "holdout.jsonl").string()},
                                   attack::MiaRecord::value_type(attack::kTextsLeftOut)}));
  const Report single = make_report({folder_.path() / "run"}, {});
  for (const PageExamples& examples :
       {page_of(single, {}).examples, report_page(single, {}).examples}) {
    ASSERT_EQ(examples.rows.size(), 120U);
    for (const PageExample& row : examples.rows) {
      EXPECT_FALSE(row.answer);
      EXPECT_TRUE(row.tokens.empty());
    }
  }
}

TEST_F(RunOfAuditTest, MakesAReport) {
  const ReportOptions options;
  const Report report =
      report_on({.runs = {run_of(audit(), "my model", read_options(options))}}, options);
  ASSERT_EQ(report.run_table.runs, std::vector<std::string>{"my model"});
  EXPECT_EQ(report.run_table.metrics.size(), 2U);
  expect_contains(page_to_html(report_page(report)), "my model");
}

TEST(ReportOnTest, ScoresInMemoryAreThoseOfAFile) {
  const TempFolder folder;
  const auto file = folder.write(
      "scores.csv", normal_csv(1, 100, 1, "loss") + normal_csv(2, 100, 2, "zlib", false));
  ReportOptions options;
  options.bootstrap.resamples = 50;
  ScoresTable table{.columns = {"attack"}, .classes = binary_classes(), .attacks = {}};
  table.attacks.push_back(normal_rows(1, 100, 1, {"loss"}));
  table.attacks.push_back(normal_rows(2, 100, 2, {"zlib"}));
  const Report of_file = make_report({file}, options);
  const Report of_memory = report_on({.scores = table}, options);
  EXPECT_EQ(page_to_html(report_page(of_memory)), page_to_html(report_page(of_file)));
  EXPECT_FALSE(error_of([&] { report_on({}, options); }).empty());
}

TEST(ReportOnTest, UsesAsManyThreadsAsItMay) {
  ReportOptions options;
  options.bootstrap.resamples = 20;
  options.epsilon.single_models = true;
  ScoresTable table{.columns = {"attack", "target_id"}, .classes = binary_classes(), .attacks = {}};
  for (const char* target : {"a", "b", "c", "d"})
    table.attacks.push_back(normal_rows(1, 100, 1, {"loss", target}));
  for (const int threads : {1, 2}) {
    options.bootstrap.threads = threads;
    EXPECT_EQ(threads_used([&] { report_on({.scores = table}, options); }), threads);
  }
}

}  // namespace
}  // namespace palimpsest::report
