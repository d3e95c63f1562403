#include "palimpsest/report/internal/page/page_charts.h"

#include <fmt/format.h>

#include "palimpsest/report/chart/draw_chart.h"
#include "palimpsest/report/internal/chart/svg_parts.h"

namespace palimpsest::report {

std::string charts_to_html(std::span<const Figure> charts) {
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

}  // namespace palimpsest::report
