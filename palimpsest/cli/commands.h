// The subcommands of the program: one file each, one line each in all_commands() (main.cc). A
// command declares its options on the CLI::App that it is given and does its work in the app's
// callback. Bad input is thrown as Error and reported by main(); a command never ends the process
// itself.
#pragma once

#include <CLI/CLI.hpp>

namespace palimpsest::cli {

void add_demo_command(CLI::App& program);
void add_eval_command(CLI::App& program);
void add_generate_command(CLI::App& program);
void add_lab_command(CLI::App& program);
void add_list_command(CLI::App& program);
void add_merge_command(CLI::App& program);
void add_metrics_command(CLI::App& program);
void add_mia_command(CLI::App& program);
void add_model_command(CLI::App& program);
void add_report_command(CLI::App& program);
void add_tokenize_command(CLI::App& program);
void add_trace_command(CLI::App& program);

}  // namespace palimpsest::cli
