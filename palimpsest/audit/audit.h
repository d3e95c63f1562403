// Runs a whole audit in one call. It starts from models and data, from traces, or from scores, and
// returns one value that holds every result. `palimpsest mia` parses a command line, makes this
// call and writes the result to files.
//
//   const Audit done = audit({.source = AuditTraces{{"forget.jsonl", "holdout.jsonl"}}});
//   done.report.answer.sentence;  // the one answer; report.outcomes has every attack's scores
//
// The call uses no terminal and no environment variables, and changes no global state. (Warnings of
// models and tokenizers go to log_message(), which prints nothing until the program asks for it:
// base/log.h.) It writes only into the folders that the context names. Everything that the caller
// supplies (attacks, loader, models, callbacks) is called only from the calling thread, except
// attacks whose `any_thread` is set. The audit may use other threads for its own work; this changes
// no result. Two audits may run at once.
//
// Throws Error for input that cannot be audited, and Stopped if the stop token requested it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/mia_files.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/base/log.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/data/example.h"
#include "palimpsest/data/preparation.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/model/model_loader.h"
#include "palimpsest/run/work.h"
#include "palimpsest/trace/trace_source.h"

namespace palimpsest::audit {

using trace::BothSets;

// The role of a model in an audit. kAudited is the model that is judged. kReference is a model that
// some attacks compare it with. kBaseline is the goal: a model that was retrained without the
// forget set.
enum class ModelRole { kAudited, kReference, kBaseline };

// "reference" or "baseline"; empty for the audited model.
std::string role_name(ModelRole role);
// How an audit names the traces of a set ("forget" or "holdout") under a model: the file in its
// folder for traces ("reference-forget.jsonl"), and the title in records ("reference forget
// traces").
std::string trace_file_name(ModelRole role, const std::string& set);
std::string trace_title(ModelRole role, const std::string& set);

struct AuditModel {
  ModelRole role = ModelRole::kAudited;
  // A folder or an id of the Hugging Face hub (org/name). It appears in traces and in the record.
  std::string name;
  std::filesystem::path folder = {};  // the model's folder; empty: found by its name
};

// The forget set or the holdout set: a data file, or examples that are already prepared.
struct AuditData {
  std::string name;                          // any text; appears in traces and the record
  std::vector<data::Example> examples = {};  // empty: they are read from the file
  std::filesystem::path file = {};           // empty: `name` is the file

  std::filesystem::path path() const { return file.empty() ? std::filesystem::path(name) : file; }
};

struct AuditModels {
  std::vector<AuditModel> models;  // exactly one audited model, and at most one of each other role
  BothSets<AuditData> data;
  // How files become examples. The audit adds to group_keys the keys by which it splits or clusters
  // results.
  data::PreparationOptions preparation = {};
  model::ModelOptions model_options = {};
};

// Traces of both sets under each model, in files or in memory. The reference and the baseline may
// each be absent, but only for both sets together.
struct AuditTraces {
  BothSets<trace::TraceInput> audited;
  BothSets<trace::TraceInput> reference = {};
  BothSets<trace::TraceInput> baseline = {};

  BothSets<trace::TraceInput>& of(ModelRole role);
};

// Scores of both sets: one column per selected attack, in the order of the selection.
struct AuditScores {
  BothSets<std::shared_ptr<const attack::TraceScores>> audited;
  BothSets<std::shared_ptr<const attack::TraceScores>> baseline = {};
};

struct AuditSpec {
  std::variant<AuditTraces, AuditModels, AuditScores> source;
  // The attacks to run, in the syntax of select_attacks(). "all" means all attacks that the input
  // allows; a note lists the others. Naming an attack that cannot be run is an Error.
  std::string attacks = "all";
  // Values for common parameters (AttackParameter::is_common), set for every attack that has them.
  attack::ParameterValues parameters = {};
  // bootstrap.threads and bootstrap.stop are ignored: AuditContext has them. So is quotes_words:
  // it follows from hide_texts_with.
  attack::MiaOptions options = {};
  // If set, nothing that the audit leaves behind holds texts of the data. They are taken out of its
  // trace files when it is done; until then, trace files and journals hold them. Values of groups
  // become hashes with this salt, and no words are quoted.
  std::optional<std::string> hide_texts_with = {};
};

struct AuditContext {
  model::ModelLoader* loader = nullptr;  // needed for AuditModels; must outlive the call
  model::HubEnvironment hub = {};        // where to look for models that are given by hub id
  attack::AttackTable attacks = attack::default_attack_table();
  // For AuditModels: the folder for trace files. It is locked while models run: Error is thrown if
  // another run writes to it. Until the files are complete, journals of unfinished work lie beside
  // the folder (`traces.run`). A later call with the same input finds the files and runs no model.
  // If empty, the traces stay in memory.
  std::filesystem::path traces = {};
  // For AuditModels without `traces`: a folder for journals, which are kept. A later call with the
  // same input resumes from them. If empty, nothing is written, and a stopped audit starts again
  // from the beginning.
  std::filesystem::path journal = {};
  // How the batches of AuditModels are run. What WorkOptions lacks (the folder for journals, the
  // display, the stop token, the number of threads) comes from the other members of AuditContext.
  // With a shard, call audit_shard() instead of audit().
  run::WorkOptions work = {};
  int threads = 0;  // for preparation, scoring and statistics; 0: one per core
  std::stop_token stop = {};
  ProgressDisplay* display = nullptr;  // progress_to() turns a callback into a display
  // Called immediately with messages about the progress of the audit (kInfo) and with warnings from
  // preparing its data (kWarning). Warnings from models, tokenizers and statistics appear only in
  // Audit::notes.
  std::function<void(LogLevel, const std::string&)> log = {};
  // For AuditModels: called once before the first model runs, after the input has been checked and
  // `traces` is locked.
  std::function<void()> before_models = {};
};

struct Audit {
  // The answer with its reasons (answer.reasons holds one code per reason); the red flags; the
  // scores, intervals and rates of every attack; the comparisons; and the groups.
  attack::MiaReport report;
  // Every warning: those of report.warnings, and all of report.notes. Paths are complete here,
  // while report.warnings shortens them.
  std::vector<std::string> notes;
  attack::MiaRecord record;  // how the audit was made: version, input, options, fingerprints
  // The traces that were scored: those given, those written to files, or those in memory. Empty if
  // the source was AuditScores.
  AuditTraces traces;
};

// Runs the audit; see the top of this file.
Audit audit(const AuditSpec& spec, const AuditContext& context = {});

// The counts of audit_shard(): the size of the whole audit, and what an earlier call of the shard
// had done. Also its warnings.
struct AuditShard {
  int64_t sequences = 0;  // distinct sequences of the whole audit, over all its models
  int64_t resumed = 0;    // of the shard's sequences, those that an earlier call had run
  std::vector<std::string> notes = {};  // every warning, with whole paths; see Audit::notes
};

// Runs the models of an audit on one shard (context.work.shard) of the batches, and scores nothing.
// The results are stored as parts (run/work.h). When all shards are done, audit() without the shard
// finds the parts and runs no model. Throws Error for an audit of traces or scores.
AuditShard audit_shard(const AuditSpec& spec, const AuditContext& context);

}  // namespace palimpsest::audit
