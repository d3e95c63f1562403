// How models are run and how data become examples, from keyword arguments. Audits and evaluations
// share these.
#pragma once

#include <filesystem>
#include <map>
#include <memory>

#include "palimpsest/data/preparation.h"
#include "palimpsest/model/model_loader.h"
#include "python/src/held.h"
#include "python/src/keywords.h"

namespace palimpsest::python {

// device, dtype, threads, memory_limit.
model::ModelOptions model_options_of(const Keywords& keywords);
// question_key, answer_key, text_key, prefix_key, template, max_length …
data::PreparationOptions preparation_of(const Keywords& keywords);

// The engine for folders, and Python objects (folder -> object) where the call gave some.
std::unique_ptr<model::ModelLoader> loader_of(const nanobind::dict& objects);

}  // namespace palimpsest::python
