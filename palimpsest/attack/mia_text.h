// An audit as text for people: one table with intervals and verdicts, a small histogram of forget
// against holdout for each attack, what to do, and the notes. Readable at 100 columns, no colour.
// Names from files lose their control characters.
#pragma once

#include <string>

#include "palimpsest/attack/mia.h"

namespace palimpsest {

struct MiaTextOptions {
  bool ascii = false;      // no block characters, no dashes beyond ASCII
  bool compare = false;    // every pair of attacks
  bool groups = false;     // the subgroups, under the attack with the highest AUC
  bool decisions = false;  // the thresholds
};

std::string mia_to_text(const MiaReport& report, const MiaTextOptions& options = {});

// The words of a text, broken into lines of at most `width` characters; lines after the first are
// indented. A longer word is cut. `width` must be greater than `indent`.
std::string wrapped(const std::string& text, size_t width, size_t indent);

}  // namespace palimpsest
