#include "palimpsest/data/datasets.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/expect_error.h"

namespace palimpsest::data {
namespace {

// One token per character; <s> before everything if special tokens are added, </s> is the end
// token.
const tokenizer::Tokenizer& letters() {
  static const tokenizer::Tokenizer tokenizer = [] {
    std::string vocab = R"("<s>": 0, "</s>": 1, " ": 2, "\n": 3)";
    for (int i = 0; i < 26; ++i) {
      vocab += std::string(R"(, ")") + static_cast<char>('a' + i) + "\": " + std::to_string(4 + i);
    }
    const std::string json =
        R"({"added_tokens": [{"id": 0, "content": "<s>", "special": true}, {"id": 1, "content": "</s>", "special": true}],
            "normalizer": null, "decoder": {"type": "Fuse"},
            "pre_tokenizer": null,
            "post_processor": {"type": "TemplateProcessing",
              "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
              "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
              "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}}},
            "model": {"type": "BPE", "vocab": {)" +
        vocab + R"(}, "merges": [["c", "d"]]}})";
    std::string text = json;
    // "cd" is a token of its own where it comes together, so that prompts can swallow answers.
    text.replace(text.find(R"("</s>": 1,)"), 10, R"("</s>": 1, "cd": 30,)");
    return tokenizer::Tokenizer::from_texts(
        {.tokenizer = text,
         .tokenizer_config =
             R"({"bos_token": "<s>", "eos_token": "</s>", "clean_up_tokenization_spaces": false})"},
        "letters");
  }();
  return tokenizer;
}

constexpr int64_t N = kIgnoredLabel;
using Ids = std::vector<int64_t>;

Ids ids_of(const std::string& text) {
  return letters().encode(text, {.add_special_tokens = false}).ids;
}

std::vector<Record> records(const std::vector<std::string>& lines) {
  std::vector<Record> made;
  for (size_t i = 0; i < lines.size(); ++i) {
    made.push_back(Record::from_json(lines[i], "data.jsonl:" + std::to_string(i + 1)));
  }
  return made;
}

TEST(QuestionAnswerTest, TagsLabelTheAnswerAndTheEnd) {
  const auto prompt = PromptTemplate::tags(
      {.user_start_tag = "u ", .user_end_tag = "\n", .asst_start_tag = "b "}, 100);
  const Examples made =
      question_answer_examples(records({R"({"question": "q", "answer": "xy", "topic": "t"})"}),
                               {.group_keys = {"topic"}}, prompt, letters());
  ASSERT_EQ(made.examples.size(), 1U);
  const Example& example = made.examples[0];
  Ids full = {0};
  for (const int64_t id : ids_of("u q\nb xy")) full.push_back(id);
  full.push_back(1);
  EXPECT_EQ(example.ids, full);
  Ids labels(full.size() - 3, N);
  labels.insert(labels.end(), full.end() - 3, full.end());
  EXPECT_EQ(example.labels, labels);
  EXPECT_EQ(example.prompt_ids, Ids(full.begin(), full.end() - 3));
  EXPECT_EQ(example.index, "0");
  EXPECT_EQ(example.groups.at("topic"), "t");
  EXPECT_EQ(made.without_labels, 0);
}

TEST(QuestionAnswerTest, CutsPromptAndWholeEachForItself) {
  const auto prompt = PromptTemplate::tags({}, 4);
  const Examples made =
      question_answer_examples(records({R"({"question": "ab", "answer": "xyz"})",
                                        R"({"question": "abefg", "answer": "x"})"}),
                               {}, prompt, letters());
  Ids cut = {0};
  for (const int64_t id : ids_of("abx")) cut.push_back(id);
  cut.push_back(1);
  EXPECT_EQ(made.examples[0].ids, cut);
  EXPECT_EQ(made.examples[0].labels, (Ids{N, N, N, cut[3], 1}));
  // The prompt takes all the room: only the end token is left.
  EXPECT_EQ(made.examples[1].labels, (Ids{N, N, N, N, 1}));
  EXPECT_EQ(made.truncated, 2);
}

TEST(QuestionAnswerTest, AlternativesShareTheIndex) {
  const Examples made =
      question_answer_examples(records({R"({"question": "a", "answer": "b"})",
                                        R"({"question": "a", "answer": ["x", "y"]})"}),
                               {}, PromptTemplate::tags({}, 10), letters());
  ASSERT_EQ(made.examples.size(), 3U);
  EXPECT_EQ(made.examples[1].index, "1");
  EXPECT_EQ(made.examples[2].index, "1");
  EXPECT_EQ(made.examples[2].alternative, 1);
}

TEST(QuestionAnswerTest, FewShotTurnsComeFirst) {
  QuestionAnswerOptions options;
  options.few_shot =
      read_turns(records({R"({"question": "e", "answer": "f"})"}), "question", "answer");
  const Examples made =
      question_answer_examples(records({R"({"question": "q", "answer": "x"})"}), options,
                               PromptTemplate::tags({.system_prompt_with_special_tokens = "s",
                                                     .user_start_tag = "u",
                                                     .user_end_tag = "v",
                                                     .asst_start_tag = "w",
                                                     .asst_end_tag = "z"},
                                                    100),
                               letters());
  Ids expected = {0};
  for (const int64_t id : ids_of("suevwfzuqvwx")) expected.push_back(id);
  expected.push_back(1);
  EXPECT_EQ(made.examples[0].ids, expected);
}

// The prompt "b c" has the tokens b, space, c; with the answer "de" it is b, space, cd, e.
TEST(QuestionAnswerTest, AnswersThatLoseTheirBeginningAreCounted) {
  const auto prompt = PromptTemplate::tags({.user_start_tag = "b ", .asst_start_tag = "c"}, 100);
  const auto data =
      records({R"({"question": "", "answer": "de"})", R"({"question": "", "answer": "xe"})"});
  const Examples published = question_answer_examples(data, {}, prompt, letters());
  const int64_t e = ids_of("e")[0];
  EXPECT_EQ(published.lost_beginnings, 1);
  EXPECT_EQ(published.examples[0].labels, (Ids{N, N, N, N, e, 1}));
  const Examples exact =
      question_answer_examples(data, {.labels = LabelStart::kExact}, prompt, letters());
  EXPECT_EQ(exact.lost_beginnings, 0);
  EXPECT_EQ(exact.examples[0].ids, published.examples[0].ids);
  EXPECT_EQ(exact.examples[0].labels, (Ids{N, N, N, 30, e, 1}));
  EXPECT_EQ(exact.examples[1].labels, published.examples[1].labels);
}

TEST(QuestionAnswerTest, WaysToLabelHaveNames) {
  EXPECT_EQ(label_start_named("exact"), LabelStart::kExact);
  EXPECT_EQ(name_of(LabelStart::kPublished), "published");
  EXPECT_EQ(error_of([] { label_start_named("all"); }),
            "there is no kind of labels 'all' (expected published or exact)");
}

TEST(CompletionTest, TextsThatLoseTheirBeginningAreCounted) {
  const auto data = records({R"({"prompt": "bc", "text": "de"})"});
  const Examples published = completion_examples(data, {}, letters());
  const int64_t e = ids_of("e")[0];
  EXPECT_EQ(published.lost_beginnings, 1);
  EXPECT_EQ(published.examples[0].labels, (Ids{N, N, N, e}));
  const Examples exact = completion_examples(data, {.labels = LabelStart::kExact}, letters());
  EXPECT_EQ(exact.examples[0].labels, (Ids{N, N, 30, e}));
  // Put apart by a space, nothing is joined.
  EXPECT_EQ(completion_examples(data, {.insert_space = true}, letters()).lost_beginnings, 0);
}

TEST(QuestionAnswerTest, CountsPromptsThatSwallowTheirAnswer) {
  // "ac" + "d" is [a, cd]: as many tokens as the prompt alone; the chat template adds no end.
  const auto chat =
      PromptTemplate::chat({.chat = jinja::ChatTemplate::parse(
                                "{% for m in messages %}{{ m.content }}{% endfor %}", "test")});
  const Examples made = question_answer_examples(
      records({R"({"question": "ac", "answer": "d</s>"})", R"({"question": "ac", "answer": "d"})"}),
      {}, chat, letters());
  EXPECT_EQ(made.examples[1].ids, (Ids{4, 30, 1}));
  EXPECT_EQ(made.examples[1].labels, (Ids{N, N, 1}));
  EXPECT_EQ(made.without_labels, 0);
  const auto shorter = PromptTemplate::chat(
      {.chat = jinja::ChatTemplate::parse("{% for m in messages %}{{ m.content }}{% endfor %}{% if "
                                          "add_generation_prompt %}x{% endif %}",
                                          "test")});
  const Examples none = question_answer_examples(
      records({R"({"question": "a", "answer": "</s>"})"}), {}, shorter, letters());
  EXPECT_EQ(none.examples[0].ids, (Ids{4, 1}));
  EXPECT_EQ(none.examples[0].labels, (Ids{N, N}));
  EXPECT_EQ(none.without_labels, 1);
}

TEST(QuestionAnswerTest, ChatPutsTheSystemPromptFirst) {
  const auto chat =
      PromptTemplate::chat({.chat = jinja::ChatTemplate::parse(
                                "{% for m in messages %}{{ m.role[0] }}{{ m.content }}{% endfor %}"
                                "{% if add_generation_prompt %}a{% endif %}",
                                "test"),
                            .system_prompt = "zz"});
  const Examples made = question_answer_examples(records({R"({"question": "q", "answer": "x"})"}),
                                                 {}, chat, letters());
  Ids expected = ids_of("szzuqax");
  expected.push_back(1);
  EXPECT_EQ(made.examples[0].ids, expected);
  EXPECT_EQ(made.examples[0].labels, (Ids{N, N, N, N, N, N, expected[6], 1}));
}

TEST(QuestionAnswerTest, NamesTheRecordThatLacksSomething) {
  const auto prompt = PromptTemplate::tags({}, 10);
  const auto refused = [&](const std::string& line) {
    return error_of([&] { question_answer_examples(records({line}), {}, prompt, letters()); });
  };
  expect_contains(refused(R"({"question": "a", "reply": "b"})"), "data.jsonl:1");
  expect_contains(refused(R"({"question": "a", "reply": "b"})"), "question, reply");
  expect_contains(refused(R"({"question": "a", "answer": []})"), "empty list");
  expect_contains(refused(R"({"question": "a", "answer": 3})"), "not a text");
}

TEST(CompletionTest, LabelsWhatFollowsThePrefix) {
  const Examples made = completion_examples(
      records({R"({"prompt": "ab", "text": "xy"})", R"({"text": "xyz"})", R"({"prompt": "ab"})"}),
      {.insert_space = true, .max_length = 2}, letters());
  // <s> a b, then at most two tokens: the space and x.
  EXPECT_EQ(made.examples[0].ids, (Ids{0, 4, 5, 2, 27}));
  EXPECT_EQ(made.examples[0].labels, (Ids{N, N, N, 2, 27}));
  EXPECT_EQ(made.examples[1].ids, (Ids{0, 2, 27}));
  EXPECT_EQ(made.examples[1].labels, (Ids{N, 2, 27}));
  EXPECT_EQ(made.examples[2].labels, (Ids{N, N, N, 2}));
  EXPECT_EQ(made.truncated, 2);
}

TEST(CompletionTest, SomeRecordMustHaveTheText) {
  expect_contains(
      error_of([] {
        completion_examples(records({R"({"prompt": "a"})", R"({"body": "b"})"}), {}, letters());
      }),
      "no 'text'");
  EXPECT_EQ(error_of([] { completion_examples(records({R"({"text": [1]})"}), {}, letters()); }),
            "data.jsonl:1: 'text' is not a text (found an array)");
}

TEST(ExampleTest, AMaskOverTheLastTokenHidesNothing) {
  EXPECT_TRUE(mask_hides({.ids = {1, 5, 2}}, 5));
  EXPECT_FALSE(mask_hides({.ids = {1, 2, 5}}, 5));
  EXPECT_TRUE(mask_hides({.ids = {5, 2, 5}}, 5));
  EXPECT_FALSE(mask_hides({.ids = {1, 5, 2}}, std::nullopt));
  EXPECT_FALSE(mask_hides({}, 5));
}

TEST(PretrainingTest, CutsTheJoinedTextIntoChunks) {
  // "ab\n\nefg" is seven tokens: two chunks of three and one of one.
  const Examples made = pretraining_examples(records({R"({"text": "ab"})", R"({"text": "efg"})"}),
                                             {.max_length = 3}, letters());
  ASSERT_EQ(made.examples.size(), 3U);
  EXPECT_EQ(made.examples[0].ids, (Ids{0, 4, 5, 3}));
  EXPECT_EQ(made.examples[0].labels, (Ids{N, 4, 5, 3}));
  EXPECT_EQ(made.examples[1].ids, (Ids{0, 3, 8, 9}));
  EXPECT_EQ(made.examples[2].ids, (Ids{0, 10}));
  EXPECT_EQ(made.examples[2].index, "2");
}

TEST(DatasetsTest, ALengthWithoutATokenIsRefused) {
  const std::vector<Record> data = records({R"({"text": "ab"})"});
  for (const int64_t length : {0, -1}) {
    const auto texts = [&] { pretraining_examples(data, {.max_length = length}, letters()); };
    const auto answers = [&] { completion_examples(data, {.max_length = length}, letters()); };
    expect_contains(error_of(texts), "less than one token");
    expect_contains(error_of(answers), "less than one token");
  }
}

TEST(DatasetsTest, ThreadsDoNotMatter) {
  std::vector<std::string> lines;
  for (int i = 0; i < 50; ++i) {
    lines.push_back(R"({"question": ")" + std::string(1 + i % 7, 'a') + R"(", "answer": "xyz"})");
  }
  const auto prompt = PromptTemplate::tags({}, 20);
  const Examples one = question_answer_examples(records(lines), {.threads = 1}, prompt, letters());
  const Examples three =
      question_answer_examples(records(lines), {.threads = 3}, prompt, letters());
  ASSERT_EQ(one.examples.size(), three.examples.size());
  for (size_t i = 0; i < one.examples.size(); ++i) {
    EXPECT_EQ(one.examples[i].ids, three.examples[i].ids);
    EXPECT_EQ(one.examples[i].index, three.examples[i].index);
  }
}

}  // namespace
}  // namespace palimpsest::data
