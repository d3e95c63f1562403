#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/report/internal/chart/palette.h"
#include "palimpsest/report/internal/chart/panel.h"
#include "palimpsest/report/internal/chart/svg_parts.h"
#include "palimpsest/report/internal/chart/text_fit.h"

namespace palimpsest::report {
namespace {

constexpr double kTickRoom = 22;         // between two numbers of a vertical axis
constexpr double kLongestName = 150;     // of a category of a vertical axis
constexpr double kShortestName = 40;     // of a category of a horizontal axis, unless it is shorter
constexpr double kGap = 8;               // between two labels, and between a label and its axis
constexpr double kBelowAxis = 4 + 12;    // from a horizontal axis to the base line of its labels
constexpr double kHalfTextHeight = 4.2;  // from the middle of a text to its base line
constexpr size_t kMaxXTicks = 7;

std::vector<Tick> ticks_of(const ChartAxis& axis, size_t most) {
  if (axis.scale == ScaleKind::kCategory) return {};
  if (!axis.ticks.empty()) return ticks_at(axis.ticks, axis.domain);
  return axis.scale == ScaleKind::kLog ? log_ticks(axis.domain, most)
                                       : linear_ticks(axis.domain, most);
}

// Where a text of this width around `middle` begins, moved so that it stays in the drawing.
double label_start(double middle, double width) {
  return std::clamp(middle - width / 2, kEdge, std::max(kEdge, kChartWidth - kEdge - width));
}

bool do_labels_fit(const std::vector<Tick>& ticks, const Scale& scale) {
  double end = -kGap;
  for (const Tick& tick : ticks) {
    const double width = drawn_width(tick.label, kTextSize);
    const double start = label_start(scale.at(tick.value), width);
    if (start < end + kGap) return false;
    end = start + width;
  }
  return true;
}

// As many ticks as their labels leave room for.
std::vector<Tick> x_ticks(const ChartAxis& axis, const Scale& scale) {
  for (size_t most = kMaxXTicks; most > 2; --most) {
    std::vector<Tick> ticks = ticks_of(axis, most);
    if (do_labels_fit(ticks, scale)) return ticks;
  }
  // Given ticks stay, and long numbers may leave room for no second one.
  std::vector<Tick> ticks = ticks_of(axis, 2);
  if (do_labels_fit(ticks, scale)) return ticks;
  for (size_t i = 1; i < ticks.size(); ++i) ticks[i].label.clear();
  return ticks;
}

void draw_x_numbers(const PanelPlot& plot, const std::vector<Tick>& ticks, std::string& svg) {
  for (const Tick& tick : ticks) {
    if (tick.label.empty()) continue;
    const double width = drawn_width(tick.label, kTextSize);
    const double middle = label_start(plot.x.at(tick.value), width) + width / 2;
    svg += svg_label(tick.label,
                     {.x = middle, .y = plot.frame.bottom + kBelowAxis, .anchor = Anchor::kMiddle});
  }
}

// Names below a horizontal axis: whole if all fit, else shortened, else every second, third …
void draw_x_names(const PanelPlot& plot, std::string& svg) {
  const std::vector<std::string>& names = plot.panel.x.categories;
  double widest = 0;
  for (const std::string& name : names)
    widest = std::max(widest, drawn_width(clean_text(name), kTextSize));
  const double step = plot.x.step();
  const double needed = std::min(widest, kShortestName) + kGap;
  const auto every = static_cast<size_t>(std::max(1.0, std::ceil(needed / step)));
  for (size_t i = 0; i < names.size(); i += every) {
    const double room = static_cast<double>(every) * step - kGap;
    const double middle = plot.x.at(static_cast<double>(i));
    const double width = std::min(room, drawn_width(clean_text(names[i]), kTextSize));
    svg += svg_label(names[i], {.x = label_start(middle, width) + width / 2,
                                .y = plot.frame.bottom + kBelowAxis,
                                .anchor = Anchor::kMiddle,
                                .width = room});
  }
}

void draw_y_labels(const PanelPlot& plot, const std::vector<Tick>& ticks, std::string& svg) {
  const double right = plot.frame.left - kGap;
  for (const Tick& tick : ticks) {
    svg += svg_label(
        tick.label,
        {.x = right, .y = plot.y.at(tick.value) + kHalfTextHeight, .anchor = Anchor::kEnd});
  }
  const std::vector<std::string>& names = plot.panel.y.categories;
  if (plot.panel.y.scale != ScaleKind::kCategory) return;
  const auto every = static_cast<size_t>(std::max(1.0, std::ceil(kTextSize / plot.y.step())));
  for (size_t i = 0; i < names.size(); i += every) {
    svg += svg_label(names[i], {.x = right,
                                .y = plot.y.at(static_cast<double>(i)) + kHalfTextHeight,
                                .anchor = Anchor::kEnd,
                                .width = right - kEdge});
  }
}

void draw_grid(const PanelPlot& plot, const std::vector<Tick>& across,
               const std::vector<Tick>& along, std::string& svg) {
  const PlotFrame& frame = plot.frame;
  std::string path;
  for (const Tick& tick : across) {
    path += fmt::format("M{},{}V{}", svg_number(plot.x.at(tick.value)), svg_number(frame.top),
                        svg_number(frame.bottom));
  }
  for (const Tick& tick : along) {
    path += fmt::format("M{},{}H{}", svg_number(frame.left), svg_number(plot.y.at(tick.value)),
                        svg_number(frame.right));
  }
  // Between rows of several series, which else run into each other.
  const bool has_rows = plot.panel.y.scale == ScaleKind::kCategory && plot.chart.series.size() > 1;
  for (size_t i = 1; has_rows && i < plot.panel.y.categories.size(); ++i) {
    path +=
        fmt::format("M{},{}H{}", svg_number(frame.left),
                    svg_number(plot.y.at(static_cast<double>(i) - 0.5)), svg_number(frame.right));
  }
  if (!path.empty()) {
    svg += svg_group("grid-line", tint_of("grid-line"));
    svg += fmt::format(R"(<path d="{}" stroke="currentColor"/></g>)", path);
  }
  svg += svg_group("axis-line", tint_of("axis-line"));
  svg += fmt::format(R"(<path d="M{0},{1}V{2}H{3}" fill="none" stroke="currentColor"/></g>)",
                     svg_number(frame.left), svg_number(frame.top), svg_number(frame.bottom),
                     svg_number(frame.right));
}

}  // namespace

std::vector<Tick> y_ticks(const ChartPanel& panel) {
  const double most = std::floor(panel.height / kTickRoom) + 1;
  return ticks_of(panel.y, static_cast<size_t>(std::clamp(most, 2.0, 8.0)));
}

double y_label_width(const ChartPanel& panel) {
  double widest = 0;
  for (const Tick& tick : y_ticks(panel))
    widest = std::max(widest, drawn_width(tick.label, kTextSize));
  for (const std::string& name : panel.y.categories)
    widest = std::max(widest, std::min(kLongestName, drawn_width(clean_text(name), kTextSize)));
  return widest + kGap;
}

double x_axis_height(const ChartPanel& panel) {
  return (panel.x.has_labels ? kLineHeight + 2 : 4) + (panel.x.title.empty() ? 0 : kLineHeight);
}

void draw_axes(const PanelPlot& plot, std::string& svg) {
  const ChartPanel& panel = plot.panel;
  const std::vector<Tick> across = x_ticks(panel.x, plot.x);
  const std::vector<Tick> along = y_ticks(panel);
  draw_grid(plot, across, along, svg);
  svg += svg_group("soft", tint_of("soft"), R"(fill="currentColor")");
  if (panel.x.has_labels) {
    draw_x_numbers(plot, across, svg);
    draw_x_names(plot, svg);
  }
  if (panel.y.has_labels) draw_y_labels(plot, along, svg);
  if (!panel.x.title.empty()) {
    svg += svg_label(panel.x.title, {.x = plot.frame.right,
                                     .y = plot.frame.bottom + x_axis_height(panel) - 3,
                                     .anchor = Anchor::kEnd,
                                     .width = plot.frame.right - kEdge});
  }
  svg += "</g>";
}

}  // namespace palimpsest::report
