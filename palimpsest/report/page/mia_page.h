// Makes the page of an audit, which `palimpsest mia --out` writes as report.html. The headline is
// the audit's answer (attack/mia/answer.h). The AUC below it, the results by group of examples and
// the order of the examples belong to one attack. It is the attack that the answer names or, if it
// names none, the attack with the highest AUC.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/mia_files.h"
#include "palimpsest/report/page/mia_examples.h"
#include "palimpsest/report/page/page_data.h"

namespace palimpsest::report {

struct MiaPageOptions {
  MiaExampleOptions examples;
  // Shares of questions that the model still answers (forget_Q_A_ROUGE, retain_Q_A_ROUGE), from 0
  // to 1. They are set if an evaluation has measured them, and are used for the red flags.
  std::optional<double> forget_accuracy = std::nullopt;
  std::optional<double> retain_accuracy = std::nullopt;
  std::vector<PageEntry> run = {};  // the record of the audit: files, options, version
};

// Throws Error if a trace file is not valid.
PageData mia_page(const attack::MiaReport& report, const MiaPageOptions& options);

// Makes the same page from a mia.json that was read back. The trace files are searched where its
// record says, and in traces/ of the folder.
PageData mia_page(const attack::MiaFile& file, const std::filesystem::path& folder);

}  // namespace palimpsest::report
