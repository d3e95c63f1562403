// The files from which every page is made. The build writes them into a source file (assets.cmake),
// so they are part of the program.
#pragma once

#include <string_view>

namespace palimpsest::report::page_assets {

extern const std::string_view kTemplate;  // page.html, with {{placeholders}}
extern const std::string_view kStyle;     // all style/*.css, in order
extern const std::string_view kScript;    // all script/*.js, in order
// vega, vega-lite and vega-embed with their licences; empty if the build could not get them.
extern const std::string_view kChartLibraries;

}  // namespace palimpsest::report::page_assets
