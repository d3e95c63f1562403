// A plan fixes an audit before it is run: the attacks with their parameters, the attack that
// decides (if there is only one), the margin and all other settings, the clusters, and the data by
// their SHA-256. `palimpsest plan` writes it, and `mia --plan` takes everything from it and refuses
// to deviate. So a reader knows that nothing was chosen after the results were seen, provided that
// the plan was deposited with somebody else before the audit. The date in the file is no proof of
// this.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/evidence/inputs.h"
#include "palimpsest/evidence/settings.h"

namespace palimpsest::evidence {

// The version of the file format that this program writes. It is also the newest that it reads.
inline constexpr int64_t kPlanVersion = 1;

struct PlannedSample {
  int64_t forget = 0;  // records, or examples of traces
  int64_t holdout = 0;
  // The number of clusters in each set. If no clusters are given, every record is a cluster.
  int64_t forget_clusters = 0;
  int64_t holdout_clusters = 0;
  // The smallest AUC that the audit would tell from 0.5 with a probability of 80%. Absent if there
  // are too few clusters to detect any AUC.
  std::optional<double> would_detect;

  friend bool operator==(const PlannedSample&, const PlannedSample&) = default;
};

struct Plan {
  std::string planned;  // the date and time in UTC: "2026-11-17T17:50:00Z"
  std::string version;  // of the program that wrote it
  Settings settings;
  std::vector<Input> inputs;  // data or traces, and the models that were named
  std::optional<PlannedSample> sample;
};

// plan_to_text() gives the content of a plan file. read_plan() reads such a file, and throws Error
// for anything that is not a plan.
std::string plan_to_text(const Plan& plan);
Plan read_plan(const std::filesystem::path& file);

// Throws Error unless these are the inputs of the plan. The message names the input and both
// hashes. A plan may leave open which model is audited, and the tokenizer with it. It may not leave
// open whether there is a reference or a baseline model, since these change the question.
void require_planned(const Plan& plan, const std::vector<Input>& inputs);

// The sizes of the audit's data or traces, and the smallest AUC that an audit of these sizes would
// detect. Reads the files. Returns nullopt if there are no files because everything is in memory.
// Throws Error if a file cannot be read or a record lacks the key of the clusters.
std::optional<PlannedSample> planned_sample(const audit::AuditSpec& spec);

}  // namespace palimpsest::evidence
