#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/report/page/page.h"
#include "palimpsest/report/page/report_page.h"
#include "palimpsest/report/report.h"
#include "python/src/bindings.h"
#include "python/src/keywords.h"

namespace palimpsest::python {
namespace {

namespace nb = nanobind;

report::ReportOptions report_options(const Keywords& keywords) {
  report::ReportOptions options;
  keywords.read("metrics", options.metrics);
  options.bootstrap.resamples = 0;
  keywords.read("bootstrap", options.bootstrap.resamples);
  keywords.read("seed", options.bootstrap.seed);
  keywords.read("title", options.title);
  stat::TwoStepOptions& epsilon = options.epsilon.two_step;
  keywords.read("validation_split", epsilon.validation_split);
  keywords.read("confidence_levels", epsilon.confidence_levels);
  std::string heuristic = "cp";
  keywords.read("heuristic", heuristic);
  if (heuristic == "ratio") epsilon.heuristic = stat::EpsilonHeuristic::kRatio;
  keywords.read("disaggregate_by", options.roc.disaggregate_by);
  keywords.read("curve_label", options.roc.curve_label);
  keywords.read("zooms", options.roc.zooms);
  keywords.read("epsilons", options.roc.epsilons);
  return options;
}

// The table metrics.csv as text.
std::string publish(const std::filesystem::path& scores, const std::filesystem::path& folder,
                    const nb::dict& arguments) {
  const report::ReportOptions options = report_options(Keywords(arguments));
  const nb::gil_scoped_release released;
  const report::Report done = report::make_report({scores}, options);
  report::write_report(done, folder);
  write_file(folder / "report.html", report::page_to_html(report::report_page(done)));
  return report::format_table(report::metrics_table(done), report::TableFormat::kCsv);
}

}  // namespace

void add_reports(nb::module_& module) {
  module.def("publish_report", publish, nb::arg("scores"), nb::arg("folder"), nb::arg("arguments"));
}

}  // namespace palimpsest::python
