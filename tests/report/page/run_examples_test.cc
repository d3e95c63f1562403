#include "palimpsest/report/internal/page/run_examples.h"

#include <gtest/gtest.h>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::report {
namespace {

constexpr int kExamples = 30;

// An evaluation log: forget examples are familiar by `gap`; the answers are known to `recall`.
void write_run(const std::filesystem::path& folder, double gap, double recall) {
  make_folder(folder / "TOFU_TRACES");
  Json log;
  std::string traces[2];
  for (const bool is_forget : {true, false}) {
    const char* set = is_forget ? "forget" : "holdout";
    traces[is_forget] = R"({"palimpsest_trace": 1, "model": "m"})"
                        "\n";
    for (int i = 0; i < kExamples; ++i) {
      const double loss = 7 + 0.1 * (i * 7 % kExamples) - (is_forget ? gap : 0);
      const std::string index = std::to_string(i);
      log["mia_loss"][set]["value_by_index"][index] = {{"score", loss}};
      traces[is_forget] += Json({{"index", index},
                                 {"prompt", "Who <b>?"},
                                 {"text", std::string("answer ") + set + index},
                                 {"num_labels", 2},
                                 {"logprob", {-loss, -loss}},
                                 {"tokens", {"answer", "."}}})
                               .dump() +
                           "\n";
      if (is_forget) {
        log["forget_Q_A_ROUGE"]["value_by_index"][index] = {
            {"rougeL_recall", recall},
            {"ground_truth", "answer forget" + index},
            {"generation", "said " + index}};
      }
    }
  }
  log["mia_loss"]["agg_value"] = gap == 0 ? 0.5 : 1.0;
  log["forget_Q_A_ROUGE"]["agg_value"] = recall;
  write_file(folder / "TOFU_EVAL.json", log.dump());
  write_file(folder / "TOFU_TRACES" / "a_forget.jsonl", traces[1]);
  write_file(folder / "TOFU_TRACES" / "b_holdout.jsonl", traces[0]);
}

TEST(RunExamplesTest, CarryTextsTokensAndGenerations) {
  const TempFolder folder;
  write_run(folder.path() / "run", 5, 0.9);
  const PageExamples examples = run_examples(read_run(folder.path() / "run", {}));
  ASSERT_EQ(examples.rows.size(), static_cast<size_t>(2 * kExamples));
  EXPECT_EQ(examples.rows.front().set, PageSet::kForget);
  int generations = 0;
  for (const PageExample& row : examples.rows) {
    EXPECT_EQ(row.question, "Who <b>?");
    EXPECT_EQ(row.tokens.size(), 2U);
    if (!row.generation) continue;
    ++generations;
    EXPECT_EQ(row.set, PageSet::kForget);
    EXPECT_EQ(*row.generation, "said " + row.index);
  }
  EXPECT_EQ(generations, kExamples);
}

// Another data set of the same log also counts from 0.
TEST(RunExamplesTest, TakeNoGenerationOfAnotherAnswer) {
  const TempFolder folder;
  write_run(folder.path() / "run", 5, 0.9);
  Json log = parse_json(read_file(folder.path() / "run" / "TOFU_EVAL.json"), "");
  log["forget_Q_A_ROUGE"]["value_by_index"]["3"]["ground_truth"] = "something else";
  write_file(folder.path() / "run" / "TOFU_EVAL.json", log.dump());
  const PageExamples examples = run_examples(read_run(folder.path() / "run", {}));
  for (const PageExample& row : examples.rows) {
    EXPECT_EQ(row.generation.has_value(), row.set == PageSet::kForget && row.index != "3");
  }
}

// What today's eval writes says what belongs to what, whatever the numbers and the texts look like.
TEST(RunExamplesTest, TheRecordSaysWhichTracesAndGenerations) {
  const TempFolder folder;
  const std::filesystem::path run = folder.path() / "run";
  write_run(run, 5, 0.9);
  Json log = parse_json(read_file(run / "TOFU_EVAL.json"), "");
  log["mia_loss"]["forget"]["value_by_index"]["0"]["score"] = 99;
  for (auto& [index, entry] : log["forget_Q_A_ROUGE"]["value_by_index"].items())
    entry["ground_truth"] = "something else";
  log["other_ROUGE"] = log["forget_Q_A_ROUGE"];
  for (auto& [index, entry] : log["other_ROUGE"]["value_by_index"].items())
    entry["generation"] = "about something else";
  write_file(run / "TOFU_EVAL.json", log.dump());
  Json record = {{"palimpsest_run", 2}};
  record["metrics"]["mia_loss"] = {
      {"data", {{"forget", "F"}, {"holdout", "H"}}},
      {"traces",
       {{"forget", "TOFU_TRACES/a_forget.jsonl"}, {"holdout", "TOFU_TRACES/b_holdout.jsonl"}}}};
  record["metrics"]["forget_Q_A_ROUGE"] = {{"data", {{"", "F"}}}};
  record["metrics"]["other_ROUGE"] = {{"data", {{"", "G"}}}};
  write_file(run / "TOFU_RUN.json", record.dump());
  for (const PageExample& row : run_examples(read_run(run, {})).rows) {
    EXPECT_EQ(row.tokens.size(), 2U);
    EXPECT_EQ(row.generation.value_or(""),
              row.set == PageSet::kForget ? "said " + row.index : std::string());
  }
  std::filesystem::remove(run / "TOFU_TRACES/a_forget.jsonl");
  for (const PageExample& row : run_examples(read_run(run, {})).rows)
    EXPECT_EQ(row.tokens.size(), row.set == PageSet::kForget ? 0U : 2U);
}

// TOFU's own list has only Min-K, whose k the log does not say.
TEST(RunExamplesTest, FindTheTracesByAnyAttack) {
  const TempFolder folder;
  write_run(folder.path() / "run", 5, 0.9);
  Json log = parse_json(read_file(folder.path() / "run" / "TOFU_EVAL.json"), "");
  log["mia_min_k"] = log["mia_loss"];  // the same where all tokens are alike
  log.erase("mia_loss");
  write_file(folder.path() / "run" / "TOFU_EVAL.json", log.dump());
  for (const PageExample& row : run_examples(read_run(folder.path() / "run", {})).rows) {
    EXPECT_EQ(row.tokens.size(), 2U);
  }
  // Named as in an audit; a name that no attack has is passed over.
  Json named = {{"mia_min_k:k=0.37", log["mia_min_k"]}, {"mia_min_k:x=y", log["mia_min_k"]}};
  write_file(folder.path() / "run" / "TOFU_EVAL.json", named.dump());
  for (const PageExample& row : run_examples(read_run(folder.path() / "run", {})).rows) {
    EXPECT_EQ(row.tokens.size(), 2U);
  }
  log["mia_min_k"]["forget"]["value_by_index"]["0"]["score"] = 99;  // no longer those traces'
  write_file(folder.path() / "run" / "TOFU_EVAL.json", log.dump());
  for (const PageExample& row : run_examples(read_run(folder.path() / "run", {})).rows) {
    EXPECT_EQ(row.tokens.size(), row.set == PageSet::kForget ? 0U : 2U);
  }
}

// TOFU's configurations set k to 0.4.
TEST(RunExamplesTest, TokensAreMarkedByTheKOfMinK) {
  const TempFolder folder;
  const std::filesystem::path run = folder.path() / "run";
  write_run(run, 5, 0.9);
  EXPECT_EQ(run_examples(read_run(run, {})).lowest_share, 0.2);
  Json log = parse_json(read_file(run / "TOFU_EVAL.json"), "");
  log["low"] = log["mia_loss"];
  write_file(run / "TOFU_EVAL.json", log.dump());
  const Json record = {
      {"palimpsest_run", 2},
      {"metrics",
       {{"low", {{"attack", "min_k"}, {"parameters", {{"k", 0.4}}}, {"data", Json::object()}}}}}};
  write_file(run / "TOFU_RUN.json", record.dump());
  EXPECT_EQ(run_examples(read_run(run, {})).lowest_share, 0.4);
}

TEST(RunExamplesTest, ARunWithoutAttacksHasNone) {
  const TempFolder folder;
  write_file(folder.path() / "TOFU_SUMMARY.json", R"({"model_utility": 0.5})");
  const RunResults run = read_run(folder.path(), {});
  EXPECT_TRUE(run_examples(run).rows.empty());
  EXPECT_EQ(leading_attack(run), nullptr);
}

}  // namespace
}  // namespace palimpsest::report
