// A chart as a plain value: panels one below the other, each with two axes and marks on them. The
// functions in figures/ build charts; to_svg() draws a chart, and to_vega_lite() writes it as a
// Vega-Lite document. A chart does not say which colours are used. It only has a style number for
// each series. It also computes nothing: its points are drawn as they are.
//
// All texts are plain text and may come from data. Copies are independent. Threads may share a
// chart as long as none of them changes it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

enum class ScaleKind { kLinear, kLog, kCategory };

struct ChartAxis {
  std::string title = {};
  ScaleKind scale = ScaleKind::kLinear;
  // The range of a linear or logarithmic scale: finite, low < high, and positive if logarithmic.
  stat::Interval domain = {0, 1};
  std::vector<std::string> categories = {};  // from left to right, or from top to bottom
  std::vector<double> ticks = {};            // empty: round numbers are chosen
  bool has_labels = true;                    // false: ticks without numbers or names
};

// A point on a panel. On an axis of categories, a coordinate is the category's position, from 0.
struct ChartPoint {
  double x = 0;
  double y = 0;
  double x2 = 0;          // right edge of a bar, other end of an interval
  double y2 = 0;          // upper edge of a band, other end of an interval
  std::string text = {};  // shown as a tooltip; lines and bands have none
};

enum class MarkKind {
  kBand,      // the area between y and y2 along x
  kBar,       // from 0 to y, between x and x2
  kLine,      // through all points in their order
  kInterval,  // one straight line per point, from (x, y) to (x2, y2)
  kDot,
  kText  // the text of each point, which begins to the right of its point: "n/a"
};

struct ChartMark {
  MarkKind kind = MarkKind::kLine;
  // Position in Chart::series. A line without a series is a reference line: thin, dashed, grey.
  std::optional<size_t> series = {};
  std::string reference = {};  // what a reference line means: "guessing"
  std::vector<ChartPoint> points = {};
};

// A reference line across the whole panel, at one value of an axis.
struct ChartRule {
  bool is_vertical = false;  // true: at a value of the x axis
  double value = 0;
  std::string reference = {};  // what it means
};

struct ChartPanel {
  std::string title = {};
  ChartAxis x = {};
  ChartAxis y = {};
  std::vector<ChartRule> rules = {};
  std::vector<ChartMark> marks = {};  // later ones are drawn over earlier ones
  double height = 200;                // of the area between the axes; the chart's width is 400
};

// A group of marks that share a colour and have one entry in the legend. The style is the number of
// a colour with a dash pattern and a shape (internal/chart/palette.h). If several series have
// points in the same category of an axis, they are drawn next to each other.
struct ChartSeries {
  std::string name = {};
  size_t style = 0;
};

struct Chart {
  std::string title = {};
  std::string series_title = {};  // what the series are: "attack", "model"
  std::vector<ChartSeries> series = {};
  // For the legend: what the mixed colour of overlapping bars means. Empty: no such entry.
  std::string overlap = {};
  std::vector<ChartPanel> panels = {};
};

// The position of the series with this name, which is added if there is none.
size_t series_of(Chart& chart, const std::string& name);

// Draws a chart: as SVG, and as a Vega-Lite 5 document for people who want to restyle it. The same
// chart gives the same bytes, whatever the locale. Text from data can never act as markup: it is
// escaped, and control characters are removed. Long names are shortened; in SVG, a tooltip shows
// the whole name.
//
// An SVG is 400 units wide with text of 12 units, so that it can be read on a phone. Colours are
// CSS variables. Plain attributes hold fallback values for renderers that do not support variables.
// The SVG has no clipping, no script and no style attribute, and nothing lies outside its viewBox.
enum class SvgUse {
  kFile,  // with the title, a background, and colours for dark mode
  kPage   // without these, because the page supplies them
};

std::string to_svg(const Chart& chart, SvgUse use = SvgUse::kFile);

// The same data, axes, series and colours.
std::string to_vega_lite(const Chart& chart);

}  // namespace palimpsest::report
