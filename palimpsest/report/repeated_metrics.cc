#include "palimpsest/report/internal/repeated_metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace palimpsest::report {

void RepeatedMetrics::begin_file(const std::string& file, const std::string& run) {
  current_ = {file, run};
}

void RepeatedMetrics::take(const std::string& metric) {
  taken_from_.emplace(metric, current_);
}

void RepeatedMetrics::leave_out(const std::string& metric) {
  const auto taken = taken_from_.find(metric);
  if (taken == taken_from_.end() || taken->second.run == current_.run) return;
  LeftOut& entry = left_out_[{taken->second.run, current_.run}];
  if (entry.metrics.empty()) {
    entry.taken = taken->second.name;
    entry.left = current_.name;
  }
  // The summary of a run repeats its log.
  if (std::ranges::find(entry.metrics, metric) == entry.metrics.end())
    entry.metrics.push_back(metric);
}

std::vector<std::string> RepeatedMetrics::notes() const {
  std::vector<std::string> notes;
  for (const auto& [runs, entry] : left_out_) {
    notes.push_back(fmt::format(
        "{} and {} differ in {}: the results of {} are shown; keep the two in folders of their own",
        entry.taken, entry.left, fmt::join(entry.metrics, ", "), entry.taken));
  }
  return notes;
}

}  // namespace palimpsest::report
