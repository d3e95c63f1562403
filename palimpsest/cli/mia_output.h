// What `palimpsest mia` is asked to report, and how it does: wherever the scores come from.
#pragma once

#include <string>

#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/mia_files.h"
#include "palimpsest/attack/mia_text.h"
#include "palimpsest/cli/command_line.h"
#include "palimpsest/report/page/mia_page.h"

namespace palimpsest::cli {

struct MiaOutput {
  std::string out;        // a folder for mia.json, scores.csv, report.html and figures; empty: none
  bool json = false;      // print mia.json instead of the text
  bool csv_safe = false;  // scores.csv for spreadsheets
  attack::MiaTextOptions text;
};

// The options of the statistics and of the output. Both structs must outlive the parsing.
void add_mia_report_options(Command& app, attack::MiaOptions& mia, MiaOutput& output);

// Writes the files, prints the text (or JSON; then the answer and the notes are logged). `record`
// says how the audit was made, `examples` where the page finds the examples' texts.
void report_mia(const attack::MiaReport& report, const MiaOutput& output,
                const attack::MiaRecord& record, const report::MiaExampleOptions& examples);

}  // namespace palimpsest::cli
