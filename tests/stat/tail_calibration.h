// Simulations of the tail of low false positive rates and of permutation tests, from known truths:
// does tpr_interval cover, do permute_family's p-values keep their level, what does the tail test
// see? Used by tail_calibration_slow_test.cc, which holds the library to it, and for the tables of
// docs/calibration.md. Like calibration.h: the numbers do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace palimpsest::stat {

// Normal scores with a latent effect per cluster, the positives shifted so that the AUC is the one
// asked for. The false positive rate is at the true threshold, so the true TPR is known.
struct TprCase {
  int64_t items = 0;  // of each class
  double fpr = 0.1;
  double auc = 0.5;
  int64_t cluster_size = 1;
  double intraclass_correlation = 0;
};

// "400 + 400 at 10%, AUC 0.5, clusters of 20, ICC 0.1"
std::ostream& operator<<(std::ostream& out, const TprCase& setting);
std::vector<TprCase> tpr_cases();

// The share of simulations whose 95% interval contains the true TPR.
double tpr_coverage(const TprCase& setting, int64_t simulations);

// A family of ten attacks on sets between which there is no difference.
struct FamilyCase {
  std::string name;
  std::vector<int64_t> positive_sizes;  // one per cluster
  std::vector<int64_t> negative_sizes;
  double intraclass_correlation = 0;
  double attack_correlation = 0.9;
  // Deal the clusters to the sets anew each time: then their labels are exchangeable, as the tests
  // assume. Otherwise large clusters are always in the sets that they are in here.
  bool dealt = false;
};

std::ostream& operator<<(std::ostream& out, const FamilyCase& setting);
std::vector<FamilyCase> family_cases();

// The shares of simulations in which the tests raise a false alarm.
struct FamilyLevels {
  double auc_5 = 0;   // permutation p <= 5%
  double tail_2 = 0;  // tail p <= 2%
  double either = 0;  // the headline: permutation p <= 3% or tail p <= 2%
};
FamilyLevels family_levels(const FamilyCase& setting, int64_t simulations);

// 400 + 400 independent examples and one attack: members that are remembered score `shift` standard
// deviations more than everybody else.
struct PowerCase {
  double remembered = 0;  // the probability of each
  double shift = 4;
};
std::vector<PowerCase> power_cases();

struct TailPower {
  double auc_5 = 0;   // permutation p <= 5%: what the AUC sees of it
  double tail_2 = 0;  // tail p <= 2%, the headline's level
  double tail_5 = 0;
};
TailPower tail_power(const PowerCase& setting, int64_t simulations);

// The three tables, with their headings, for docs/calibration.md.
std::string tail_calibration_table();

}  // namespace palimpsest::stat
