// Checks that a checkpoint has the tensors that its config.json describes and no further layers,
// and that an adapter's matrices fit them. It looks only at names and shapes; no weight is read.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/model/internal/adapter.h"
#include "palimpsest/model/internal/architecture.h"
#include "palimpsest/model/internal/checkpoint.h"

namespace palimpsest::model {

// The tensor of a parameter, by its name in transformers. A checkpoint may store it without the
// architecture's inner_prefix. Where the embedding is the head, it may have the name of the head
// instead. Returns null if it is missing.
const StoredTensor* find_parameter(const Checkpoint& checkpoint, const Architecture& architecture,
                                   const std::string& name);

// The same, but throws Error if the tensor is missing.
const StoredTensor& require_parameter(const Checkpoint& checkpoint,
                                      const Architecture& architecture, const std::string& name);

// Whether a missing parameter counts as 0: transformers makes a bias that a checkpoint lacks of
// zeros.
bool may_be_missing(const std::string& name);

// The biases that the checkpoint lacks, and the same as one sentence for a warning, which is empty
// if it lacks none.
std::vector<std::string> missing_biases(const Checkpoint& checkpoint,
                                        const Architecture& architecture);
std::string missing_note(const Checkpoint& checkpoint, const Architecture& architecture);

// Throws Error for the first parameter that is missing (biases may be) or has another shape. Also
// throws Error for a tensor of a layer beyond those in config.json, because a model without its
// last layers is another model.
void check_parameters(const Checkpoint& checkpoint, const Architecture& architecture);

// The tensors that the model does not use, in the order of the files, for a warning. Not included
// are buffers that transformers also ignores (rotary frequencies, causal masks), and the head of a
// model whose embedding is its head.
std::vector<std::string> surplus_tensors(const Checkpoint& checkpoint,
                                         const Architecture& architecture);

// The warning about these tensors, in one sentence; empty if there are none.
std::string surplus_note(const Checkpoint& checkpoint, const Architecture& architecture);

// surplus_note() and missing_note(), as far as there is something to say: what the checkpoint has
// too much or too little of although the model can be run all the same.
std::vector<std::string> checkpoint_notes(const Checkpoint& checkpoint,
                                          const Architecture& architecture);

// Throws Error for the first update of a weight that the model does not have or that has another
// shape, and for a module that the adapter targets but has no matrices for.
void check_adapter(const Adapter& adapter, const Architecture& architecture);

// The types in which the parameters are stored, the most common one first. Missing parameters do
// not count.
std::vector<kernels::DType> stored_types(const Checkpoint& checkpoint,
                                         const Architecture& architecture);

}  // namespace palimpsest::model
