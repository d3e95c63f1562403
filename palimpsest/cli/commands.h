// The subcommands of the program. There is one file per command, and one line per command in
// add_commands() (program.cc). Each function here declares one command, with its options, as a
// subcommand of `program`. The command does its work in its action: it parses its input, calls the
// library, prints and writes files. For bad input it throws Error, which run() reports. A command
// never ends the process itself. The context and the tables must outlive the program.
#pragma once

#include "palimpsest/cli/command_line.h"
#include "palimpsest/cli/program.h"
#include "palimpsest/cli/tables.h"

namespace palimpsest::cli {

// These two describe all other commands, so they are added last.
void add_completion_command(Program& program);
void add_help_command(Program& program);

void add_convert_command(Command& program);
void add_demo_command(Command& program, const ProgramContext& context);
void add_eval_command(Command& program, const ProgramContext& context);
void add_gather_parts_command(Command& program);
void add_generate_command(Command& program, const ProgramContext& context);
void add_import_command(Command& program);
void add_lab_command(Command& program);
void add_list_command(Command& program, const ProgramContext& context);
void add_merge_command(Command& program, const Tables& tables);
void add_metrics_command(Command& program, const ProgramContext& context);
void add_mia_command(Command& program, const ProgramContext& context);
void add_model_command(Command& program);
void add_plan_command(Command& program, const ProgramContext& context);
void add_report_command(Command& program, const ProgramContext& context);
void add_tokenize_command(Command& program);
void add_trace_command(Command& program, const ProgramContext& context);
void add_verify_command(Command& program, const ProgramContext& context);

}  // namespace palimpsest::cli
