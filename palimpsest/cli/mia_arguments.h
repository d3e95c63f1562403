// What an audit is about, as `palimpsest mia` and `palimpsest plan` take it from the command line:
// models and data, or traces, and the settings of the attacks and of the statistics.
#pragma once

#include <string>

#include "palimpsest/attack/both_sets.h"
#include "palimpsest/audit/audit.h"
#include "palimpsest/cli/command_line.h"
#include "palimpsest/cli/data_arguments.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/cli/program.h"

namespace palimpsest::cli {

using TwoFiles = attack::BothSets<std::string>;

// As the user writes them.
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

// All of them but the settings of the statistics (mia_output.h). The arguments must outlive the
// parsing.
void add_mia_arguments(Command& app, MiaArguments& arguments, const ProgramContext& context);

// Throws Error unless the arguments are of one form alone: traces, or a model and data. A plan need
// not name the model.
void require_one_form(const MiaArguments& arguments, bool needs_model);

// What they ask for. Also does what --isa says. Does not return for a device that the libtorch
// program has.
audit::AuditSpec audit_spec(const MiaArguments& arguments, const ProgramContext& context);

}  // namespace palimpsest::cli
