#include "palimpsest/cli/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/cli/handover.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/version.h"

namespace palimpsest::cli {
namespace {

// How a batch system tells a task of an array which one it is. Names of variables; empty: there is
// none.
struct ArraySystem {
  const char* name;
  const char* index;
  const char* first;      // the index of the first task
  int64_t default_first;  // where that variable is not set
  const char* count;      // the number of tasks
  const char* last;       // the index of the last one, where there is no count
  const char* step;       // the distance of two indices
  const char* no_index;   // what `index` says outside an array
};

constexpr ArraySystem kSystems[] = {
    {"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", 0, "SLURM_ARRAY_TASK_COUNT", "",
     "SLURM_ARRAY_TASK_STEP", ""},
    {"Kubernetes", "JOB_COMPLETION_INDEX", "", 0, "", "", "", ""},
    {"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "", 0, "AWS_BATCH_JOB_ARRAY_SIZE", "", "", ""},
    {"Cloud Run", "CLOUD_RUN_TASK_INDEX", "", 0, "CLOUD_RUN_TASK_COUNT", "", "", ""},
    {"Grid Engine", "SGE_TASK_ID", "SGE_TASK_FIRST", 1, "", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE",
     "undefined"},
    {"LSF", "LSB_JOBINDEX", "", 1, "", "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP", "0"},
};

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size() || text.starts_with('-'))
    return std::nullopt;
  return number;
}

[[noreturn]] void refuse_text(const std::string& text) {
  throw Error({.what = fmt::format("'{}' is not a shard", text),
               .where = "--shard",
               .expected = "I/N, auto or auto/N"});
}

// The value of an environment variable; nothing for no name and for an empty value.
std::optional<std::string> variable_text(const Variable& variable, const char* name) {
  if (*name == '\0') return std::nullopt;
  std::optional<std::string> value = variable(name);
  if (value && value->empty()) return std::nullopt;
  return value;
}

std::optional<int64_t> variable_number(const Variable& variable, const char* name) {
  const std::optional<std::string> value = variable_text(variable, name);
  if (!value) return std::nullopt;
  const std::optional<int64_t> number = whole_number(*value);
  if (number) return number;
  throw Error({.what = fmt::format("{} is '{}', which is not a whole number", name, *value),
               .where = "--shard auto"});
}

const ArraySystem* find_system(const Variable& variable) {
  for (const ArraySystem& system : kSystems) {
    const std::optional<std::string> index = variable_text(variable, system.index);
    if (index && *index != system.no_index) return &system;
  }
  return nullptr;
}

// The number of tasks, as far as the system says it.
std::optional<int64_t> task_count(const ArraySystem& system, const Variable& variable,
                                  int64_t first, int64_t step) {
  if (const auto count = variable_number(variable, system.count)) return count;
  if (const auto last = variable_number(variable, system.last)) return (*last - first) / step + 1;
  return std::nullopt;
}

ChosenShard shard_of_system(std::optional<int64_t> given_count, const Variable& variable) {
  const ArraySystem* system = find_system(variable);
  if (system == nullptr) {
    std::string names;
    for (const ArraySystem& one : kSystems)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", one.index);
    throw Error({.what = "no batch system says which shard this is",
                 .where = "--shard auto",
                 .expected = "one of the variables " + names,
                 .hint = "give --shard I/N"});
  }
  const int64_t index = *variable_number(variable, system->index);
  const int64_t first = variable_number(variable, system->first).value_or(system->default_first);
  const int64_t step = std::max<int64_t>(variable_number(variable, system->step).value_or(1), 1);
  const std::optional<int64_t> told = task_count(*system, variable, first, step);
  const std::string from = fmt::format("{}={} ({})", system->index, index, system->name);
  if (given_count && told && *given_count != *told) {
    throw Error({.what = fmt::format("{} has {} tasks in this array, not {}", system->name, *told,
                                     *given_count),
                 .where = "--shard auto/" + std::to_string(*given_count),
                 .hint = "give --shard auto, or --shard I/N for some shards of a larger run"});
  }
  if (!given_count && !told) {
    throw Error(
        {.what = fmt::format("{} says which shard this is, but not how many there are", from),
         .where = "--shard auto",
         .hint = "give --shard auto/N"});
  }
  ChosenShard chosen{
      .shard = {.number = (index - first) / step + 1, .count = given_count ? *given_count : *told},
      .from = from};
  try {
    run::require_valid(chosen.shard);
  } catch (const Error& error) {
    throw error.located(from);
  }
  return chosen;
}

}  // namespace

std::string ShardArguments::given() const {
  if (shard) return "--shard";
  if (no_run) return "--no-run";
  return split_layers ? "--split-layers" : "";
}

void add_shard_options(Command& app, ShardArguments& arguments) {
  Command command = app.group("Many machines");
  Option shard = command.option(
      "--shard", arguments.shard,
      "Run only shard I of N (I/N, counted from 1) and write it as a part of the output; auto or "
      "auto/N: the shard that the batch system gives this task. When all shards are done, the same "
      "command without --shard computes the results");
  command
      .flag("--no-run", arguments.no_run,
            "Run no model: use what the shards have computed, or say what is missing")
      .excludes(shard);
  command
      .flag("--split-layers", arguments.split_layers,
            "Under MPI: divide the model's layers among the processes (pipeline parallelism), for "
            "models that are too large for one machine; only for scores, not for generation or "
            "gradient norms")
      .excludes(shard);
}

ChosenShard parse_shard(const std::string& text, const Variable& variable) {
  const size_t slash = text.find('/');
  const std::string number = text.substr(0, slash);
  std::optional<int64_t> count;
  if (slash != std::string::npos) {
    count = whole_number(std::string_view(text).substr(slash + 1));
    if (!count) refuse_text(text);
  }
  if (number == "auto") return shard_of_system(count, variable);
  const std::optional<int64_t> given = whole_number(number);
  if (!given || !count) refuse_text(text);
  ChosenShard chosen{.shard = {.number = *given, .count = *count}, .from = {}};
  run::require_valid(chosen.shard);
  return chosen;
}

run::WorkOptions work_options(const ShardArguments& arguments, const ProgramContext& context) {
  if (!arguments.shard) hand_over_under_mpi(context);
  run::WorkOptions work{
      .shard = {}, .computes = !arguments.no_run, .program_version = version_and_commit()};
  work.team = context.team;
  if (arguments.split_layers) {
    if (context.team == nullptr || context.team->size() == 1) {
      throw Error({.what = "layers are split among processes that MPI starts, and this is a single "
                           "process",
                   .where = "--split-layers",
                   .hint = "start it as mpirun -n N palimpsest …, or leave out the option"});
    }
    context.team->split_layers();
  }
  if (!arguments.shard) return work;
  if (context.team != nullptr) {
    throw Error({.what = "processes that MPI starts divide the work themselves",
                 .where = "--shard",
                 .hint = "leave out the option, or start the shards without MPI"});
  }
  const ChosenShard chosen =
      parse_shard(*arguments.shard, [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
      });
  if (!chosen.from.empty())
    log_info("this is shard {}, according to {}", chosen.shard.text(), chosen.from);
  work.shard = chosen.shard;
  return work;
}

std::optional<model::Stage> stage_of(const run::WorkOptions& work) {
  if (!work.splits_layers()) return std::nullopt;
  return work.team->split_layers();
}

std::string with_shard(const std::string& command, const run::WorkOptions& work) {
  return work.shard ? fmt::format("{} --shard {}", command, work.shard->text()) : command;
}

void print_shard_done(const run::Shard& shard, bool as_json) {
  if (as_json) {
    print_json(to_line({{"shard", shard.number}, {"shards", shard.count}}) + "\n");
    return;
  }
  fmt::print(
      "shard {} is done; when all shards are, run the same command without --shard for the "
      "results\n",
      shard.text());
}

}  // namespace palimpsest::cli
