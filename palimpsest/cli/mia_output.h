// The output of `palimpsest mia`: the options that control it, and the function that prints and
// writes it. It does not matter where the scores come from.
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
  // A file with the salt of the hashes that take the place of texts. Empty: a random salt is used
  // and stored nowhere (salt.h).
  std::string salt;
  attack::MiaTextOptions text;
  std::string title;       // the heading of the page; empty: made from the model's name
  std::string model_name;  // what the page and the text call the model; empty: see short_name()
};

// The evidence that goes with the results.
struct MiaEvidence {
  const evidence::Provenance& provenance;
  const std::string& plan;  // the text of the plan that was followed; empty: none
  bool has_traces = false;  // whether the traces are in the folder, in `traces`
};

// Adds the options for the statistics, which a plan fixes. `mia` must exist until the command line
// has been parsed.
void add_mia_settings_options(Command& command, attack::MiaOptions& mia);
// Throws Error if the line gives an empty --cluster-key or a --cluster-size below 1, which would
// count as none at all.
void check_clusters(const Command& line, const attack::ClusterChoice& clusters);
// Adds these options and those for the output. `output` must exist as long as `mia`.
void add_mia_report_options(Command& command, attack::MiaOptions& mia, MiaOutput& output);

// Writes the evidence pack of an audit into `output.out`: mia.json, scores.csv, figures,
// report.html and, last, provenance.json. Traces that belong to it must have been written before.
void write_mia_pack(const attack::MiaReport& report, const MiaOutput& output,
                    const attack::MiaRecord& record, const report::MiaExampleOptions& examples,
                    const MiaEvidence& evidence);

// Writes the pack, if there is a folder for it, and prints the text. If JSON is printed instead of
// the text, the answer, the red flags and the notes are logged. `record` says how the audit was
// made. `examples` says where the page finds the texts of the examples.
void report_mia(attack::MiaReport report, const MiaOutput& output, const attack::MiaRecord& record,
                const report::MiaExampleOptions& examples, const MiaEvidence& evidence);

}  // namespace palimpsest::cli
