#include "palimpsest/attack/internal/hidden_texts.h"

#include "palimpsest/attack/example_facts.h"
#include "palimpsest/attack/internal/compressed_size.h"
#include "palimpsest/base/internal/sha256.h"

namespace palimpsest::attack {

std::string salted_hash(const std::string& salt, const std::string& text) {
  constexpr size_t kDigits = 16;
  return Sha256().add(salt).add({"\0", 1}).add(text).hex().substr(0, kDigits);
}

void hide_texts(const std::string& salt, trace::Trace& trace) {
  if (trace.text) {
    trace.zlib_size = compressed_size(*trace.text);
    // As overlap.h compares: the prompt belongs to it, and case and white space do not count.
    const std::string text = normalised_text(*trace.text);
    if (!text.empty()) {
      trace.text_hash =
          salted_hash(salt, (trace.prompt ? normalised_text(*trace.prompt) : "") + "\n" + text);
    }
  }
  trace.prompt.reset();
  trace.text.reset();
  trace.tokens.reset();
  trace.argmax.reset();
  trace.label.reset();
  for (auto& [key, value] : trace.groups) value = salted_hash(salt, value);
}

}  // namespace palimpsest::attack
