// Turns a configuration, composed as Hydra does (config/compose.h), into the description of an
// evaluation. `palimpsest eval` takes this step between composing and evaluating.
//
//   const EvaluationSpec spec = read_evaluation(config);
//   evaluate(spec, {.loader = loader});
#pragma once

#include <string>

#include "palimpsest/config/value.h"
#include "palimpsest/eval/evaluation_spec.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest::eval {

// A kind of evaluator that a configuration may name under `eval`. An evaluator is a list of metrics
// with an output folder. The table is a value, which programs may copy and extend.
struct EvaluatorKind {
  std::string handler;  // its name in the configuration: TOFUEvaluator
  std::string name;     // the prefix of its files: TOFU; empty: its key under `eval` in capitals
  std::string about;    // one line for `palimpsest list evaluators`
  // If not empty, this evaluator is not supported, and the text says what to use instead.
  std::string instead = {};
};

using EvaluatorTable = std::vector<EvaluatorKind>;
const EvaluatorTable& default_evaluator_table();

// The handlers and evaluators that a configuration may name.
struct EvaluationTables {
  HandlerTable handlers = default_handler_table();
  EvaluatorTable evaluators = default_evaluator_table();
};

// Facts about the machine that a configuration does not contain.
struct MachineSettings {
  bool has_cuda = false;
  // Supplies threads, memory_limit and residence. The configuration sets all other fields.
  model::ModelOptions defaults = {};
};

// `config` holds model, eval, seed and optionally paths.data_dir (or data_dir). Its interpolations
// must be resolved. No file is read. Throws Error for unknown or unsupported evaluators and
// handlers. Also throws Error for keys that are missing, that still have Hydra's placeholder ???,
// that are of the wrong kind, or that are out of range. The message has the file, line and key as
// far as the configuration knows them.
EvaluationSpec read_evaluation(const config::Value& config, const EvaluationTables& tables = {},
                               const MachineSettings& machine = {});

// Reads the part `model` of a configuration: model_args, tokenizer_args and template_args. `device`
// is the device that the evaluators choose. If it is null, device_map of model_args decides. If
// cuda is chosen and there is no such device, the CPU is used, with a note. If torch_dtype is
// absent or float32, the type is float32. On the device "cpu", any other torch_dtype leaves the
// choice to the engine. Other devices compute in the type that is given; "auto" leaves the choice
// to the engine. attn_implementation has no effect.
ModelSettings read_model(const config::Value& model, const MachineSettings& machine = {},
                         const config::Value* device = nullptr);

// The device that a configuration requests, whether or not it exists: `device` of an evaluator,
// else device_map of model.model_args. It is "cpu" (the default), "torch", "cuda", "cuda:N", or
// "auto" for the GPU if there is one. Throws Error for any other value, and if two evaluators name
// different devices.
std::string wanted_device(const config::Value& config);

}  // namespace palimpsest::eval
