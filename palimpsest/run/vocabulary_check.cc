#include "palimpsest/run/internal/vocabulary_check.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_set>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/model/internal/adapter_base.h"

namespace palimpsest::run {

void require_same_tokens(const std::vector<ExampleList>& lists,
                         const tokenizer::Tokenizer& tokenizer, const tokenizer::Tokenizer& other,
                         const std::string& where) {
  std::unordered_set<int64_t> checked;
  for (const ExampleList& list : lists) {
    for (const data::Example* example : list.examples) {
      for (const int64_t id : example->ids) {
        if (!checked.insert(id).second) continue;
        const std::optional<std::string> here = tokenizer.id_to_token(id);
        const std::optional<std::string> there = other.id_to_token(id);
        if (here == there) continue;
        throw Error({.what = "the model has a different vocabulary from the audited one",
                     .where = where,
                     .expected = fmt::format("'{}' for the token {}", here.value_or(""), id),
                     .found = there ? fmt::format("'{}'", *there) : "no such token",
                     .hint = "compare with a model that shares the tokenizer"});
      }
    }
  }
}

void require_same_tokens(const std::vector<ExampleList>& lists,
                         const tokenizer::Tokenizer& tokenizer, const ComparedModel& model,
                         const model::HubEnvironment& hub) {
  const std::filesystem::path other = model::find_tokenizer(model.folder, hub);
  if (!is_listed(other / "tokenizer.json")) return;
  require_same_tokens(lists, tokenizer, tokenizer::Tokenizer::load(other), model.where);
}

}  // namespace palimpsest::run
