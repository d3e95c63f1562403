// Chat templates from hostile files: any bytes are parsed and, if they are a template, rendered
// with small limits. Nothing but Error may come out; the sanitizers watch the rest.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "palimpsest/base/error.h"
#include "palimpsest/jinja/chat_template.h"

namespace {

constexpr std::string_view kMessages =
    R"([{"role": "system", "content": "Be brief.\n"},
        {"role": "user", "content": "Straße 日本 😀 <b>"},
        {"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "f",
          "arguments": {"x": 1.5, "y": [1, -2, true]}}}]},
        {"role": "tool", "content": [{"type": "text", "text": "ok"}]}])";

palimpsest::jinja::ChatOptions small_options() {
  palimpsest::jinja::ChatOptions options;
  options.add_generation_prompt = true;
  options.tools = R"([{"type": "function", "function": {"name": "f", "parameters": {}}}])";
  options.special_tokens = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};
  options.variables = {{"n", "7"}, {"x", "2.5"}, {"s", "\"a b\""}, {"l", "[3, 1, 2]"}};
  options.now = palimpsest::python_text::CivilTime{2024, 7, 26, 12, 30, 0, 0};
  options.limits = {.max_steps = 100'000, .max_bytes = 8 << 20};
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const palimpsest::jinja::ChatOptions options = small_options();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    palimpsest::jinja::ChatTemplate::parse(text, "fuzz").render(kMessages, options);
  } catch (const palimpsest::Error&) {
    // The expected end of most inputs.
  }
  return 0;
}
