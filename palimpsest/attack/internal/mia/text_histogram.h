// A histogram in text form: two rows of characters that compare the scores of two sets.
#pragma once

#include <cstddef>
#include <string>

#include "palimpsest/attack/mia/score_columns.h"

namespace palimpsest::attack {

// The range goes from the 1st to the 99th percentile of all scores; scores beyond it are counted at
// its ends. Both rows have the same scale: the height of a character is a share of its set.
struct TextHistogram {
  std::string forget;
  std::string holdout;
  double low = 0;
  double high = 0;
};

// Each row has `bins` characters, with blanks for empty bins. The rows are empty if there are no
// scores. `ascii` avoids block characters.
TextHistogram text_histogram(const ScoreColumns& scores, size_t bins, bool ascii);

}  // namespace palimpsest::attack
