// What only Python knows of the provenance of a call: the command line of the process, how a model
// in Python computes, and what the caller calls the models and the data that lie in a scratch
// folder while the call runs.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/evidence/provenance.h"
#include "python/src/keywords.h"

namespace palimpsest::python {

class CallOrigin {
 public:
  explicit CallOrigin(const Keywords& keywords);

  // Says the command line, gives the inputs the names that the caller knows, and leaves out models
  // without a fingerprint: nothing would be said by a hash of them. Needs no lock of Python's.
  void complete(evidence::Provenance& provenance) const;

 private:
  std::vector<evidence::Input> named(const std::vector<evidence::Input>& inputs) const;

  std::vector<std::string> command_;
  // Of the model that is audited or evaluated, if Python has it.
  std::vector<std::pair<std::string, std::string>> computing_;
  std::map<std::string, std::string> names_;  // of what lies in the scratch folder, by path
  std::vector<std::string> unidentified_;     // folders of models that have no fingerprint
};

}  // namespace palimpsest::python
