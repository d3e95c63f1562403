// The figures of a report: Vega-Lite 5 specifications, each a self-contained JSON document with its
// data inside. Nothing is drawn here; a page draws them with vega-embed, a paper with any Vega-Lite
// renderer. One header a kind of figure, all gathered here.
//
// Colours are few and stand in `config` (a palette that colour-blind readers can tell apart); text,
// axes and background are left to whoever draws, so that one specification serves a light and a dark
// page. All functions are pure; threads may call them at once. Text from data appears as data and
// titles only, never as an expression.
#pragma once

#include <string>

#include "palimpsest/report/figures/comparison_figure.h"
#include "palimpsest/report/figures/distribution_figure.h"
#include "palimpsest/report/figures/estimate_figure.h"
#include "palimpsest/report/figures/roc_figure.h"
#include "palimpsest/report/figures/trade_off_figure.h"

namespace palimpsest {

// A figure with its name: saved as figures/NAME.vl.json.
struct Figure {
  std::string name;     // letters, digits, '-', '_', '=' and '.' only: see figure_name()
  std::string title;    // for people
  std::string caption;  // how to read it, in a sentence or two; may be empty
  std::string spec;     // the Vega-Lite document
};

// A text from data as a part of a file name: other characters than those above become '-', long ones
// are cut. "" becomes "none".
std::string figure_name(const std::string& text);

}  // namespace palimpsest
