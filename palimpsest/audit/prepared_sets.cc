#include "palimpsest/audit/internal/prepared_sets.h"

#include <algorithm>
#include <optional>

#include "palimpsest/base/error.h"

namespace palimpsest::audit {
namespace {

// The columns of the records that results are split or clustered by.
std::vector<std::string> group_keys(std::vector<std::string> keys,
                                    const attack::MiaOptions& options) {
  const auto add = [&](const std::string& key) {
    if (!key.empty() && std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  };
  for (const std::string& key : options.group_keys) add(key);
  add(options.clusters.key);
  return keys;
}

}  // namespace

PreparedSets prepare_sets(const AuditModels& models, const attack::MiaOptions& options,
                          const std::filesystem::path& tokenizer_folder,
                          const AuditContext& context, AuditLog& log) {
  data::PreparationOptions how = models.preparation;
  how.threads = context.threads;
  how.group_keys = group_keys(how.group_keys, options);
  std::optional<data::DataPreparation> preparation;
  BothSets<PreparedSet> sets{.forget = PreparedSet(models.data.forget),
                             .holdout = PreparedSet(models.data.holdout)};
  for (PreparedSet* set : {&sets.forget, &sets.holdout}) {
    if (set->is_given()) continue;
    if (!preparation) {
      preparation.emplace(how, tokenizer_folder);
      for (const std::string& choice : preparation->choices()) log.info("{}", choice);
      for (const std::string& note : preparation->notes()) log.warn(note);
    }
    data::PreparedFile file = preparation->prepare(set->path());
    for (const std::string& note : file.notes) log.warn(note);
    if (file.examples.empty())
      throw Error({.what = "the data set has no example", .where = set->path().string()});
    set->set_examples(std::move(file.examples));
  }
  return {.sets = std::move(sets),
          .tokenizer = preparation ? preparation->tokenizer()
                                   : tokenizer::Tokenizer::load(tokenizer_folder)};
}

}  // namespace palimpsest::audit
