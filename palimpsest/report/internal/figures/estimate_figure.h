// Estimates with their intervals and a reference value. They are shown in rows (the AUC by attack,
// by subgroup or by model) or along a parameter (such as k).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "palimpsest/report/figures/figure_size.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

struct EstimatePoint {
  std::string label;            // the row: an attack or a subgroup
  std::string series = {};      // the colour and the place within the row, such as a model
  std::optional<double> value;  // undefined: the row is shown without a point
  std::optional<stat::Interval> interval;
};

struct EstimateFigureOptions {
  std::string title = {};  // shown above the figure; empty: none
  // A height of 0 is replaced by one that fits the rows.
  FigureSize size = {.width = 360, .height = 0};
  std::string axis = "AUC";
  std::string series_title = {};          // the title of the legend
  std::optional<double> reference = 0.5;  // draws a line at this value
  // The range of the axis; nullopt: as the data require.
  std::optional<stat::Interval> domain = stat::Interval{0, 1};
};

// Rows are in the order of their first appearance. Infinite values are drawn at the end of the
// axis.
std::string estimate_figure(std::span<const EstimatePoint> points,
                            const EstimateFigureOptions& options = {});

struct SweepPoint {
  double x = 0;             // the value of the parameter
  std::string series = {};  // each series is a line
  std::optional<double> value;
  std::optional<stat::Interval> interval;
};

struct SweepFigureOptions {
  std::string title = {};  // shown above the figure; empty: none
  FigureSize size = {};
  std::string x_axis = "k";
  std::string y_axis = "AUC";
  std::string series_title = {};
  std::optional<double> reference = 0.5;
  // The range of the vertical axis; nullopt: as the data require.
  std::optional<stat::Interval> domain = std::nullopt;
};

// Draws one line per series along x, with a band if there are intervals.
std::string sweep_figure(std::span<const SweepPoint> points,
                         const SweepFigureOptions& options = {});

}  // namespace palimpsest::report
