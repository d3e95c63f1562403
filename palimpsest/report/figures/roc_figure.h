// ROC curves: the true positive rate against the false positive rate over all thresholds. The
// figure shows the diagonal of guessing, a pointwise confidence band and, on request, the region
// that an ε-differentially private mechanism allows.
//
// The band comes from Clopper-Pearson intervals of both rates at each threshold. Each has the level
// 1 - (1-c)/2, so that both hold with probability c. The lower edge of the band runs through the
// corners (FPR_high, TPR_low), its upper edge through (FPR_low, TPR_high). Pointwise means that it
// holds at one threshold chosen beforehand, not for the whole curve at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/figures/figure_size.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::report {

// The largest number of curves in one figure, because more cannot be distinguished. If there are
// more, only the first ones are shown.
inline constexpr size_t kMostCurves = 8;

enum class RocCorner { kLow, kHigh };

struct RocFigureOptions {
  std::string title = {};  // shown above the figure; empty: none
  FigureSize size = {.width = 360, .height = 360};
  double zoom = 1;                     // side length of the square shown, in (0, 1]
  RocCorner corner = RocCorner::kLow;  // the corner that a zoom below 1 shows: (0, 0) or (1, 1)
  bool log_log = false;                // both axes are logarithmic, for low rates; needs kLow
  std::vector<double> epsilons = {};   // draws the bounds of ε-DP as lines; each must be positive
  std::optional<double> band = 0.95;   // confidence of the band; nullopt: no band
  int64_t max_points = 400;            // the largest number of points of a curve, at least 2
};

// One curve. If a class has no scores, there is no curve and its label is left out.
struct RocLine {
  std::string label;
  const stat::LabelledScores* scores = nullptr;  // not owned
};

// Returns the Vega-Lite specification. Throws Error if an option is out of range.
std::string roc_figure(std::span<const RocLine> lines, const RocFigureOptions& options = {});

// Reduces a polyline to at most `max_points` of its points, including both ends, so that no dropped
// point lies visibly off the line. First, at most two points per cell of a fine grid are kept. Then
// the points with the largest distance from the line so far are chosen (Ramer, Douglas and
// Peucker). x and y must be finite and of the same length. Returns the positions of the kept points
// in ascending order.
std::vector<size_t> thin_polyline(std::span<const double> x, std::span<const double> y,
                                  int64_t max_points);

}  // namespace palimpsest::report
