#include "palimpsest/eval/dataset.h"

#include <gtest/gtest.h>

#include "palimpsest/eval/internal/dataset_plan.h"
#include "tests/eval/setup.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

class DatasetTest : public testing::Test {
 protected:
  PreparedData prepared(const Json& dataset,
                        const Json& template_args = {{"apply_chat_template", true}}) const {
    const PromptSettings prompt =
        read_prompt_settings(value_of(template_args, "model.template_args"));
    const DataLocations locations;
    return prepare(read(dataset), {.locations = locations,
                                   .tokenizer = tokenizer_,
                                   .tokenizer_folder = folder_.path() / "model",
                                   .prompt = &prompt});
  }

  static DatasetPlan read(const Json& dataset) {
    return plan_dataset(read_dataset("TEST", value_of(dataset, "datasets.TEST")),
                        default_dataset_table());
  }

  const TestFolder folder_;
  const tokenizer::Tokenizer tokenizer_ = tokenizer::Tokenizer::load(folder_.path() / "model");
};

TEST_F(DatasetTest, AHandlerNeedNotReadFiles) {
  const DatasetTable table = {{.name = "Made", .makes = "one example", .keys = {"text"}}};
  const auto planned = [&](const char* text) {
    return plan_dataset({.name = "TEST", .handler = "Made", .args = Parameter::Map{{"text", text}}},
                        table);
  };
  EXPECT_EQ(planned("a").source, planned("a").source);
  EXPECT_NE(planned("a").source, planned("b").source);
}

// Attacks need examples that are told apart, and find it out only when all passes have run.
TEST_F(DatasetTest, ExamplesAreThereAndToldApart) {
  std::vector<data::Example> made;
  const auto make = [&](const Parameter&, const DataContext&) {
    return PreparedData{.title = "made up", .examples = made};
  };
  const DatasetTable table = {{.name = "Made", .makes = "examples", .keys = {}, .prepare = make}};
  const DataLocations locations;
  const auto prepare_made = [&] {
    return prepare(
        plan_dataset({.name = "TEST", .handler = "Made", .args = Parameter::Map{}}, table),
        {.locations = locations, .tokenizer = tokenizer_});
  };
  expect_contains(error_of(prepare_made), "made up: the data set has no examples");
  made = {{.index = "0", .ids = {1}}, {.index = "0", .alternative = 1, .ids = {1}}};
  EXPECT_EQ(prepare_made().examples.size(), 2U);
  made.push_back(made.front());
  expect_contains(error_of(prepare_made), "index 0, alternative 0, twice");
}

TEST_F(DatasetTest, QuestionsGoThroughTheTemplate) {
  const PreparedData chat = prepared(folder_.questions("forget"));
  ASSERT_EQ(chat.examples.size(), 4U);
  EXPECT_TRUE(chat.ground_truth_is_whole);
  expect_contains(chat.title, "question and answer");
  const std::string text = tokenizer_.decode(chat.examples[0].ids);
  expect_contains(text, "[user]");
  expect_contains(text, "[assistant]");
  const PreparedData tags = prepared(folder_.questions("forget"), {{"apply_chat_template", false},
                                                                   {"user_start_tag", "the "},
                                                                   {"user_end_tag", " "},
                                                                   {"asst_start_tag", " a "}});
  EXPECT_EQ(tokenizer_.decode(tags.examples[0].ids).find("[user]"), std::string::npos);
  expect_contains(error_of([&] {
                    prepared(folder_.questions("forget"), {{"apply_chat_template", false}});
                  }),
                  "user_start_tag");
}

// Published configurations set max_length, and a chat template ignores it.
TEST_F(DatasetTest, AMaximumLengthThatAChatTemplateIgnoresIsNamed) {
  Json dataset = folder_.questions("forget");
  dataset["args"]["max_length"] = 512;
  EXPECT_TRUE(prepared(dataset).notes.empty());
  dataset["args"]["max_length"] = 3;
  const PreparedData chat = prepared(dataset);
  ASSERT_EQ(chat.notes.size(), 1U);
  expect_contains(chat.notes[0],
                  "max_length has no effect under a chat template; 4 of 4 examples are longer than "
                  "3 tokens");
}

TEST_F(DatasetTest, ATokenizerThatCannotWriteTheTextIsNamed) {
  folder_.write("data/strange.jsonl", R"({"question": "the author", "answer": "xyzzy plugh"})"
                                      "\n");
  const PreparedData strange = prepared(folder_.questions("strange"));
  ASSERT_EQ(strange.notes.size(), 1U);
  expect_contains(strange.notes[0], "labelled tokens are '<unk>'");
}

// The key that says which records belong together travels with the examples, as groups do.
TEST_F(DatasetTest, TheClusterKeyTravelsWithTheExamples) {
  folder_.write("data/authors.jsonl",
                R"({"question": "the author", "answer": "a town", "author": "Ann", "text": "t"})"
                "\n"
                R"({"question": "the river", "answer": "a town", "author": 7, "text": "t"})"
                "\n");
  const auto prepared_by = [&](const Json& dataset, const std::string& key) {
    const PromptSettings prompt{.chat_template = true};
    const DataLocations locations;
    const DatasetPlan spec = plan_dataset(read_dataset("TEST", value_of(dataset, "datasets.TEST")),
                                          default_dataset_table(), {.key = key});
    return prepare(spec, {.locations = locations,
                          .tokenizer = tokenizer_,
                          .tokenizer_folder = folder_.path() / "model",
                          .prompt = &prompt});
  };
  using Groups = std::map<std::string, std::string>;
  const PreparedData questions = prepared_by(folder_.questions("authors"), "author");
  EXPECT_EQ(questions.examples[0].groups, (Groups{{"author", "Ann"}}));
  EXPECT_EQ(questions.examples[1].groups, (Groups{{"author", "7"}}));
  const Json texts = {{"handler", "CompletionDataset"},
                      {"args", {{"hf_args", folder_.questions("authors")["args"]["hf_args"]}}}};
  EXPECT_EQ(prepared_by(texts, "author").examples[1].groups, (Groups{{"author", "7"}}));
  // A data set in which no record has it, and no key at all.
  EXPECT_TRUE(prepared_by(folder_.questions("forget"), "author").examples[0].groups.empty());
  EXPECT_TRUE(prepared_by(folder_.questions("authors"), "").examples[0].groups.empty());
  // Some have it: that is a mistake in the data.
  folder_.write("data/some.jsonl", R"({"question": "the", "answer": "a", "author": "Ann"})"
                                   "\n"
                                   R"({"question": "the", "answer": "a"})"
                                   "\n");
  expect_contains(error_of([&] { prepared_by(folder_.questions("some"), "author"); }), "author");
}

TEST_F(DatasetTest, SystemPromptAndFewShotComeFirst) {
  Json dataset = folder_.questions("forget");
  dataset["args"]["few_shot_dataset_hf_args"] = dataset["args"]["hf_args"];
  dataset["args"]["few_shot_dataset_hf_args"]["split"] = "train[:1]";
  const PreparedData plain = prepared(folder_.questions("forget"));
  const PreparedData more = prepared(dataset);
  EXPECT_GT(more.examples[1].ids.size(), plain.examples[1].ids.size());
  const PreparedData system =
      prepared(folder_.questions("forget"),
               {{"apply_chat_template", true}, {"system_prompt", "the author"}});
  EXPECT_GT(system.examples[0].ids.size(), plain.examples[0].ids.size());
}

TEST_F(DatasetTest, SeveralAnswersAreAlternatives) {
  const PreparedData data = prepared(folder_.questions("forget", "wrong"));
  ASSERT_EQ(data.examples.size(), 12U);
  EXPECT_EQ(data.examples[5].index, "1");
  EXPECT_EQ(data.examples[5].alternative, 2);
}

TEST_F(DatasetTest, CompletionsAndChunks) {
  const Json hf_args = folder_.questions("forget")["args"]["hf_args"];
  const PreparedData completion = prepared({{"handler", "CompletionDataset"},
                                            {"args",
                                             {{"hf_args", hf_args},
                                              {"prefix_key", "question"},
                                              {"text_key", "answer"},
                                              {"insert_space", true}}}});
  ASSERT_EQ(completion.examples.size(), 4U);
  EXPECT_FALSE(completion.ground_truth_is_whole);
  EXPECT_FALSE(completion.examples[0].prompt_ids.empty());
  const PreparedData chunks =
      prepared({{"handler", "PretrainingDataset"},
                {"args", {{"hf_args", hf_args}, {"text_key", "answer"}, {"max_length", 8}}}});
  EXPECT_GT(chunks.examples.size(), 2U);
}

TEST_F(DatasetTest, MultipleChoice) {
  folder_.write("data/choices.jsonl",
                R"({"question": "the author", "choices": ["a river", "a town"], "answer": 1}
{"question": "the river", "choices": ["In", "near", "a small town"], "answer": "C"}
{"question": "the town", "choices": ["In", "near"], "answer": "near"}
)");
  Json dataset = {
      {"handler", "MultipleChoiceDataset"},
      {"args",
       {{"hf_args", {{"path", (folder_.path() / "data").string()}, {"name", "choices"}}},
        {"options", "full"}}}};
  const PreparedData data = prepared(dataset);
  EXPECT_EQ(data.answers, (std::vector<int64_t>{1, 2, 1}));
  ASSERT_EQ(data.examples.size(), 7U);
  EXPECT_EQ(data.examples[4].index, "1");
  EXPECT_EQ(data.examples[4].alternative, 2);
  EXPECT_EQ(data.option_bytes[1], (std::vector<int64_t>{2, 4, 12}));
  EXPECT_EQ(data.examples[0].prompt_ids, data.examples[1].prompt_ids);
  dataset["args"]["options"] = "letters";
  EXPECT_EQ(prepared(dataset).option_bytes[1], (std::vector<int64_t>{1, 1, 1}));
  dataset["args"]["options"] = "numbers";
  expect_contains(error_of([&] { prepared(dataset); }), "letters or full");
  dataset["args"]["options"] = "full";
  folder_.write("data/choices.jsonl", R"({"question": "q", "choices": ["a", "b"], "answer": "E"})");
  expect_contains(error_of([&] { prepared(dataset); }), "none of the options");
  folder_.write("data/choices.jsonl", R"({"question": "q", "choices": ["a"], "answer": 0})");
  expect_contains(error_of([&] { prepared(dataset); }), "1 options");
}

TEST_F(DatasetTest, TheSameExamplesHaveTheSameKey) {
  Json generating = folder_.questions("forget");
  generating["args"]["predict_with_generate"] = true;
  generating["access_key"] = "forget";
  EXPECT_EQ(read(generating).key, read(folder_.questions("forget")).key);
  EXPECT_TRUE(read(generating).predict_with_generate);
  EXPECT_EQ(read(generating).access_key, "forget");
  EXPECT_EQ(read(folder_.questions("forget")).access_key, "TEST");
  EXPECT_NE(read(folder_.questions("forget", "wrong")).key, read(folder_.questions("forget")).key);
}

TEST_F(DatasetTest, SaysWhatIsKnown) {
  Json dataset = folder_.questions("forget");
  dataset["handler"] = "QADatset";
  expect_contains(error_of([&] { read(dataset); }), "QADataset, CompletionDataset");
  dataset["handler"] = "QAwithIdkDataset";
  expect_contains(error_of([&] { read(dataset); }), "for training");
  dataset = folder_.questions("forget");
  dataset["args"]["question_kay"] = "q";
  const std::string message = error_of([&] { read(dataset); });
  expect_contains(message, "question_kay");
  expect_contains(message, "question_key");
  dataset = folder_.questions("forget", "reply");
  expect_contains(error_of([&] { prepared(dataset); }), "paraphrase");
  dataset["args"].erase("hf_args");
  expect_contains(error_of([&] { read(dataset); }), "'hf_args'");
}

TEST(CanonicalTextTest, OrderDoesNotMatterButContentDoes) {
  const auto text = [](const char* json) {
    return canonical_text(parameter_of(Json::parse(json)));
  };
  EXPECT_EQ(text(R"({"a": 1, "b": [true, null]})"), text(R"({"b": [true, null], "a": 1})"));
  EXPECT_EQ(text("2"), text("2.0"));
  EXPECT_NE(text(R"("2")"), text("2"));
  EXPECT_NE(text(R"(["a", "b"])"), text(R"(["a,b"])"));
}

}  // namespace
}  // namespace palimpsest::eval
