// What an audit is about, as `palimpsest mia` and `palimpsest plan` take it from the command line:
// models and data, or traces, and the settings of the attacks and of the statistics.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/audit/audit.h"
#include "palimpsest/cli/command_line.h"
#include "palimpsest/cli/data_arguments.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/cli/program.h"

namespace palimpsest::cli {

using TwoFiles = trace::BothSets<std::string>;

// The arguments, as the user writes them.
struct MiaArguments {
  ModelArguments model;
  std::string reference;  // further models; empty: none
  std::string baseline;
  TwoFiles data;
  DataArguments preparation;
  TwoFiles traces;
  TwoFiles reference_traces;
  TwoFiles baseline_traces;
  std::string attacks = "all";
  attack::ParameterValues common;  // -k and -p
  attack::MiaOptions mia;

  bool is_of_traces() const { return !traces.forget.empty(); }
};

// Adds the options for all of these arguments except the settings of the statistics (mia_output.h).
// `arguments` must exist until the command line has been parsed.
void add_mia_arguments(Command& app, MiaArguments& arguments, const ProgramContext& context);

// Throws Error unless the arguments have exactly one of two forms: traces, or a model and data. If
// `needs_model` is false, as for a plan, the model may be missing.
void require_one_form(const MiaArguments& arguments, bool needs_model);

// The files and folders that the audit reads. Throws Error if a model is not found.
std::vector<std::filesystem::path> input_files(const MiaArguments& arguments);

// The audit that the arguments describe. For an audit of models, this also calls use_isa(), and
// does not return if the device needs palimpsest-torch (handover.h).
audit::AuditSpec audit_spec(const MiaArguments& arguments, const ProgramContext& context);

}  // namespace palimpsest::cli
