#include "palimpsest/text/rouge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/text/internal/rouge_tokens.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"

namespace palimpsest::text {
namespace {

using Words = std::vector<std::string>;

RougeScores score(const Words& types, std::string_view target, std::string_view prediction) {
  return RougeScorer({.types = types}).score(target, prediction);
}

Words tokens_of(std::string_view text, bool use_stemmer = false) {
  Words tokens;
  scan_rouge_tokens(
      text, use_stemmer, [&](const std::string& token) { tokens.push_back(token); }, [] {});
  return tokens;
}

TEST(RougeTest, ExampleOfTheHeader) {
  const RougeScorer scorer({.types = {"rouge1", "rougeL"}, .use_stemmer = true});
  const RougeScores scores = scorer.score("the quick brown foxes", "a quick fox");
  EXPECT_DOUBLE_EQ(scores.at("rouge1").recall, 0.5);
  EXPECT_DOUBLE_EQ(scores.at("rouge1").precision, 2.0 / 3);
  EXPECT_DOUBLE_EQ(scores.at("rougeL").recall, 0.5);
}

TEST(RougeTest, TokensAreLowerCaseLettersAndDigits) {
  EXPECT_EQ(tokens_of("It's  5.5 Kelvin_\n"), (Words{"it", "s", "5", "5", "kelvin"}));
  EXPECT_EQ(tokens_of(""), Words{});
  EXPECT_EQ(tokens_of("\u65e5\u672c \u2026"), Words{});
}

TEST(RougeTest, LowersAsPythonDoes) {
  EXPECT_EQ(tokens_of("5\u212A \u0130stanbul"), (Words{"5k", "i", "stanbul"}));
  EXPECT_EQ(tokens_of("na\u00efve"), (Words{"na", "ve"}));
}

TEST(RougeTest, BytesThatAreNotUtf8Separate) {
  EXPECT_EQ(tokens_of("a\xFF"
                      "b\xE2\x84"
                      "c\xC4"),
            (Words{"a", "b", "c"}));
}

TEST(RougeTest, StemsOnlyTokensOfMoreThanThreeCharacters) {
  EXPECT_EQ(tokens_of("gas dies flies", true), (Words{"gas", "die", "fli"}));
}

// The scorer compares these tokens and no others: a digit more makes another token.
TEST(RougeTest, ComparesTheWholeTokens) {
  EXPECT_EQ(score({"rouge1"}, "b5 c 1", "B5 c6 1!").at("rouge1").precision, 2.0 / 3);
}

TEST(RougeTest, CountsNgramsAsOftenAsBothHaveThem) {
  const RougeScores scores = score({"rouge1", "rouge2"}, "a a b a", "a b a b a");
  EXPECT_DOUBLE_EQ(scores.at("rouge1").recall, 1.0);
  EXPECT_DOUBLE_EQ(scores.at("rouge1").precision, 0.8);
  EXPECT_DOUBLE_EQ(scores.at("rouge2").recall, 2.0 / 3);  // ab, ba of aa, ab, ba
  EXPECT_DOUBLE_EQ(scores.at("rouge2").precision, 0.5);
}

TEST(RougeTest, TakesNgramsOfAnyLength) {
  const std::string text = "a b c d e f g h i j k l m";
  const RougeScores scores = score({"rouge7", "rouge13", "rouge14"}, text, text + " n");
  EXPECT_DOUBLE_EQ(scores.at("rouge7").recall, 1.0);
  EXPECT_DOUBLE_EQ(scores.at("rouge7").precision, 7.0 / 8);
  EXPECT_DOUBLE_EQ(scores.at("rouge13").precision, 0.5);
  EXPECT_EQ(scores.at("rouge14"), RougeScore{});
  EXPECT_EQ(score({"rouge999999999999"}, text, text).at("rouge999999999999"), RougeScore{});
}

TEST(RougeTest, SummaryLevelUnitesTheLinesOfThePrediction) {
  // Each line of the prediction alone has two tokens in common with the target's only line.
  const RougeScores scores = score({"rougeL", "rougeLsum"}, "a b c d", "c d\na b");
  EXPECT_DOUBLE_EQ(scores.at("rougeL").fmeasure, 0.5);
  EXPECT_DOUBLE_EQ(scores.at("rougeLsum").fmeasure, 1.0);
}

TEST(RougeTest, SummaryLevelCountsNoTokenTwice) {
  const RougeScores scores = score({"rougeLsum"}, "a b\na c", "a");
  EXPECT_DOUBLE_EQ(scores.at("rougeLsum").precision, 1.0);
  EXPECT_DOUBLE_EQ(scores.at("rougeLsum").recall, 0.25);
}

TEST(RougeTest, NothingScoresZero) {
  const Words types = {"rouge1", "rouge2", "rougeL", "rougeLsum"};
  for (const auto& [target, prediction] : std::vector<std::pair<std::string, std::string>>{
           {"", ""}, {"a", ""}, {"", "a"}, {"\n", "."}}) {
    for (const auto& [type, found] : score(types, target, prediction)) {
      EXPECT_EQ(found, RougeScore{}) << type;
    }
  }
}

TEST(RougeTest, OfSeveralTargetsTheOneWithTheHighestFCounts) {
  const RougeScorer scorer({.types = {"rouge1"}});
  const Words targets = {"x y", "a b c d", "a b"};
  EXPECT_DOUBLE_EQ(scorer.score_multi(targets, "a b").at("rouge1").fmeasure, 1.0);
  // Equal F, other precision and recall: the first one stays.
  const Words equal = {"a b c d", "a"};
  EXPECT_DOUBLE_EQ(scorer.score_multi(equal, "a b").at("rouge1").recall, 0.5);
  EXPECT_THROW(scorer.score_multi({}, "a"), Error);
}

TEST(RougeTest, RefusesUnknownTypes) {
  for (const char* type : {"", "rouge", "rouge0", "rouge01", "rouge-1", "rouge1x", "rougel", "bleu",
                           "rouge99999999999999999999"}) {
    EXPECT_THROW(RougeScorer({.types = {type}}), Error) << type;
  }
  EXPECT_EQ(error_of([] { RougeScorer({.types = {"rougeS"}}); }),
            "'rougeS' is not a type of ROUGE (expected rouge1, rouge2 …, rougeL or rougeLsum)");
}

// Scores are quotients of the same counts in the same order of operations; 1e-12 leaves room for
// another compiler's rounding, and is far below the effect of one token.
constexpr double kTolerance = 1e-12;

class RougeGoldenTest : public testing::Test {
 protected:
  // `expected`: precision, recall and F of each type.
  void expect_scores(const RougeScores& scores, const Json& expected, const std::string& which) {
    size_t i = 0;
    for (const Json& type : golden_.at("types")) {
      const RougeScore& found = scores.at(type.get<std::string>());
      for (const double value : {found.precision, found.recall, found.fmeasure}) {
        EXPECT_NEAR(value, expected.at(i++).get<double>(), kTolerance) << which << ", " << type;
      }
    }
  }

  RougeScorer scorer(bool use_stemmer) const {
    return RougeScorer({.types = golden_.at("types").get<Words>(), .use_stemmer = use_stemmer});
  }

  const Json golden_ = read_golden("text/rouge.json.gz");
};

TEST_F(RougeGoldenTest, EqualsRougeScore) {
  const RougeScorer plain = scorer(false);
  const RougeScorer stemmed = scorer(true);
  const Json& pairs = golden_.at("pairs");
  EXPECT_EQ(pairs.size(), 2000U);
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto target = pairs[i][0].get<std::string>();
    const auto prediction = pairs[i][1].get<std::string>();
    expect_scores(plain.score(target, prediction), pairs[i][2], fmt::format("pair {}", i));
    expect_scores(stemmed.score(target, prediction), pairs[i][3],
                  fmt::format("pair {} with stemmer", i));
  }
}

TEST_F(RougeGoldenTest, EqualsRougeScoreForSeveralTargets) {
  const RougeScorer plain = scorer(false);
  const RougeScorer stemmed = scorer(true);
  for (const Json& item : golden_.at("several_targets")) {
    const Words targets = item[0].get<Words>();
    const auto prediction = item[1].get<std::string>();
    expect_scores(plain.score_multi(targets, prediction), item[2], prediction);
    expect_scores(stemmed.score_multi(targets, prediction), item[3], prediction);
  }
}

std::string utf8(uint32_t c) {
  auto tail = [](uint32_t bits) { return static_cast<char>(0x80 | (bits & 0x3F)); };
  if (c < 0x800) return {static_cast<char>(0xC0 | (c >> 6)), tail(c)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | (c >> 12)), tail(c >> 6), tail(c)};
  return {static_cast<char>(0xF0 | (c >> 18)), tail(c >> 12), tail(c >> 6), tail(c)};
}

TEST_F(RougeGoldenTest, CutsAtEveryCharacterAsRougeScoreDoes) {
  const Json& special = golden_.at("lowered_to_ascii");
  EXPECT_FALSE(special.empty());
  for (uint32_t c = 0x80; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;  // surrogates are not characters
    const std::string name = fmt::format("{:04X}", c);
    const Words expected = special.contains(name) ? special[name].get<Words>() : Words{"a", "b"};
    ASSERT_EQ(tokens_of("a" + utf8(c) + "b"), expected) << "U+" << name;
  }
}

}  // namespace
}  // namespace palimpsest::text
