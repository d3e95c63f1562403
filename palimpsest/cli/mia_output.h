// What `palimpsest mia` is asked to report, and how it does: wherever the scores come from.
#pragma once

#include <string>

#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/mia_files.h"
#include "palimpsest/attack/mia_text.h"
#include "palimpsest/cli/command_line.h"
#include "palimpsest/evidence/provenance.h"
#include "palimpsest/report/page/mia_page.h"

namespace palimpsest::cli {

struct MiaOutput {
  std::string out;        // a folder for mia.json, scores.csv, report.html and figures; empty: none
  bool json = false;      // print mia.json instead of the text
  bool csv_safe = false;  // scores.csv for spreadsheets
  bool no_paths = false;  // no paths in the results
  bool no_text = false;   // no texts of the data in the results
  std::string salt;       // a file with the salt of their hashes; empty: one that nobody keeps
  attack::MiaTextOptions text;
};

// The evidence that goes with the results.
struct MiaEvidence {
  const evidence::Provenance& provenance;
  const std::string& plan;  // the text of the plan that was followed; empty: none
};

// The options of the statistics: what a plan fixes. Both structs must outlive the parsing.
void add_mia_settings_options(Command& command, attack::MiaOptions& mia, MiaOutput& output);
// These, and the options of the output.
void add_mia_report_options(Command& command, attack::MiaOptions& mia, MiaOutput& output);

// Writes the files, prints the text (or JSON; then the answer and the notes are logged). `record`
// says how the audit was made, `examples` where the page finds the examples' texts.
void report_mia(const attack::MiaReport& report, const MiaOutput& output,
                const attack::MiaRecord& record, const report::MiaExampleOptions& examples,
                const MiaEvidence& evidence);

}  // namespace palimpsest::cli
