#include "palimpsest/eval/read_evaluation.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/eval/internal/read_settings.h"

namespace palimpsest::eval {
namespace {

constexpr const char* kHandler = "AutoModelForCausalLM";
constexpr const char* kBestDevice = "auto";  // the GPU where there is one

// What a device_map or a `device` names; "cpu" where there is none.
std::string named_device(const config::Value* map) {
  // {"": cuda} puts everything on one device.
  if (map != nullptr && map->is_map() && map->as_map().size() == 1) map = &map->as_map()[0].second;
  if (map == nullptr) return "cpu";
  if (map->is_int()) return fmt::format("cuda:{}", map->as_int());
  const std::string& wanted = map->as_text();
  if (wanted == "auto" || wanted.starts_with("balanced")) return kBestDevice;
  if (wanted == "cpu" || wanted == "torch" || wanted == "cuda" || wanted.starts_with("cuda:")) {
    return wanted;
  }
  throw Error({.what = fmt::format("there is no device '{}'", wanted),
               .where = map->where(),
               .expected = "cpu, torch, cuda, cuda:N or auto"});
}

std::string device_of(const config::Value& args, const config::Value* device, bool has_cuda,
                      std::vector<std::string>& notes) {
  const std::string wanted = named_device(device != nullptr ? device : args.find_set("device_map"));
  const bool is_cuda = wanted != "cpu" && wanted != "torch";
  if (is_cuda && !has_cuda) {
    if (wanted != kBestDevice) {
      notes.push_back(fmt::format("{} is {}, but there is no such device; the CPU is used instead",
                                  device != nullptr ? "device" : "device_map", wanted));
    }
    return "cpu";
  }
  return wanted == kBestDevice ? "cuda" : wanted;
}

// Without a type open-unlearning computes in float32. A CPU that multiplies a narrow type slowly is
// better left to choose: it gives the same numbers or more exact ones.
std::optional<kernels::DType> dtype_of(const config::Value& args, const std::string& device) {
  const config::Value* type = args.find_set("torch_dtype");
  if (type == nullptr) return kernels::DType::kFloat32;
  const std::string& name = type->as_text();
  for (const kernels::DType dtype :
       {kernels::DType::kFloat32, kernels::DType::kFloat16, kernels::DType::kBFloat16}) {
    if (name == kernels::name_of(dtype)) {
      if (device != "cpu" || dtype == kernels::DType::kFloat32) return dtype;
      log_info("torch_dtype is {}; on the CPU the weights are widened to float32", name);
      return std::nullopt;
    }
  }
  if (name == "auto") return std::nullopt;
  throw Error({.what = fmt::format("there is no torch_dtype '{}'", name),
               .where = type->where(),
               .expected = "float32, float16, bfloat16 or auto"});
}

std::string name_in(const config::Value& args) {
  const std::string& name = args.at("pretrained_model_name_or_path").as_text();
  const config::Value* revision = args.find_set("revision");
  return revision != nullptr ? name + "@" + revision->as_text() : name;
}

}  // namespace

const config::Value* evaluators_device(const config::Value& config) {
  const config::Value* evals = config.find_set("eval");
  if (evals == nullptr || !evals->is_map()) return nullptr;
  const config::Value* device = nullptr;
  for (const auto& [key, evaluator] : evals->as_map()) {
    const config::Value* own = evaluator.is_map() ? evaluator.find_set("device") : nullptr;
    if (own == nullptr) continue;
    if (device != nullptr && *device != *own) {
      throw Error({.what = "two evaluators name different devices for the one model",
                   .where = own->where(),
                   .expected = fmt::format("the same as at {}", device->where())});
    }
    device = own;
  }
  return device;
}

std::string wanted_device(const config::Value& config) {
  if (const config::Value* device = evaluators_device(config)) return named_device(device);
  const config::Value* model = config.find_set("model");
  const config::Value* args =
      model != nullptr && model->is_map() ? model->find_set("model_args") : nullptr;
  const bool readable = args != nullptr && args->is_map();
  return named_device(readable ? args->find_set("device_map") : nullptr);
}

PromptSettings read_prompt_settings(const config::Value& template_args) {
  const auto text = [&](std::string_view key) {
    const config::Value* found = template_args.find_set(key);
    return found != nullptr ? std::optional(found->as_text()) : std::nullopt;
  };
  PromptSettings prompt;
  const config::Value* chat = template_args.find_set("apply_chat_template");
  if (chat == nullptr) return prompt;
  prompt.chat_template = chat->as_bool();
  if (prompt.chat_template) {
    prompt.system_prompt = text("system_prompt");
    prompt.date_string = text("date_string");
    return prompt;
  }
  const auto user_start = text("user_start_tag");
  const auto user_end = text("user_end_tag");
  const auto asst_start = text("asst_start_tag");
  if (!user_start || !user_end || !asst_start) return prompt;
  prompt.tags = {
      .user_start_tag = *user_start, .user_end_tag = *user_end, .asst_start_tag = *asst_start};
  if (const auto end = text("asst_end_tag")) prompt.tags->asst_end_tag = *end;
  if (const auto system = text("system_prompt_with_special_tokens")) {
    prompt.tags->system_prompt_with_special_tokens = *system;
  }
  return prompt;
}

ModelSettings read_model(const config::Value& model, const MachineSettings& machine,
                         const config::Value* device) {
  const config::Value* handler = model.find_set("model_handler");
  if (handler != nullptr && handler->as_text() != kHandler) {
    throw Error({.what = fmt::format("there is no model handler '{}'", handler->as_text()),
                 .where = handler->where(),
                 .expected = kHandler});
  }
  const config::Value& args = model.at("model_args");
  ModelSettings settings{.name = name_in(args), .options = machine.defaults, .where = args.where()};
  settings.options.device = device_of(args, device, machine.has_cuda, settings.notes);
  settings.options.dtype = dtype_of(args, settings.options.device);
  if (const config::Value* found = model.find_set("tokenizer_args")) {
    settings.tokenizer = name_in(*found);
  }
  if (const config::Value* found = model.find_set("template_args")) {
    settings.prompt = read_prompt_settings(*found);
  }
  return settings;
}

}  // namespace palimpsest::eval
