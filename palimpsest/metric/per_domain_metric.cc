#include "palimpsest/metric/per_domain_metric.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "palimpsest/metric/internal/stack_stats.h"
#include "palimpsest/metric/internal/targets.h"

namespace palimpsest::metric {

PerDomainMetric::PerDomainMetric(MetricPtr base, PerDomainOptions options)
    : base_(std::move(base)), options_(std::move(options)) {
  PALIMPSEST_CHECK(base_ != nullptr);
  if (options_.num_domains < 1) {
    throw Error({.what = fmt::format("the number of domains is {}", options_.num_domains),
                 .expected = "at least 1"});
  }
  stack_stats(options_.num_domains, base_->zero(), {});  // throws if there are too many
}

stat::AnyStat PerDomainMetric::zero() const {
  if (!has_fixed_shape()) return base_->zero();
  return stack_stats(options_.num_domains, base_->zero(), {});
}

stat::AnyStat PerDomainMetric::evaluate_batch(const Batch& batch) const {
  Targets domains(batch, options_.domain_id_key, TargetKind::kClass);
  std::map<int64_t, std::vector<int64_t>> examples_of;
  for (int64_t example : batch.kept()) {
    const int64_t domain = domains.of(example)[0];
    if (domain < 0 || domain >= options_.num_domains) {
      throw batch.located(
          Error({.what = fmt::format("'{}' is {}", options_.domain_id_key, domain),
                 .expected = fmt::format("a domain from 0 to {}", options_.num_domains - 1)}),
          example);
    }
    examples_of[domain].push_back(example);
  }
  std::map<int64_t, stat::AnyStat> stats;
  for (auto& [domain, examples] : examples_of) {
    stats.emplace(domain, base_->evaluate_batch(batch.only(std::move(examples))));
  }
  return stack_stats(options_.num_domains, base_->zero(), stats);
}

MetricInputs PerDomainMetric::inputs() const {
  MetricInputs inputs = base_->inputs();
  inputs.example_keys.push_back(options_.domain_id_key);
  return inputs;
}

}  // namespace palimpsest::metric
