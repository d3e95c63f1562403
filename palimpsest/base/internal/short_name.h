// The name by which readers know a model or a file. A path is no such name: it says where something
// lies on one machine.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace palimpsest {

// The last part of a path or of a hub id. For a folder in the hub's cache, it is the name of the
// model.
//
//   short_name("/data/runs/unlearned/")                               // "unlearned"
//   short_name("meta-llama/Llama-3.2-1B")                             // "Llama-3.2-1B"
//   short_name("hub/models--EleutherAI--pythia-70m/snapshots/a39f3")  // "pythia-70m"
//
// Returns the text itself if nothing would be left of it.
std::string short_name(const std::string& path);

// The parts of the absolute path, without its root.
std::vector<std::string> path_parts(const std::filesystem::path& path);

// path_parts() of a model's folder. In the hub's cache the folder is called by a revision, so there
// the organisation and the name of the model come last: {"hub", "snapshots", "a39f3", "EleutherAI",
// "pythia-70m"}.
std::vector<std::string> model_path_parts(const std::filesystem::path& path);

// The last of these parts, at most `count`: "runs/unlearned".
std::string last_parts(const std::vector<std::string>& parts, size_t count);

// The names that results use for models and data sets that the user gave by their paths: the last
// part of each path. Results name them in many places, where paths of the user's machine do not
// belong; provenance.json records the path itself. A text that is not an existing file or folder (a
// hub id) is its own name. If two different paths end in the same part, their names get as many
// parts as are needed to tell them apart. `parts_of` is path_parts() or model_path_parts().
using PathParts = std::vector<std::string> (*)(const std::filesystem::path&);
std::vector<std::string> display_names(const std::vector<std::string>& given, PathParts parts_of);

// The name by which results call a model or a data set: short_name() of what is plainly a path
// ("/data/models/mine", "../mine"). Other texts stay as they are, since "org/name" may be a hub id.
std::string shown_name(const std::string& name);

}  // namespace palimpsest
