#include "python/src/call_origin.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace palimpsest::python {

CallOrigin::CallOrigin(const Keywords& keywords) {
  keywords.read("command", command_);
  keywords.read("computing", computing_);
  keywords.read("names", names_);
  keywords.read("unidentified", unidentified_);
}

void CallOrigin::complete(evidence::Provenance& provenance) const {
  provenance.command = command_;
  provenance.inputs = named(provenance.inputs);
  if (!computing_.empty()) provenance.computing = computing_;
}

std::vector<evidence::Input> CallOrigin::named(const std::vector<evidence::Input>& inputs) const {
  std::vector<evidence::Input> result;
  std::string left_out;  // the name of the model before, if it was left out
  for (evidence::Input input : inputs) {
    const std::string path = input.path;
    if (const auto name = names_.find(path); name != names_.end()) input.path = name->second;
    if (std::ranges::find(unidentified_, path) != unidentified_.end()) {
      left_out = input.path;
      continue;
    }
    if (path.empty()) input.path = left_out;  // its tokenizer
    left_out.clear();
    result.push_back(std::move(input));
  }
  return result;
}

}  // namespace palimpsest::python
