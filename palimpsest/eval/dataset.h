// Data sets of the configuration: from a handler's name and its arguments to examples ready for a
// model. One row per handler in one table, which is a value.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/config/value.h"
#include "palimpsest/data/example.h"
#include "palimpsest/data/prompt_template.h"
#include "palimpsest/eval/data_files.h"
#include "palimpsest/text/tokenizer.h"

namespace palimpsest::eval {

struct PreparedData {
  std::string title;  // for people: "locuslab/TOFU forget10_perturbed, question and answer"
  std::vector<Example> examples;
  // What a generation's ground truth is decoded from: the whole text (it then loses its prompt), or
  // the labelled part.
  bool ground_truth_is_whole = false;
  // Of a multiple-choice data set: which alternative is right, and how many bytes each has.
  std::vector<int64_t> answers = {};                    // by index
  std::vector<std::vector<int64_t>> option_bytes = {};  // by index, then alternative
  std::vector<std::string> notes = {};                  // what a reader has to know
};

// What a data set is prepared with.
struct DataContext {
  const DataPlaces& places;
  const Tokenizer& tokenizer;
  std::filesystem::path tokenizer_folder;        // whose chat template counts
  const config::Value* template_args = nullptr;  // of the model; nullptr: there are none
  std::optional<ChatTime> now = {};              // for templates that ask for the time
  // A key of the records that goes into the examples' groups, unless no record has it.
  std::string cluster_key = {};
  int threads = 0;  // 0: one for each core; the examples do not depend on it
};

struct DatasetHandler {
  std::string name;
  std::string makes;              // one line for `palimpsest list datasets`
  std::vector<std::string> keys;  // of its args
  std::function<PreparedData(const config::Value& args, const DataContext& context)> prepare = {};
};

using DatasetTable = std::vector<DatasetHandler>;
const DatasetTable& default_dataset_table();

// A data set as a metric configures it: {handler: QADataset, args: {…}, access_key: forget}, and
// cluster_size where it differs from the evaluator's. Checks the handler and its keys; nothing is
// read.
struct DatasetSpec {
  std::string name;        // in the configuration
  std::string access_key;  // that of the configuration, else the name
  const DatasetHandler* handler = nullptr;
  config::Value args;
  bool predict_with_generate = false;  // its prompts are continued
  std::string key;                     // the same for two that become the same examples
  std::string source;                  // the same for two that are made of the same records
  ClusterChoice clusters;              // which examples belong together
};

// `clusters` is the evaluator's choice. Throws Error (with the known handlers, or the known keys) for
// what cannot be prepared.
DatasetSpec read_dataset(const std::string& name, const config::Value& dataset,
                         const DatasetTable& table, const ClusterChoice& clusters = {});

// Throws Error for what is missing or malformed in the data.
PreparedData prepare(const DatasetSpec& spec, const DataContext& context);

// The template that template_args describe; `max_length` is the data set's. Throws Error for keys
// that are missing.
PromptTemplate prompt_template(const DataContext& context, int64_t max_length);

// The text of a configuration value, keys in order: for fingerprints and comparisons.
std::string canonical_text(const config::Value& value);

}  // namespace palimpsest::eval
