// The data sets of an evaluation. A data set is described by the name of a handler and its
// arguments; the handler prepares examples that are ready for a model. The handlers are the rows of
// a table, which programs may copy and extend.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/data/example.h"
#include "palimpsest/data/prompt_template.h"
#include "palimpsest/eval/data_files.h"
#include "palimpsest/eval/evaluation_spec.h"
#include "palimpsest/eval/parameter.h"
#include "palimpsest/python_text/time.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::eval {

struct PreparedData {
  std::string title;  // for people: "locuslab/TOFU forget10_perturbed, question and answer"
  std::vector<data::Example> examples;
  // Whether the ground truth of a generation is decoded from the whole text, from which the prompt
  // is then removed. If false, it is decoded from the labelled part.
  bool ground_truth_is_whole = false;
  // For a multiple-choice data set: the right alternative of each question, and the length of each
  // alternative in bytes.
  std::vector<int64_t> answers = {};                    // by index
  std::vector<std::vector<int64_t>> option_bytes = {};  // by index, then alternative
  std::vector<std::string> notes = {};                  // remarks for readers of the results
};

// What a data set is prepared with.
struct DataContext {
  const DataLocations& places;
  const tokenizer::Tokenizer& tokenizer;
  std::filesystem::path tokenizer_folder;          // the chat template is read from this folder
  const PromptSettings* prompt = nullptr;          // prompt settings of the model; nullptr: none
  std::optional<python_text::CivilTime> now = {};  // for templates that ask for the time
  // The value at this key of a record is added to the groups of its examples, unless no record has
  // the key.
  std::string cluster_key = {};
  int threads = 0;  // 0: one for each core; the examples do not depend on it
};

struct DatasetHandler {
  std::string name;
  std::string makes;              // one line for `palimpsest list datasets`
  std::vector<std::string> keys;  // of its args
  std::function<PreparedData(const Parameter& args, const DataContext& context)> prepare = {};
};

using DatasetTable = std::vector<DatasetHandler>;
const DatasetTable& default_dataset_table();

// A data set whose handler was found and whose keys were checked; nothing is read.
struct DatasetPlan {
  std::string name;
  std::string access_key;
  const DatasetHandler* handler = nullptr;
  Parameter args;
  // Generations continue the prompt of an example, not the whole example.
  bool predict_with_generate = false;
  std::string key;                 // equal for two data sets that give the same examples
  std::string source;              // equal for two data sets that are made from the same records
  attack::ClusterChoice clusters;  // which examples belong together
};

// `clusters` is the choice made by the evaluator. The plan points into the table. Throws Error for
// an unknown handler or key; the message lists the known ones.
DatasetPlan plan_dataset(const DatasetSpec& spec, const DatasetTable& table,
                         const attack::ClusterChoice& clusters = {});

// Throws Error if something in the data is missing or malformed.
PreparedData prepare(const DatasetPlan& plan, const DataContext& context);

// The prompt template that the model's settings describe. `max_length` is a setting of the data
// set. Throws Error if the settings describe no template.
data::PromptTemplate prompt_template(const DataContext& context, int64_t max_length);

}  // namespace palimpsest::eval
