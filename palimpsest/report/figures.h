// The figures of a report. A figure is a chart (chart/chart.h) with a name and a caption; the
// functions of figures/ build the chart, chart/draw_chart.h draws it as SVG or writes it as a
// Vega-Lite document. One header per kind of figure lies in figures/.
//
// All functions are pure and may be called from several threads at once.
#pragma once

#include "palimpsest/report/chart/draw_chart.h"
#include "palimpsest/report/figures/figure.h"
#include "palimpsest/report/figures/score_figures.h"
