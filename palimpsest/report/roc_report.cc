#include "palimpsest/report/internal/report_figures.h"

#include <fmt/format.h>

#include <map>

#include "palimpsest/report/internal/figures/make_figure.h"
#include "palimpsest/report/internal/figures/roc_figure.h"

namespace palimpsest::report {
namespace {

// More bands than this hide each other.
constexpr size_t kMaxBands = 4;

struct View {
  std::string suffix;  // of the name
  std::string words;   // in the title
  RocFigureOptions options;
};

std::vector<View> views_of(const RocReportOptions& options) {
  std::vector<View> views;
  for (double zoom : options.zooms) {
    if (zoom == 1) {
      views.push_back({"", "", {}});
      continue;
    }
    const std::string zoomed = fmt::format("zoom={:g}", zoom);
    views.push_back(
        {fmt::format("_{}_low", zoomed), fmt::format("low corner, {}", zoomed), {.zoom = zoom}});
    views.push_back({fmt::format("_{}_high", zoomed),
                     fmt::format("high corner, {}", zoomed),
                     {.zoom = zoom, .corner = RocCorner::kHigh}});
  }
  views.push_back({"_log", "logarithmic axes", {.log_log = true}});
  return views;
}

std::string title_of(const std::string& group, const std::string& words) {
  std::string title = "ROC curves";
  if (group.empty() && words.empty()) return title;
  return fmt::format("{} ({}{}{})", title, group, group.empty() || words.empty() ? "" : ", ",
                     words);
}

// The curves of each figure. Where several have one label, the setting of each is added to it.
std::map<std::string, std::vector<RocLine>> grouped_lines(const SummaryTable& table,
                                                          const RocReportOptions& options) {
  std::map<std::string, std::vector<const AttackSummary*>> groups;
  for (const AttackSummary& summary : table.summaries) {
    const std::string group = options.disaggregate_by.empty()
                                  ? ""
                                  : fmt::format("{}={}", options.disaggregate_by,
                                                table.value(summary, options.disaggregate_by));
    groups[group].push_back(&summary);
  }
  std::map<std::string, std::vector<RocLine>> lines;
  for (const auto& [group, summaries] : groups) {
    std::map<std::string, int> labels;
    for (const AttackSummary* summary : summaries)
      ++labels[table.value(*summary, options.curve_label)];
    for (const AttackSummary* summary : summaries) {
      const std::string label = table.value(*summary, options.curve_label);
      const std::string setting =
          labels[label] > 1
              ? table.setting(*summary, {options.curve_label, options.disaggregate_by})
              : "";
      const std::string name = label.empty() ? "scores" : label;
      lines[group].push_back(
          {setting.empty() ? name : fmt::format("{} ({})", name, setting), &summary->scores});
    }
  }
  return lines;
}

}  // namespace

std::vector<Figure> roc_figures(const SummaryTable& table, const RocReportOptions& options) {
  if (!options.disaggregate_by.empty())
    table.require_column(options.disaggregate_by, "--disaggregate-by");
  if (options.curve_label != "attack") table.require_column(options.curve_label, "--curve-label");
  const std::map<std::string, std::vector<RocLine>> groups = grouped_lines(table, options);
  std::vector<Figure> figures;
  for (const auto& [group, lines] : groups) {
    for (const View& view : views_of(options)) {
      RocFigureOptions figure = view.options;
      figure.series_title = options.curve_label;
      figure.epsilons = options.epsilons;
      figure.band = options.confidence;
      if (lines.size() > kMaxBands) figure.band.reset();
      figures.push_back(make_figure(
          {.name = figure_name("roc" + view.suffix + (group.empty() ? "" : "_" + group)),
           .title = title_of(group, view.words),
           .caption = figure.band ? fmt::format("Bands: pointwise {:g}% confidence.",
                                                100 * options.confidence)
                                  : ""},
          roc_figure(lines, figure)));
    }
  }
  return figures;
}

}  // namespace palimpsest::report
