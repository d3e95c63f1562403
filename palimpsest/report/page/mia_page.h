// An audit as a page: what `palimpsest mia --out` writes as report.html. The headline is the audit's
// answer (attack/mia/answer.h); the AUC drawn below it, the groups and the order of the examples are
// those of the attack that the answer speaks of, else of the one with the highest AUC.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/mia_files.h"
#include "palimpsest/report/figures.h"
#include "palimpsest/report/page/mia_examples.h"
#include "palimpsest/report/page/page_data.h"

namespace palimpsest {

struct MiaPageOptions {
  MiaExampleOptions examples;
  // Shares of questions that the model still answers (forget_Q_A_ROUGE, retain_Q_A_ROUGE), in
  // [0, 1], where an evaluation knows them: for the red flags.
  std::optional<double> forget_accuracy = std::nullopt;
  std::optional<double> retain_accuracy = std::nullopt;
  std::vector<PageEntry> run = {};  // the record: files, options, version
};

// Throws Error where a trace file is not valid.
PageData mia_page(const MiaReport& report, const MiaPageOptions& options);

// The same page of a mia.json that was read again. Its record names the trace files: where they were,
// or in the folder's own traces/.
PageData mia_page(const MiaFile& file, const std::filesystem::path& folder);

}  // namespace palimpsest
