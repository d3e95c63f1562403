// The name by which results call a model or a data set. Traces may name it by a path, and results
// repeat the name in many places.
#pragma once

#include <string>

namespace palimpsest::audit {

// The last part of what is plainly a path ("/data/models/mine", "../mine"). Other texts stay as they
// are, since "org/name" may be a hub id.
inline std::string shown_name(const std::string& name) {
  if (name.empty() || (name[0] != '/' && name[0] != '.' && name[0] != '~')) return name;
  const size_t end = name.find_last_not_of('/');
  const size_t slash = end == std::string::npos ? end : name.find_last_of('/', end);
  if (slash == std::string::npos) return name;
  return name.substr(slash + 1, end - slash);
}

}  // namespace palimpsest::audit
