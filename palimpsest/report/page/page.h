// The report page: one HTML file that needs nothing else, neither a network nor a server. It holds
// its style, its script, its data and its charts as SVG. Its content security policy forbids it to
// load anything or to send anything anywhere. The policy allows only the page's own script and
// style, which it identifies by their SHA-256 hashes.
//
// The data are stored in the file as JSON, in which "<" is written as \u003c. The script inserts
// them into the page only as text. So a record or a generated text that contains HTML or a script
// appears as text. The same data give the same bytes.
#pragma once

#include <string>

#include "palimpsest/report/page/page_data.h"

namespace palimpsest::report {

// Throws Error if the id of a table or chart is empty, used twice, or contains characters other
// than letters, digits, '-', '_', '=' and '.'.
std::string page_to_html(const PageData& page);

}  // namespace palimpsest::report
