#include "palimpsest/eval/model_settings.h"

#include <fmt/format.h>

#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/log.h"
#include "palimpsest/model/adapter_base.h"

namespace palimpsest::eval {
namespace {

constexpr const char* kHandler = "AutoModelForCausalLM";
constexpr const char* kBestDevice = "auto";  // the GPU where there is one

std::string device_of(const config::Value& args, bool has_cuda) {
  const std::string wanted = wanted_device(args);
  const bool is_cuda = wanted != "cpu" && wanted != "torch";
  if (is_cuda && !has_cuda) {
    if (wanted != kBestDevice) {
      log_warning("device_map is {}, but there is no such device: the CPU computes", wanted);
    }
    return "cpu";
  }
  return wanted == kBestDevice ? "cuda" : wanted;
}

// Without a type open-unlearning computes in float32. A CPU that multiplies a narrow type slowly is
// better left to choose: it gives the same numbers or more exact ones.
std::optional<DType> dtype_of(const config::Value& args, const std::string& device) {
  const config::Value* type = args.find_set("torch_dtype");
  if (type == nullptr) return DType::kFloat32;
  const std::string& name = type->as_text();
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    if (name == name_of(dtype)) {
      if (device != "cpu" || dtype == DType::kFloat32) return dtype;
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

std::filesystem::path folder_of(const config::Value& args, const HubEnvironment& hub) {
  try {
    return find_model(name_in(args), hub);
  } catch (const Error& error) {
    throw error.located(args.where());
  }
}

// The tokenizer's own folder, else the model's where it has one, else that of an adapter's base.
std::filesystem::path tokenizer_folder(const config::Value& model,
                                       const std::filesystem::path& folder,
                                       const HubEnvironment& hub) {
  const config::Value* args = model.find_set("tokenizer_args");
  if (args == nullptr) return find_tokenizer(folder, hub);
  try {
    return find_tokenizer(folder_of(*args, hub), hub);
  } catch (const Error& error) {
    const std::filesystem::path own = find_tokenizer(folder, hub);
    std::error_code ignored;
    if (!std::filesystem::exists(own / "tokenizer.json", ignored)) throw;
    log_warning("{}; the model's own tokenizer is taken", error.what());
    return own;
  }
}

}  // namespace

std::string wanted_device(const config::Value& model_args) {
  const config::Value* map = model_args.find_set("device_map");
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

ModelSettings read_model(const config::Value& model, const ModelPlaces& places) {
  const config::Value* handler = model.find_set("model_handler");
  if (handler != nullptr && handler->as_text() != kHandler) {
    throw Error({.what = fmt::format("there is no model handler '{}'", handler->as_text()),
                 .where = handler->where(),
                 .expected = kHandler});
  }
  const config::Value& args = model.at("model_args");
  ModelSettings settings{
      .name = name_in(args), .folder = folder_of(args, places.hub), .options = places.defaults};
  settings.options.device = device_of(args, places.has_cuda);
  settings.options.dtype = dtype_of(args, settings.options.device);
  settings.tokenizer_folder = tokenizer_folder(model, settings.folder, places.hub);
  if (const config::Value* found = model.find_set("template_args")) {
    settings.template_args = *found;
  }
  return settings;
}

}  // namespace palimpsest::eval
