#include "palimpsest/report/internal/chart/legend.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/report/internal/chart/palette.h"
#include "palimpsest/report/internal/chart/panel.h"
#include "palimpsest/report/internal/chart/svg_parts.h"
#include "palimpsest/report/internal/chart/text_fit.h"

namespace palimpsest::report {
namespace {

constexpr double kSwatch = 20;  // width of what stands before a name
constexpr double kBetween = 14;
constexpr double kAfterSwatch = 6;

bool has_mark(const Chart& chart, MarkKind kind) {
  return std::ranges::any_of(chart.panels, [&](const ChartPanel& panel) {
    return std::ranges::any_of(panel.marks, [&](const ChartMark& mark) {
      return mark.kind == kind && mark.series.has_value();
    });
  });
}

std::string filled_swatch(size_t style, double x, double y) {
  return fmt::format(R"({}<rect x="{}" y="{}" width="{}" height="10" fill="currentColor" )"
                     R"(fill-opacity="0.4" stroke="currentColor" stroke-width="1.3"/></g>)",
                     svg_group(colour_class(style), colour_of(style)), svg_number(x + 1),
                     svg_number(y - 9), svg_number(kSwatch - 2));
}

std::string stroke_swatch(double x, double y, const std::string& attributes) {
  return fmt::format(R"(<path d="M{},{}h{}" stroke="currentColor"{}/>)", svg_number(x),
                     svg_number(y - 4), svg_number(kSwatch), attributes);
}

// Entries from left to right, in new lines where one does not fit.
class Legend {
 public:
  Legend(const Chart& chart, double top, std::string& svg)
      : chart_(chart),
        is_bars_(has_mark(chart, MarkKind::kBar)),
        is_lines_(has_mark(chart, MarkKind::kLine)),
        top_(top),
        svg_(svg) {}

  void add_series(const ChartSeries& series) {
    const auto [x, y] = next(series.name.empty() ? "(none)" : series.name);
    if (is_bars_) {
      svg_ += filled_swatch(series.style, x, y);
      return;
    }
    svg_ += svg_group(colour_class(series.style), colour_of(series.style));
    if (is_lines_) {
      const std::string dashes = dashes_of(series.style);
      svg_ += stroke_swatch(
          x, y,
          R"( stroke-width="2.5")" +
              (dashes.empty() ? "" : fmt::format(R"( stroke-dasharray="{}")", dashes)));
    } else {
      svg_ += fmt::format(R"(<g fill="currentColor">{}</g>)",
                          svg_dot({x + kSwatch / 2, y - 4}, series.style, ""));
    }
    svg_ += "</g>";
  }

  void add_overlap() {
    const auto [x, y] = next(chart_.overlap);
    for (const ChartSeries& series : chart_.series) svg_ += filled_swatch(series.style, x, y);
  }

  void add_reference(const std::string& meaning, size_t number) {
    const auto [x, y] = next(meaning);
    svg_ +=
        svg_group("reference", tint_of("reference")) +
        stroke_swatch(x, y, fmt::format(R"( stroke-dasharray="{}")", reference_dashes(number))) +
        "</g>";
  }

  double end() const { return lines_ == 0 ? top_ : top_ + lines_ * kLineHeight + 8; }

 private:
  // Writes the name and returns where its swatch begins, on the text's base line.
  PlotPoint next(const std::string& name) {
    const double room = kChartWidth - 2 * kEdge - kSwatch - kAfterSwatch;
    const double text = std::min(room, drawn_width(clean_text(name), kTextSize));
    const double width = kSwatch + kAfterSwatch + text;
    if (lines_ == 0 || x_ + width > kChartWidth - kEdge) {
      ++lines_;
      x_ = kEdge;
    }
    const PlotPoint swatch{x_, top_ + lines_ * kLineHeight - 4};
    svg_ += svg_label(name, {.x = x_ + kSwatch + kAfterSwatch, .y = swatch.y, .width = room});
    x_ += width + kBetween;
    return swatch;
  }

  const Chart& chart_;
  bool is_bars_;
  bool is_lines_;
  double top_;
  double x_ = kEdge;
  int lines_ = 0;
  std::string& svg_;
};

}  // namespace

std::vector<std::string> references_of(const Chart& chart) {
  std::vector<std::string> meanings;
  auto add = [&](const std::string& meaning) {
    if (!meaning.empty() && std::ranges::find(meanings, meaning) == meanings.end())
      meanings.push_back(meaning);
  };
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartRule& rule : panel.rules) add(rule.reference);
    for (const ChartMark& mark : panel.marks) {
      if (!mark.series) add(mark.reference);
    }
  }
  return meanings;
}

double draw_legend(const Chart& chart, double top, std::string& svg) {
  Legend legend(chart, top, svg);
  svg += svg_group("ink keys", tint_of("ink"), R"(fill="currentColor")");
  const bool is_named =
      chart.series.size() > 1 || (chart.series.size() == 1 && !chart.series[0].name.empty());
  for (const ChartSeries& series : chart.series) {
    if (is_named) legend.add_series(series);
  }
  if (!chart.overlap.empty() && chart.series.size() > 1) legend.add_overlap();
  const std::vector<std::string> references = references_of(chart);
  for (size_t i = 0; i < references.size(); ++i) legend.add_reference(references[i], i);
  svg += "</g>";
  return legend.end();
}

}  // namespace palimpsest::report
