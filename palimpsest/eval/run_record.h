// <NAME>_RUN.json: what an evaluation was made with, so that two runs can be compared and a rerun
// knows what is finished: versions, fingerprints, seed, device and type, time a metric, passes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/eval/metric_result.h"
#include "palimpsest/eval/passes.h"

namespace palimpsest::eval {

// A finished metric.
struct MetricRecord {
  std::string fingerprint;  // of model, data and configuration: equal means equal results
  std::string handler;
  bool requested = false;
  Number agg_value;
  std::optional<Interval> interval;  // 95%
  int64_t examples = 0;
  double seconds = 0;
};

struct RunRecord {
  std::string name;                             // TOFU
  bool complete = false;                        // everything that was planned is finished
  std::map<std::string, std::string> versions;  // of the program and its libraries
  std::string model;                            // as the configuration names it
  std::string model_fingerprint;
  std::string tokenizer_fingerprint;
  std::string device;
  std::string dtype;
  int64_t parameters = 0;
  uint64_t seed = 0;
  std::map<std::string, std::string> planned;  // metric and fingerprint, of the run that goes on
  std::map<std::string, MetricRecord> metrics;
  std::vector<PassRecord> passes;
};

// Nothing if there is no such file. A damaged one is a warning and nothing: it only costs time.
std::optional<RunRecord> read_run_record(const std::filesystem::path& path);

// Replaces the file in one step.
void write_run_record(const std::filesystem::path& path, const RunRecord& record);

}  // namespace palimpsest::eval
