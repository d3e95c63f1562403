// How the passes of models over data are run: where unfinished work is kept, in which batches, and
// how it is divided among processes. audit() and evaluate() take these options.
//
// Each pass has a plan: the list of its batches. (The plan of an audit, evidence/plan.h, is
// something else.) A journal is a file with the results of the finished batches of one plan. A run
// that is started again reads it and computes only the missing batches. A part is the journal of
// one shard.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/progress.h"

namespace palimpsest::run {

class Team;  // team.h

// Names and values: {"model", "tofu, fingerprint 1a2b…"}.
using Properties = std::vector<std::pair<std::string, std::string>>;

// The share of a plan's batches that one of several processes computes (--shard 2/7). The shards
// 1/N to N/N are disjoint and cover the plan. internal/shard.h says how batches are assigned.
struct Shard {
  int64_t number = 1;  // from 1 to count
  int64_t count = 1;

  std::string text() const;  // "2/7"
  // The name of its part of an output, for locks and files: "shard-2-of-7".
  std::string part() const;

  friend bool operator==(const Shard&, const Shard&) = default;
};

// Throws Error unless 1 <= number <= count. The message names --shard.
void require_valid(const Shard& shard);

// How a plan is divided into batches, and how the batches are divided among processes. The division
// among processes changes no result. A different division into batches may change numbers by at
// most 1e-6 (LanguageModel::score()), so it gives a different fingerprint.
struct WorkOptions {
  // If set, only this share of the batches is computed. It is stored as a part (internal/parts.h)
  // in the folder for journals, so there must be such a folder. The run then returns no results.
  std::optional<Shard> shard = {};
  // If false, a batch that is in no journal is an Error instead of being computed.
  bool computes = true;
  // The version of the program. Parts of another version are refused.
  std::string program_version = {};
  // The largest number of tokens per batch of sequences. A crash loses at most one batch per
  // process. All shards of a run must have the same value of batch_tokens.
  int64_t batch_tokens = 16384;

  // If set, all processes of the team compute the batches together (team.h). A team has no shards.
  // It must outlive the run.
  Team* team = nullptr;

  // Whether each process of the team has a part of the layers. Then the last process computes the
  // results and sends them to the leader.
  bool splits_layers() const;
  // Whether this process follows the leader of a team.
  bool follows() const;
  // Whether this process gets the results of the batches.
  bool has_results() const { return !shard && !follows(); }
};

// How a plan is run. None of these options changes a result, except work.batch_tokens (see above).
struct RunOptions {
  // The folder for journals. It is created when the first journal is written. If empty, an
  // interrupted run starts again from the beginning.
  std::filesystem::path folder = {};
  ProgressDisplay* display = nullptr;
  std::stop_token stop = {};  // checked before every batch, and by the model in it; see Stopped
  WorkOptions work = {};
  // The number of the plan within its run, from 1. A plan must have the same number in all shards.
  int64_t pass = 1;
};

// The folder for the journals of a result. It lies beside the result: "out.jsonl.run" for
// "out.jsonl".
std::filesystem::path journal_folder(const std::filesystem::path& result);

// Removes the journals of a result. Call it when the result is completely written and the journals
// are no longer needed.
void remove_journals(const std::filesystem::path& result);

// The exception that ends a run if `stop` was requested.
using palimpsest::Stopped;

}  // namespace palimpsest::run
