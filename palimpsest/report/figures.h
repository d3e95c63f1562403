// The figures of a report. Each is a Vega-Lite 5 specification: a JSON document with its data
// inside. Nothing is drawn here. A page draws them with vega-embed; for a paper, any Vega-Lite
// renderer will do. Each kind of figure has its own header, in report/figures/ or, if only this
// module uses it, in report/internal/figures/.
//
// Colours are set in `config`, from a palette that colour-blind readers can distinguish. Text, axes
// and background are left to the renderer, so that one specification works on light and dark pages.
// All functions are pure and may be called from several threads at once. Text from data appears
// only as data and titles, never as an expression that the renderer would evaluate.
#pragma once

#include "palimpsest/report/figures/figure.h"
#include "palimpsest/report/figures/score_figures.h"
