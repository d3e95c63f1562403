#include "palimpsest/tokenizer/internal/pre_tokenizers.h"

#include <gtest/gtest.h>

namespace palimpsest::tokenizer {
namespace {

using Strings = std::vector<std::string>;

Strings pieces(const std::string& json, std::string_view text) {
  PreTokenizedString result;
  result.reset(text, true);
  load_pre_tokenizer(parse_json(json, "test"), "test").run(result);
  Strings strings;
  for (const Piece& piece : result.pieces()) strings.emplace_back(result.text(piece));
  return strings;
}

Strings split(const std::string& behavior, bool invert = false) {
  return pieces(R"({"type": "Split", "pattern": {"String": "-"}, "behavior": ")" + behavior +
                    R"(", "invert": )" + (invert ? "true" : "false") + "}",
                "the-final--countdown");
}

TEST(PreTokenizersTest, SplitKnowsAllBehaviours) {
  EXPECT_EQ(split("Removed"), (Strings{"the", "final", "countdown"}));
  EXPECT_EQ(split("Isolated"), (Strings{"the", "-", "final", "-", "-", "countdown"}));
  EXPECT_EQ(split("MergedWithPrevious"), (Strings{"the-", "final-", "-", "countdown"}));
  EXPECT_EQ(split("MergedWithNext"), (Strings{"the", "-final", "-", "-countdown"}));
  EXPECT_EQ(split("Contiguous"), (Strings{"the", "-", "final", "--", "countdown"}));
  EXPECT_EQ(split("Removed", true), (Strings{"-", "-", "-"}));
}

TEST(PreTokenizersTest, EveryKindDoesItsWork) {
  EXPECT_EQ(
      pieces(R"({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true})", "it's é"),
      (Strings{"Ġit", "'s", "ĠÃ©"}));
  EXPECT_EQ(
      pieces(
          R"({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false})",
          "a b"),
      (Strings{"aĠb"}));
  EXPECT_EQ(
      pieces(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"})", "a b"),
      (Strings{"▁a", "▁b"}));
  EXPECT_EQ(
      pieces(
          R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": false})",
          "a b"),
      (Strings{"a▁b"}));
  EXPECT_EQ(pieces(R"({"type": "Digits", "individual_digits": true})", "a12"),
            (Strings{"a", "1", "2"}));
  EXPECT_EQ(pieces(R"({"type": "Digits", "individual_digits": false})", "a12"),
            (Strings{"a", "12"}));
  EXPECT_EQ(pieces(R"({"type": "Punctuation"})", "a?!"), (Strings{"a", "?", "!"}));
  EXPECT_EQ(pieces(R"({"type": "Whitespace"})", "ab, c"), (Strings{"ab", ",", "c"}));
  EXPECT_EQ(pieces(R"({"type": "WhitespaceSplit"})", "ab, c"), (Strings{"ab,", "c"}));
  EXPECT_EQ(pieces(R"({"type": "CharDelimiterSplit", "delimiter": "é"})", "aébé"),
            (Strings{"a", "b"}));
  EXPECT_EQ(pieces(R"({"type": "UnicodeScripts"})", " ab яц"), (Strings{"ab ", "яц"}));
  EXPECT_EQ(pieces(R"({"type": "BertPreTokenizer"})", "a. b"), (Strings{"a", ".", "b"}));
  EXPECT_EQ(
      pieces(
          R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Punctuation"}]})",
          "a. b"),
      (Strings{"a", ".", "b"}));
}

TEST(PreTokenizersTest, ByteMappingCanBeLeftToTheModel) {
  const auto load = [](const char* json) { return load_pre_tokenizer(parse_json(json, ""), ""); };
  EXPECT_NE(load(R"({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true})")
                .without_byte_mapping,
            nullptr);
  EXPECT_EQ(load(R"({"type": "Whitespace"})").without_byte_mapping, nullptr);
  EXPECT_EQ(load(R"({"type": "Sequence", "pretokenizers": []})").without_byte_mapping, nullptr);
}

TEST(PreTokenizersTest, RefusesWhatItDoesNotKnow) {
  for (const char* json :
       {R"({"type": "Magic"})", R"({"type": "Whitespace", "x": 1})",
        R"({"type": "Split", "pattern": {"String": "-"}, "behavior": "Odd", "invert": false})",
        R"({"type": "Split", "pattern": {"Regex": "("}, "behavior": "Removed", "invert": false})",
        R"({"type": "Metaspace", "replacement": "ab"})",
        R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "last"})",
        R"({"type": "Metaspace", "replacement": "_", "add_prefix_space": false})",
        R"({"type": "Sequence", "pretokenizers": {}})"}) {
    EXPECT_THROW(load_pre_tokenizer(parse_json(json, "test"), "test"), Error) << json;
  }
}

}  // namespace
}  // namespace palimpsest::tokenizer
