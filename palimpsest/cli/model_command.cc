#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/table.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/model_summary.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/lab/random_model.h"
#include "palimpsest/model/internal/checkpoint_files.h"
#include "palimpsest/model/internal/layer_split.h"

namespace palimpsest::cli {
namespace {

// 1,235,814,400
std::string grouped(int64_t number) {
  std::string digits = fmt::format("{}", number);
  for (int64_t position = static_cast<int64_t>(digits.size()) - 3; position > 0; position -= 3) {
    digits.insert(static_cast<size_t>(position), 1, ',');
  }
  return digits;
}

// Three digits and a unit of a thousand: "1.24 billion", "40.5 kB".
std::string scaled(int64_t number, const std::vector<const char*>& units) {
  constexpr double kThousand = 1000;
  double value = static_cast<double>(number);
  size_t unit = 0;
  // 999.5 would be written as 1000.
  while (value >= kThousand - 0.5 && unit + 1 < units.size()) {
    value /= kThousand;
    ++unit;
  }
  const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, units[unit]);
}

std::string bytes_text(int64_t bytes) {
  return scaled(bytes, {"bytes", "kB", "MB", "GB", "TB", "PB"});
}

std::string parameters_text(int64_t count) {
  constexpr int64_t kMillion = 1'000'000;
  if (count < kMillion) return grouped(count);
  return fmt::format("{} ({})", grouped(count),
                     scaled(count, {"", "thousand", "million", "billion", "trillion"}));
}

std::string tokenizer_text(const ModelSummary& summary) {
  if (!summary.tokenizer) return "no tokenizer";
  const TokenizerSummary& tokenizer = *summary.tokenizer;
  if (!tokenizer.problem.empty()) return "cannot be used: " + tokenizer.problem;
  std::string text = grouped(tokenizer.tokens) + " tokens";
  if (!summary.architecture) return text;
  if (tokenizer.beyond > 0) {
    return fmt::format("{}, WARNING: the model does not have {} of their ids", text,
                       grouped(tokenizer.beyond));
  }
  // Vocabularies are padded to a multiple of 128 at most; some models reserve a few percent more.
  constexpr int64_t kPadding = 128;
  constexpr int64_t kReserved = 20;  // one in so many
  const int64_t ids = summary.architecture->vocab_size;
  const int64_t unused = ids - tokenizer.tokens;
  if (unused > std::max(kPadding, ids / kReserved)) {
    return fmt::format(
        "{}, WARNING: {} of the model's {} ids have no token; is it the tokenizer of another "
        "model?",
        text, grouped(unused), grouped(ids));
  }
  if (unused > 0) text += fmt::format("; {} ids of the model are unused padding", grouped(unused));
  return text;
}

std::string adapter_text(const AdapterSummary& adapter) {
  const std::string rank =
      adapter.lowest_rank == adapter.highest_rank
          ? fmt::format("rank {}", adapter.lowest_rank)
          : fmt::format("ranks {} to {}", adapter.lowest_rank, adapter.highest_rank);
  return fmt::format("LoRA, {} on {} weights of {}", rank, grouped(adapter.modules),
                     adapter.base.empty() ? "this model" : adapter.base);
}

std::string generation_text(const model::GenerationConfig& generation) {
  std::string text = generation.eos_ids.empty()
                         ? "no end token"
                         : fmt::format("ends at token {}", fmt::join(generation.eos_ids, ", "));
  if (generation.repetition_penalty != 1) {
    text += fmt::format(", repetition penalty {}", generation.repetition_penalty);
  }
  if (!generation.unsupported.empty()) {
    text += fmt::format(", not supported: {}", fmt::join(generation.unsupported, ", "));
  }
  return text;
}

struct Verdict {
  model::Residence residence;
  const char* name;  // in JSON
  const char* text;
};

constexpr Verdict kVerdicts[] = {
    {model::Residence::kResident, "fits", "fits"},
    {model::Residence::k16Bit, "stored", "fits in 16 bits, widened as they are used"},
    {model::Residence::kStreamed, "streamed", "does not fit; would be streamed a layer at a time"},
    {model::Residence::kNone, "none", "does not fit, not even a layer at a time"},
};

const Verdict* verdict_on(const ModelSummary& summary) {
  if (!summary.need || !summary.free_memory) return nullptr;
  const model::Residence best =
      model::best_residence(*summary.need, model::memory_to_use(*summary.need, 0));
  for (const Verdict& verdict : kVerdicts) {
    if (verdict.residence == best) return &verdict;
  }
  return nullptr;
}

// What each of several processes needs that hold the model together.
struct RankNeed {
  model::StagePart part;
  model::MemoryNeed need;
};

std::vector<RankNeed> rank_needs(const ModelSummary& summary, int64_t ranks) {
  std::vector<RankNeed> needs;
  if (ranks == 0) return needs;
  if (ranks < 0) {
    throw Error({.what = fmt::format("{} is not a valid number of processes", ranks),
                 .where = "--ranks",
                 .expected = "1 or more"});
  }
  if (!summary.architecture || !summary.need) {
    throw Error({.what = "the layers cannot be split, because " + summary.problem,
                 .where = summary.folder.string()});
  }
  constexpr int64_t kFloat32Bytes = 4;
  try {
    for (const model::StagePart& part : model::split_layers(*summary.architecture, ranks)) {
      needs.push_back(
          {.part = part,
           .need = model::stage_need(part, *summary.architecture, *summary.need, kFloat32Bytes)});
    }
  } catch (const Error& error) {
    throw error.located("--ranks");
  }
  return needs;
}

std::string rank_table(const std::vector<RankNeed>& needs) {
  const bool is_16bit = needs.front().need.weights_16bit > 0;
  std::vector<std::string> heading = {"process", "layers", "also", "weights as float32"};
  if (is_16bit) heading.emplace_back("as stored");
  Table table(std::move(heading));
  for (size_t rank = 0; rank < needs.size(); ++rank) {
    const auto& [part, need] = needs[rank];
    std::vector<std::string> also;
    if (rank == 0) also.emplace_back("embedding");
    if (rank + 1 == needs.size()) also.emplace_back("head");
    std::vector<std::string> row = {
        fmt::format("{}", rank), fmt::format("{} to {}", part.first_layer + 1, part.end_layer),
        fmt::format("{}", fmt::join(also, ", ")), bytes_text(need.resident_weights)};
    if (is_16bit) row.push_back(bytes_text(need.weights_16bit));
    table.add_row(std::move(row));
  }
  return table.to_string();
}

Json ranks_json(const std::vector<RankNeed>& needs) {
  Json ranks = Json::array();
  for (const auto& [part, need] : needs) {
    ranks.push_back({{"first_layer", part.first_layer + 1},
                     {"last_layer", part.end_layer},
                     {"resident_weights", need.resident_weights},
                     {"short_weights", need.weights_16bit}});
  }
  return ranks;
}

using Rows = std::vector<std::pair<std::string, std::string>>;

void add_architecture(const ModelSummary& summary, Rows& rows) {
  const model::Architecture& a = *summary.architecture;
  rows.emplace_back("parameters", parameters_text(*summary.parameters));
  rows.emplace_back("layers", fmt::format("{}", a.num_layers));
  rows.emplace_back("hidden size", fmt::format("{}", a.hidden_size));
  rows.emplace_back("heads", fmt::format("{} for queries, {} for keys and values, {} numbers each",
                                         a.num_heads, a.num_kv_heads, a.head_dim));
  rows.emplace_back("positions", a.max_positions ? grouped(*a.max_positions) : "no limit");
  rows.emplace_back("vocabulary", grouped(a.vocab_size));
  rows.emplace_back("tied embeddings", a.tied_embeddings ? "yes" : "no");
}

void add_memory(const ModelSummary& summary, Rows& rows) {
  const model::MemoryNeed& need = *summary.need;
  rows.emplace_back("weights in memory",
                    fmt::format("{} as float32{}, {} streamed a layer at a time",
                                bytes_text(need.resident_weights),
                                need.weights_16bit > 0
                                    ? fmt::format(", {} as stored", bytes_text(need.weights_16bit))
                                    : "",
                                bytes_text(need.streamed_weights)));
  rows.emplace_back("work space",
                    fmt::format("{} to score {} tokens at once, {} per token to generate",
                                bytes_text(need.scoring_per_token * model::kDefaultBatchTokens),
                                model::kDefaultBatchTokens, bytes_text(need.cache_per_token)));
  if (const Verdict* verdict = verdict_on(summary)) {
    rows.emplace_back("free memory",
                      fmt::format("{}: {}", bytes_text(*summary.free_memory), verdict->text));
  }
}

Rows rows_of(const ModelSummary& summary) {
  Rows rows = {{"family", summary.family.value_or("unknown")}, {"model", summary.folder.string()}};
  if (summary.architecture) add_architecture(summary, rows);
  rows.emplace_back("tokenizer", tokenizer_text(summary));
  if (summary.adapter) rows.emplace_back("adapter", adapter_text(*summary.adapter));
  if (summary.generation) rows.emplace_back("generation", generation_text(*summary.generation));
  if (summary.files) {
    const FilesSummary& files = *summary.files;
    if (!files.types.empty()) rows.emplace_back("stored type", files.types);
    rows.emplace_back("files", fmt::format("{}, {}", files.count, bytes_text(files.bytes)));
  }
  if (!summary.surplus.empty()) {
    rows.emplace_back("not used", fmt::format("WARNING: the model does not have {}",
                                              model::first_few(summary.surplus)));
  }
  if (!summary.missing.empty()) {
    rows.emplace_back("missing", fmt::format("WARNING: these biases count as 0: {}",
                                             model::first_few(summary.missing)));
  }
  if (summary.need) add_memory(summary, rows);
  rows.emplace_back("supported", summary.problem.empty()
                                     ? "yes"
                                     : fmt::format("no, because {}", summary.problem));
  return rows;
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json architecture_json(const ModelSummary& summary) {
  const model::Architecture& a = *summary.architecture;
  return {{"parameters", *summary.parameters},     {"layers", a.num_layers},
          {"hidden_size", a.hidden_size},          {"heads", a.num_heads},
          {"key_value_heads", a.num_kv_heads},     {"head_size", a.head_dim},
          {"positions", or_null(a.max_positions)}, {"vocabulary", a.vocab_size},
          {"tied_embeddings", a.tied_embeddings}};
}

Json tokenizer_json(const TokenizerSummary& tokenizer) {
  if (!tokenizer.problem.empty()) return {{"problem", tokenizer.problem}};
  return {{"tokens", tokenizer.tokens}, {"beyond_vocabulary", tokenizer.beyond}};
}

Json adapter_json(const AdapterSummary& adapter) {
  return {{"lowest_rank", adapter.lowest_rank},
          {"highest_rank", adapter.highest_rank},
          {"weights", adapter.modules},
          {"base", adapter.base}};
}

Json generation_json(const model::GenerationConfig& generation) {
  return {{"eos_ids", generation.eos_ids},
          {"repetition_penalty", generation.repetition_penalty},
          {"unsupported", generation.unsupported}};
}

Json memory_json(const ModelSummary& summary) {
  const Verdict* verdict = verdict_on(summary);
  return {{"resident_weights", summary.need->resident_weights},
          {"short_weights", summary.need->weights_16bit},
          {"streamed_weights", summary.need->streamed_weights},
          {"scoring_per_token", summary.need->scoring_per_token},
          {"cache_per_token", summary.need->cache_per_token},
          {"free", or_null(summary.free_memory)},
          {"verdict", verdict == nullptr ? Json(nullptr) : Json(verdict->name)}};
}

// Bytes and counts as they are; null is what is not known or not there.
Json to_json(const ModelSummary& summary) {
  Json json = {{"family", or_null(summary.family)},
               {"folder", summary.folder.string()},
               {"supported", summary.problem.empty()}};
  json["problem"] = summary.problem.empty() ? Json(nullptr) : Json(summary.problem);
  json["architecture"] = summary.architecture ? architecture_json(summary) : Json(nullptr);
  json["tokenizer"] = summary.tokenizer ? tokenizer_json(*summary.tokenizer) : Json(nullptr);
  json["adapter"] = summary.adapter ? adapter_json(*summary.adapter) : Json(nullptr);
  json["generation"] = summary.generation ? generation_json(*summary.generation) : Json(nullptr);
  json["files"] = nullptr;
  if (const auto& files = summary.files) {
    json["files"] = {{"count", files->count}, {"bytes", files->bytes}, {"types", files->types}};
  }
  json["unused_tensors"] = summary.surplus;
  json["missing_biases"] = summary.missing;
  json["memory"] = summary.need ? memory_json(summary) : Json(nullptr);
  return json;
}

struct ModelCommand {
  std::string model;
  bool json = false;
  std::string random_init;  // the folder of a random copy; empty: describe the model
  uint64_t seed = 0;
  int64_t ranks = 0;  // processes that the layers are split among; 0: not asked for
};

void make_random_copy(const ModelCommand& command) {
  const lab::RandomModel made =
      lab::make_random_model({.model = model::find_model(command.model, hub_environment()),
                              .out = command.random_init,
                              .seed = command.seed});
  if (command.json) {
    print_json(to_text({{"out", command.random_init},
                        {"family", made.family},
                        {"parameters", made.parameters},
                        {"seed", command.seed}}));
    return;
  }
  fmt::print("{}: a {} model with {} random parameters\n", command.random_init, made.family,
             parameters_text(made.parameters));
}

void describe_model(const ModelCommand& command) {
  const model::HubEnvironment environment = hub_environment();
  const ModelSummary summary =
      summarize_model(model::find_model(command.model, environment), environment);
  const std::vector<RankNeed> ranks = rank_needs(summary, command.ranks);
  if (command.json) {
    Json json = to_json(summary);
    if (!ranks.empty()) json["ranks"] = ranks_json(ranks);
    print_json(to_text(json));
    return;
  }
  const Rows rows = rows_of(summary);
  size_t width = 0;
  for (const auto& [name, value] : rows) width = std::max(width, name.size());
  for (const auto& [name, value] : rows) {
    fmt::print("{:<{}}  {}\n", name, width, without_controls(value));  // it may quote a file
  }
  if (!ranks.empty()) fmt::print("\n{}", rank_table(ranks));
}

}  // namespace

void add_model_command(Command& program) {
  Command app = program.subcommand(
      "model", "Describe a model: family, size, memory it needs, whether it is supported");
  auto command = std::make_shared<ModelCommand>();
  app.option("MODEL", command->model,
             "Checkpoint folder, or a hub id (org/name[@revision]) in the local cache")
      .required();
  app.flag("--json", command->json, "Print the description as JSON");
  Option out = app.option("--random-init", command->random_init,
                          "Write a copy with random weights to this folder: a model that has "
                          "learned nothing");
  app.option("--seed", command->seed, "Seed of the random weights").show_default().needs(out);
  app.option("--ranks", command->ranks,
             "Also show the memory that each process needs if MPI divides the layers among this "
             "many processes (--split-layers of trace, mia and eval)")
      .excludes(out);
  app.action([command] {
    if (command->random_init.empty()) {
      describe_model(*command);
    } else {
      make_random_copy(*command);
    }
  });
}

}  // namespace palimpsest::cli
