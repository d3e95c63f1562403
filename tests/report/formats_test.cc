// Every version's files are read; newer ones are refused by name (tests/golden/formats/README.md).
// What needs the program is in tests/cli/formats_test.py.

#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/internal/run_record.h"
#include "palimpsest/report/page/page.h"
#include "palimpsest/report/page/report_page.h"
#include "palimpsest/report/report.h"
#include "palimpsest/stat/stat_file.h"
#include "palimpsest/trace/trace_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::report {
namespace {

const std::filesystem::path kFormats = std::filesystem::path(PALIMPSEST_GOLDEN_DIR) / "formats";

class FormatsGoldenTest : public testing::TestWithParam<std::string> {
 protected:
  const std::filesystem::path folder_ = kFormats / GetParam();
};

TEST_P(FormatsGoldenTest, IsRead) {
  trace::TraceReader traces(folder_ / "traces" / "forget.jsonl");
  trace::Trace trace;
  EXPECT_TRUE(traces.next(trace));
  const std::string stats = (folder_ / "stats.json").string();
  EXPECT_FALSE(stat::stats_from_json(read_file(stats), stats).empty());
  const Report report = make_report({folder_ / "mia", folder_ / "eval"}, {});
  ASSERT_EQ(report.runs.size(), 2U);
  EXPECT_FALSE(page_to_html(report_page(report)).empty());
  const Report newest = make_report({kFormats / "0.2" / "mia", kFormats / "0.2" / "eval"}, {});
  for (size_t r = 0; r < report.runs.size(); ++r) {
    for (const RunMetric& metric : newest.runs[r].metrics) {
      const auto found = std::ranges::find(report.runs[r].metrics, metric.name, &RunMetric::name);
      ASSERT_NE(found, report.runs[r].metrics.end()) << metric.name;
      EXPECT_EQ(found->value, metric.value) << metric.name;
      EXPECT_EQ(found->by_index, metric.by_index) << metric.name;  // guessed, or told
      ASSERT_EQ(found->scored.has_value(), metric.scored.has_value()) << metric.name;
      if (metric.scored) {
        EXPECT_EQ(scores_by_key(found->scored->forget), scores_by_key(metric.scored->forget))
            << metric.name;
      }
      EXPECT_EQ(found->generations.size(), metric.generations.size()) << metric.name;
    }
  }
}

// The page of the evaluation, whether the record names the traces and generations or not.
TEST_P(FormatsGoldenTest, GivesTheSameExamples) {
  const auto examples_of = [](const std::filesystem::path& folder) {
    return report_page(make_report({folder}, {})).examples;
  };
  const PageExamples examples = examples_of(folder_ / "eval");
  const PageExamples newest = examples_of(kFormats / "0.2" / "eval");
  ASSERT_EQ(examples.rows.size(), newest.rows.size());
  ASSERT_FALSE(examples.rows.empty());
  int generations = 0;
  for (size_t i = 0; i < examples.rows.size(); ++i) {
    EXPECT_EQ(examples.rows[i].index, newest.rows[i].index);
    EXPECT_EQ(examples.rows[i].answer, newest.rows[i].answer);
    EXPECT_EQ(examples.rows[i].tokens.size(), newest.rows[i].tokens.size());
    // Guessing by the true answer fails where a trace's labels lack the answer's first word.
    if (!examples.rows[i].generation) continue;
    EXPECT_EQ(examples.rows[i].generation, newest.rows[i].generation);
    ++generations;
  }
  EXPECT_EQ(generations, GetParam() == std::string("0.1") ? 4 : 8);
}

INSTANTIATE_TEST_SUITE_P(Versions, FormatsGoldenTest, testing::Values("0.1", "0.2"),
                         [](const auto& version) {
                           return version.param == "0.1" ? "First" : "Newest";
                         });

TEST(FormatsTest, AnAuditOfTodayIsReadAgainByteByByte) {
  const std::string path = (kFormats / "0.2" / "mia" / "mia.json").string();
  const std::string text = read_file(path);
  const std::optional<attack::MiaFile> file = attack::mia_from_json(text, path);
  ASSERT_TRUE(file);
  EXPECT_EQ(attack::mia_to_json(file->report, file->record), text);
  const std::string first = (kFormats / "0.1" / "mia" / "mia.json").string();
  EXPECT_FALSE(attack::mia_from_json(read_file(first), first));
}

TEST(FormatsTest, NewerFilesAreRefusedByName) {
  const TempFolder folder;
  std::filesystem::copy(kFormats / "0.2", folder.path(), std::filesystem::copy_options::recursive);
  // It has the hashes of the files as they were.
  for (const char* name : {"mia", "eval"}) {
    std::filesystem::remove(folder.path() / name / "provenance.json");
  }
  const auto refusal = [&](const char* name, const std::string& key, int64_t newest,
                           const auto& read) {
    const std::string text = folder.read(name);
    const std::string stated = "\"" + key + "\": " + std::to_string(newest);
    const size_t begin = text.find(stated);
    EXPECT_NE(begin, std::string::npos) << name;
    std::string newer = text;
    newer.replace(begin, stated.size(), "\"" + key + "\": " + std::to_string(newest + 1));
    folder.write(name, newer);
    std::string message = error_of(read);
    folder.write(name, text);
    EXPECT_NE(message.find(name), std::string::npos) << message;
    expect_contains(message, "of a newer version (expected ");
    expect_contains(message, "version " + std::to_string(newest) + ", found " +
                                 std::to_string(newest + 1) + ")");
    expect_contains(message, "read it with the version of palimpsest that wrote it");
    return message;
  };
  const auto report_on = [&](const char* name) { make_report({folder.path() / name}, {}); };
  refusal("mia/mia.json", "palimpsest_mia", attack::kMiaFileVersion, [&] { report_on("mia"); });
  refusal("eval/TOFU_RUN.json", "palimpsest_run", eval::kRunRecordVersion,
          [&] { report_on("eval"); });
  refusal("traces/forget.jsonl", "palimpsest_trace", 1,
          [&] { trace::TraceReader(folder.path() / "traces/forget.jsonl"); });
  refusal("stats.json", "palimpsest_stat", 1,
          [&] { stat::stats_from_json(folder.read("stats.json"), "stats.json"); });
}

}  // namespace
}  // namespace palimpsest::report
