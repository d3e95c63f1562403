// The report page: one HTML file that needs nothing else, neither a network nor a server. It holds
// its style, its script, its data and its charts as SVG. Its content security policy forbids it to
// load anything or to send anything anywhere, and allows no other script and style than these two,
// which it names by their SHA-256.
//
// The data stand in the file as JSON in which "<" is spelled \u003c, and the script only ever puts
// them into the page as text: a record or a generation that contains HTML or a script appears as
// text. The same data give the same bytes.
#pragma once

#include <string>

#include "palimpsest/report/page/page_data.h"

namespace palimpsest::report {

// Throws Error if the id of a table or chart is empty, used twice, or contains characters other than
// letters, digits, '-', '_', '=' and '.'.
std::string page_to_html(const PageData& page);

}  // namespace palimpsest::report
