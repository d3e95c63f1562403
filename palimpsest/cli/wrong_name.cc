#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "palimpsest/cli/command_description.h"

namespace palimpsest::cli {
namespace {

// The least number of letters to add, drop or change, or of neighbours to swap, that turns one word
// into the other (optimal string alignment).
size_t letters_apart(std::string_view a, std::string_view b) {
  std::vector<size_t> before;
  std::vector<size_t> above(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

// "'a'", "'a' or 'b'", "'a', 'b' or 'c'"
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += "'" + words[i] + "'";
  }
  return text;
}

std::vector<std::string> command_names(const CommandDescription& command) {
  std::vector<std::string> names;
  for (const CommandDescription& one : command.commands) names.push_back(one.name);
  return names;
}

std::vector<std::string> option_names(const CommandDescription& command) {
  std::vector<std::string> names;
  for (const OptionDescription& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::string unknown_option(const CommandDescription& command, const std::string& word) {
  const std::vector<std::string> near = nearest_words(word, option_names(command));
  return fmt::format("{} has no option '{}'{}", command.name, word,
                     near.empty() ? "" : fmt::format("; did you mean {}?", listed(near)));
}

// "-1" and "-.5" are values, "-" is standard input.
bool looks_like_option(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  return word[1] != '.' && (word[1] < '0' || word[1] > '9');
}

// "--out" of "--out=here", "-k" of "-k0.2".
std::string name_in(const std::string& word) {
  if (word.starts_with("--")) return word.substr(0, word.find('='));
  return word.substr(0, 2);
}

// The number of arguments that follow an option as its values.
size_t read_option(const std::string& word, CalledNames& called) {
  const std::string name = name_in(word);
  const OptionDescription* option = called.command->option(name);
  if (option == nullptr) {
    called.wrong = unknown_option(*called.command, word.starts_with("--") ? name : word);
    return 0;
  }
  const auto values = static_cast<size_t>(std::max(option->least_values, 0));
  const bool has_value = word.size() > name.size();
  return has_value && values > 0 ? values - 1 : values;
}

}  // namespace

std::string unknown_command(const CommandDescription& command, const std::string& word) {
  const std::vector<std::string> near = nearest_words(word, command_names(command));
  const std::string meant =
      near.empty() ? fmt::format("the commands are {}", fmt::join(command_names(command), ", "))
                   : fmt::format("did you mean {}?", listed(near));
  return fmt::format("{} no command '{}'; {}",
                     command.depth == 0 ? "there is" : command.name + " has", word, meant);
}

std::vector<std::string> nearest_words(std::string_view word,
                                       const std::vector<std::string>& known) {
  constexpr size_t kMaxSuggestions = 3;
  constexpr size_t kShortestPart = 3;
  const size_t allowed = std::max<size_t>(1, word.size() / 3);
  std::vector<std::pair<size_t, std::string>> found;
  for (const std::string& candidate : known) {
    const bool is_part = word.size() >= kShortestPart && candidate.find(word) != std::string::npos;
    // A part of a name is as near as a name with one wrong letter.
    const size_t letters = letters_apart(word, candidate);
    const size_t apart = is_part ? std::min<size_t>(letters, 1) : letters;
    if (apart <= allowed) found.emplace_back(apart, candidate);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> words;
  for (const auto& [apart, candidate] : found) {
    // One that is much nearer than the rest is the one that was meant.
    if (words.size() == kMaxSuggestions || apart > found.front().first + 1) break;
    words.push_back(candidate);
  }
  return words;
}

// Values are told from names by the number that options take.
CalledNames called_names(const CommandDescription& program,
                         const std::vector<std::string>& arguments) {
  CalledNames called{.command = &program};
  for (size_t i = 0; i < arguments.size() && called.wrong.empty(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--") return called;
    if (looks_like_option(word)) {
      i += read_option(word, called);
    } else if (const CommandDescription* next = called.command->command(word)) {
      called.command = next;
    } else if (called.command->needs_command) {
      called.wrong = unknown_command(*called.command, word);
    }
  }
  if (called.wrong.empty() && called.command->needs_command) {
    called.wrong = fmt::format("{} needs a command: {}", called.command->name,
                               fmt::join(command_names(*called.command), ", "));
  }
  return called;
}

}  // namespace palimpsest::cli
