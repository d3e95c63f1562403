// Reads members of results files that may be absent. A member that is absent, null or of another
// type counts as absent, because logs of other programs may differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

const Json* find_member(const Json& object, const char* key);
std::optional<double> member_number(const Json& object, const char* key);
std::string member_text(const Json& object, const char* key);  // "" if it is absent
// The members of an object that are texts, in the order of the file.
attack::MiaRecord member_texts(const Json& object, const char* key);
std::optional<stat::Interval> member_interval(const Json& object, const char* key);

// The member "parameters", such as {"k": 0.4}.
std::optional<MetricParameters> member_parameters(const Json& object);
// The member "answer". Throws Error if it is not a valid answer; `where` names the file.
std::optional<attack::Answer> member_answer(const Json& object, const std::string& where);

// The member "flags". `where` names the file.
std::vector<attack::RedFlag> member_flags(const Json& object, const std::string& where);

}  // namespace palimpsest::report
