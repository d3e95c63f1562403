#include "palimpsest/report/figures/roc_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "palimpsest/base/error.h"
#include "palimpsest/report/internal/figures/spec.h"
#include "palimpsest/stat/binomial.h"
#include "palimpsest/stat/roc.h"

namespace palimpsest::report {
namespace {

// What is seen of the unit square.
struct Window {
  double low = 0;
  double high = 1;
  bool log = false;

  bool contains(double x, double y) const { return x >= low && x <= high && y >= low && y <= high; }
  // Where a rate is drawn: a logarithmic axis has no place for 0, so it stands at the edge.
  double place(double rate) const { return log ? std::max(rate, low) : rate; }
};

struct Points {
  std::vector<double> fpr;
  std::vector<double> tpr;

  size_t size() const { return fpr.size(); }
  void add(double x, double y) {
    fpr.push_back(x);
    tpr.push_back(y);
  }
};

void require_valid(const RocFigureOptions& options) {
  if (!(options.zoom > 0 && options.zoom <= 1)) {
    throw Error({.what = fmt::format("the zoom {} is out of range", options.zoom),
                 .expected = "a number in (0, 1]"});
  }
  if (options.max_points < 2) {
    throw Error(fmt::format("{} points are too few for a curve", options.max_points));
  }
  for (double epsilon : options.epsilons) {
    if (epsilon > 0 && std::isfinite(epsilon)) continue;
    throw Error({.what = fmt::format("the epsilon {} of a bound line is out of range", epsilon),
                 .expected = "a positive number"});
  }
  if (options.band) stat::require_confidence(*options.band);
  if (options.log_log && options.corner == RocCorner::kHigh && options.zoom < 1) {
    throw Error("logarithmic axes show the low corner only");
  }
}

// The lowest power of ten that a logarithmic axis needs: below the step of the finest curve.
double log_floor(std::span<const RocLine> lines) {
  int64_t most = 10;
  for (const RocLine& line : lines) {
    most = std::max({most, line.scores->negative_count(), line.scores->positive_count()});
  }
  return std::pow(10, -std::ceil(std::log10(static_cast<double>(most))));
}

Window window_of(std::span<const RocLine> lines, const RocFigureOptions& options) {
  if (options.log_log) {
    const double floor = log_floor(lines);
    return {std::min(floor, options.zoom / 10), options.zoom, true};
  }
  if (options.corner == RocCorner::kHigh) return {1 - options.zoom, 1, false};
  return {0, options.zoom, false};
}

// The numbers of the points to draw: those inside the window and the ones before and after, thinned
// as they are seen, on the scale of the axes.
std::vector<size_t> drawn_points(const Points& curve, const Window& window, int64_t max_points) {
  auto seen = [&](size_t i) {
    return window.contains(window.place(curve.fpr[i]), window.place(curve.tpr[i]));
  };
  auto on_axis = [&](double rate) { return window.log ? std::log(window.place(rate)) : rate; };
  std::vector<size_t> numbers;
  Points shown;
  for (size_t i = 0; i < curve.size(); ++i) {
    const bool neighbour = (i > 0 && seen(i - 1)) || (i + 1 < curve.size() && seen(i + 1));
    if (!seen(i) && !neighbour) continue;
    numbers.push_back(i);
    shown.add(on_axis(curve.fpr[i]), on_axis(curve.tpr[i]));
  }
  std::vector<size_t> drawn = thin_polyline(shown.fpr, shown.tpr, max_points);
  for (size_t& place : drawn) place = numbers[place];
  return drawn;
}

// The corners through which the edges of the band run, in order of rising rates.
struct Band {
  Points low;
  Points high;
};

// `corners`: the numbers of the curve's points to use, ascending.
Band band_of(const Points& curve, const std::vector<size_t>& corners,
             const stat::LabelledScores& scores, double confidence) {
  const double level = 1 - (1 - confidence) / 2;
  auto interval = [&](double rate, int64_t trials) {
    const auto successes = std::llround(rate * static_cast<double>(trials));
    return stat::clopper_pearson(successes, trials, level);
  };
  Band band;
  for (size_t i : corners) {
    const stat::Interval fpr = interval(curve.fpr[i], scores.negative_count());
    const stat::Interval tpr = interval(curve.tpr[i], scores.positive_count());
    band.low.add(fpr.high, tpr.low);
    band.high.add(fpr.low, tpr.high);
  }
  return band;
}

// The highest tpr among the points up to x, which are in order of rising fpr.
double height_at(const Points& edge, double x, double otherwise) {
  const auto after = std::upper_bound(edge.fpr.begin(), edge.fpr.end(), x);
  if (after == edge.fpr.begin()) return otherwise;
  return edge.tpr[static_cast<size_t>(after - edge.fpr.begin()) - 1];
}

Json band_rows(const Band& band, const Window& window) {
  constexpr int kColumns = 120;
  Json rows = Json::array();
  for (int i = 0; i <= kColumns; ++i) {
    const double share = static_cast<double>(i) / kColumns;
    const double x = window.log ? window.low * std::pow(window.high / window.low, share)
                                : window.low + share * (window.high - window.low);
    rows.push_back({{"fpr", coordinate(x)},
                    {"low", coordinate(window.place(height_at(band.low, x, 0)))},
                    {"high", coordinate(window.place(height_at(band.high, x, 1)))}});
  }
  return rows;
}

// tpr = min(e^ε fpr, 1 - (1 - fpr)/e^ε): two straight lines, which bend on logarithmic axes.
Json bound_layer(double epsilon, const Window& window) {
  constexpr int kSteps = 80;
  const double slope = std::exp(epsilon);
  Json rows = Json::array();
  auto add = [&](double fpr) {
    const double tpr = std::min(slope * fpr, 1 - (1 - fpr) / slope);
    rows.push_back(
        {{"fpr", coordinate(fpr)}, {"tpr", coordinate(window.place(tpr))}, {"epsilon", epsilon}});
  };
  if (!window.log) {
    for (double fpr : {0.0, 1 / (slope + 1), 1.0}) add(fpr);
  } else {
    for (int i = 0; i <= kSteps; ++i)
      add(std::pow(window.low, 1 - static_cast<double>(i) / kSteps));
  }
  return {{"data", {{"values", std::move(rows)}}},
          {"mark", {{"type", "line"}, {"style", "reference"}, {"clip", true}, {"tooltip", true}}}};
}

Json diagonal_layer(const Window& window) {
  Json rows = Json::array();
  for (double rate : {window.place(0), 1.0}) rows.push_back({{"fpr", rate}, {"tpr", rate}});
  return {{"data", {{"values", std::move(rows)}}},
          {"mark", {{"type", "line"}, {"style", "reference"}, {"clip", true}}}};
}

Json axis(const char* field, const std::string& title, const Window& window) {
  Json channel = quantitative(field, title);
  channel["scale"] = {{"domain", Json::array({window.low, window.high})}, {"nice", false}};
  if (window.log) channel["scale"]["type"] = "log";
  return channel;
}

void append(Json& rows, Json more, const std::string& label, size_t curve) {
  size_t order = 0;
  for (Json& row : more) {
    row["label"] = label;
    row["curve"] = curve;
    row["order"] = order++;
    rows.push_back(std::move(row));
  }
}

Json point_rows(const Points& curve, const std::vector<size_t>& numbers, const Window& window) {
  Json rows = Json::array();
  for (size_t i : numbers) {
    rows.push_back({{"fpr", coordinate(window.place(curve.fpr[i]))},
                    {"tpr", coordinate(window.place(curve.tpr[i]))}});
  }
  return rows;
}

// The layers of the curves and of their bands.
struct CurveRows {
  Json curves = Json::array();
  Json bands = Json::array();
  std::vector<std::string> labels;
};

CurveRows curve_rows(std::span<const RocLine> lines, const Window& window,
                     const RocFigureOptions& options) {
  CurveRows rows;
  for (size_t number = 0; number < lines.size(); ++number) {
    const RocLine& line = lines[number];
    const std::optional<stat::RocCurve> curve = stat::roc_curve(*line.scores);
    if (!curve) continue;
    add_once(rows.labels, line.label);
    const Points all{curve->fpr, curve->tpr};
    const std::vector<size_t> drawn = drawn_points(all, window, options.max_points);
    append(rows.curves, point_rows(all, drawn, window), line.label, number);
    if (!options.band) continue;
    // Corners of points outside the window reach into it, so the whole curve's are needed too.
    const std::vector<size_t> whole = drawn_points(all, Window{}, options.max_points);
    std::vector<size_t> corners;
    std::set_union(drawn.begin(), drawn.end(), whole.begin(), whole.end(),
                   std::back_inserter(corners));
    append(rows.bands, band_rows(band_of(all, corners, *line.scores, *options.band), window),
           line.label, number);
  }
  return rows;
}

}  // namespace

std::string roc_figure(std::span<const RocLine> lines, const RocFigureOptions& options) {
  require_valid(options);
  const Window window = window_of(lines, options);
  CurveRows rows = curve_rows(lines, window, options);
  const Json colours = colour("label", "", rows.labels);
  Json layers = Json::array({diagonal_layer(window)});
  for (double epsilon : options.epsilons) layers.push_back(bound_layer(epsilon, window));
  if (options.band) {
    layers.push_back({{"data", {{"values", std::move(rows.bands)}}},
                      {"mark", {{"type", "area"}, {"opacity", 0.15}, {"clip", true}}},
                      {"encoding",
                       {{"y", axis("low", "true positive rate", window)},
                        {"y2", {{"field", "high"}}},
                        {"color", colours},
                        {"detail", {{"field", "curve"}}}}}});
  }
  layers.push_back({{"data", {{"values", std::move(rows.curves)}}},
                    {"mark", {{"type", "line"}, {"clip", true}}},
                    {"encoding",
                     {{"color", colours},
                      {"detail", {{"field", "curve"}}},
                      {"order", {{"field", "order"}, {"type", "quantitative"}}}}}});
  Json view = {{"layer", std::move(layers)},
               {"encoding",
                {{"x", axis("fpr", "false positive rate", window)},
                 {"y", axis("tpr", "true positive rate", window)}}}};
  set_size(view, options.size);
  return figure_document(options.title, view);
}

}  // namespace palimpsest::report
