// Evaluates any metric separately for each domain. Every example has the number of its domain (such
// as a client, a source or a language). If the base metric's statistics have the shape X, the
// result has the shape [num_domains] + X. A domain without examples holds the statistic of no
// examples, whose mean is undefined. Merging along the leading axis, reduce(0), gives the result of
// the base metric over all domains.
//
//   Accuracy per domain, num_domains = 3, domain_id = {0, 0, 1, 2}, y = {0, 1, 0, 1},
//   logits = {{0, 1}, {2, 3}, {4, 5}, {6, 7}}:  result {0.5, 0, 1}
#pragma once

#include <cstdint>
#include <string>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

struct PerDomainOptions {
  int64_t num_domains = 0;                  // at least 1
  std::string domain_id_key = "domain_id";  // the feature with the domain, in [0, num_domains)
};

class PerDomainMetric final : public BatchMetric {
 public:
  // Throws Error if num_domains < 1, or if the statistics of so many domains are too large to
  // allocate.
  PerDomainMetric(MetricPtr base, PerDomainOptions options);

  stat::AnyStat zero() const override;
  // Throws Error for a domain outside [0, num_domains).
  stat::AnyStat evaluate_batch(const Batch& batch) const override;
  MetricInputs inputs() const override;
  bool has_fixed_shape() const override { return base_->has_fixed_shape(); }

 private:
  MetricPtr base_;
  PerDomainOptions options_;
};

}  // namespace palimpsest::metric
