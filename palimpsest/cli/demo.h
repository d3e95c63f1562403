// The demo is a whole audit of unlearning in which it is known what each model was trained on. It
// makes up data and makes the four models that every audit should compare; one of them is made to
// forget. Then it evaluates all of them and puts the results on one page. Everything is in one
// folder. If the demo is run again, it does not repeat the steps that are finished there.
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
  int64_t authors = 400;       // number of authors that models may be trained on
  int64_t epochs = 15;         // number of epochs of training
  std::string method = "npo";  // the method of unlearning (lab/unlearning.h)
  int threads = 0;             // 0: one per core
  ProgressDisplay* display = nullptr;
  std::stop_token stop = {};  // if a stop is requested, run_demo() throws Stopped
};

// A model of the demo and what the evaluation found.
struct DemoModel {
  std::string name;   // the name of its folder, such as "original"
  std::string story;  // what was done to it
  std::filesystem::path checkpoint;
  std::filesystem::path results;  // the folder of its logs
  std::optional<double> auc;      // of the loss attack
  std::optional<stat::Interval> interval;
  std::optional<double> forget_rouge;  // how much of the forget answers it still gives
  std::optional<double> utility;
  std::optional<double> forget_quality;
  std::optional<attack::Answer> answer;  // the answer of all attacks together; clusters are authors
};

struct DemoResult {
  std::vector<DemoModel> models;  // the unlearned model, the one to judge, is first
  std::filesystem::path page;
};

// Runs the demo. If the folder cannot be used, throws Error before any long work begins.
DemoResult run_demo(const DemoOptions& options, const ProgramContext& context);

// A text for people: what was measured, the verdict on each model, the answer about the unlearned
// model, and where the page is.
std::string demo_text(const DemoResult& result);
// The same for programs, as a JSON object.
std::string demo_json(const DemoResult& result);

}  // namespace palimpsest::cli
