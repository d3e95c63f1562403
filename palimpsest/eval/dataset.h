// The data sets of an evaluation. A data set is described by the name of a handler and its
// arguments. The handler prepares examples that are ready for a model. The handlers are rows of a
// table, which programs may copy and extend.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/data/prompt_template.h"
#include "palimpsest/eval/evaluation_spec.h"
#include "palimpsest/eval/parameter.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/python_text/time.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::eval {

struct PreparedData {
  std::string title;  // for people: "locuslab/TOFU forget10_perturbed, question and answer"
  std::vector<data::Example> examples;
  // How the ground truth of a generation is obtained. If true, the whole text is decoded and the
  // prompt is removed from it; if false, only the labelled part is decoded.
  bool ground_truth_is_whole = false;
  // The number of examples that lose the beginning of their answer (data::LabelStart). It is not
  // reported in `notes`: a single note of the run gives the total over its data sets
  // (internal/passes.h).
  int64_t lost_beginnings = 0;
  // For multiple-choice data sets: the number of the right alternative of each question, and the
  // length in bytes of each alternative.
  std::vector<int64_t> answers = {};                    // by index
  std::vector<std::vector<int64_t>> option_bytes = {};  // by index, then alternative
  std::vector<std::string> notes = {};                  // remarks for readers of the results
};

// The places to search for data files.
struct DataLocations {
  std::filesystem::path data_dir;  // paths.data_dir of the configuration; may be empty
  model::HubEnvironment hub;
};

// The settings and objects that handlers use to prepare a data set.
struct DataContext {
  const DataLocations& locations;
  const tokenizer::Tokenizer& tokenizer;
  std::filesystem::path tokenizer_folder;          // the chat template is read from this folder
  const PromptSettings* prompt = nullptr;          // the model's prompt settings; null: none
  std::optional<python_text::CivilTime> now = {};  // for templates that ask for the time
  // If set, the value at this key of a record is added to Example::groups of its examples. It is
  // ignored if no record has the key.
  std::string cluster_key = {};
  int threads = 0;  // 0: one per core; the examples do not depend on it
};

// `prepare` is called only from the thread that called evaluate(), for one data set at a time.
struct DatasetHandler {
  std::string name;
  std::string makes;              // one line for `palimpsest list datasets`
  std::vector<std::string> keys;  // the arguments that it accepts
  std::function<PreparedData(const Parameter& args, const DataContext& context)> prepare = {};
};

using DatasetTable = std::vector<DatasetHandler>;
const DatasetTable& default_dataset_table();

// The prompt template according to the model's settings. `max_length` is a setting of the data set.
// Throws Error if the settings describe no template.
data::PromptTemplate prompt_template(const DataContext& context, int64_t max_length);

}  // namespace palimpsest::eval
