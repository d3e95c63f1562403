#include "palimpsest/tokenizer/internal/metaspace.h"

namespace palimpsest::tokenizer {

MetaspaceOptions load_metaspace(ComponentFields& fields) {
  MetaspaceOptions options;
  options.replacement = fields.require_character("replacement");
  const std::string scheme = fields.find_string("prepend_scheme").value_or("always");
  if (scheme == "first") {
    options.prepend = PrependScheme::kFirst;
  } else if (scheme == "never") {
    options.prepend = PrependScheme::kNever;
  } else if (scheme != "always") {
    fields.fail("prepend_scheme", fmt::format("'{}' is not supported", scheme));
  }
  if (!fields.bool_or("add_prefix_space", true) && options.prepend != PrependScheme::kNever) {
    fields.fail("add_prefix_space", "is false, but 'prepend_scheme' is not \"never\"");
  }
  options.split = fields.bool_or("split", true);
  fields.find("str_rep");  // older files repeat the replacement there
  return options;
}

}  // namespace palimpsest::tokenizer
