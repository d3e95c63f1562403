// The figures of a report. A figure is a chart (chart/chart.h) with a name and a caption. The
// functions of figures/ build the chart, and chart/draw_chart.h draws it as SVG or writes it as a
// Vega-Lite document. figures/ has one header per kind of figure.
//
// All functions are pure and may be called from several threads at once.
#pragma once

#include "palimpsest/report/chart/draw_chart.h"
#include "palimpsest/report/figures/figure.h"
#include "palimpsest/report/figures/score_figures.h"
