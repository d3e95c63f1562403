// The figures of a report: Vega-Lite 5 specifications, each a self-contained JSON document with its
// data inside. Nothing is drawn here; a page draws them with vega-embed, a paper with any Vega-Lite
// renderer. One header a kind of figure, all gathered here.
//
// Colours are few and stand in `config` (a palette that colour-blind readers can tell apart); text,
// axes and background are left to whoever draws, so that one specification serves a light and a dark
// page. All functions are pure; threads may call them at once. Text from data appears as data and
// titles only, never as an expression.
#pragma once

#include "palimpsest/report/figures/comparison_figure.h"
#include "palimpsest/report/figures/distribution_figure.h"
#include "palimpsest/report/figures/estimate_figure.h"
#include "palimpsest/report/figures/figure.h"
#include "palimpsest/report/figures/roc_figure.h"
#include "palimpsest/report/figures/score_figures.h"
#include "palimpsest/report/figures/trade_off_figure.h"
