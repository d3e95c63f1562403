// Evaluations of a fake model on small data sets, with every kind of metric.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "palimpsest/eval/evaluate.h"
#include "tests/eval/setup.h"

namespace palimpsest::eval {

class EvaluateTest : public testing::Test {
 protected:
  Json prob(const char* answer) const {
    return {{"handler", "probability"},
            {"batch_size", 4},
            {"datasets", {{"QA", folder_.questions("forget", answer)}}}};
  }

  Json rouge() const {
    Json metric = {{"handler", "rouge"},
                   {"rouge_type", "rougeL_recall"},
                   {"generation_args", {{"max_new_tokens", 6}, {"do_sample", false}}},
                   {"datasets", {{"QA", folder_.questions("forget")}}}};
    metric["datasets"]["QA"]["args"]["predict_with_generate"] = true;
    return metric;
  }

  Json mia(const char* handler) const {
    Json forget = folder_.questions("forget");
    Json holdout = folder_.questions("holdout");
    forget["access_key"] = "forget";
    holdout["access_key"] = "holdout";
    return {
        {"handler", handler}, {"k", 0.4}, {"p", 2}, {"datasets", {{"F", forget}, {"H", holdout}}}};
  }

  Json truth_ratio() const {
    Json correct = prob("paraphrase");
    Json wrong = prob("wrong");
    correct["access_key"] = "correct";
    wrong["access_key"] = "wrong";
    return {{"handler", "truth_ratio"},
            {"aggregator", "closer_to_1_better"},
            {"pre_compute", {{"Para", correct}, {"Pert", wrong}}}};
  }

  // Over data/choices.jsonl.
  Json multiple_choice() const {
    const Json file = {{"path", (folder_.path() / "data").string()}, {"name", "choices"}};
    return {{"handler", "multiple_choice"},
            {"datasets",
             {{"MC",
               {{"handler", "MultipleChoiceDataset"},
                {"args", {{"hf_args", file}, {"options", "full"}}}}}}}};
  }

  // Everything that TOFU's list has, in small.
  Json suite() const {
    Json quality = truth_ratio();
    Json ratio = truth_ratio();
    ratio["access_key"] = "forget";
    Json min_k = mia("mia_min_k");
    min_k["access_key"] = "forget";
    Json reference = mia("mia_reference");
    reference["reference_model_path"] = (folder_.path() / "reference").string();
    return {
        {"truth_ratio", truth_ratio()},
        {"quality",
         {{"handler", "ks_test"},
          {"pre_compute", {{"truth_ratio", ratio}}},
          {"reference_logs",
           {{"retain_model_logs",
             {{"path", nullptr}, {"include", {{"truth_ratio", {{"access_key", "retain"}}}}}}}}}}},
        {"prob", prob("answer")},
        {"rouge", rouge()},
        {"utility",
         {{"handler", "hm_aggregate"},
          {"pre_compute", {{"prob", prob("answer")}, {"rouge_too", rouge()}}}}},
        {"privleak",
         {{"handler", "privleak"}, {"ref_value", 0.5}, {"pre_compute", {{"mia_min_k", min_k}}}}},
        {"gradnorm", mia("mia_gradnorm")},
        {"reference", reference},
        {"strength",
         {{"handler", "extraction_strength"}, {"datasets", prob("answer")["datasets"]}}}};
  }

  std::vector<Evaluation> run(const Json& config) {
    return evaluate_config(config, {.loader = loader_, .versions = {{"palimpsest", "test"}}});
  }
  Evaluation run_metrics(const Json& metrics) { return run(folder_.config(metrics)).at(0); }

  Json log() const { return folder_.read_json("out/TOFU_EVAL.json"); }
  Json summary() const { return folder_.read_json("out/TOFU_SUMMARY.json"); }
  Json record() const { return folder_.read_json("out/TOFU_RUN.json"); }

  const TestFolder folder_;
  TestLoader loader_{{.vocab_size = 32, .max_positions = 256}};
};

}  // namespace palimpsest::eval
