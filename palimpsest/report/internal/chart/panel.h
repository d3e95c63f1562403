// One panel of a chart: its axes and its marks.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/report/chart/chart.h"
#include "palimpsest/report/internal/chart/polyline.h"
#include "palimpsest/report/internal/chart/scale.h"
#include "palimpsest/report/internal/chart/ticks.h"

namespace palimpsest::report {

// Where a panel's marks are drawn.
struct PanelPlot {
  const Chart& chart;
  const ChartPanel& panel;
  PlotFrame frame;
  Scale x;
  Scale y;
};

// The ticks of the vertical axis; empty if it has categories.
std::vector<Tick> y_ticks(const ChartPanel& panel);

// How much room the labels of the vertical axis need.
double y_label_width(const ChartPanel& panel);

// Grid, axes, ticks, labels and titles. The horizontal axis takes x_axis_height() below the frame.
void draw_axes(const PanelPlot& plot, std::string& svg);
double x_axis_height(const ChartPanel& panel);

void draw_marks(const PanelPlot& plot, std::string& svg);

// A dot in the shape of a series' style; `title` is an element or empty. Its colour is the group's.
std::string svg_dot(const PlotPoint& at, size_t style, const std::string& title);

}  // namespace palimpsest::report
