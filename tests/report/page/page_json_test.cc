#include "palimpsest/report/internal/page/page_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "palimpsest/base/internal/json.h"
#include "tests/support/expect_error.h"

namespace palimpsest::report {
namespace {

Json json_of(const PageData& page) {
  return parse_json(page_to_json(page), "page");
}

TEST(PageJsonTest, AnEmptyPageHasEveryPart) {
  const Json json = json_of({});
  for (const char* part : {"figures", "flags", "notes", "tables", "methods", "run"}) {
    ASSERT_TRUE(json.contains(part)) << part;
    EXPECT_TRUE(json[part].is_array()) << part;
    EXPECT_TRUE(json[part].empty()) << part;
  }
  EXPECT_TRUE(json["headline"]["value"].is_null());
  EXPECT_TRUE(json["headline"]["reasons"].empty());
  EXPECT_EQ(json_of({.headline = {.reasons = {"why"}}})["headline"]["reasons"], Json({"why"}));
  EXPECT_TRUE(json["examples"]["index"].empty());
}

TEST(PageJsonTest, NothingCanEndTheScriptElement) {
  const std::string attack = "</script><script>alert(1)</script><!-- ";
  PageData page{.notes = {attack}};
  page.examples = {.attacks = {attack},
                   .rows = {{.index = attack, .answer = attack, .scores = {1}}}};
  page.examples.rows[0].tokens = {{attack, -1, true}};
  const std::string text = page_to_json(page);
  EXPECT_EQ(text.find('<'), std::string::npos);
  const Json json = parse_json(text, "page");
  EXPECT_EQ(json["notes"][0], attack);
  EXPECT_EQ(json["examples"]["answer"][0], attack);
  EXPECT_EQ(json["examples"]["tokens"]["0"]["text"][0], attack);
}

TEST(PageJsonTest, DirectionsAreVisible) {
  PageData page;
  page.notes = {"a\u202Eb"};
  EXPECT_EQ(parse_json(page_to_json(page), "page")["notes"][0], "a\\u202eb");
}

TEST(PageJsonTest, BytesThatAreNoUtf8BecomeReplacementCharacters) {
  const Json json = json_of({.notes = {std::string("a\xff") + '\0' + "b"}});
  EXPECT_EQ(json["notes"][0], std::string("a\uFFFD") + '\0' + "b");
}

TEST(PageJsonTest, ExamplesAreColumns) {
  PageData page;
  page.examples = {.attacks = {"loss", "zlib"}, .ranking = 1};
  page.examples.rows = {
      {.index = "7", .answer = "yes", .scores = {1.25, std::nullopt}, .q_value = 0.5},
      {.index = "x/1", .set = PageSet::kHoldout, .scores = {2, 3}}};
  page.examples.rows[1].tokens = {{"a", -0.5, false}, {"b", -4, true}};
  page.examples.rows[1].tokens_left_out = 3;
  const Json json = json_of(page)["examples"];
  EXPECT_EQ(json["index"], Json({"7", "x/1"}));
  EXPECT_EQ(json["set"], "fh");
  EXPECT_EQ(json["ranking"], 1);
  EXPECT_FALSE(json.contains("question"));
  EXPECT_FALSE(json.contains("generation"));
  EXPECT_EQ(json["answer"], Json({"yes", nullptr}));
  EXPECT_EQ(json["scores"], Json({{1.25, 2}, {nullptr, 3}}));
  EXPECT_EQ(json["qValue"], Json({0.5, nullptr}));
  ASSERT_EQ(json["tokens"].size(), 1U);
  EXPECT_EQ(json["tokens"]["1"]["logprob"], Json({-0.5, -4}));
  EXPECT_EQ(json["tokens"]["1"]["lowest"], Json::array({1}));
  EXPECT_EQ(json["tokens"]["1"]["leftOut"], 3);
}

TEST(PageJsonTest, NumbersAreShortened) {
  PageData page;
  const double infinity = std::numeric_limits<double>::infinity();
  page.examples = {.attacks = {"a"}};
  for (double value : {1.23456789, -0.000123456789, 123456789.0, 0.0, infinity, -infinity,
                       std::nan(""), 1e308, 5e-324}) {
    page.examples.rows.push_back({.index = "0", .scores = {value}});
  }
  const Json scores = json_of(page)["examples"]["scores"][0];
  EXPECT_DOUBLE_EQ(scores[0].get<double>(), 1.23457);
  EXPECT_DOUBLE_EQ(scores[1].get<double>(), -0.000123457);
  EXPECT_DOUBLE_EQ(scores[2].get<double>(), 123457000);
  EXPECT_EQ(scores[3], 0.0);
  EXPECT_EQ(scores[4], "Infinity");
  EXPECT_EQ(scores[5], "-Infinity");
  EXPECT_TRUE(scores[6].is_null());
  EXPECT_EQ(scores[7], 1e308);
  EXPECT_EQ(scores[8], 5e-324);
}

TEST(PageJsonTest, OnlyAnAucHasAMiddleAndNothingUndefinedIsShown) {
  ResultCell share = number_cell(0.3);
  share.scale = CellScale::kShare;
  ResultCell small = number_cell(4.271e-08);
  small.scale = CellScale::kNone;
  ResultCell name = name_cell("tuned");
  name.small = "run_7";
  PageData page;
  page.tables = {
      {.id = "models",
       .row_groups = {"Is it intact?"},
       .columns = {{"model"},
                   {.name = "AUC", .is_share = true, .is_auc = true, .small = "mia_loss"},
                   {"never defined"},
                   {"utility"},
                   {"quality"}},
       .rows = {{name, number_cell(0.5), number_cell(std::nullopt), share, small}}}};
  const Json table = json_of(page)["tables"][0];
  ASSERT_EQ(table["columns"].size(), 3U);
  EXPECT_EQ(table["columns"][0]["small"], "mia_loss");
  EXPECT_EQ(table["columns"][1]["name"], "utility");
  EXPECT_EQ(table["rows"][0]["small"], "run_7");
  EXPECT_EQ(table["rows"][0]["group"], "Is it intact?");
  const Json& cells = table["rows"][0]["cells"];
  EXPECT_EQ(cells[0]["scale"], "auc");
  EXPECT_EQ(cells[1]["scale"], "share");
  EXPECT_FALSE(cells[2].contains("scale"));
  EXPECT_EQ(cells[2]["text"], "4.3e-08");
}

TEST(PageJsonTest, TablesKeepMarksAndIntervals) {
  PageData page;
  page.tables = {{.id = "models",
                  .columns = {{"model"}, {"AUC", "area"}, {"words"}, {"AUC of one", "", false}},
                  .rows = {{name_cell("tuned"), number_cell(0.9, stat::Interval{0.8, 0.95}, true),
                            name_cell("n/a"), number_cell(0.12345)}}}};
  const Json table = json_of(page)["tables"][0];
  EXPECT_EQ(table["rowName"], "model");
  EXPECT_EQ(table["rows"][0]["name"], "tuned");
  const Json& cells = table["rows"][0]["cells"];
  // Values in [0, 1] throughout, unless the column says otherwise.
  EXPECT_EQ(cells[0]["scale"], "share");
  EXPECT_FALSE(cells[2].contains("scale"));
  EXPECT_EQ(cells[0]["interval"], Json({0.8, 0.95}));
  EXPECT_EQ(cells[0]["significant"], true);
  EXPECT_EQ(cells[0]["text"], "0.900");
  EXPECT_EQ(cells[2]["text"], "0.1235");
  EXPECT_TRUE(cells[1]["value"].is_null());
  EXPECT_FALSE(cells[1].contains("significant"));
}

TEST(PageJsonTest, PartsThatDoNotFitAreErrors) {
  PageData table;
  table.tables = {{.id = "t", .columns = {{"a"}, {"b"}}, .rows = {{name_cell("row")}}}};
  expect_contains(error_of([&] { page_to_json(table); }), "table 't'");

  PageData example;
  example.examples = {.attacks = {"loss"}, .rows = {{.index = "3"}}};
  expect_contains(error_of([&] { page_to_json(example); }), "example '3'");
}

}  // namespace
}  // namespace palimpsest::report
