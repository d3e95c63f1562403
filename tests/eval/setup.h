// What the tests of evaluation share: configurations written as JSON, a folder with a model that
// needs no weights, and a loader that counts what is asked of it.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/config/value.h"
#include "palimpsest/eval/evaluate.h"
#include "palimpsest/eval/internal/evaluator.h"
#include "palimpsest/eval/internal/read_metrics.h"
#include "palimpsest/eval/internal/read_settings.h"
#include "palimpsest/eval/read_evaluation.h"
#include "palimpsest/model/internal/fake_model.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::eval {

inline config::Value value_of(const Json& json, const std::string& key = "") {
  config::Value value;
  if (json.is_object()) {
    config::Value::Map map;
    for (const auto& [name, child] : json.items()) {
      map.emplace_back(name, value_of(child, key.empty() ? name : fmt::format("{}.{}", key, name)));
    }
    value = std::move(map);
  } else if (json.is_array()) {
    config::Value::List list;
    for (const Json& child : json) list.push_back(value_of(child, key + "[]"));
    value = std::move(list);
  } else if (json.is_string()) {
    value = json.get<std::string>();
  } else if (json.is_boolean()) {
    value = json.get<bool>();
  } else if (json.is_number_integer()) {
    value = json.get<int64_t>();
  } else if (json.is_number()) {
    value = json.get<double>();
  }
  value.locate("test.yaml:1", key);
  return value;
}

inline Parameter parameter_of(const Json& json, const std::string& key = "") {
  return to_parameter(value_of(json, key));
}

inline std::vector<Evaluation> evaluate_config(const Json& config,
                                               const EvaluationContext& context) {
  return evaluate(read_evaluation(value_of(config), {.handlers = context.handlers}), context);
}

// The plans of a configuration's evaluators.
inline std::vector<EvaluatorPlan> plans_of(const Json& evals) {
  const Json config = {{"model", {{"model_args", {{"pretrained_model_name_or_path", "m"}}}}},
                       {"eval", evals}};
  return plan_evaluators(read_evaluation(value_of(config)).evaluators,
                         {default_handler_table(), default_dataset_table()});
}

// Fake models whose folders have a file, so that another content is another fingerprint. A number
// of batches can be granted, after which the power goes out.
class TestLoader : public model::ModelLoader {
 public:
  explicit TestLoader(const model::FakeModelOptions& options = {}) : inner_(options) {}

  std::unique_ptr<model::LanguageModel> load(const std::filesystem::path& folder,
                                             const model::ModelOptions& options) override {
    return std::make_unique<Model>(inner_.load(folder.filename(), options), *this);
  }
  std::vector<std::filesystem::path> files(const std::filesystem::path& folder) override {
    return {folder / "config.json"};
  }

  const model::FakeModelCounts& counts() const { return inner_.counts(); }
  int64_t loads() const { return inner_.loads(); }
  int64_t batches = 0;        // asked for so far
  int64_t granted = 1 << 20;  // before the power goes out
  bool forward_only = false;  // on this device

  void check(const model::ModelOptions& /*options*/, bool gradients) const override {
    if (forward_only && gradients) throw Error("no gradients here");
  }

 private:
  class Model : public model::LanguageModel {
   public:
    Model(std::unique_ptr<model::LanguageModel> inner, TestLoader& loader)
        : inner_(std::move(inner)), loader_(loader) {}
    const model::ModelInfo& info() const override { return inner_->info(); }
    std::vector<model::SequenceScores> score(std::span<const model::Sequence> sequences,
                                             const model::ScoreOptions& options) override {
      loader_.count();
      return inner_->score(sequences, options);
    }
    std::vector<model::Generation> generate(std::span<const model::Prompt> prompts,
                                            const model::GenerateOptions& options) override {
      loader_.count();
      return inner_->generate(prompts, options);
    }

   private:
    std::unique_ptr<model::LanguageModel> inner_;
    TestLoader& loader_;
  };

  void count() {
    if (batches++ >= granted) throw SystemError("the power went out");
  }

  model::FakeModelLoader inner_;
};

// A folder with a tokenizer, two models, data, and room for results.
class TestFolder {
 public:
  TestFolder() {
    for (const char* model : {"model", "reference"}) {
      std::filesystem::create_directories(path() / model);
      for (const char* file : {"tokenizer.json", "tokenizer_config.json"}) {
        std::filesystem::copy_file(
            std::filesystem::path(PALIMPSEST_EXAMPLES_DIR) / "tiny-tokenizer" / file,
            path() / model / file);
      }
      write(std::string(model) + "/config.json",
            to_line({{"model_type", "llama"}, {"name", model}}));
    }
    std::filesystem::create_directories(path() / "data");
    write_questions();
  }

  const std::filesystem::path& path() const { return folder_.path(); }
  void write(const std::string& name, const std::string& bytes) const {
    folder_.write(name, bytes);
  }
  std::string read(const std::string& name) const { return folder_.read(name); }
  Json read_json(const std::string& name) const { return parse_json(read(name), name); }

  // A data set of the configuration.
  Json questions(const std::string& file, const std::string& answer = "answer") const {
    return {{"handler", "QADataset"},
            {"args",
             {{"hf_args", {{"path", (path() / "data").string()}, {"name", file}}},
              {"question_key", "question"},
              {"answer_key", answer},
              {"max_length", 64}}}};
  }

  Json config(const Json& metrics) const {
    return {{"model",
             {{"model_args",
               {{"pretrained_model_name_or_path", (path() / "model").string()},
                {"device_map", "cuda"},
                {"torch_dtype", "bfloat16"},
                {"attn_implementation", "flash_attention_2"}}},
              {"tokenizer_args", {{"pretrained_model_name_or_path", (path() / "model").string()}}},
              {"template_args", {{"apply_chat_template", true}}}}},
            {"eval",
             {{"tofu",
               {{"handler", "TOFUEvaluator"},
                {"output_dir", (path() / "out").string()},
                {"metrics", metrics},
                {"overwrite", false}}}}},
            {"seed", 0}};
  }

 private:
  void write_questions() const {
    const std::vector<std::string> words = {"author", "river", "town", "small"};
    for (const char* name : {"forget", "holdout"}) {
      std::string lines;
      for (size_t i = 0; i < words.size(); ++i) {
        const std::string& a = words[(i + (std::string(name) == "forget" ? 0 : 1)) % words.size()];
        const std::string& b = words[(i + 2) % words.size()];
        lines += to_line({{"question", "Where was the " + a + "?"},
                          {"answer", fmt::format("In a {} near the {}.", b, a)},
                          {"paraphrase", fmt::format("near the {} In a {}", a, b)},
                          {"wrong", {"In the " + a + ".", "near a " + b, "the " + b}}}) +
                 "\n";
      }
      write("data/" + std::string(name) + ".jsonl", lines);
    }
  }

  TempFolder folder_;
};

}  // namespace palimpsest::eval
