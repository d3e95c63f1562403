// Checks whether two vocabularies agree. The scores of two models can be compared only on the same
// tokens, so another model must interpret the ids of the examples as the audited model does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/model/hub.h"
#include "palimpsest/run/plan.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::run {

// Throws Error, which says where, unless every token of the examples is the same token to the other
// tokenizer.
void require_same_tokens(const std::vector<ExampleList>& lists,
                         const tokenizer::Tokenizer& tokenizer, const tokenizer::Tokenizer& other,
                         const std::string& where);

// A model whose scores are to be compared.
struct ComparedModel {
  std::filesystem::path folder;
  std::string where;  // for messages: "--reference org/name"
};

// The same for a model. Its tokenizer is its own or, for an adapter that has none, that of its base
// model. A model without any tokenizer passes the check. Also throws Error if the base model of an
// adapter is not found.
void require_same_tokens(const std::vector<ExampleList>& lists,
                         const tokenizer::Tokenizer& tokenizer, const ComparedModel& model,
                         const model::HubEnvironment& hub);

}  // namespace palimpsest::run
