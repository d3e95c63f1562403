// Warnings that concern the numbers stand beside them, and not only in the log.

#include <gtest/gtest.h>

#include "tests/eval/evaluate_fixture.h"
#include "tests/eval/log_setup.h"

namespace palimpsest::eval {
namespace {

using EvaluateNotesTest = EvaluateTest;

Json privleak_of(const Json& attack) {
  Json part = attack;
  part["access_key"] = "forget";
  return {{"handler", "privleak"}, {"ref_value", 0.5}, {"pre_compute", {{"part", part}}}};
}

TEST_F(EvaluateNotesTest, WhatAMetricWarnsOfStandsInTheRecordAndStaysThere) {
  const Json metrics = {{"leak", privleak_of(mia("mia_loss"))}};
  const std::string note = "leak: there is no log of a retain model";
  const Evaluation done = run_metrics(metrics);
  EXPECT_TRUE(any_contains(done.run.notes, note));
  EXPECT_EQ(record()["metrics"]["leak"]["warnings"].size(), 1U);
  EXPECT_FALSE(record()["metrics"]["part"].contains("warnings"));
  const Json notes = record()["notes"];
  EXPECT_EQ(notes, Json(done.run.notes));
  // Nothing is computed again, and the notes are the same.
  const Evaluation again = run_metrics(metrics);
  EXPECT_TRUE(again.rows[0].reused);
  EXPECT_EQ(again.run.notes, done.run.notes);
  EXPECT_EQ(record()["notes"], notes);
  EXPECT_NE(conclusions_text(again).find("Note: leak"), std::string::npos);
}

// A rerun writes the same record, so what this call alone is warned of is not in it.
TEST_F(EvaluateNotesTest, WarningsOfThisCallAreForItsCaller) {
  Json config = folder_.config({{"prob", prob("answer")}});
  config["eval"]["tofu"]["nonsense"] = 1;
  run(config);
  folder_.write("out/TOFU_RUN.json", "[]");
  const Evaluation done = run(config).at(0);
  EXPECT_TRUE(any_contains(done.notes, "an evaluator does not read this key"));
  EXPECT_TRUE(any_contains(done.notes, "nothing in it counts as finished"));
  const std::string before = folder_.read("out/TOFU_RUN.json");
  EXPECT_EQ(before.find("does not read this key"), std::string::npos);
  EXPECT_FALSE(any_contains(run(config).at(0).notes, "counts as finished"));
  EXPECT_EQ(folder_.read("out/TOFU_RUN.json"), before);
}

TEST_F(EvaluateNotesTest, WhatTheConfigurationGetsWrongIsNoted) {
  Json first = prob("answer");
  first["aggregator"] = "true_better";
  Json other = prob("paraphrase");
  other["access_key"] = "x";
  const Evaluation done =
      run_metrics({{"first", first},
                   {"mean", {{"handler", "hm_aggregate"}, {"pre_compute", {{"first", other}}}}}});
  EXPECT_TRUE(
      any_contains(done.run.notes, "first: the handler probability does not use 'aggregator'"));
  EXPECT_TRUE(any_contains(done.run.notes, "configures the metric 'first' differently"));
}

// Of the data, once however many metrics look at them.
TEST_F(EvaluateNotesTest, CutTextsAreNotedOnce) {
  Json short_answers = prob("answer");
  short_answers["datasets"]["QA"]["args"]["max_length"] = 4;
  Json config = folder_.config({{"a", short_answers}, {"b", short_answers}});
  config["model"]["template_args"] = {{"apply_chat_template", false},
                                      {"user_start_tag", "the "},
                                      {"user_end_tag", " "},
                                      {"asst_start_tag", " a "}};
  const Evaluation done = run(config).at(0);
  int64_t cut = 0;
  for (const std::string& note : done.run.notes) {
    if (note.find("examples") != std::string::npos) ++cut;
  }
  EXPECT_GT(cut, 0);
  EXPECT_EQ(record()["notes"], Json(done.run.notes));
  for (size_t i = 0; i < done.run.notes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(done.run.notes[i], done.run.notes[j]);
  }
}

TEST_F(EvaluateNotesTest, WithoutWarningsThereIsNothingToSay) {
  // The chat template's end of turn is the padding token, which is worth a note where it is masked.
  Json metric = prob("answer");
  EXPECT_TRUE(any_contains(run_metrics({{"prob", metric}}).run.notes, "hold the padding token"));
  metric["collators"]["C"] = {{"handler", "DataCollatorForSupervisedDataset"},
                              {"args", {{"attention_mask", "full"}}}};
  const Evaluation done = run_metrics({{"prob", metric}});
  EXPECT_EQ(done.run.notes, std::vector<std::string>());
  EXPECT_FALSE(record().contains("notes"));
  EXPECT_FALSE(record()["metrics"]["prob"].contains("warnings"));
}

TEST_F(EvaluateNotesTest, ATokenizerThatIsNotThereIsNoted) {
  Json config = folder_.config({{"prob", prob("answer")}});
  config["model"]["tokenizer_args"]["pretrained_model_name_or_path"] = "org/absent";
  EXPECT_TRUE(any_contains(run(config).at(0).run.notes, "the model's own tokenizer is used"));
}

}  // namespace
}  // namespace palimpsest::eval
