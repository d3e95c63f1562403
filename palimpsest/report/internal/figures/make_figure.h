// A figure from its texts and its chart, which gets the title.
#pragma once

#include <string>
#include <utility>

#include "palimpsest/report/figures/figure.h"

namespace palimpsest::report {

struct FigureTexts {
  std::string name;  // as in Figure
  std::string title;
  std::string caption = {};
};

inline Figure make_figure(FigureTexts texts, Chart chart) {
  chart.title = std::move(texts.title);
  return {std::move(texts.name), std::move(texts.caption), std::move(chart)};
}

}  // namespace palimpsest::report
