#include "palimpsest/report/page/page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/report/internal/page/page_assets.h"
#include "tests/support/expect_error.h"

namespace palimpsest::report {
namespace {

int64_t count_of(const std::string& text, const std::string& part) {
  int64_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

TEST(PageTest, EveryPlaceOfTheTemplateIsFilled) {
  const std::string html = page_to_html({.title = "An audit"});
  EXPECT_TRUE(html.starts_with("<!doctype html>"));
  expect_contains(html, "<title>An audit</title>");
  EXPECT_EQ(html.find("{{"), std::string::npos);
}

TEST(PageTest, TextFromDataIsEscapedOutsideTheScript) {
  const std::string attack = "<img src=x onerror=alert(1)>&amp;{{data}}";
  const std::string html = page_to_html(
      {.title = attack, .headline = {.question = attack, .answer = attack}, .notes = {attack}});
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_EQ(count_of(html, "&lt;img src=x onerror=alert(1)&gt;&amp;amp;{{data}}"), 4);
}

TEST(PageTest, DirectionsAreVisibleOutsideTheScript) {
  const std::string html = page_to_html({.title = "a\u202Eb"});
  expect_contains(html, "<title>a\\u202eb");
  EXPECT_EQ(html.find("\u202E"), std::string::npos);
}

TEST(PageTest, ThePolicyForbidsEveryConnection) {
  const std::string html = page_to_html({});
  expect_contains(html, "default-src 'none'");
  EXPECT_EQ(html.find("unsafe-eval"), std::string::npos);
  EXPECT_EQ(html.find("src=\"http"), std::string::npos);
  EXPECT_EQ(html.find("href=\"http"), std::string::npos);
}

TEST(PageTest, OnlyPagesWithChartsCarryTheLibraries) {
  PageData page{.title = "a"};
  const size_t plain = page_to_html(page).size();
  page.charts = {{.name = "roc", .spec = "{}"}};
  const size_t drawn = page_to_html(page).size();
  EXPECT_EQ(can_draw_charts(), !report::page_assets::kChartLibraries.empty());
  EXPECT_GE(drawn, plain + report::page_assets::kChartLibraries.size());
  EXPECT_LT(plain, 100'000U);
}

TEST(PageTest, TheSameDataGiveTheSameBytes) {
  const PageData page{.title = "a", .notes = {"b"}};
  EXPECT_EQ(page_to_html(page), page_to_html(page));
}

TEST(PageTest, IdsAreChecked) {
  for (const char* id : {"", "a b", "a\"b", "a<b", "ä"}) {
    PageData page;
    page.charts = {{.name = id, .spec = "{}"}};
    expect_contains(error_of([&] { page_to_html(page); }), "id of a table or chart");
  }
  PageData twice;
  twice.charts = {{.name = "roc", .spec = "{}"}};
  twice.tables = {{.id = "roc"}};
  expect_contains(error_of([&] { page_to_html(twice); }), "same id");
}

// What each asset needs in order to stand in an HTML page.
TEST(PageTest, AssetsCannotEndTheirElements) {
  EXPECT_EQ(report::page_assets::kStyle.find("</"), std::string_view::npos);
  EXPECT_EQ(report::page_assets::kScript.find("</script"), std::string_view::npos);
  EXPECT_EQ(report::page_assets::kScript.find("<!--"), std::string_view::npos);
  EXPECT_EQ(report::page_assets::kChartLibraries.find("</script"), std::string_view::npos);
  EXPECT_EQ(report::page_assets::kChartLibraries.find("sourceMappingURL"), std::string_view::npos);
}

TEST(PageTest, TheScriptNeverReadsTextAsHtml) {
  for (const char* way :
       {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("}) {
    // The one mention is the comment that forbids it.
    const std::string script(report::page_assets::kScript);
    EXPECT_LE(count_of(script, way), std::string_view(way) == "innerHTML" ? 1 : 0) << way;
  }
}

}  // namespace
}  // namespace palimpsest::report
