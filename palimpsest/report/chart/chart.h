// A chart as a plain value: panels one below the other, each with two axes and marks on them. The
// figures of figures/ build charts; draw_chart.h draws one as SVG or writes it as a Vega-Lite
// document. A chart knows nothing of colours beyond the number of a series' style, and computes
// nothing: what stands in its points is what is drawn.
//
// All texts are plain text and may come from data. Copies are independent; threads may share one
// that nobody changes.
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
  // Of a linear or logarithmic scale: finite, low < high, and positive if it is logarithmic.
  stat::Interval domain = {0, 1};
  std::vector<std::string> categories = {};  // from the left, or from above
  std::vector<double> ticks = {};            // empty: round numbers are chosen
  bool has_labels = true;                    // false: ticks without numbers or names
};

// A place on a panel. On an axis of categories a coordinate is the category's number, from 0.
struct ChartPoint {
  double x = 0;
  double y = 0;
  double x2 = 0;          // right edge of a bar, other end of an interval
  double y2 = 0;          // upper edge of a band, other end of an interval
  std::string text = {};  // shown under the pointer; lines and bands have none
};

enum class MarkKind {
  kBand,      // the area between y and y2 along x
  kBar,       // from 0 to y, between x and x2
  kLine,      // through all points in their order
  kInterval,  // one straight line per point, from (x, y) to (x2, y2)
  kDot,
  kText  // the text of each point, which begins right of its place: "n/a"
};

struct ChartMark {
  MarkKind kind = MarkKind::kLine;
  // Position in Chart::series. Without a series a line is a reference: thin, dashed and grey.
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

// What a colour stands for. The style is the number of a colour with a dash pattern and a shape, see
// internal/chart/palette.h. Where several series meet on an axis of categories, they stand beside
// each other.
struct ChartSeries {
  std::string name = {};
  size_t style = 0;
};

struct Chart {
  std::string title = {};
  std::string series_title = {};  // what the series are: "attack", "model"
  std::vector<ChartSeries> series = {};
  // What the mixed colour of overlapping bars means, for the legend. Empty: there is none.
  std::string overlap = {};
  std::vector<ChartPanel> panels = {};
};

// The position of the series with this name, which is added if there is none.
size_t series_of(Chart& chart, const std::string& name);

}  // namespace palimpsest::report
