// Whether a checkpoint holds the tensors that its config.json describes and no layers beside them,
// and an adapter matrices that fit them. Looks at names and shapes only; no weight is read.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/model/adapter.h"
#include "palimpsest/model/architecture.h"
#include "palimpsest/model/checkpoint.h"

namespace palimpsest::model {

// A parameter by transformers' name, which a checkpoint may store without the architecture's
// inner_prefix. Nothing if it is not there.
const StoredTensor* find_parameter(const Checkpoint& checkpoint, const Architecture& architecture,
                                   const std::string& name);

// The same. Throws Error if it is not there.
const StoredTensor& require_parameter(const Checkpoint& checkpoint,
                                      const Architecture& architecture, const std::string& name);

// Throws Error for the first parameter that is missing or has another shape, and for a tensor of a
// layer that config.json does not count: a model without its last layers is another model.
void check_parameters(const Checkpoint& checkpoint, const Architecture& architecture);

// The tensors that the model does not use, in the order of the files, for a warning. Buffers that
// transformers leaves out as well (rotary frequencies, causal masks) and the head of a model whose
// embedding is its head are no surplus.
std::vector<std::string> surplus_tensors(const Checkpoint& checkpoint,
                                         const Architecture& architecture);

// The warning in one sentence; empty where there is no surplus.
std::string surplus_note(const Checkpoint& checkpoint, const Architecture& architecture);

// Throws Error for the first update of a weight that the model does not have, or that has another
// shape, and for a module that the adapter targets and has no matrices for.
void check_adapter(const Adapter& adapter, const Architecture& architecture);

// The types that the parameters are stored in, the most common one first. Parameters that are
// missing do not count.
std::vector<kernels::DType> stored_types(const Checkpoint& checkpoint,
                                         const Architecture& architecture);

}  // namespace palimpsest::model
