#include "palimpsest/tokenizer/internal/post_processors.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::tokenizer {
namespace {

Encoding example() {
  Encoding encoding;
  encoding.ids = {7, 8};
  encoding.type_ids = {0, 0};
  encoding.special_tokens_mask = {0, 0};
  encoding.tokens = {"Ġa", "b"};
  encoding.offsets = {{0, 2}, {2, 3}};
  encoding.with_tokens = encoding.with_offsets = true;
  return encoding;
}

Encoding processed(const char* json, bool add_special_tokens) {
  return post_process(load_post_processor(parse_json(json, "test"), "test"), example(),
                      add_special_tokens);
}

using Ids = std::vector<int64_t>;

const char* const kTemplate = R"({"type": "TemplateProcessing",
  "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 1}}],
  "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
  "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}})";

TEST(PostProcessorsTest, TemplatesPutSpecialTokensAround) {
  const Encoding encoding = processed(kTemplate, true);
  EXPECT_EQ(encoding.ids, (Ids{1, 7, 8}));
  EXPECT_EQ(encoding.tokens, (std::vector<std::string>{"<s>", "Ġa", "b"}));
  EXPECT_EQ(encoding.special_tokens_mask, (std::vector<uint8_t>{1, 0, 0}));
  EXPECT_EQ(encoding.type_ids, (std::vector<uint8_t>{0, 1, 1}));
  EXPECT_EQ(encoding.offsets, (std::vector<TextOffset>{{0, 0}, {0, 2}, {2, 3}}));
  EXPECT_EQ(processed(kTemplate, false).ids, (Ids{7, 8}));
}

TEST(PostProcessorsTest, ByteLevelTrimsOffsets) {
  EXPECT_EQ(
      processed(R"({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true})", true)
          .offsets[0],
      (TextOffset{1, 2}));
  // A prefix space was not in the text: nothing to trim.
  EXPECT_EQ(
      processed(R"({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true})", true)
          .offsets[0],
      (TextOffset{0, 2}));
}

TEST(PostProcessorsTest, ClassifiersHaveTwoTokens) {
  EXPECT_EQ(
      processed(R"({"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]})", true)
          .ids,
      (Ids{1, 7, 8, 2}));
  EXPECT_EQ(processed(R"({"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 1],
                          "trim_offsets": true, "add_prefix_space": false})",
                      true)
                .offsets[1],
            (TextOffset{1, 2}));
}

TEST(PostProcessorsTest, BeginAndEndTokensAsTransformersSetsThem) {
  const auto both = make_bos_eos_processor({"<s>", 1}, {"</s>", 2});
  EXPECT_EQ(post_process(both, example(), true).ids, (Ids{1, 7, 8, 2}));
  EXPECT_EQ(both.added_tokens, 2);
  EXPECT_EQ(post_process(make_bos_eos_processor({}, {}), example(), true).ids, (Ids{7, 8}));
}

TEST(PostProcessorsTest, RefusesWhatItDoesNotKnow) {
  for (
      const char* json :
      {R"({"type": "Magic"})",
       R"({"type": "BertProcessing", "sep": ["[SEP]"], "cls": ["[CLS]", 1]})",
       R"({"type": "TemplateProcessing", "single": [{"Sequence": {"id": "B", "type_id": 0}}], "pair": [], "special_tokens": {}})",
       R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 0}}], "pair": [], "special_tokens": {}})",
       R"({"type": "TemplateProcessing", "single": [3], "pair": [], "special_tokens": {}})"}) {
    EXPECT_THROW(load_post_processor(parse_json(json, "test"), "test"), Error) << json;
  }
}

// A template of 100,000 pieces, each a copy of the text, had taken gigabytes.
TEST(PostProcessorsTest, TemplatesAreBounded) {
  const auto failure = [](size_t copies, size_t specials, size_t ids) {
    Json single = Json::array();
    for (size_t i = 0; i < copies; ++i) {
      single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
    }
    for (size_t i = 0; i < specials; ++i) {
      single.push_back({{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}});
    }
    const Json tokens = {{"<s>",
                          {{"id", "<s>"},
                           {"ids", std::vector<int64_t>(ids, 1)},
                           {"tokens", std::vector<std::string>(ids, "<s>")}}}};
    const Json json = {{"type", "TemplateProcessing"},
                       {"single", single},
                       {"pair", Json::array()},
                       {"special_tokens", tokens}};
    return error_of([&] { load_post_processor(json, "test"); });
  };
  expect_contains(failure(100'000, 0, 1), "has 100000 pieces; at most 1000 are taken");
  expect_contains(failure(17, 0, 1), "holds the text more than 16 times");
  expect_contains(failure(1, 500, 100), "adds more than 10000 special tokens");
}

TEST(PostProcessorsTest, SequencesAreBounded) {
  const Json member = {{"type", "TemplateProcessing"},
                       {"single", {{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}}}},
                       {"pair", Json::array()},
                       {"special_tokens",
                        {{"<s>",
                          {{"id", "<s>"},
                           {"ids", std::vector<int64_t>(100, 1)},
                           {"tokens", std::vector<std::string>(100, "<s>")}}}}}};
  const Json json = {{"type", "Sequence"}, {"processors", Json(101, member)}};
  expect_contains(error_of([&] { load_post_processor(json, "test"); }),
                  "add more than 10000 special tokens");
}

}  // namespace
}  // namespace palimpsest::tokenizer
