// Members of results files that may be absent: what is not there, is null or is of another type is
// nothing, since logs of other programs have what they have.
#pragma once

#include <optional>
#include <string>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

const Json* find_member(const Json& object, const char* key);
std::optional<double> member_number(const Json& object, const char* key);
std::string member_text(const Json& object, const char* key);  // "" where there is none
std::optional<stat::Interval> member_interval(const Json& object, const char* key);

// "parameters": {"k": 0.4}
std::optional<MetricParameters> member_parameters(const Json& object);
// "answer". Throws Error for one that is none; `where` names the file.
std::optional<attack::Answer> member_answer(const Json& object, const std::string& where);

}  // namespace palimpsest::report
