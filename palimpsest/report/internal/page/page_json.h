// A page's data as the JSON that the page's script reads. Examples are written as columns, which is
// half the size of objects and parsed twice as fast.
#pragma once

#include <string>

#include "palimpsest/report/page/page_data.h"

namespace palimpsest::report {

// On one line, without any "<", so that it can stand in an HTML script element. Throws Error if a
// chart's specification is not a JSON object.
std::string page_to_json(const PageData& page);

}  // namespace palimpsest::report
