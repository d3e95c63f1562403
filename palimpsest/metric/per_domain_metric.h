// Any metric, for each domain apart: examples carry the number of their domain (a client, a source,
// a language), and the statistic gets a leading axis of extent num_domains. A base metric whose
// statistics have the shape X gives statistics of the shape [num_domains] + X; a domain without
// examples holds the identity, whose mean is undefined. Merging along the leading axis (reduce(0))
// gives what the base metric gives.
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
  std::string domain_id_key = "domain_id";  // one integer in [0, num_domains) per example
};

class PerDomainMetric final : public BatchMetric {
 public:
  // Throws Error if num_domains < 1 or if so many domains of the base metric's statistic are too
  // large to hold.
  PerDomainMetric(MetricPtr base, PerDomainOptions options);

  stat::AnyStat zero() const override;
  // A domain outside [0, num_domains) is an Error.
  stat::AnyStat evaluate_batch(const Batch& batch) const override;
  MetricInputs inputs() const override;
  bool has_fixed_shape() const override { return base_->has_fixed_shape(); }

 private:
  MetricPtr base_;
  PerDomainOptions options_;
};

}  // namespace palimpsest::metric
