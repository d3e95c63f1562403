#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/report/chart/chart.h"
#include "palimpsest/report/internal/chart/legend.h"
#include "palimpsest/report/internal/chart/palette.h"
#include "palimpsest/report/internal/chart/panel.h"
#include "palimpsest/report/internal/chart/svg_parts.h"
#include "palimpsest/report/internal/chart/text_fit.h"

namespace palimpsest::report {
namespace {

constexpr double kRight = 14;  // half of the widest number that stands below the end of an axis
constexpr double kAbovePlot = 9;
constexpr double kBelowPanel = 12;
constexpr double kFileMargin = 10;  // around the drawing, where it has a ground of its own

double draw_title(const std::string& title, double top, std::string& svg) {
  if (title.empty()) return top;
  svg += svg_group("ink", tint_of("ink"),
                   fmt::format(R"(fill="currentColor" font-size="{}" font-weight="600")",
                               svg_number(kTitleSize)));
  // Bold letters are wider than the table says.
  constexpr double kBold = 1.1;
  for (const std::string& text :
       text_lines(clean_text(title), kTitleSize * kBold, kChartWidth - 2 * kEdge)) {
    top += kTitleSize + 4;
    svg += svg_label(text, {.x = kEdge, .y = top - 4});
  }
  svg += "</g>";
  return top + 6;
}

// What the page's script needs in order to turn a place into values: kind, domain and ends of a
// scale, and the axis's title.
std::string scale_attributes(const char* name, const Scale& scale) {
  if (scale.axis.scale == ScaleKind::kCategory) return "";
  return fmt::format(R"( data-{0}="{1} {2:.6g} {3:.6g} {4} {5}" data-{0}-title="{6}")", name,
                     scale.axis.scale == ScaleKind::kLog ? "log" : "linear", scale.axis.domain.low,
                     scale.axis.domain.high, svg_number(scale.from), svg_number(scale.to),
                     xml_escaped(scale.axis.title));
}

double draw_panel(const Chart& chart, const ChartPanel& panel, double left, double top,
                  std::string& svg) {
  std::string headings;
  if (!panel.title.empty()) {
    top += kLineHeight;
    headings += svg_group("ink", tint_of("ink"), R"(fill="currentColor" font-weight="600")") +
                svg_label(panel.title, {.x = kEdge, .y = top - 4, .width = kChartWidth * 0.9}) +
                "</g>";
  }
  if (!panel.y.title.empty()) {
    top += kLineHeight;
    headings +=
        svg_group("soft", tint_of("soft"), R"(fill="currentColor")") +
        svg_label(panel.y.title, {.x = kEdge, .y = top - 4, .width = kChartWidth - 2 * kEdge}) +
        "</g>";
  }
  top += kAbovePlot;
  const PlotFrame frame{left, kChartWidth - kRight, top, top + panel.height};
  const PanelPlot plot{chart, panel, frame, Scale(panel.x, frame.left, frame.right),
                       panel.y.scale == ScaleKind::kCategory
                           ? Scale(panel.y, frame.top, frame.bottom)
                           : Scale(panel.y, frame.bottom, frame.top)};
  svg += fmt::format(R"(<g class="panel"{}{}>)", scale_attributes("x", plot.x),
                     scale_attributes("y", plot.y));
  svg += headings;
  draw_axes(plot, svg);
  draw_marks(plot, svg);
  svg += "</g>\n";
  return frame.bottom + x_axis_height(panel) + kBelowPanel;
}

}  // namespace

size_t series_of(Chart& chart, const std::string& name) {
  const auto found = std::ranges::find(chart.series, name, &ChartSeries::name);
  const auto number = static_cast<size_t>(found - chart.series.begin());
  if (found == chart.series.end()) chart.series.push_back({name, number});
  return number;
}

std::string to_svg(const Chart& chart, SvgUse use) {
  const bool is_file = use == SvgUse::kFile;
  std::string body;
  double bottom = is_file ? draw_title(chart.title, 0, body) : 0;
  bottom = draw_legend(chart, bottom, body);
  double left = 0;
  for (const ChartPanel& panel : chart.panels) left = std::max(left, y_label_width(panel));
  for (const ChartPanel& panel : chart.panels)
    bottom = draw_panel(chart, panel, left + kEdge, bottom, body);
  const double margin = is_file ? kFileMargin : 0;
  const std::string width = svg_number(kChartWidth + 2 * margin);
  const std::string height = svg_number(std::ceil(bottom - kBelowPanel / 2) + 2 * margin);
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="{0} {0} {1} {2}" width="{1}" height="{2}" )"
      R"(role="img" aria-label="{3}" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, )"
      R"('Noto Sans', 'Helvetica Neue', Arial, sans-serif" font-size="{4}">)",
      svg_number(-margin), width, height, xml_escaped(chart.title), svg_number(kTextSize));
  svg += '\n';
  if (is_file) {
    svg += svg_title(chart.title);
    svg += fmt::format("<style>{}</style>\n", chart_style_sheet());
    svg += fmt::format(R"({}<rect x="{}" y="{}" width="{}" height="{}" fill="currentColor"/></g>)",
                       svg_group("ground", tint_of("ground")), svg_number(-margin),
                       svg_number(-margin), width, height);
    svg += '\n';
  }
  return svg + body + "</svg>\n";
}

}  // namespace palimpsest::report
