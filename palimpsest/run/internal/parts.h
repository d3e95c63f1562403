// Parts: the journals of a plan's shards (shard.h). A shard keeps its batches in a file of its own,
// beside the journals of whole runs:
//
//   OUT.run/pass-1.shard-2-of-7.journal     shard 2/7 of the first plan of the run
//
// A run has one plan per pass of a model over data, and numbers them in order. The first entry of a
// part describes what it was made with (kDescription): the program, the vector instructions, the
// model, the data and the options. A part that was made with something else is refused, because
// its numbers would not be those of this run. The message says what differs. A folder may hold
// parts of divisions into different numbers of shards; their batches may overlap.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/run/internal/journal.h"
#include "palimpsest/run/work.h"

namespace palimpsest::run {

// The name of the property that --isa sets.
inline constexpr const char* kInstructionSet = "instruction set";

struct PartDescription {
  Properties made_with;  // what determines the results, the same in every part of a plan
  Properties model;      // facts about the loaded model, which a record of the run states
};

std::string to_json_text(const PartDescription& description);

// The file of a part.
std::filesystem::path part_file(const std::filesystem::path& folder, int64_t pass,
                                const Shard& shard);
// What a file's name says: the pass and the shard. nullopt if it is not a part.
struct PartName {
  int64_t pass = 0;
  Shard shard;
};
std::optional<PartName> part_name(const std::filesystem::path& file);

// A part, opened for reading.
struct Part {
  std::filesystem::path file;
  PartName name;
  std::unique_ptr<Journal> journal;
  PartDescription description;
};

// Opens a part. Returns nullopt if the file is not a journal or has no description, as when nothing
// was committed to it. Throws Error if the journal is of a newer version.
std::optional<Part> open_part(const std::filesystem::path& file);

// What the parts of a plan have to be made with.
struct PartRequirement {
  std::string fingerprint;
  Properties made_with;
};

// Throws Error if the part was made with something else; the message names it.
void require_made_with(const Part& part, const PartRequirement& wanted);

// The parts of one pass that lie in the folder, in the order of their names. A folder that does not
// exist has none. Throws Error for a part that does not fit.
std::vector<Part> find_parts(const std::filesystem::path& folder, int64_t pass,
                             const PartRequirement& wanted);

// Puts parts together that were made in different folders, for example on machines without a common
// disk. A source is a part, or a folder that holds parts at any depth. A part keeps its place
// relative to its source. A batch that two sources have is taken once. All parts of the same pass
// at the same place, including those that are already in `out`, must have been made with the same
// program, model, data and options. Everything is checked before anything is written. Throws Error
// if a source has no part.
struct GatheredParts {
  int64_t parts = 0;    // files that were read
  int64_t batches = 0;  // batches that `out` did not have before
};
GatheredParts gather_parts(const std::vector<std::filesystem::path>& sources,
                           const std::filesystem::path& out);

}  // namespace palimpsest::run
