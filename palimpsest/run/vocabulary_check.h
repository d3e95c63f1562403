// Scores of two models can be compared only on the same tokens: whether another model reads the ids
// of examples as the model under audit does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/model/hub.h"
#include "palimpsest/run/plan.h"
#include "palimpsest/text/tokenizer.h"

namespace palimpsest {

// Throws Error, which says where, unless every token of the examples is the same token to the other
// tokenizer.
void require_same_tokens(const std::vector<ExampleList>& lists, const Tokenizer& tokenizer,
                         const Tokenizer& other, const std::string& where);

// A model whose scores are to be compared.
struct ComparedModel {
  std::filesystem::path folder;
  std::string where;  // for messages: "--reference org/name"
};

// The same for a model, whose tokenizer is its own or, of an adapter that has none, that of its base
// model. A model without any tokenizer is believed. Throws Error also where an adapter's base is not
// found.
void require_same_tokens(const std::vector<ExampleList>& lists, const Tokenizer& tokenizer,
                         const ComparedModel& model, const HubEnvironment& hub);

}  // namespace palimpsest
