// Checks that two vocabularies agree. Scores of two models can be compared only on the same tokens.
// So the other model must interpret the token ids of the examples as the audited model does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/model/hub.h"
#include "palimpsest/run/internal/plan.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::run {

// Throws Error unless every token of the examples is the same token in the other tokenizer. `where`
// names the other tokenizer in the message.
void require_same_tokens(const std::vector<ExampleList>& lists,
                         const tokenizer::Tokenizer& tokenizer, const tokenizer::Tokenizer& other,
                         const std::string& where);

// Another model, whose scores will be compared.
struct ComparedModel {
  std::filesystem::path folder;
  std::string where;  // for messages: "--reference org/name"
};

// Checks a model. Its tokenizer is its own or, for an adapter that has none, that of its base
// model. A model without any tokenizer passes the check. Throws Error also if the base model of an
// adapter is not found.
void require_same_tokens(const std::vector<ExampleList>& lists,
                         const tokenizer::Tokenizer& tokenizer, const ComparedModel& model,
                         const model::HubEnvironment& hub);

}  // namespace palimpsest::run
