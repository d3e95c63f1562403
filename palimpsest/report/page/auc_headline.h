// The headline of a page about one AUC: is the forget set still recognised? One sentence with the
// number, its interval and the verdict's meaning.
#pragma once

#include <optional>
#include <string>

#include "palimpsest/attack/mia/verdict.h"
#include "palimpsest/report/page/page_data.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest {

struct AucAnswer {
  std::string model;   // may be empty
  std::string attack;  // whose AUC it is
  double auc = 0;      // in [0, 1]
  std::optional<Interval> interval;
  double confidence = 0.95;  // of the interval
  bool is_strongest = true;  // of several attacks
};

PageHeadline auc_headline(const AucAnswer& answer);

// The headline where no AUC is known. `model` may be empty.
PageHeadline unknown_headline(const std::string& model);

// How a verdict looks at first sight.
PageTone tone_of(const Verdict& verdict);

// "0.812 (95% interval 0.768 … 0.829)", the interval where there is one.
std::string shown_auc(double auc, const std::optional<Interval>& interval, double confidence);

}  // namespace palimpsest
