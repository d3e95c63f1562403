// The subcommands of the program: one file per command, and one line per command in kCommands
// (main.cc). A command declares its options on the program that it is given and does its work in
// its action. Bad input is thrown as Error and reported by main(); a command never ends the process
// itself.
#pragma once

#include "palimpsest/cli/command_line.h"

namespace palimpsest::cli {

void add_demo_command(Command& program);
void add_eval_command(Command& program);
void add_generate_command(Command& program);
void add_lab_command(Command& program);
void add_list_command(Command& program);
void add_merge_command(Command& program);
void add_metrics_command(Command& program);
void add_mia_command(Command& program);
void add_model_command(Command& program);
void add_report_command(Command& program);
void add_tokenize_command(Command& program);
void add_trace_command(Command& program);

}  // namespace palimpsest::cli
