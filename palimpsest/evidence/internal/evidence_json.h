// Settings and inputs as JSON, as plans and provenance.json both hold them.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/evidence/inputs.h"
#include "palimpsest/evidence/settings.h"

namespace palimpsest::evidence {

Json settings_to_json(const Settings& settings);
Json inputs_to_json(const std::vector<Input>& inputs);
Json files_to_json(const std::vector<HashedFile>& files);

// The inverse functions. Throw Error, whose message begins with `where`.
Settings settings_from_json(const Json& object, const std::string& where);
std::vector<Input> inputs_from_json(const Json& list, const std::string& where);
std::vector<HashedFile> files_from_json(const Json& list, const std::string& where);

// The member as a text. Throws Error unless it is one.
std::string text_member(const Json& object, const char* key, const std::string& where);

}  // namespace palimpsest::evidence
