#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/internal/mia_metric.h"

// The metric handlers of this library, in the order in which everything lists them. NAME stands for
// the function NAME_handler() in handlers/NAME.cc, which returns the row of the table. As in
// attack/attack_table.cc, this list is the only place that names the sources: the declarations and
// the rows are made from it, and CMakeLists.txt takes every source of the folder.
#define PALIMPSEST_FOR_EACH_HANDLER(HANDLER) \
  HANDLER(probability)                       \
  HANDLER(probability_w_options)             \
  HANDLER(rouge)                             \
  HANDLER(truth_ratio)                       \
  HANDLER(exact_memorization)                \
  HANDLER(extraction_strength)               \
  HANDLER(ks_test)                           \
  HANDLER(privleak)                          \
  HANDLER(rel_diff)                          \
  HANDLER(hm_aggregate)                      \
  HANDLER(multiple_choice)

namespace palimpsest::eval {

#define PALIMPSEST_DECLARE(name) Handler name##_handler();
PALIMPSEST_FOR_EACH_HANDLER(PALIMPSEST_DECLARE)
#undef PALIMPSEST_DECLARE

HandlerTable make_handler_table(const attack::AttackTable& attacks) {
#define PALIMPSEST_ROW(name) name##_handler(),
  HandlerTable table = {PALIMPSEST_FOR_EACH_HANDLER(PALIMPSEST_ROW)};
#undef PALIMPSEST_ROW
  for (Handler& handler : attack_handlers(attacks)) table.push_back(std::move(handler));
  return table;
}

const HandlerTable& default_handler_table() {
  static const HandlerTable table = make_handler_table(attack::default_attack_table());
  return table;
}

const Handler& find_handler(const HandlerTable& table, const std::string& name,
                            const std::string& where) {
  if (std::ranges::count(table, name, &Handler::name) > 1) {
    throw Error({.what = fmt::format("two metric handlers are called '{}'", name),
                 .where = where,
                 .hint = "give a handler of your own another name"});
  }
  const auto found = std::ranges::find(table, name, &Handler::name);
  if (found != table.end()) return *found;
  std::vector<std::string> known;
  for (const Handler& handler : table) known.push_back(handler.name);
  // It runs a second kind of model, a classifier.
  const bool classifies = name == "classifier_prob";
  throw Error({.what = fmt::format("there is no metric handler '{}'", name),
               .where = where,
               .expected = fmt::format("one of {}", fmt::join(known, ", ")),
               .hint = classifies ? "take the metric out of the list, or run it with "
                                    "open-unlearning on the generations of the log"
                                  : ""});
}

const MetricResult& MetricInput::computed(std::string_view access_key) const {
  for (const auto& [key, result] : pre_compute) {
    if (key == access_key) return *result;
  }
  require_computed(setting, {std::string(access_key)});
  throw BugError("a metric that is computed before is not there");
}

void require_computed(const MetricSetting& setting, const std::vector<std::string>& access_keys) {
  for (const std::string& key : access_keys) {
    if (std::ranges::find(setting.pre_compute, key) != setting.pre_compute.end()) continue;
    throw Error({.what = fmt::format("the metric '{}' needs another metric under the access key "
                                     "'{}'",
                                     setting.name, key),
                 .where = setting.where,
                 .expected = fmt::format("pre_compute with a metric whose access_key is '{}'", key),
                 .found = setting.pre_compute.empty()
                              ? "none"
                              : fmt::format("{}", fmt::join(setting.pre_compute, ", "))});
  }
}

}  // namespace palimpsest::eval
