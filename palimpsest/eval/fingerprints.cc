#include "palimpsest/eval/internal/fingerprints.h"

#include "palimpsest/base/internal/hash.h"
#include "palimpsest/model/hub.h"

namespace palimpsest::eval {
namespace {

std::string data_fingerprint(const PreparedData& data) {
  Fingerprint fingerprint;
  for (const data::Example& example : data.examples) {
    fingerprint.add(example.index).add(example.alternative);
    fingerprint.add_all(example.ids).add_all(example.labels).add_all(example.prompt_ids);
  }
  fingerprint.add_all(data.answers);
  return fingerprint.hex();
}

}  // namespace

run::LazyModel& ReferenceModels::get(const std::string& name) {
  const EvaluationContext& outer = context_.context;
  const auto found = models_.find(name);
  if (found != models_.end()) return found->second;
  return models_
      .try_emplace(name, outer.loader, name, model::find_model(name, outer.hub),
                   context_.settings.options)
      .first->second;
}

DataFingerprints data_fingerprints(const DataStore& store) {
  DataFingerprints data;
  for (const auto& [key, prepared] : store) data[key] = data_fingerprint(prepared);
  return data;
}

std::vector<std::string> metric_fingerprints(const MetricGraph& graph, const DataFingerprints& data,
                                             const EvaluatorRunContext& context,
                                             ReferenceModels& references) {
  std::vector<std::string> fingerprints;
  for (const MetricNode& node : graph.nodes) {
    Fingerprint own;
    own.add("metric 1").add(context.model.fingerprint()).add(context.tokenizer_fingerprint);
    own.add(node.handler->name).add(int64_t{node.masks_padding});
    for (const HandlerKey& key : node.handler->keys) {
      const Parameter* value = node.setting.parameters.find(key.name);
      own.add(key.name).add(value != nullptr ? canonical_text(*value) : "");
    }
    if (node.needs.reference_model)
      own.add(references.get(*node.needs.reference_model).fingerprint());
    if (node.needs.generation && node.needs.generation->sample) {
      own.add(static_cast<int64_t>(context.seed));
    }
    for (const auto& [access_key, spec] : node.data) {
      own.add(access_key).add(data.at(spec.key)).add(int64_t{spec.predict_with_generate});
    }
    for (const std::string& file : node.reference_files) own.add_file(file);
    for (const auto& [access_key, other] : node.pre_compute) {
      own.add(access_key).add(fingerprints[other]);
    }
    fingerprints.push_back(own.hex());
  }
  return fingerprints;
}

}  // namespace palimpsest::eval
