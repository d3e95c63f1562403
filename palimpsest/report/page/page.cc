#include "palimpsest/report/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

#include "palimpsest/base/error.h"
#include "palimpsest/report/chart/chart.h"
#include "palimpsest/report/internal/chart/svg_parts.h"
#include "palimpsest/report/internal/page/page_assets.h"
#include "palimpsest/report/internal/page/page_json.h"

namespace palimpsest::report {
namespace {

void require_id(const std::string& id, std::unordered_set<std::string>& seen) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.";
  if (id.empty() || id.find_first_not_of(kAllowed) != std::string::npos) {
    throw Error({.what = "this cannot be the id of a table or chart",
                 .expected = "letters, digits, '-', '_', '=' and '.' only",
                 .found = "'" + id + "'"});
  }
  if (!seen.insert(id).second) {
    throw Error({.what = "two tables or charts have the same id", .found = "'" + id + "'"});
  }
}

void require_ids(const PageData& page) {
  std::unordered_set<std::string> seen;
  for (const ResultTable& table : page.tables) require_id(table.id, seen);
  for (const Figure& chart : page.charts) require_id(chart.name, seen);
}

// A section with one <figure> per chart, empty without charts. They are drawn when the page is
// made, so that they need no script.
std::string charts_to_html(const std::vector<Figure>& charts) {
  if (charts.empty()) return "";
  std::string html = R"(<section id="charts" aria-labelledby="charts-title">
<h2 id="charts-title">Charts</h2>
<div id="chart-list" class="charts">
)";
  for (const Figure& figure : charts) {
    html += fmt::format(
        R"(<figure class="chart" id="{}"><figcaption><h3 class="data">{}</h3>)"
        R"(<p class="caption data">{}</p></figcaption><div class="plot">{}</div></figure>)",
        figure.name, xml_escaped(figure.chart.title), xml_escaped(figure.caption),
        to_svg(figure.chart, SvgUse::kPage));
    html += '\n';
  }
  return html + "</div></section>";
}

// The lines of a text one below the other.
std::string html_lines(std::string_view text) {
  std::string html;
  while (true) {
    const size_t end = text.find('\n');
    html += xml_escaped(text.substr(0, end));
    if (end == std::string_view::npos) return html;
    html += "<br>";
    text.remove_prefix(end + 1);
  }
}

// Empty without entries. It needs no script, so that other programs can read it or leave it out.
std::string provenance_to_html(const std::vector<PageEntry>& entries) {
  if (entries.empty()) return "";
  std::string html =
      "<section id=\"provenance\" aria-labelledby=\"provenance-title\">\n"
      "<h2 id=\"provenance-title\">Provenance</h2>\n<dl class=\"entries record\">\n";
  for (const PageEntry& entry : entries) {
    html += "<dt class=\"data\">" + xml_escaped(entry.title) + "</dt><dd class=\"data\">" +
            html_lines(entry.text) + "</dd>\n";
  }
  return html + "</dl></section>";
}

struct TemplateField {
  std::string_view name;  // "{{name}}" in the template
  std::string_view content;
};

// The template with its fields filled, in one pass: what a field is filled with is not looked at
// again, whatever it contains.
std::string filled(std::string_view text, const auto& fields) {
  std::string result;
  while (true) {
    const size_t open = text.find("{{");
    result += text.substr(0, open);
    if (open == std::string_view::npos) return result;
    const size_t close = text.find("}}", open);
    PALIMPSEST_CHECK(close != std::string_view::npos);
    const std::string_view name = text.substr(open + 2, close - open - 2);
    const auto field =
        std::ranges::find_if(fields, [&](const TemplateField& p) { return p.name == name; });
    PALIMPSEST_CHECK(field != fields.end());
    result += field->content;
    text.remove_prefix(close + 2);
  }
}

}  // namespace

std::string page_to_html(const PageData& page) {
  require_ids(page);
  const std::string title = xml_escaped(page.title);
  const std::string question = xml_escaped(page.headline.question);
  const std::string answer = xml_escaped(page.headline.answer);
  const std::string data = page_to_json(page);
  const std::string charts = charts_to_html(page.charts);
  const std::string provenance = provenance_to_html(page.provenance);
  return filled(report::page_assets::kTemplate,
                std::to_array<TemplateField>({{"title", title},
                                              {"question", question},
                                              {"answer", answer},
                                              {"style", report::page_assets::kStyle},
                                              {"policy", report::page_assets::kPolicy},
                                              {"charts", charts},
                                              {"provenance", provenance},
                                              {"data", data},
                                              {"script", report::page_assets::kScript}}));
}

}  // namespace palimpsest::report
