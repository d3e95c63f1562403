// Estimates with their intervals: the AUC by attack, by subgroup or by model (a row each), or along a
// parameter (by k), beside a reference value.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "palimpsest/report/figures/figure_size.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

struct EstimatePoint {
  std::string label;            // the row: an attack, a subgroup
  std::string series = {};      // colour and place within the row: a model; "" for all: one series
  std::optional<double> value;  // undefined: the row stays, empty
  std::optional<stat::Interval> interval;
};

struct EstimateFigureOptions {
  std::string title = {};                         // shown above the figure; empty: none
  FigureSize size = {.width = 360, .height = 0};  // a height of 0 follows the number of rows
  std::string axis = "AUC";
  std::string series_title = {};          // of the legend
  std::optional<double> reference = 0.5;  // a line at this value
  std::optional<stat::Interval> domain =
      stat::Interval{0, 1};  // of the axis; nullopt: as the data need
};

// Rows in the order of their first appearance. Infinite values are drawn at the end of the axis.
std::string estimate_figure(std::span<const EstimatePoint> points,
                            const EstimateFigureOptions& options = {});

struct SweepPoint {
  double x = 0;             // the parameter
  std::string series = {};  // one line each
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
  std::optional<stat::Interval> domain =
      std::nullopt;  // of the vertical axis; nullopt: as the data need
};

// One line a series along x, with a band where there are intervals.
std::string sweep_figure(std::span<const SweepPoint> points,
                         const SweepFigureOptions& options = {});

}  // namespace palimpsest::report
