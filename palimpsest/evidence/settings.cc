#include "palimpsest/evidence/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <type_traits>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"

namespace palimpsest::evidence {
namespace {

using Text = std::optional<std::string>;

template <class T>
concept Number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

// One pair of functions per type: the value as a text, and the value of a text.
Text text_of(const std::string& value) {
  return value;
}
Text text_of(const std::filesystem::path& value) {
  return value.string();
}
Text text_of(bool value) {
  return value ? "yes" : "no";
}
Text text_of(Number auto value) {
  return fmt::format("{}", value);
}
template <class T>
Text text_of(const std::vector<T>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}
template <class Kind>
Text text_of(Kind value) requires std::is_enum_v<Kind> {
  return std::string(data::name_of(value));
}
// The variables of a chat template, which are JSON values.
Text text_of(const std::map<std::string, std::string>& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = parse_json(value, "--var");
  return to_line(object);
}
template <class T>
Text text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : std::nullopt;
}

void read_value(const std::string& text, Number auto& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size())
    throw Error({.what = "this is not a number", .found = "'" + text + "'"});
}
void read_value(const std::string& text, std::string& value) {
  value = text;
}
void read_value(const std::string& text, std::filesystem::path& value) {
  value = text;
}
void read_value(const std::string& text, bool& value) {
  if (text != "yes" && text != "no")
    throw Error({.what = "a flag is neither yes nor no", .found = "'" + text + "'"});
  value = text == "yes";
}
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size() && !text.empty();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}
void read_value(const std::string& text, std::vector<std::string>& value) {
  value = parts_of(text);
}
void read_value(const std::string& text, std::vector<double>& value) {
  value.clear();
  for (const std::string& part : parts_of(text)) read_value(part, value.emplace_back());
}
void read_value(const std::string& text, data::DatasetKind& value) {
  value = data::dataset_kind_named(text);
}
void read_value(const std::string& text, data::TemplateKind& value) {
  value = data::template_kind_named(text);
}
void read_value(const std::string& text, data::AttentionMask& value) {
  value = data::attention_mask_named(text);
}
void read_value(const std::string& text, data::LabelStart& value) {
  value = data::label_start_named(text);
}
void read_value(const std::string& text, std::map<std::string, std::string>& value) {
  value.clear();
  const Json object = parse_json(text, "--var");
  if (!object.is_object()) throw Error({.what = "the variables are not an object", .found = text});
  for (const auto& [name, member] : object.items()) value[name] = to_line(member);
}

template <class T>
void set_value(const Text& text, T& value) {
  if (!text) throw Error("the value is missing");
  read_value(*text, value);
}
template <class T>
void set_value(const Text& text, std::optional<T>& value) {
  if (!text) {
    value.reset();
  } else {
    read_value(*text, value.emplace());
  }
}

// Calls use(option, variable) for every setting.
template <class Use>
void for_each_setting(audit::AuditSpec& spec, const Use& use) {
  attack::MiaOptions& mia = spec.options;
  use("--attacks", spec.attacks);
  for (auto& [name, value] : spec.parameters) use((name.size() == 1 ? "-" : "--") + name, value);
  use("--primary", mia.primary);
  use("--margin", mia.margin);
  use("--cluster-key", mia.clusters.key);
  use("--cluster-size", mia.clusters.size);
  use("--independent", mia.clusters.independent);
  use("--fpr", mia.fprs);
  use("--confidence", mia.bootstrap.confidence);
  use("--fdr", mia.false_discovery_rate);
  use("--bootstrap", mia.bootstrap.resamples);
  use("--seed", mia.bootstrap.seed);
  use("--group-key", mia.group_keys);
  use("--blind-baseline", mia.blind_baseline);
  use("--allow-overlap", mia.allow_overlap);
  use("--cost-fp", mia.costs.false_positive);
  use("--cost-fn", mia.costs.false_negative);
  use("--validation-split", mia.validation_split);
  auto* models = std::get_if<audit::AuditModels>(&spec.source);
  if (models == nullptr) return;
  data::PreparationOptions& data = models->preparation;
  use("--dataset", data.kind);
  use("--question-key", data.question_key);
  use("--answer-key", data.answer_key);
  use("--text-key", data.text_key);
  use("--prefix-key", data.prefix_key);
  use("--few-shot", data.few_shot);
  use("--template", data.prompt_template);
  use("--user-start-tag", data.tags.user_start_tag);
  use("--user-end-tag", data.tags.user_end_tag);
  use("--asst-start-tag", data.tags.asst_start_tag);
  use("--asst-end-tag", data.tags.asst_end_tag);
  use("--system-prompt", data.system_prompt);
  use("--var", data.chat.variables);
  use("--max-length", data.max_length);
  use("--insert-space", data.insert_space);
  use("--attention-mask", data.attention_mask);
  use("--labels", data.labels);
}

// "--blind-baseline" is switched off by another name.
std::string option_on_command_line(const std::string& setting) {
  return setting == "--blind-baseline" ? "--no-blind-baseline" : setting;
}

std::string shown_value(const Text& value) {
  return value && !value->empty() ? "'" + *value + "'" : "nothing";
}

}  // namespace

Settings settings_of(const audit::AuditSpec& spec) {
  Settings settings;
  audit::AuditSpec copy = spec;
  for_each_setting(copy, [&](const std::string& option, auto& value) {
    settings.push_back({option, text_of(value)});
  });
  return settings;
}

void apply_settings(const Settings& settings, audit::AuditSpec& spec) {
  for (const Setting& setting : settings) {
    bool known = false;
    for_each_setting(spec, [&](const std::string& option, auto& value) {
      if (option != setting.option) return;
      known = true;
      try {
        set_value(setting.value, value);
      } catch (const Error& error) {
        throw error.located(option);
      }
    });
    if (!known) throw Error({.what = "an audit has no such setting", .where = setting.option});
  }
}

void follow(const Settings& planned, audit::AuditSpec& spec,
            const std::function<bool(const std::string&)>& is_given) {
  const Settings own = settings_of(spec);
  for (const Setting& setting : planned) {
    const auto found = std::ranges::find(own, setting.option, &Setting::option);
    if (found == own.end()) {
      throw Error({.what = "the plan fixes a setting that this audit does not have",
                   .where = setting.option,
                   .hint = "a plan for models and data is for --model, a plan for traces is for "
                           "--forget-traces"});
    }
    const std::string option = option_on_command_line(setting.option);
    if (*found != setting && is_given(option)) {
      throw Error({.what = "the option deviates from the plan",
                   .where = option,
                   .expected = shown_value(setting.value),
                   .found = shown_value(found->value),
                   .hint = "leave the option out, or make a new plan"});
    }
  }
  if (planned.size() != own.size()) {
    for (const Setting& setting : own) {
      if (std::ranges::find(planned, setting.option, &Setting::option) == planned.end())
        throw Error({.what = "the plan does not fix this setting", .where = setting.option});
    }
  }
  apply_settings(planned, spec);
}

}  // namespace palimpsest::evidence
