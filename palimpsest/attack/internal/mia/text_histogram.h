// Two rows of characters that show how the scores of two sets lie against each other.
#pragma once

#include <cstddef>
#include <string>

#include "palimpsest/attack/mia/score_columns.h"

namespace palimpsest::attack {

// The range goes from the 1st to the 99th percentile of all scores; those beyond count at its ends.
// Both rows have one scale: a character's height is the share of its set.
struct TextHistogram {
  std::string forget;
  std::string holdout;
  double low = 0;
  double high = 0;
};

// `bins` characters a row, blanks where there is nothing; empty rows without any score. `ascii`: no
// block characters.
TextHistogram text_histogram(const ScoreColumns& scores, size_t bins, bool ascii);

}  // namespace palimpsest::attack
