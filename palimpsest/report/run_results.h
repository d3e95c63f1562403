// What a run left in its folder: mia.json of `palimpsest mia --out`, evaluation logs
// (NAME_EVAL.json, NAME_SUMMARY.json) in open-unlearning's schema. One number a metric, with an
// interval and the values of single examples where the files have them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/stat/bootstrap.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest {

struct RunMetric {
  std::string name;             // "loss" of mia.json is "mia_loss", as in evaluation logs
  std::optional<double> value;  // agg_value
  std::optional<Interval> interval = {};
  // Values of single examples by index whose mean is `value`; empty where the file has none. For an
  // AUC the scores of both sets instead: higher means less likely a member.
  std::map<std::string, double> by_index = {};
  std::map<std::string, double> forget = {};
  std::map<std::string, double> holdout = {};

  bool is_auc() const { return !forget.empty() && !holdout.empty(); }
};

// A classifier that saw the texts alone told the forget set from the holdout set.
struct SeparatingTexts {
  double auc = 0;
  std::optional<Interval> null_range;  // of the AUC if the labels are permuted
};

struct RunResults {
  std::string name;  // the folder's
  std::filesystem::path folder;
  // AUCs, then what a summary holds, then what it was computed from; else in the order of the files.
  std::vector<RunMetric> metrics;
  std::optional<std::filesystem::path> scores;           // scores.csv, where it is there
  std::optional<SeparatingTexts> separating_texts = {};  // where mia.json says so
};

// The values, in the order of their indices.
std::vector<double> values_of(const std::map<std::string, double>& by_index);

// AUCs get DeLong intervals, means of single values percentile bootstrap intervals (none without
// resamples), both at bootstrap.confidence, whatever the files say. Throws Error for a folder without
// any such file, and for a file that is not what its name says.
RunResults read_run(const std::filesystem::path& folder, const BootstrapOptions& bootstrap);

// Reads several; runs whose folders have the same name are called by their whole paths.
std::vector<RunResults> read_runs(const std::vector<std::filesystem::path>& folders,
                                  const BootstrapOptions& bootstrap);

}  // namespace palimpsest
