// The demo: a whole unlearning audit whose truth is known. Makes up data, trains the four models that
// every audit should compare, makes one of them forget, evaluates them all and puts the results on one
// page. Everything happens in one folder, and what is finished there is not done again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/program.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::cli {

struct DemoOptions {
  std::filesystem::path out = "palimpsest-demo";
  uint64_t seed = 0;
  int64_t authors = 400;       // that models may be trained on
  int64_t epochs = 15;         // of training
  std::string method = "npo";  // of unlearning: see lab/unlearning.h
  int threads = 0;             // 0: one for each core
  ProgressDisplay* display = nullptr;
  std::stop_token stop = {};  // throws Stopped
};

// A model of the demo and what the evaluation found.
struct DemoModel {
  std::string name;   // of its folder: "original"
  std::string story;  // what was done to it
  std::filesystem::path checkpoint;
  std::filesystem::path results;  // the folder of its logs
  std::optional<double> auc;      // of the loss attack
  std::optional<stat::Interval> interval;
  std::optional<double> forget_rouge;  // share of the forget answers that it still gives
  std::optional<double> utility;
  std::optional<double> forget_quality;
  std::optional<attack::Answer> answer;  // of all attacks, over authors
};

struct DemoResult {
  std::vector<DemoModel> models;  // the unlearned one first: it is the one in question
  std::filesystem::path page;
};

// Throws Error before anything long if the folder cannot be used.
DemoResult run_demo(const DemoOptions& options, const ProgramContext& context);

// What was measured, the verdict on each model, the answer about the unlearned one, and where the page
// is: for people.
std::string demo_text(const DemoResult& result);
// The same for programs, as a JSON object.
std::string demo_json(const DemoResult& result);

}  // namespace palimpsest::cli
