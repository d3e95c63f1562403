// The report page: one HTML file that needs neither a network nor a server. It contains its style,
// its script, its data and the libraries that draw the charts. Its content security policy forbids
// it to load or send anything.
//
// The data are in the file as JSON in which "<" is written as \u003c, and the script puts them into
// the page only as text. So a record or a generation that contains HTML or a script appears as
// text. The same data give the same bytes.
#pragma once

#include <string>

#include "palimpsest/report/page/page_data.h"

namespace palimpsest::report {

// Throws Error if a chart's specification is not a JSON object, or if the id of a table or chart is
// empty, used twice, or contains characters other than letters, digits, '-', '_', '=' and '.'.
std::string page_to_html(const PageData& page);

// Whether the libraries that draw charts were available when Palimpsest was built. If not, a page
// has everything else and says how to get the charts.
bool can_draw_charts();

}  // namespace palimpsest::report
