#include "palimpsest/cli/run_evaluation.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "palimpsest/base/file.h"
#include "palimpsest/base/log.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/chat.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/report/page/page.h"
#include "palimpsest/report/page/report_page.h"

namespace palimpsest::cli {
namespace {

void write_page(const eval::Evaluation& evaluation) {
  const std::filesystem::path folder = evaluation.log.parent_path();
  const ReportOptions options;
  const PageData page =
      report_page(make_report({folder}, options), {{"palimpsest", PALIMPSEST_VERSION},
                                                   {"evaluation", evaluation.name},
                                                   {"record", evaluation.record.string()}});
  write_file(folder / "report.html", page_to_html(page));
}

}  // namespace

std::vector<eval::Evaluation> run_evaluation(const config::Value& config) {
  const HubEnvironment environment = hub_environment();
  const std::unique_ptr<ModelLoader> loader = make_model_loader(environment);
  const auto display = progress_on(stderr);
  std::vector<eval::Evaluation> done =
      eval::evaluate(config, {.loader = *loader,
                              .places = {.hub = environment, .has_cuda = loader->has_cuda()},
                              .display = display.get(),
                              .now = local_time(),
                              .versions = {{"palimpsest", PALIMPSEST_VERSION}}});
  for (const eval::Evaluation& evaluation : done) write_page(evaluation);
  return done;
}

void print_evaluation(const eval::Evaluation& evaluation) {
  fmt::print("{}\n", eval::results_table(evaluation));
  log_info("wrote {} and report.html beside it", evaluation.log.string());
}

}  // namespace palimpsest::cli
