// The figures of a report: Vega-Lite 5 specifications, each a self-contained JSON document with its
// data inside. Nothing is drawn here; a page draws them with vega-embed, a paper with any Vega-Lite
// renderer. One header per kind of figure lies in figures/.
//
// The few colours are set in `config`, with a palette that colour-blind readers can distinguish.
// Text, axes and background are left to the renderer, so that one specification works on a light
// and on a dark page. All functions are pure and may be called from several threads at once. Text
// from data appears as data and titles only, never as an expression.
#pragma once

#include "palimpsest/report/figures/figure.h"
#include "palimpsest/report/figures/score_figures.h"
