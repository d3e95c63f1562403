// ROC curves: the true against the false positive rate over all thresholds, with the diagonal of
// guessing, optionally the region that an epsilon-differentially private mechanism allows, and a
// pointwise confidence band.
//
// The band: with Clopper-Pearson intervals of both rates at each threshold (each at level
// 1 - (1-c)/2, so that both hold with probability c), the lower edge runs through the corners
// (FPR_high, TPR_low), the upper one through (FPR_low, TPR_high). Pointwise: at one threshold chosen
// beforehand, not for the whole curve at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/figures/figure_size.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest {

// More curves in one figure cannot be told apart; whoever has more shows the first ones.
inline constexpr size_t kMostCurves = 8;

enum class RocCorner { kLow, kHigh };

struct RocFigureOptions {
  std::string title = {};  // shown above the figure; empty: none
  FigureSize size = {.width = 360, .height = 360};
  double zoom = 1;                     // side of the square shown, in (0, 1]
  RocCorner corner = RocCorner::kLow;  // which corner a zoom below 1 shows: (0, 0) or (1, 1)
  bool log_log = false;                // both axes logarithmic: for low rates; needs kLow
  std::vector<double> epsilons = {};   // bound lines at these, each positive
  std::optional<double> band = 0.95;   // confidence of the band; nullopt: no band
  int64_t max_points = 400;            // of one curve, at least 2
};

// One curve. Without both classes there is no curve; the label is left out.
struct RocLine {
  std::string label;
  const LabelledScores* scores = nullptr;  // not owned
};

// Throws Error on options out of range.
std::string roc_figure(std::span<const RocLine> lines, const RocFigureOptions& options = {});

// A polyline reduced to at most `max_points` of its points, ends included, such that no point lies
// visibly off: first at most two points a cell of a fine grid, then those with the largest distance
// from the line drawn so far (Ramer, Douglas and Peucker). x and y must be finite and of one length;
// returns the numbers of the points kept, ascending.
std::vector<size_t> thin_polyline(std::span<const double> x, std::span<const double> y,
                                  int64_t max_points);

}  // namespace palimpsest
