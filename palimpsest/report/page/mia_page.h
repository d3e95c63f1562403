// An audit as a page: what `palimpsest mia --out` writes as report.html. The headline speaks of the
// strongest attack, the one whose AUC is farthest from ½ in either direction, since an attacker may
// choose; the page says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia.h"
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

// The attack that the headline speaks of; nullopt if no attack has an AUC.
std::optional<size_t> strongest_attack(const MiaReport& report);

}  // namespace palimpsest
