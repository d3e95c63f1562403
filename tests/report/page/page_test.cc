#include "palimpsest/report/page/page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/report/chart/chart.h"
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
  EXPECT_EQ(html.find("unsafe-"), std::string::npos);
  expect_contains(html, "script-src 'sha256-");
  expect_contains(html, "style-src 'sha256-");
  EXPECT_EQ(html.find("src=\"http"), std::string::npos);
  EXPECT_EQ(html.find("href=\"http"), std::string::npos);
}

TEST(PageTest, ChartsStandInThePageAsSvg) {
  PageData page{.title = "a"};
  EXPECT_LT(page_to_html(page).size(), 100'000U);
  const std::string attack = "</h3><img src=x onerror=alert(1)>";
  page.charts = {{.name = "roc", .caption = attack, .chart = {.title = attack}}};
  const std::string html = page_to_html(page);
  expect_contains(html, "<figure class=\"chart\" id=\"roc\">");
  expect_contains(html, to_svg(page.charts[0].chart, SvgUse::kPage));
  EXPECT_EQ(html.find("<img"), std::string::npos);
}

TEST(PageTest, TheSameDataGiveTheSameBytes) {
  const PageData page{.title = "a", .notes = {"b"}};
  EXPECT_EQ(page_to_html(page), page_to_html(page));
}

TEST(PageTest, IdsAreChecked) {
  for (const char* id : {"", "a b", "a\"b", "a<b", "ä"}) {
    PageData page;
    page.charts = {{.name = id}};
    expect_contains(error_of([&] { page_to_html(page); }), "id of a table or chart");
  }
  PageData twice;
  twice.charts = {{.name = "roc"}};
  twice.tables = {{.id = "roc"}};
  expect_contains(error_of([&] { page_to_html(twice); }), "same id");
}

// What each asset needs in order to stand in an HTML page.
TEST(PageTest, AssetsCannotEndTheirElements) {
  EXPECT_EQ(report::page_assets::kStyle.find("</"), std::string_view::npos);
  EXPECT_EQ(report::page_assets::kScript.find("</script"), std::string_view::npos);
  EXPECT_EQ(report::page_assets::kScript.find("<!--"), std::string_view::npos);
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
