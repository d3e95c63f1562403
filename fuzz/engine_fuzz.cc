// A checkpoint folder of any bytes, loaded by the engine: refused with an Error, or run, with the
// same scores to the bit whether its weights are widened, kept in 16 bits or streamed.
//
// An input is config.json, a control character and what that character says about the weights:
//   \1  numbers, a byte each, for a checkpoint that fits the configuration; the first is its type
//   \2  the header of model.safetensors without its length, and the data
//   \3  model.safetensors as it is
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/input_file.h"
#include "fuzz/safetensors_input.h"
#include "palimpsest/base/error.h"
#include "palimpsest/engine/engine_loader.h"
#include "palimpsest/kernels/internal/widen.h"
#include "palimpsest/model/internal/architecture.h"

namespace palimpsest {
namespace {

constexpr int64_t kMemory = 16 << 20;
// Numbers of a made checkpoint: beyond, nothing of it is written, and loading ends at a check.
constexpr int64_t kMaxNumbers = 1 << 13;
constexpr int64_t kMaxLayers = 64;  // listing the parameters of more takes too long

void check(bool holds) {
  if (!holds) std::abort();
}

// ---- the weights

// The number that a byte stands for: most of them are harmless, so that some models compute
// something.
float number_of(uint8_t byte) {
  using Limits = std::numeric_limits<float>;
  constexpr std::array kHostile = {Limits::quiet_NaN(), Limits::infinity(), 0x1.0p15F, -0x1.0p15F,
                                   0x1.0p-14F,          0x1.0p-24F,         -0.0F,     0.0F};
  const size_t from_end = 255U - byte;
  if (from_end < kHostile.size()) return kHostile[from_end];
  return static_cast<float>(byte - 124) / 64;
}

void append_number(kernels::DType dtype, float number, std::string& data) {
  if (dtype == kernels::DType::kFloat32) {
    data.append(reinterpret_cast<const char*>(&number), sizeof number);
    return;
  }
  uint16_t narrow = dtype == kernels::DType::kFloat16 ? 0x7C01 : 0x7F81;  // not a number
  if (std::isfinite(number)) kernels::narrow(dtype, &number, 1, &narrow);
  data.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
}

constexpr std::pair<kernels::DType, const char*> kTypes[] = {{kernels::DType::kFloat32, "F32"},
                                                             {kernels::DType::kFloat16, "F16"},
                                                             {kernels::DType::kBFloat16, "BF16"}};

// All parameters, from the bytes over and over again. The fourth type is a mixture.
std::string made_weights(const model::Architecture& architecture, std::string_view bytes) {
  const auto byte_at = [&](size_t i) {
    return bytes.empty() ? uint8_t{140} : static_cast<uint8_t>(bytes[i % bytes.size()]);
  };
  std::string header = "{";
  std::string data;
  size_t number = 0;
  size_t tensor = 0;
  for (const model::Parameter& parameter : model::parameters(architecture)) {
    const size_t chosen = byte_at(0) % 4U;
    const auto& [dtype, name] = kTypes[chosen < 3 ? chosen : tensor++ % 3];
    const size_t begin = data.size();
    std::string shape;
    for (const int64_t extent : parameter.shape) {
      shape += (shape.empty() ? "" : ",") + std::to_string(extent);
    }
    for (int64_t i = 0; i < model::num_elements(parameter); ++i) {
      append_number(dtype, number_of(byte_at(++number)), data);
    }
    header += (header.size() == 1 ? "\"" : ",\"") + parameter.name + R"(":{"dtype":")" + name +
              R"(","shape":[)" + shape + R"(],"data_offsets":[)" + std::to_string(begin) + "," +
              std::to_string(data.size()) + "]}";
  }
  header += "}";
  return with_header_length(header + data, header.size());
}

// ---- the model

struct Outcome {
  std::vector<model::SequenceScores> scores;
  std::vector<model::Generation> generations;
};

std::vector<int64_t> made_ids(const model::ModelInfo& model, int64_t count, int64_t step) {
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < count; ++i) ids.push_back(i / 2 * step % model.vocab_size);
  return ids;
}

void check_scores(const std::vector<model::SequenceScores>& scores, const model::ModelInfo& info) {
  check(scores.size() == 2);
  for (const model::SequenceScores& sequence : scores) {
    for (const double logprob : sequence.logprob) check(logprob <= 0);
    for (const double mean : sequence.mean) check(mean <= 1e-6);
    for (const double var : sequence.var) check(var == var);
    for (const int64_t id : sequence.argmax) check(id >= 0 && id < info.vocab_size);
  }
}

// Three tokens each, or as many as the model has positions for if these are few.
std::vector<model::Generation> generate(model::LanguageModel& model, bool sample) {
  constexpr int64_t kFewPositions = 16;
  const model::ModelInfo& a = model.info();
  const bool to_the_end = !sample && a.max_positions.value_or(kFewPositions + 1) <= kFewPositions;
  const model::Prompt prompts[] = {{.ids = made_ids(a, 4, 1)}, {.ids = made_ids(a, 3, 5)}};
  const model::GenerateOptions options{
      .max_new_tokens = to_the_end ? std::numeric_limits<int64_t>::max() : 3,
      .repetition_penalty = sample ? 1.5 : 1.0,
      .masked_token = sample ? 1 : 0,
      .sample = sample,
      .top_k = 3,
      .top_p = 0.9};
  std::vector<model::Generation> generations = model.generate(prompts, options);
  check(generations.size() == 2);
  for (const model::Generation& generation : generations) {
    check(generation.ids.size() <= kFewPositions);
    for (const int64_t id : generation.ids) check(id >= 0 && id < a.vocab_size);
  }
  return generations;
}

Outcome run(model::LanguageModel& model) {
  const model::ModelInfo& a = model.info();
  model::Sequence sequences[] = {{.ids = made_ids(a, 9, 1)}, {.ids = made_ids(a, 6, 3)}};
  for (model::Sequence& sequence : sequences) sequence.labels = sequence.ids;
  sequences[1].labels[2] = kIgnoredLabel;
  Outcome outcome;
  for (const std::vector<model::NormOrder>& orders :
       {std::vector<model::NormOrder>{},
        {model::NormOrder::kTwo},
        {model::NormOrder::kOne, model::NormOrder::kTwo, model::NormOrder::kInfinity}}) {
    try {
      const auto scores = model.score(sequences, {.masked_token = 2, .gradient_norms = orders});
      check_scores(scores, model.info());
      outcome.scores.insert(outcome.scores.end(), scores.begin(), scores.end());
    } catch (const Error&) {
      outcome.scores.emplace_back();  // it was not a number
    }
  }
  for (const bool sample : {false, true}) {
    try {
      for (const model::Generation& generation : generate(model, sample)) {
        outcome.generations.push_back(generation);
      }
    } catch (const Error&) {
      outcome.generations.emplace_back();
    }
  }
  return outcome;
}

void check_equal(const Outcome& a, const Outcome& b) {
  check(a.scores.size() == b.scores.size() && a.generations.size() == b.generations.size());
  for (size_t i = 0; i < a.scores.size(); ++i) {
    check(a.scores[i].logprob == b.scores[i].logprob && a.scores[i].mean == b.scores[i].mean);
    check(a.scores[i].var == b.scores[i].var && a.scores[i].argmax == b.scores[i].argmax);
    check(a.scores[i].gradient_norms == b.scores[i].gradient_norms);
  }
  for (size_t i = 0; i < a.generations.size(); ++i) {
    check(a.generations[i].ids == b.generations[i].ids);
  }
}

std::unique_ptr<model::LanguageModel> load(const InputFolder& folder,
                                           std::optional<model::Residence> residence) {
  try {
    return engine::EngineLoader().load(
        folder.path(), {.threads = 1, .memory_limit = kMemory, .residence = residence});
  } catch (const Error&) {
    return nullptr;
  } catch (const SystemError&) {
    return nullptr;
  }
}

// ---- an input

std::optional<model::Architecture> read_config(std::string_view text) {
  try {
    return model::read_architecture(std::string(text), "config.json");
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Nothing where the weights would be too many.
std::optional<std::string> weights_of(const model::Architecture& architecture, char kind,
                                      std::string_view rest) {
  if (kind == '\2') return with_header_length(rest, object_length(rest));
  if (kind == '\3') return std::string(rest);
  try {
    if (model::num_parameters(architecture) > kMaxNumbers) return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
  return made_weights(architecture, rest);
}

void run_input(std::string_view input) {
  const InputFolder& folder = input_folder();
  const size_t parted = std::min(input.find_first_of("\1\2\3"), input.size());
  const std::string_view config = input.substr(0, parted);
  const char kind = parted < input.size() ? input[parted] : '\1';
  const std::string_view rest = input.substr(std::min(parted + 1, input.size()));
  const std::optional<model::Architecture> architecture = read_config(config);
  if (!architecture || architecture->num_layers > kMaxLayers) return;
  const std::optional<std::string> weights = weights_of(*architecture, kind, rest);
  folder.write("config.json", config);
  folder.write("model.safetensors", weights.value_or(with_header_length("{}", 2)));
  std::optional<Outcome> whole;
  // One of the two others, which the length of the input chooses: a model takes most of the time.
  const model::Residence other =
      input.size() % 2 == 0 ? model::Residence::k16Bit : model::Residence::kStreamed;
  for (const model::Residence residence : {model::Residence::kResident, other}) {
    const std::unique_ptr<model::LanguageModel> model = load(folder, residence);
    check(model == nullptr || weights);
    // Whoever is streamed finds NaN later, or not at all.
    if (model == nullptr) continue;
    Outcome outcome = run(*model);
    if (whole) check_equal(*whole, outcome);
    if (residence == model::Residence::kResident) whole = std::move(outcome);
  }
}

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  palimpsest::run_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
