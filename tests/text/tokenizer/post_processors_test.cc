#include "palimpsest/text/tokenizer/post_processors.h"

#include <gtest/gtest.h>

namespace palimpsest {
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
  return post_process(*load_post_processor(parse_json(json, "test"), "test"), example(),
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
  EXPECT_EQ(post_process(*both, example(), true).ids, (Ids{1, 7, 8, 2}));
  EXPECT_EQ(both->added_tokens(), 2);
  EXPECT_EQ(post_process(*make_bos_eos_processor({}, {}), example(), true).ids, (Ids{7, 8}));
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

}  // namespace
}  // namespace palimpsest
