// The examples of the forget set and the holdout set of an audit of models. Examples that the
// caller gave may fill much of the memory, so they are referred to and not copied.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/audit/audit.h"
#include "palimpsest/audit/internal/audit_log.h"
#include "palimpsest/data/example.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::audit {

// Refers to the AuditData, which must outlive it. Owns only examples that were read from a file.
class PreparedSet {
 public:
  PreparedSet() = default;
  explicit PreparedSet(const AuditData& given) : given_(&given) {}

  const std::string& name() const { return given_->name; }
  std::filesystem::path path() const { return given_->path(); }
  bool is_given() const { return !given_->examples.empty(); }
  const std::vector<data::Example>& examples() const {
    return is_given() ? given_->examples : read_;
  }
  void set_examples(std::vector<data::Example> read) { read_ = std::move(read); }

 private:
  const AuditData* given_ = nullptr;
  std::vector<data::Example> read_;
};

struct PreparedSets {
  BothSets<PreparedSet> sets;
  tokenizer::Tokenizer tokenizer;  // the one that made the examples
};

// Reads the sets that were given as files. The examples also keep the keys by which the results are
// split or clustered. Throws Error for a file without examples.
PreparedSets prepare_sets(const AuditModels& models, const attack::MiaOptions& options,
                          const std::filesystem::path& tokenizer_folder,
                          const AuditContext& context, AuditLog& log);

}  // namespace palimpsest::audit
