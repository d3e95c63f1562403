// A program of somebody else: copies the default attack table, adds an attack of its own and uses
// the statistics.

#include <cstdio>

#include "palimpsest/attack/attack.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/mean_stat.h"

int main() {
  using namespace palimpsest;
  attack::AttackTable attacks = attack::default_attack_table();
  const double unit = 1;  // captured: the table owns what it holds
  attacks.push_back({.name = "length",
                     .measures = "number of labelled tokens",
                     .needs = {},
                     .score = [unit](const trace::Trace& trace,
                                     const attack::ParameterValues&) -> std::optional<double> {
                       return unit * static_cast<double>(trace.num_labels);
                     }});
  const attack::Attack attack = attack::select_attacks(attacks, "length").at(0);
  const double score = *attack.score(trace::Trace{.index = "0", .num_labels = 7}, {});
  const double area = *palimpsest::stat::auc({.positives = {0.9, 0.4}, .negatives = {0.4, 0.1}});
  const double mean = palimpsest::stat::MeanStat::make(1, 2)
                          .merge(palimpsest::stat::MeanStat::make(2, 3))
                          .result()
                          .scalar();
  std::printf("%g %g %g\n", score, area, mean);
  return 0;
}
