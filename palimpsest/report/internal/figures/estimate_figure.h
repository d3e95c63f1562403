// Estimates with their intervals: the AUC by attack, by subgroup or by model (a row each), or along
// a parameter (by k), beside a reference value.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "palimpsest/report/chart/chart.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

struct EstimatePoint {
  std::string label;            // the row: an attack, a subgroup
  std::string series = {};      // colour and place within the row: a model; "" for all: one series
  std::optional<double> value;  // undefined: "n/a" is drawn
  std::optional<stat::Interval> interval;
};

// A value with a meaning, drawn as a line.
struct EstimateReference {
  double value = 0.5;
  std::string meaning = "guessing";  // for the legend
};

// The AUC that unlearning aims at.
inline EstimateReference auc_goal() {
  return {.value = 0.5, .meaning = "the goal: cannot be told apart"};
}

struct EstimateFigureOptions {
  std::string axis = "AUC";
  std::string series_title = {};  // what the series are
  std::optional<EstimateReference> reference = EstimateReference{};
};

// Rows in the order of their first appearance. The axis spans [0, 1], more only where the data lie
// beyond. Infinite values are drawn at its end.
Chart estimate_figure(std::span<const EstimatePoint> points,
                      const EstimateFigureOptions& options = {});

struct SweepPoint {
  double x = 0;             // the parameter
  std::string series = {};  // one line each
  std::optional<double> value;
  std::optional<stat::Interval> interval;
};

struct SweepFigureOptions {
  std::string x_axis = "k";
  std::string series_title = {};
  EstimateReference reference = {};
};

// The AUC as one line per series along x, through the points in their order, with a band where
// there are intervals. The vertical axis spans what the data and the reference need.
Chart sweep_figure(std::span<const SweepPoint> points, const SweepFigureOptions& options = {});

}  // namespace palimpsest::report
