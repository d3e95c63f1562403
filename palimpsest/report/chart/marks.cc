#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/report/internal/chart/legend.h"
#include "palimpsest/report/internal/chart/palette.h"
#include "palimpsest/report/internal/chart/panel.h"
#include "palimpsest/report/internal/chart/svg_parts.h"

namespace palimpsest::report {
namespace {

constexpr double kRadius = 4;
constexpr double kDodgedShare = 0.7;  // of a category's room, for the series beside each other

// How far a series stands from the middle of its category.
double dodge(const PanelPlot& plot, const Scale& scale, const ChartMark& mark) {
  if (scale.axis.scale != ScaleKind::kCategory || !mark.series) return 0;
  const auto count = static_cast<double>(plot.chart.series.size());
  const auto position = static_cast<double>(*mark.series);
  return (position - (count - 1) / 2) * scale.step() * kDodgedShare / count;
}

// Places on the drawing of a mark's points.
class MarkPositions {
 public:
  MarkPositions(const PanelPlot& plot, const ChartMark& mark)
      : plot_(plot), dx_(dodge(plot, plot.x, mark)), dy_(dodge(plot, plot.y, mark)) {}

  PlotPoint at(double x, double y) const { return {plot_.x.at(x) + dx_, plot_.y.at(y) + dy_}; }
  // Never outside the panel.
  PlotPoint inside(double x, double y) const { return moved_inside(at(x, y), plot_.frame); }

 private:
  const PanelPlot& plot_;
  double dx_;
  double dy_;
};

std::string_view name_of(const PanelPlot& plot, const ChartMark& mark) {
  return mark.series ? std::string_view(plot.chart.series[*mark.series].name) : mark.reference;
}

std::string line_path(const PanelPlot& plot, const ChartMark& mark, std::string_view stroke) {
  const MarkPositions positions(plot, mark);
  std::vector<PlotPoint> points;
  for (const ChartPoint& point : mark.points) points.push_back(positions.at(point.x, point.y));
  const std::string path = clipped_path(points, plot.frame);
  if (path.empty()) return "";
  return fmt::format(R"(<path d="{}" fill="none" stroke="currentColor" {}>{}</path>)", path, stroke,
                     svg_title(name_of(plot, mark)));
}

std::string line(const PanelPlot& plot, const ChartMark& mark) {
  const std::string dashes = dashes_of(plot.chart.series[*mark.series].style);
  return line_path(
      plot, mark,
      fmt::format(R"(class="curve" stroke-width="2" stroke-linejoin="round"{})",
                  dashes.empty() ? "" : fmt::format(R"( stroke-dasharray="{}")", dashes)));
}

// There and back: the upper edge forwards, the lower one backwards.
std::string band(const PanelPlot& plot, const ChartMark& mark) {
  const MarkPositions positions(plot, mark);
  std::vector<PlotPoint> outline;
  for (const ChartPoint& point : mark.points)
    outline.push_back(positions.inside(point.x, point.y2));
  std::reverse(outline.begin(), outline.end());
  for (const ChartPoint& point : mark.points) outline.push_back(positions.inside(point.x, point.y));
  const std::string path = clipped_path(outline, plot.frame);
  if (path.empty()) return "";
  return fmt::format(R"(<path class="band" d="{}Z" fill="currentColor" fill-opacity="0.15"/>)",
                     path);
}

std::string bars(const PanelPlot& plot, const ChartMark& mark) {
  const MarkPositions positions(plot, mark);
  std::string svg;
  std::string outline;
  double end = NAN;  // where the bar before ended
  for (size_t i = 0; i < mark.points.size(); ++i) {
    const ChartPoint& point = mark.points[i];
    const PlotPoint corner = positions.inside(point.x, point.y);
    const PlotPoint foot = positions.inside(point.x2, 0);
    svg += fmt::format(R"(<rect class="bar" x="{}" y="{}" width="{}" height="{}">{}</rect>)",
                       svg_number(corner.x), svg_number(corner.y), svg_number(foot.x - corner.x),
                       svg_number(foot.y - corner.y), svg_title(point.text));
    if (corner.x != end) outline += fmt::format("M{},{}", svg_number(corner.x), svg_number(foot.y));
    outline += fmt::format("V{}H{}", svg_number(corner.y), svg_number(foot.x));
    end = foot.x;
    const bool is_joined =
        i + 1 < mark.points.size() && positions.inside(mark.points[i + 1].x, 0).x == end;
    if (!is_joined) outline += fmt::format("V{}", svg_number(foot.y));
  }
  if (svg.empty()) return "";
  return fmt::format(R"(<g fill="currentColor" fill-opacity="0.4">{}</g>)"
                     R"(<path d="{}" fill="none" stroke="currentColor" stroke-width="1.3"/>)",
                     svg, outline);
}

std::string intervals(const PanelPlot& plot, const ChartMark& mark) {
  const MarkPositions positions(plot, mark);
  std::string svg;
  for (const ChartPoint& point : mark.points) {
    const PlotPoint a = positions.inside(point.x, point.y);
    const PlotPoint b = positions.inside(point.x2, point.y2);
    svg += fmt::format(R"(<line class="extent" x1="{}" y1="{}" x2="{}" y2="{}">{}</line>)",
                       svg_number(a.x), svg_number(a.y), svg_number(b.x), svg_number(b.y),
                       svg_title(point.text));
  }
  return fmt::format(R"(<g stroke="currentColor" stroke-width="2" stroke-opacity="0.7">{}</g>)",
                     svg);
}

std::string dots(const PanelPlot& plot, const ChartMark& mark) {
  const MarkPositions positions(plot, mark);
  const size_t style = plot.chart.series[*mark.series].style;
  std::string svg;
  for (const ChartPoint& point : mark.points) {
    const PlotPoint at = positions.inside(point.x, point.y);
    svg += svg_dot(at, style, svg_title(point.text));
  }
  return fmt::format(R"(<g fill="currentColor">{}</g>)", svg);
}

std::string texts(const PanelPlot& plot, const ChartMark& mark) {
  constexpr double kFromAxis = 6;
  constexpr double kNoteSize = 10;
  constexpr double kToMiddle = 3.5;  // from the base line to the middle of small letters
  const MarkPositions positions(plot, mark);
  std::string svg;
  for (const ChartPoint& point : mark.points) {
    const PlotPoint at = positions.inside(point.x, point.y);
    svg += svg_label(point.text, {.x = at.x + kFromAxis, .y = at.y + kToMiddle, .size = kNoteSize});
  }
  return fmt::format(R"(<g class="absent" fill="currentColor" font-size="{}">{}</g>)", kNoteSize,
                     svg);
}

std::string drawn(const PanelPlot& plot, const ChartMark& mark) {
  switch (mark.kind) {
    case MarkKind::kBand:
      return band(plot, mark);
    case MarkKind::kBar:
      return bars(plot, mark);
    case MarkKind::kLine:
      return line(plot, mark);
    case MarkKind::kInterval:
      return intervals(plot, mark);
    case MarkKind::kDot:
      return dots(plot, mark);
    case MarkKind::kText:
      return texts(plot, mark);
  }
  return "";
}

std::string reference_stroke(const PanelPlot& plot, const std::string& meaning) {
  const std::vector<std::string> meanings = references_of(plot.chart);
  const auto number = static_cast<size_t>(std::ranges::find(meanings, meaning) - meanings.begin());
  return fmt::format(R"(class="rule" stroke-dasharray="{}")",
                     reference_dashes(meaning.empty() ? 0 : number));
}

std::string rule(const PanelPlot& plot, const ChartRule& rule) {
  const PlotFrame& frame = plot.frame;
  const double at = rule.is_vertical ? plot.x.at(rule.value) : plot.y.at(rule.value);
  const std::vector<PlotPoint> ends =
      rule.is_vertical ? std::vector<PlotPoint>{{at, frame.top}, {at, frame.bottom}}
                       : std::vector<PlotPoint>{{frame.left, at}, {frame.right, at}};
  const std::string path = clipped_path(ends, frame);
  if (path.empty()) return "";
  return fmt::format(R"(<path d="{}" stroke="currentColor" {}>{}</path>)", path,
                     reference_stroke(plot, rule.reference), svg_title(rule.reference));
}

}  // namespace

std::string svg_dot(const PlotPoint& at, size_t style, const std::string& title) {
  switch (shape_of(style)) {
    case 0:
      return fmt::format(R"(<circle class="dot" cx="{}" cy="{}" r="{}">{}</circle>)",
                         svg_number(at.x), svg_number(at.y), kRadius, title);
    case 1:
      return fmt::format(R"(<rect class="dot" x="{}" y="{}" width="{}" height="{}">{}</rect>)",
                         svg_number(at.x - kRadius), svg_number(at.y - kRadius), 2 * kRadius,
                         2 * kRadius, title);
    default:
      return fmt::format(R"(<path class="dot" d="M{},{}l{} {} {} {} {} {}z">{}</path>)",
                         svg_number(at.x), svg_number(at.y - kRadius - 1), kRadius + 1, kRadius + 1,
                         -kRadius - 1, kRadius + 1, -kRadius - 1, -kRadius - 1, title);
  }
}

void draw_marks(const PanelPlot& plot, std::string& svg) {
  std::string references;
  for (const ChartRule& one : plot.panel.rules) references += rule(plot, one);
  for (const ChartMark& mark : plot.panel.marks) {
    if (!mark.series) references += line_path(plot, mark, reference_stroke(plot, mark.reference));
  }
  if (!references.empty())
    svg += svg_group("reference", tint_of("reference")) + references + "</g>";
  for (const ChartMark& mark : plot.panel.marks) {
    if (!mark.series || mark.points.empty()) continue;
    const size_t style = plot.chart.series[*mark.series].style;
    // Small letters in a bright colour could not be read.
    svg += mark.kind == MarkKind::kText ? svg_group("soft", tint_of("soft"))
                                        : svg_group(colour_class(style), colour_of(style));
    svg += drawn(plot, mark) + "</g>";
  }
}

}  // namespace palimpsest::report
